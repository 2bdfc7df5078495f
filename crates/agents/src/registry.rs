//! [`Registry`]: the agents that this host serves, each with its state, its log and its source. `exchange` has what
//! changes when it takes up another list.

mod exchange;

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use session::{AgentId, SessionId};
use tokio::sync::{Mutex, broadcast, watch};
use tokio_util::sync::CancellationToken;

use super::adk_python::AdkPythonSource;
use super::mcp::{McpAgent, McpSource};
use super::native::{NativeAgent, NativeSource};
use super::{
    AgentFacts, AgentFault, AgentLog, AgentSource, CatalogChange, Reporter, SessionSeed,
    SessionView, SourceEvent,
};

pub use exchange::Exchanged;

/// After how long the host reports that an agent is still being loaded.
const SLOW: Duration = Duration::from_secs(5);

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
    /// A [`Registry`] that takes up another list keeps an agent whose name and revision are also in that list. One
    /// without a revision is always replaced.
    pub revision: Option<u64>,
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
            revision: None,
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

/// Every agent, in the order given.
pub struct Registry {
    listed: RwLock<Listed>,
    changes: broadcast::Sender<AgentChange>,
    /// Events that sources report.
    news: broadcast::Sender<Arc<SourceEvent>>,
    /// Called for each session whose view a source changed.
    views: Arc<dyn Fn(&CatalogChange) + Send + Sync>,
}

/// The agents of a [`Registry`] at one time.
pub type Agents = Arc<[Arc<RegisteredAgent>]>;

#[derive(Clone, Default)]
struct Listed {
    agents: Agents,
    /// Agents that were removed. Their sessions can be exported.
    removed: Agents,
}

/// What changed in a [`Registry`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentChange {
    /// The summary of one agent.
    Agent(AgentId),
    /// Which agents there are.
    List,
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
    revision: Option<u64>,
    /// Why it cannot be used anymore, once it was removed or replaced.
    gone: OnceLock<AgentFault>,
    condition: watch::Sender<Condition>,
    changes: broadcast::Sender<AgentChange>,
    /// Reports events of its sessions, as the source does.
    reporter: Reporter,
    /// Locked while the source loads, so that it is loaded once at a time. Counts how often it was
    /// loaded.
    loading: Mutex<()>,
    loads: AtomicU64,
    /// The fingerprint of the files that it was last loaded from, that of the last look, and whether they have changed
    /// since it was loaded.
    loaded_from: RwLock<Option<u64>>,
    last_seen: RwLock<Option<u64>>,
    is_changed: AtomicBool,
    /// Stops the load that is under way.
    stop: RwLock<CancellationToken>,
    /// Whether the load that is under way takes long.
    is_slow: AtomicBool,
}

/// Whether an agent can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentStatus {
    /// Its source is being loaded, with what is known of it from before.
    Starting(AgentFacts),
    /// It can be used.
    Ready(AgentFacts),
    /// It cannot be used, with the reason.
    Faulted(AgentFault),
}

#[derive(Debug, Clone)]
enum Condition {
    /// With the facts of an agent that was ready before.
    Starting(AgentFacts),
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
        views: impl Fn(&CatalogChange) + Send + Sync + 'static,
    ) -> Self {
        let registry = Self {
            listed: RwLock::default(),
            changes: broadcast::channel(64).0,
            news: broadcast::channel(256).0,
            views: Arc::new(views),
        };
        registry.exchange(configs);
        registry
    }

    /// Events that sources report from now on.
    #[must_use]
    pub fn news(&self) -> broadcast::Receiver<Arc<SourceEvent>> {
        self.news.subscribe()
    }

    /// The agents, in the order given.
    #[must_use]
    pub fn agents(&self) -> Agents {
        self.listed().agents
    }

    /// The agents, and after them those that were removed.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<RegisteredAgent>> {
        let Listed { agents, removed } = self.listed();
        agents.iter().chain(removed.iter()).cloned().collect()
    }

    fn listed(&self) -> Listed {
        self.listed.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The agent with this id.
    #[must_use]
    pub fn find(&self, id: &AgentId) -> Option<Arc<RegisteredAgent>> {
        self.agents().iter().find(|agent| agent.id == *id).cloned()
    }

    /// The agent with this id, which may have been removed.
    #[must_use]
    pub fn find_any(&self, id: &AgentId) -> Option<Arc<RegisteredAgent>> {
        self.all().into_iter().find(|agent| agent.id == *id)
    }

    /// Whether anyone listens to [`Self::changes`].
    #[must_use]
    pub fn has_listeners(&self) -> bool {
        self.changes.receiver_count() > 0
    }

    /// What changes from now on.
    #[must_use]
    pub fn changes(&self) -> broadcast::Receiver<AgentChange> {
        self.changes.subscribe()
    }
}

