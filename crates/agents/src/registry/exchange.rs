//! [`Registry::exchange`]: takes up another list of agents, and leaves those alone that are in both.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use session::AgentId;
use tokio::sync::{Mutex, watch};

use super::{AgentChange, Agents, Condition, Listed, RegisteredAgent, Registry};
use crate::{AgentFacts, AgentFault, AgentLog, Reporter, SimulatedAgentConfig, SourceEvent};

/// What the person reads in a session of a removed agent.
const REMOVED: &str = "This agent was removed from the host: its folder, or its entry in the configuration, is gone. \
                       The session is kept: you can export it, and it continues when the agent is added again under \
                       the same name.";
/// What they read in one whose agent was replaced while the agent was loaded.
const REPLACED: &str =
    "The host's configuration of this agent changed while the agent was loaded. Retry.";

/// What taking up another list of agents has changed.
#[derive(Default)]
pub struct Exchanged {
    /// Agents that are new, or replace one with the same id. They are to be loaded.
    pub new: Vec<Arc<RegisteredAgent>>,
    /// Agents that were removed or replaced. They are to be shut down.
    pub gone: Vec<Arc<RegisteredAgent>>,
}

impl Registry {
    /// Takes up another list. An agent with the same name and revision stays as it is, with its id.
    pub fn exchange(&self, configs: Vec<SimulatedAgentConfig>) -> Exchanged {
        let mut listed = self.listed.write().unwrap_or_else(PoisonError::into_inner);
        let mut gone = listed.agents.to_vec();
        let kept: Vec<_> = configs.iter().map(|config| keep(&mut gone, config)).collect();
        let mut ids: BTreeSet<AgentId> = kept.iter().flatten().map(|it| it.id.clone()).collect();
        // Of new names that differ in case only, the one that is an id as it is gets that id.
        let new_names = configs.iter().zip(&kept).filter(|(_, kept)| kept.is_none());
        let exact: BTreeSet<String> = new_names.map(|(config, _)| config.name.clone()).collect();
        let mut new = Vec::new();
        let mut enter = |config: SimulatedAgentConfig| {
            let is_for_other =
                |id: &AgentId| id.as_str() != config.name && exact.contains(id.as_str());
            let id = free_id(&config.name, |id| ids.contains(id) || is_for_other(id));
            ids.insert(id.clone());
            let earlier = gone.iter().chain(listed.removed.iter()).find(|agent| agent.id == id);
            // The log goes on, for pages that show it.
            let log = earlier.map(|agent| Arc::clone(&agent.log)).unwrap_or_default();
            let agent = Arc::new(self.agent(id, config, log));
            new.push(Arc::clone(&agent));
            agent
        };
        let both = configs.into_iter().zip(kept);
        let agents = both.map(|(config, kept)| kept.unwrap_or_else(|| enter(config)));
        let agents: Agents = agents.collect();
        let removed = gone.iter().chain(listed.removed.iter());
        let removed: Agents = removed.filter(|it| !ids.contains(&it.id)).cloned().collect();
        for agent in &gone {
            let reason = if ids.contains(&agent.id) { REPLACED } else { REMOVED };
            agent.leave(reason);
        }
        *listed = Listed { agents, removed };
        drop(listed);
        // There may be no listener.
        let _ = self.changes.send(AgentChange::List);
        for agent in &new {
            let _ = self.changes.send(AgentChange::Agent(agent.id.clone()));
        }
        Exchanged { new, gone }
    }

    fn agent(
        &self,
        id: AgentId,
        config: SimulatedAgentConfig,
        log: Arc<AgentLog>,
    ) -> RegisteredAgent {
        let (views, news) = (Arc::clone(&self.views), self.news.clone());
        let reporter = Reporter::new(move |event| {
            if let SourceEvent::CatalogChanged(change) = &event {
                views(change);
            }
            // There may be no listener. A page reads the state when it connects.
            let _ = news.send(Arc::new(event));
        });
        config.agent.report_to(reporter.clone());
        RegisteredAgent {
            id,
            name: config.name,
            eval_set_path: config.eval_set_path,
            seed: config.seed,
            source: config.agent,
            log,
            revision: config.revision,
            gone: OnceLock::new(),
            condition: watch::channel(Condition::Starting(AgentFacts::default())).0,
            changes: self.changes.clone(),
            reporter,
            loading: Mutex::default(),
            loads: AtomicU64::new(0),
            loaded_from: RwLock::default(),
            last_seen: RwLock::default(),
            is_changed: AtomicBool::new(false),
            stop: RwLock::default(),
            is_slow: AtomicBool::new(false),
        }
    }
}

