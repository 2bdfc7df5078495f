//! [`Registry`]: the agents that this host serves, each with its state, its log and its source.

use std::path::PathBuf;
use std::sync::Arc;

use app::api::{AgentFault, AgentStatus, AgentSummary, CatalogueChange, HostEvent};
use session::AgentId;
use tokio::sync::{Mutex, broadcast, watch};

use super::{AgentFacts, AgentLog, AgentSource, Reporter, SessionSeed};
use crate::simulator::SimulatedAgentConfig;

/// Every agent, in the order given. Never changes while the host runs.
pub(crate) struct Registry {
    agents: Vec<Arc<RegisteredAgent>>,
    changes: broadcast::Sender<AgentId>,
    /// What sources tell of their sessions unasked.
    news: broadcast::Sender<Arc<HostEvent>>,
}

/// One agent.
pub(crate) struct RegisteredAgent {
    pub(crate) id: AgentId,
    pub(crate) name: String,
    pub(crate) eval_set_path: PathBuf,
    pub(crate) seed: SessionSeed,
    pub(crate) source: Box<dyn AgentSource>,
    pub(crate) log: Arc<AgentLog>,
    condition: watch::Sender<Condition>,
    changes: broadcast::Sender<AgentId>,
    /// Held while the source loads, so that it is loaded once at a time.
    loading: Mutex<()>,
}

#[derive(Debug, Clone)]
enum Condition {
    Starting,
    Ready(AgentFacts),
    /// The fault, and what was known of the agent where it was ready before.
    Faulted(AgentFault, Option<AgentFacts>),
}

impl Registry {
    /// `views` hears of each session whose view a source changed.
    pub(crate) fn new(
        configs: Vec<SimulatedAgentConfig>,
        views: impl Fn(&CatalogueChange) + Clone + Send + Sync + 'static,
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
                if let HostEvent::CatalogueChanged(change) = &event {
                    views(change);
                }
                // No page listening is no fault: it asks when it connects.
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

    /// What sources tell of their sessions from now on.
    pub(crate) fn news(&self) -> broadcast::Receiver<Arc<HostEvent>> {
        self.news.subscribe()
    }

    pub(crate) fn agents(&self) -> &[Arc<RegisteredAgent>] {
        &self.agents
    }

    pub(crate) fn find(&self, id: &AgentId) -> Option<&Arc<RegisteredAgent>> {
        self.agents.iter().find(|agent| agent.id == *id)
    }

    /// The id of each agent whose summary changes from now on.
    pub(crate) fn changes(&self) -> broadcast::Receiver<AgentId> {
        self.changes.subscribe()
    }

    /// Loads `agent`, anew if it was loaded before, and tells whoever listens.
    pub(crate) async fn load(&self, agent: &RegisteredAgent) {
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
        // Nobody listening is no fault.
        let _ = self.changes.send(self.id.clone());
    }

    /// The agent turned out to be faulted after it was ready.
    pub(crate) fn fault(&self, fault: AgentFault) {
        let before = match &*self.condition.borrow() {
            Condition::Ready(facts) => Some(facts.clone()),
            Condition::Faulted(_, before) => before.clone(),
            Condition::Starting => None,
        };
        self.set(Condition::Faulted(fault, before));
    }

    /// The agent did what a session asked of it: a fault that it had meanwhile is mended.
    pub(crate) fn works(&self) {
        let before = match &*self.condition.borrow() {
            Condition::Faulted(_, Some(before)) => before.clone(),
            Condition::Faulted(_, None) | Condition::Ready(_) | Condition::Starting => return,
        };
        self.set(Condition::Ready(before));
    }

    pub(crate) fn summary(&self) -> AgentSummary {
        let condition = self.condition.borrow().clone();
        let (status, facts) = match condition {
            Condition::Starting => (AgentStatus::Starting, AgentFacts::default()),
            Condition::Ready(facts) => (AgentStatus::Ready, facts),
            Condition::Faulted(fault, _) => (AgentStatus::Faulted(fault), AgentFacts::default()),
        };
        AgentSummary {
            id: self.id.clone(),
            name: self.name.clone(),
            source: self.source.kind(),
            status,
            description: facts.description,
            model: facts.model,
            tools: facts.tools,
            eval_set_path: self.eval_set_path.display().to_string(),
            runtime: facts.runtime,
        }
    }

    /// The app that its cases belong to, once it is loaded; `None` where it cannot be.
    pub(crate) async fn app_name(&self) -> Option<String> {
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
    pub(crate) async fn ready(&self) -> Result<(), AgentFault> {
        let mut condition = self.condition.subscribe();
        let settled = condition.wait_for(|it| !matches!(it, Condition::Starting)).await;
        match settled.as_deref() {
            Ok(Condition::Faulted(fault, _)) => Err(fault.clone()),
            // The sender lives in `self`: it cannot be gone.
            Ok(_) | Err(_) => Ok(()),
        }
    }
}
