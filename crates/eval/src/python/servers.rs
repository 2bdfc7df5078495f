//! [`Servers`]: the processes that import agents, shared by subjects of the same agent.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::Isolation;
use super::seal::Network;
use super::server::Server;
use crate::allowed::AllowedEffects;
use crate::fault::Fault;

/// An agent, and how its cases are kept apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Agent {
    pub(super) python: PathBuf,
    pub(super) folder: PathBuf,
    pub(super) environment: Vec<(String, String)>,
    pub(super) isolation: Isolation,
}

/// What makes a process that imports an agent the right one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) agent: Agent,
    /// What its code may do.
    pub(super) allowed: AllowedEffects,
    /// What it may reach, if it is sealed.
    pub(super) network: Network,
}

type Slot = Arc<tokio::sync::Mutex<Started>>;

#[derive(Default)]
struct Started {
    /// The process, for as long as it can take a case.
    server: Option<Arc<Server>>,
    /// The threads that its import left, by the package that started them.
    threads: BTreeMap<String, u32>,
    /// The TCP ports that the agent's models may need, once somebody asked.
    ports: Option<Vec<u16>>,
    /// Why the agent's code cannot be imported, which another try would not change.
    failed: Option<Fault>,
}

/// The processes that import agents: one for each agent, interpreter, environment, isolation, and set of effects that
/// cases allow.
#[derive(Clone, Default)]
pub struct Servers(Arc<Mutex<HashMap<Key, Slot>>>);

impl fmt::Debug for Servers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Servers").finish_non_exhaustive()
    }
}

impl Servers {
    /// The process that imported the agent. It is started if there is none.
    pub(super) async fn get(&self, key: &Key) -> Result<Arc<Server>, Fault> {
        let slot = self.slot(key);
        // Whoever comes meanwhile waits for the same process.
        let mut started = slot.lock().await;
        if let Some(server) = started.server.as_ref().filter(|server| server.is_running()) {
            return Ok(Arc::clone(server));
        }
        if let Some(fault) = &started.failed {
            return Err(fault.clone());
        }
        let server = Server::start(key).await.inspect_err(|fault| {
            // One without a traceback ended otherwise, perhaps because memory ran out.
            if matches!(fault, Fault::Subject { traceback, .. } if !traceback.is_empty()) {
                started.failed = Some(fault.clone());
            }
        });
        let server = Arc::new(server?);
        started.server = Some(Arc::clone(&server));
        started.threads = server.threads().clone();
        Ok(server)
    }

    /// The process for another case. One that cannot be forked is nobody else's then.
    pub(super) async fn for_case(&self, key: &Key) -> Result<Arc<Server>, Fault> {
        let server = self.get(key).await?;
        if server.serves_many() {
            return Ok(server);
        }
        match self.slot(key).lock().await.server.take() {
            Some(server) if server.is_running() => Ok(server),
            // Another case was faster.
            _ => Ok(Arc::new(Server::start(key).await?)),
        }
    }

    /// The TCP ports that the agent's models may need, which a process says that reaches nothing.
    pub(super) async fn model_ports(&self, closed: &Key) -> Result<Vec<u16>, Fault> {
        let server = self.get(closed).await?;
        let slot = self.slot(closed);
        let mut started = slot.lock().await;
        if let Some(ports) = &started.ports {
            return Ok(ports.clone());
        }
        let ports = server.model_ports().await?;
        started.ports = Some(ports.clone());
        Ok(ports)
    }

    /// The threads that the agent's import left, as far as it was imported, by the package that started them.
    pub(super) async fn threads(&self, agent: &Agent) -> BTreeMap<String, u32> {
        let agent = resolved(agent);
        let of_agent: Vec<Slot> = {
            let slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            slots
                .iter()
                .filter(|(key, _)| key.agent == agent)
                .map(|(_, it)| Arc::clone(it))
                .collect()
        };
        let mut threads = BTreeMap::new();
        for slot in of_agent {
            threads.extend(slot.lock().await.threads.clone());
        }
        threads
    }

    fn slot(&self, key: &Key) -> Slot {
        let key = Key { agent: resolved(&key.agent), ..key.clone() };
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(slots.entry(key).or_default())
    }
}

/// The agent by the folder that all ways to it lead to.
fn resolved(agent: &Agent) -> Agent {
    let folder = agent.folder.canonicalize().unwrap_or_else(|_| agent.folder.clone());
    Agent { folder, ..agent.clone() }
}