impl RegisteredAgent {
    /// Loads the agent, again if it was loaded before, and reports the change.
    ///
    /// # Errors
    /// Its fault.
    pub async fn load(self: &Arc<Self>) -> Result<(), AgentFault> {
        let alone = self.loading.lock().await;
        // Before the files are read: what is written meanwhile counts as a change.
        let files = self.fingerprint().await;
        *self.loaded_from.write().unwrap_or_else(PoisonError::into_inner) = files;
        self.is_changed.store(false, Ordering::Relaxed);
        let (began, printed) = (Instant::now(), self.log.next_number());
        let stop = CancellationToken::new();
        *self.stop.write().unwrap_or_else(PoisonError::into_inner) = stop.clone();
        // From here on, it cannot be removed unnoticed.
        if let Some(fault) = self.gone() {
            return Err(fault.clone());
        }
        self.set(Condition::Starting(self.facts()));
        let loaded = tokio::select! {
            loaded = self.source.load(&self.seed, Arc::clone(&self.log)) => loaded,
            () = stop.cancelled() => {
                let stopped = || self.stopped(began.elapsed(), printed);
                Err(self.gone().cloned().unwrap_or_else(stopped))
            }
            never = self.becomes_slow() => match never {},
        };
        self.is_slow.store(false, Ordering::Relaxed);
        match &loaded {
            Ok(facts) => {
                self.loads.fetch_add(1, Ordering::Relaxed);
                self.set(Condition::Ready(facts.clone()));
            }
            Err(fault) => {
                tracing::warn!(agent = %self.id, "cannot be used: {}", fault.reason);
                self.set(Condition::Faulted(fault.clone(), None));
            }
        }
        drop(alone);
        loaded.map(drop)
    }

    /// Reports that the agent takes long to load, after some seconds.
    async fn becomes_slow(&self) -> Infallible {
        tokio::time::sleep(SLOW).await;
        self.is_slow.store(true, Ordering::Relaxed);
        // There may be no listener.
        let _ = self.changes.send(AgentChange::Agent(self.id.clone()));
        std::future::pending().await
    }

    /// The fault of an agent whose loading the person stopped.
    fn stopped(&self, after: Duration, printed: u64) -> AgentFault {
        let with = self.source.loaded_with().map_or_else(String::new, |it| format!(" with {it}"));
        AgentFault {
            reason: format!(
                "Loading was stopped after {} seconds{with}. The last output may show what the agent \
                 waited for.",
                after.as_secs()
            ),
            error_type: None,
            traceback: self.log.last_lines(printed),
        }
    }

    /// Stops loading, if the agent is being loaded. It then has a fault.
    pub fn stop_loading(&self) {
        self.stop.read().unwrap_or_else(PoisonError::into_inner).cancel();
    }

    /// Whether it takes long to load.
    #[must_use]
    pub fn is_slow(&self) -> bool {
        self.is_slow.load(Ordering::Relaxed)
    }

    /// How often it was loaded since the host started.
    #[must_use]
    pub fn loads(&self) -> u64 {
        self.loads.load(Ordering::Relaxed)
    }

