//! [`Servers`]: the processes that import agents, shared by subjects of the same agent.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::Isolation;
use super::server::Server;
use crate::fault::Fault;

/// What makes a process that imports an agent the right one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) python: PathBuf,
    pub(super) folder: PathBuf,
    pub(super) environment: Vec<(String, String)>,
    pub(super) isolation: Isolation,
}

type Slot = Arc<tokio::sync::Mutex<Started>>;

#[derive(Default)]
struct Started {
    /// The process, for as long as it can take a case.
    server: Option<Arc<Server>>,
    /// The threads that its import left, by the package that started them.
    threads: BTreeMap<String, u32>,
}

/// The processes that import agents: one for each agent, interpreter, environment and isolation.
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
        let server = Arc::new(Server::start(key).await?);
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

    /// The threads that the agent's import left, as far as it was imported, by the package that started them.
    pub(super) async fn threads(&self, key: &Key) -> BTreeMap<String, u32> {
        self.slot(key).lock().await.threads.clone()
    }

    fn slot(&self, key: &Key) -> Slot {
        let folder = key.folder.canonicalize().unwrap_or_else(|_| key.folder.clone());
        let key = Key { folder, ..key.clone() };
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(slots.entry(key).or_default())
    }
}
