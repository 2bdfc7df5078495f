//! [`Registry`]: the agents that this host serves, each with its state, its log and its source.

use std::path::PathBuf;
use std::sync::Arc;

use session::AgentId;
use tokio::sync::{Mutex, broadcast, watch};

use super::adk_python::AdkPythonSource;
use super::mcp::{McpAgent, McpSource};
use super::native::{NativeAgent, NativeSource};
use super::{
    AgentFacts, AgentFault, AgentLog, AgentSource, CatalogChange, Reporter, SessionSeed,
    SourceEvent,
};

/// One agent to rehearse: its name, the agent, and the file its exports are appended to.
pub struct SimulatedAgentConfig {
    /// The name that people read; the eval ids and the eval set's id are made from it.
    pub name: String,
    /// The agent.
    pub agent: Box<dyn AgentSource>,
    /// Where completed rehearsals are appended: absolute, or relative to the working directory.
    pub eval_set_path: PathBuf,
    /// The user's id and the initial state of each session.
    pub seed: SessionSeed,
}

impl SimulatedAgentConfig {
    /// An agent from any source.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        agent: impl AgentSource,
        eval_set_path: impl Into<PathBuf>,
    ) -> Self {
        Self {
            name: name.into(),
            agent: Box::new(agent),
            eval_set_path: eval_set_path.into(),
            seed: SessionSeed { user_id: "user".to_owned(), ..SessionSeed::default() },
        }
    }

    /// An agent written in Rust.
    #[must_use]
    pub fn native(
        name: impl Into<String>,
        agent: NativeAgent,
        eval_set_path: impl Into<PathBuf>,
    ) -> Self {
        Self::new(name, NativeSource::new(agent), eval_set_path)
    }

    /// The agent in a folder that `adk web` would load, run by the interpreter that `adk` would use.
    /// [`AdkPythonSource::new`] takes another one.
    #[must_use]
    pub fn adk_python(
        name: impl Into<String>,
        folder: impl Into<PathBuf>,
        eval_set_path: impl Into<PathBuf>,
    ) -> Self {
        Self::new(name, AdkPythonSource::new(folder, None), eval_set_path)
    }

    /// An agent whose tools are those of MCP servers.
    #[must_use]
    pub fn mcp(
        name: impl Into<String>,
        agent: McpAgent,
        eval_set_path: impl Into<PathBuf>,
    ) -> Self {
        Self::new(name, McpSource::new(agent), eval_set_path)
    }

    /// Replaces what sessions start from.
    #[must_use]
    pub fn seed(mut self, seed: SessionSeed) -> Self {
        self.seed = seed;
        self
    }
}

/// Every agent, in the order given. Never changes while the host runs.
pub struct Registry {
    agents: Vec<Arc<RegisteredAgent>>,
    changes: broadcast::Sender<AgentId>,
    /// Events that sources report.
    news: broadcast::Sender<Arc<SourceEvent>>,
}

/// One agent.
pub struct RegisteredAgent {
    /// The name in addresses, unique in a registry.
    pub id: AgentId,
    /// The name that people read.
    pub name: String,
    /// Where completed rehearsals are appended: absolute, or relative to the working directory.
    pub eval_set_path: PathBuf,
    /// What its sessions start from.
    pub seed: SessionSeed,
    /// What runs it.
    pub source: Box<dyn AgentSource>,
    /// Its output.
    pub log: Arc<AgentLog>,
    condition: watch::Sender<Condition>,
    changes: broadcast::Sender<AgentId>,
    /// Locked while the source loads, so that it is loaded once at a time.
    loading: Mutex<()>,
}

/// Whether an agent can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentStatus {
    /// Its source is still being loaded.
    Starting,
    /// It can be used.
    Ready(AgentFacts),
    /// It cannot be used, with the reason.
    Faulted(AgentFault),
}

#[derive(Debug, Clone)]
enum Condition {
    Starting,
    Ready(AgentFacts),
    /// The fault, and the facts of an agent that was ready before.
    Faulted(AgentFault, Option<AgentFacts>),
}

