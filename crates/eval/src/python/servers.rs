//! [`Servers`]: the processes that import agents, shared by subjects of the same agent.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Isolation;
use super::messages::Unseen;
use super::seal::Network;
use super::server::Server;
use crate::allowed::AllowedEffects;
use crate::run_failure::RunFailure;

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

/// How long is waited for an agent's processes to end before others are looked for that can.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The right of an agent to have processes, which each of them holds until it has ended; `None` where their number has no
/// bound.
pub(super) type Place = Option<Arc<OwnedSemaphorePermit>>;

type Slot = Arc<tokio::sync::Mutex<Started>>;

#[derive(Default)]
struct Started {
    /// The process, for as long as it can take a case.
    server: Option<Arc<Server>>,
    /// When somebody last wanted it, as a number that grows.
    last_use: u64,
    /// What interception cannot see in the agent, once it was imported.
    unseen: Option<Vec<Unseen>>,
    /// The threads that its import left, by the package that started them.
    threads: BTreeMap<String, u32>,
    /// The TCP ports that the agent's models may need, once somebody asked.
    ports: Option<Vec<u16>>,
    /// Why the agent's code cannot be imported, which another try would not change.
    failed: Option<RunFailure>,
}

/// The processes that import agents: one for each agent, interpreter, environment, isolation, and set of effects that
/// cases allow.
#[derive(Clone, Default)]
pub struct Servers {
    slots: Arc<Mutex<HashMap<Key, Slot>>>,
    uses: Arc<AtomicU64>,
    /// Places for agents that have processes; `None` for as many as there are agents.
    free: Option<Arc<Semaphore>>,
    /// Those that agents have.
    places: Arc<Mutex<HashMap<Agent, Weak<OwnedSemaphorePermit>>>>,
}

impl fmt::Debug for Servers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Servers").finish_non_exhaustive()
    }
}

impl Servers {
    /// Processes of at most `agents` agents at a time, which is at least as many as cases run at a time. Where another
    /// agent needs one, those end that no case uses, of the agent that was not used for the longest time.
    #[must_use]
    pub fn at_most(agents: usize) -> Self {
        Self { free: Some(Arc::new(Semaphore::new(agents.max(1)))), ..Self::default() }
    }

    /// The process that imported the agent. It is started if there is none.
    pub(super) async fn get(&self, key: &Key) -> Result<Arc<Server>, RunFailure> {
        let slot = self.slot(key);
        // Whoever comes meanwhile waits for the same process.
        let mut started = slot.lock().await;
        started.last_use = self.uses.fetch_add(1, Ordering::Relaxed);
        if let Some(server) = started.server.as_ref().filter(|server| server.is_running()) {
            return Ok(Arc::clone(server));
        }
        if let Some(failure) = &started.failed {
            return Err(failure.clone());
        }
        let server = self.start(key).await.inspect_err(|failure| {
            // One without a traceback ended otherwise, perhaps because memory ran out.
            if matches!(failure, RunFailure::Subject { traceback, .. } if !traceback.is_empty()) {
                started.failed = Some(failure.clone());
            }
        });
        let server = Arc::new(server?);
        started.server = Some(Arc::clone(&server));
        started.threads = server.threads().clone();
        started.unseen = Some(server.unseen().to_vec());
        Ok(server)
    }

    /// The process for another case. One that cannot be forked is nobody else's then.
    pub(super) async fn for_case(&self, key: &Key) -> Result<Arc<Server>, RunFailure> {
        let server = self.get(key).await?;
        if server.serves_many() {
            return Ok(server);
        }
        drop(server);
        match self.slot(key).lock().await.server.take() {
            Some(server) if server.is_running() => Ok(server),
            // Another case was faster.
            _ => Ok(Arc::new(self.start(key).await?)),
        }
    }

    async fn start(&self, key: &Key) -> Result<Server, RunFailure> {
        let place = self.place(&resolved(&key.agent)).await;
        Server::start(key, place).await
    }

    /// What interception cannot see in the agent.
    pub(super) async fn unseen(&self, key: &Key) -> Result<Vec<Unseen>, RunFailure> {
        if let Some(unseen) = &self.slot(key).lock().await.unseen {
            return Ok(unseen.clone());
        }
        Ok(self.get(key).await?.unseen().to_vec())
    }

    /// The TCP ports that the agent's models may need, which a process says that reaches nothing.
    pub(super) async fn model_ports(&self, closed: &Key) -> Result<Vec<u16>, RunFailure> {
        let slot = self.slot(closed);
        if let Some(ports) = &slot.lock().await.ports {
            return Ok(ports.clone());
        }
        let server = self.get(closed).await?;
        let mut started = slot.lock().await;
        if let Some(ports) = &started.ports {
            return Ok(ports.clone());
        }
        let ports = server.model_ports().await?;
        started.ports = Some(ports.clone());
        Ok(ports)
    }

    /// The agent's place, for which others give up theirs.
    async fn place(&self, agent: &Agent) -> Place {
        let free = self.free.as_ref()?;
        loop {
            {
                let mut places = lock(&self.places);
                if let Some(place) = places.get(agent).and_then(Weak::upgrade) {
                    return Some(place);
                }
                if let Ok(place) = Arc::clone(free).try_acquire_owned() {
                    let place = Arc::new(place);
                    places.insert(agent.clone(), Arc::downgrade(&place));
                    return Some(place);
                }
            }
            self.end_longest_unused();
            // Whoever has become idle meanwhile is found then.
            let _ = tokio::time::timeout(LOOK_AGAIN, free.acquire()).await;
        }
    }

    /// Ends the processes of the agent that no case uses and that was not used for the longest time.
    fn end_longest_unused(&self) {
        let mut of_agents: HashMap<Agent, Vec<Slot>> = HashMap::new();
        for (key, slot) in lock(&self.slots).iter() {
            of_agents.entry(key.agent.clone()).or_default().push(Arc::clone(slot));
        }
        let unused = of_agents.into_values().filter_map(|slots| {
            let mut of_agent = Vec::new();
            for slot in slots {
                // Somebody uses one that is locked.
                let started = slot.try_lock_owned().ok()?;
                if started.server.as_ref().is_some_and(|it| Arc::strong_count(it) > 1) {
                    return None;
                }
                of_agent.push(started);
            }
            let last_use = of_agent.iter().map(|started| started.last_use).max();
            of_agent.iter().any(|started| started.server.is_some()).then_some((last_use, of_agent))
        });
        if let Some((_, mut of_agent)) = unused.min_by_key(|(last_use, _)| *last_use) {
            of_agent.iter_mut().for_each(|started| started.server = None);
        }
    }

    /// The threads that the agent's import left, as far as it was imported, by the package that started them.
    pub(super) async fn threads(&self, agent: &Agent) -> BTreeMap<String, u32> {
        let agent = resolved(agent);
        let of_agent: Vec<Slot> = {
            lock(&self.slots)
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
        Arc::clone(lock(&self.slots).entry(key).or_default())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The agent by the folder that all ways to it lead to.
fn resolved(agent: &Agent) -> Agent {
    let folder = agent.folder.canonicalize().unwrap_or_else(|_| agent.folder.clone());
    Agent { folder, ..agent.clone() }
}