    /// Whether its files have changed since it was loaded, as [`Self::look_for_changes`] found.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.is_changed.load(Ordering::Relaxed)
    }

    /// Compares its files with those that it was loaded from, and reports a difference. Returns whether it is to be
    /// loaded again: it failed to load, its files have changed since, and they are as they were at the last look.
    pub async fn look_for_changes(self: &Arc<Self>) -> bool {
        // While it loads, the files are compared with those of before.
        let Ok(alone) = self.loading.try_lock() else { return false };
        let now = self.fingerprint().await;
        let before = *self.loaded_from.read().unwrap_or_else(PoisonError::into_inner);
        let is_changed = before.is_some() && before != now;
        if self.is_changed.swap(is_changed, Ordering::Relaxed) != is_changed {
            // There may be no listener.
            let _ = self.changes.send(AgentChange::Agent(self.id.clone()));
        }
        let mut last_seen = self.last_seen.write().unwrap_or_else(PoisonError::into_inner);
        let is_settled = std::mem::replace(&mut *last_seen, now) == now;
        drop((last_seen, alone));
        let has_failed = matches!(&*self.condition.borrow(), Condition::Faulted(_, None));
        is_changed && is_settled && has_failed
    }

    /// Loads the agent again because its files have changed. What changes while it fails to load does not count as
    /// a change: it may be the agent that writes it, and would be loaded forever.
    ///
    /// # Errors
    /// Its fault.
    pub async fn load_changed(self: &Arc<Self>) -> Result<(), AgentFault> {
        let loaded = self.load().await;
        if loaded.is_err() {
            let files = self.fingerprint().await;
            *self.loaded_from.write().unwrap_or_else(PoisonError::into_inner) = files;
        }
        loaded
    }

    async fn fingerprint(self: &Arc<Self>) -> Option<u64> {
        let agent = Arc::clone(self);
        let read = move || agent.source.fingerprint(&agent.eval_set_path);
        tokio::task::spawn_blocking(read).await.ok().flatten()
    }

    /// Reports what the model of a session would see after a reload. `before` is what it saw before.
    pub fn report_reloaded(&self, session: &SessionId, before: &SessionView, now: SessionView) {
        let change = CatalogChange::between(session, &before.tools, now);
        self.reporter.report(SourceEvent::CatalogChanged(Box::new(change)));
    }

    /// Reports that the host closed a session, because the agent was replaced or removed.
    pub fn report_closed(&self, session: &SessionId) {
        self.reporter.report(SourceEvent::Closed { session: session.clone() });
    }

    /// Why it cannot be used anymore, if it was removed or replaced.
    #[must_use]
    pub fn gone(&self) -> Option<&AgentFault> {
        self.gone.get()
    }

    /// Ends what runs of it, after it was removed or replaced.
    pub async fn shut_down(&self) {
        self.stop_loading();
        let alone = self.loading.lock().await;
        self.source.shut_down().await;
        drop(alone);
    }

    fn facts(&self) -> AgentFacts {
        match &*self.condition.borrow() {
            Condition::Ready(facts) | Condition::Starting(facts) => facts.clone(),
            Condition::Faulted(_, before) => before.clone().unwrap_or_default(),
        }
    }

    fn set(&self, condition: Condition) {
        self.condition.send_replace(condition);
        // There may be no listener.
        let _ = self.changes.send(AgentChange::Agent(self.id.clone()));
    }

    /// Sets a fault of an agent that was ready.
    pub fn fault(&self, fault: AgentFault) {
        if self.gone().is_some() {
            return;
        }
        let before = match &*self.condition.borrow() {
            Condition::Ready(facts) => Some(facts.clone()),
            Condition::Faulted(_, before) => before.clone(),
            Condition::Starting(_) => None,
        };
        self.set(Condition::Faulted(fault, before));
    }

    /// Clears a fault, after the agent has handled a request.
    pub fn works(&self) {
        let before = match &*self.condition.borrow() {
            Condition::Faulted(_, Some(before)) => before.clone(),
            Condition::Faulted(_, None) | Condition::Ready(_) | Condition::Starting(_) => return,
        };
        self.set(Condition::Ready(before));
    }

    /// Whether it can be used now.
    #[must_use]
    pub fn status(&self) -> AgentStatus {
        match &*self.condition.borrow() {
            Condition::Starting(facts) => AgentStatus::Starting(facts.clone()),
            Condition::Ready(facts) => AgentStatus::Ready(facts.clone()),
            Condition::Faulted(fault, _) => AgentStatus::Faulted(fault.clone()),
        }
    }

    /// Waits until the agent is loaded, and returns the app that its cases belong to; `None` if it has a fault.
    pub async fn app_name(&self) -> Option<String> {
        self.ready().await.ok()?;
        match &*self.condition.borrow() {
            Condition::Ready(facts) => Some(facts.app_name.clone()),
            Condition::Starting(_) | Condition::Faulted(..) => None,
        }
    }

    /// Waits until the agent is loaded.
    ///
    /// # Errors
    /// Its fault.
    pub async fn ready(&self) -> Result<(), AgentFault> {
        let mut condition = self.condition.subscribe();
        let settled = condition.wait_for(|it| !matches!(it, Condition::Starting(_))).await;
        match settled.as_deref() {
            Ok(Condition::Faulted(fault, _)) => Err(fault.clone()),
            // The sender lives in `self`: it cannot be gone.
            Ok(_) | Err(_) => Ok(()),
        }
    }
}