impl Registry {
    /// Agents with the same name get numbers in their ids, except the first one. `views` is called for each session
    /// whose view a source changed.
    #[must_use]
    pub fn new(
        configs: Vec<SimulatedAgentConfig>,
        views: impl Fn(&CatalogChange) + Clone + Send + Sync + 'static,
    ) -> Self {
        let news = broadcast::channel(256).0;
        let changes = broadcast::channel(64).0;
        let mut agents: Vec<Arc<RegisteredAgent>> = Vec::with_capacity(configs.len());
        for config in configs {
            let base = AgentId::from_display_name(&config.name);
            let taken = |id: &AgentId| agents.iter().any(|agent| agent.id == *id);
            let id = if taken(&base) {
                (2..).map(|number| base.numbered(number)).find(|id| !taken(id)).unwrap_or(base)
            } else {
                base
            };
            let (views, passed_on) = (views.clone(), news.clone());
            config.agent.report_to(Reporter::new(move |event| {
                if let SourceEvent::CatalogChanged(change) = &event {
                    views(change);
                }
                // There may be no listener. A page reads the state when it connects.
                let _ = passed_on.send(Arc::new(event));
            }));
            agents.push(Arc::new(RegisteredAgent {
                id,
                name: config.name,
                eval_set_path: config.eval_set_path,
                seed: config.seed,
                source: config.agent,
                log: Arc::default(),
                condition: watch::channel(Condition::Starting).0,
                changes: changes.clone(),
                loading: Mutex::default(),
            }));
        }
        Self { agents, changes, news }
    }

    /// Events that sources report from now on.
    #[must_use]
    pub fn news(&self) -> broadcast::Receiver<Arc<SourceEvent>> {
        self.news.subscribe()
    }

    /// The agents, in the order given.
    #[must_use]
    pub fn agents(&self) -> &[Arc<RegisteredAgent>] {
        &self.agents
    }

    /// The agent with this id.
    #[must_use]
    pub fn find(&self, id: &AgentId) -> Option<&Arc<RegisteredAgent>> {
        self.agents.iter().find(|agent| agent.id == *id)
    }

    /// The id of each agent whose summary changes from now on.
    #[must_use]
    pub fn changes(&self) -> broadcast::Receiver<AgentId> {
        self.changes.subscribe()
    }

    /// Loads `agent`, again if it was loaded before, and reports the change.
    pub async fn load(&self, agent: &RegisteredAgent) {
        let alone = agent.loading.lock().await;
        agent.set(Condition::Starting);
        let condition = match agent.source.load(&agent.seed, Arc::clone(&agent.log)).await {
            Ok(facts) => Condition::Ready(facts),
            Err(fault) => {
                tracing::warn!(agent = %agent.id, "cannot be used: {}", fault.reason);
                Condition::Faulted(fault, None)
            }
        };
        agent.set(condition);
        drop(alone);
    }
}

impl RegisteredAgent {
    fn set(&self, condition: Condition) {
        self.condition.send_replace(condition);
        // There may be no listener.
        let _ = self.changes.send(self.id.clone());
    }

    /// Sets a fault of an agent that was ready.
    pub fn fault(&self, fault: AgentFault) {
        let before = match &*self.condition.borrow() {
            Condition::Ready(facts) => Some(facts.clone()),
            Condition::Faulted(_, before) => before.clone(),
            Condition::Starting => None,
        };
        self.set(Condition::Faulted(fault, before));
    }

    /// Clears a fault, after the agent has handled a request.
    pub fn works(&self) {
        let before = match &*self.condition.borrow() {
            Condition::Faulted(_, Some(before)) => before.clone(),
            Condition::Faulted(_, None) | Condition::Ready(_) | Condition::Starting => return,
        };
        self.set(Condition::Ready(before));
    }

    /// Whether it can be used now.
    #[must_use]
    pub fn status(&self) -> AgentStatus {
        match &*self.condition.borrow() {
            Condition::Starting => AgentStatus::Starting,
            Condition::Ready(facts) => AgentStatus::Ready(facts.clone()),
            Condition::Faulted(fault, _) => AgentStatus::Faulted(fault.clone()),
        }
    }

    /// Waits until the agent is loaded, and returns the app that its cases belong to; `None` if it has a fault.
    pub async fn app_name(&self) -> Option<String> {
        self.ready().await.ok()?;
        match &*self.condition.borrow() {
            Condition::Ready(facts) => Some(facts.app_name.clone()),
            Condition::Starting | Condition::Faulted(..) => None,
        }
    }

    /// Waits until the agent is loaded.
    ///
    /// # Errors
    /// Its fault.
    pub async fn ready(&self) -> Result<(), AgentFault> {
        let mut condition = self.condition.subscribe();
        let settled = condition.wait_for(|it| !matches!(it, Condition::Starting)).await;
        match settled.as_deref() {
            Ok(Condition::Faulted(fault, _)) => Err(fault.clone()),
            // The sender lives in `self`: it cannot be gone.
            Ok(_) | Err(_) => Ok(()),
        }
    }
}