impl RegisteredAgent {
    /// It cannot be used from now on, for this reason.
    fn leave(&self, reason: &str) {
        let fault = AgentFault { reason: reason.to_owned(), error_type: None, traceback: None };
        let fault = self.gone.get_or_init(|| fault).clone();
        self.stop_loading();
        self.set(Condition::Faulted(fault, None));
    }
}

/// Takes the agent out of `agents` that `config` describes, if there is one.
fn keep(
    agents: &mut Vec<Arc<RegisteredAgent>>,
    config: &SimulatedAgentConfig,
) -> Option<Arc<RegisteredAgent>> {
    let is_same = |agent: &Arc<RegisteredAgent>| {
        config.revision.is_some() && agent.revision == config.revision && agent.name == config.name
    };
    agents.iter().position(is_same).map(|place| agents.remove(place))
}

/// The id of an agent with this name, with a number if it is taken.
fn free_id(name: &str, is_taken: impl Fn(&AgentId) -> bool) -> AgentId {
    let base = AgentId::from_display_name(name);
    if !is_taken(&base) {
        return base;
    }
    let numbered = (2..).map(|number| base.numbered(number));
    numbered.into_iter().find(|id| !is_taken(id)).unwrap_or(base)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::NativeAgent;
    use crate::registry::AgentStatus;

    fn config(name: &str, revision: impl Into<Option<u64>>) -> SimulatedAgentConfig {
        let agent = SimulatedAgentConfig::native(name, NativeAgent::new("a"), "a.evalset.json");
        SimulatedAgentConfig { revision: revision.into(), ..agent }
    }

    fn ids(agents: &[Arc<RegisteredAgent>]) -> Vec<&str> {
        agents.iter().map(|agent| agent.id.as_str()).collect()
    }

    #[tokio::test]
    async fn agents_of_both_lists_stay_as_they_are() {
        let registry = Registry::new(vec![config("A", 1), config("B", 2), config("C", 3)], |_| {});
        let before = registry.agents();
        for agent in before.iter() {
            agent.load().await.expect("loads");
        }
        let Exchanged { new, gone } =
            registry.exchange(vec![config("C", 3), config("D", 4), config("A", 5)]);
        assert_eq!((ids(&new), ids(&gone)), (vec!["d", "a"], vec!["a", "b"]));
        let now = registry.agents();
        assert_eq!(ids(&now), ["c", "d", "a"], "in the order of the new list");
        assert!(Arc::ptr_eq(&now[0], &before[2]));
        assert!(matches!(now[0].status(), AgentStatus::Ready(_)), "not loaded again");
        assert!(matches!(now[2].status(), AgentStatus::Starting(_)), "another one");
        assert!(Arc::ptr_eq(&now[2].log, &before[0].log), "the log goes on");
        assert_eq!(ids(&registry.all()), ["c", "d", "a", "b"]);
        let AgentStatus::Faulted(fault) = before[1].status() else { panic!("removed") };
        assert!(fault.reason.contains("was removed from the host"));

        // One that comes back is another agent under the same id.
        registry.exchange(vec![config("B", 2)]);
        assert_eq!(ids(&registry.all()), ["b", "c", "d", "a"]);
        assert!(registry.find(&before[1].id).is_some_and(|it| it.gone().is_none()));
    }

    #[tokio::test]
    async fn agents_without_a_revision_are_replaced() {
        let registry = Registry::new(vec![config("A", None)], |_| {});
        let Exchanged { new, gone } = registry.exchange(vec![config("A", None)]);
        assert_eq!((new.len(), gone.len()), (1, 1));
    }

    #[tokio::test]
    async fn an_agent_with_a_number_keeps_its_id_without_the_first_one() {
        let registry = Registry::new(vec![config("A", 1), config("a", 2), config("A", 3)], |_| {});
        assert_eq!(ids(&registry.agents()), ["a-2", "a", "a-3"], "the exact name has its own id");
        registry.exchange(vec![config("A", 3), config("A", 4)]);
        assert_eq!(ids(&registry.agents()), ["a-3", "a"]);
    }

    #[tokio::test]
    async fn an_agent_that_is_gone_is_not_loaded() {
        let registry = Registry::new(vec![config("A", 1)], |_| {});
        let agent = registry.agents()[0].clone();
        let mut changes = registry.changes();
        registry.exchange(Vec::new());
        assert_eq!(changes.try_recv(), Ok(AgentChange::Agent(agent.id.clone())));
        assert_eq!(changes.try_recv(), Ok(AgentChange::List));
        let fault = agent.load().await.expect_err("it is gone");
        assert_eq!(agent.gone(), Some(&fault));
        agent.fault(AgentFault { reason: "?".to_owned(), error_type: None, traceback: None });
        assert_eq!(agent.status(), AgentStatus::Faulted(fault), "the reason stays");
    }
}
