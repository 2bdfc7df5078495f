//! [`Processes`]: the processes of cases, from their start to their end.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::io::BufReader;
use tokio::net::UnixStream;
use tokio::sync::{oneshot, watch};

/// The connection of a case, its first line read.
pub(super) type CaseStream = BufReader<UnixStream>;

/// The process of a case.
pub(super) struct CaseProcess {
    pub(super) id: String,
    /// Whether no other case ran in it before.
    pub(super) is_new: bool,
    /// Closed without a value if the process that forked it has ended.
    pub(super) ended: watch::Receiver<Option<Ending>>,
}

/// How the process of a case ended.
#[derive(Debug, Clone)]
pub(super) struct Ending {
    /// Its exit code, or the negative signal that ended it.
    pub(super) status: i32,
    /// The last lines that it printed.
    pub(super) output: Option<String>,
}

/// All that run, by their ids; or how the process that forks them has ended.
pub(super) struct Processes(Mutex<Result<HashMap<String, Process>, String>>);

struct Process {
    /// Its first connection; `None` once it is made.
    connected: Option<oneshot::Sender<CaseStream>>,
    ended: watch::Sender<Option<Ending>>,
}

impl Default for Processes {
    fn default() -> Self {
        Self(Mutex::new(Ok(HashMap::new())))
    }
}

impl Processes {
    /// A process that is about to start, and what receives its connection; `None` if there is nothing that forks it.
    pub(super) fn start(&self, id: String) -> Option<(CaseProcess, oneshot::Receiver<CaseStream>)> {
        let (connected, connection) = oneshot::channel();
        let (ended, ending) = watch::channel(None);
        let process = Process { connected: Some(connected), ended };
        self.lock().as_mut().ok()?.insert(id.clone(), process);
        Some((CaseProcess { id, is_new: true, ended: ending }, connection))
    }

    /// A process that takes another case; `None` if it has ended.
    pub(super) fn next_case_of(&self, id: String) -> Option<CaseProcess> {
        let ended = self.lock().as_ref().ok()?.get(&id)?.ended.subscribe();
        Some(CaseProcess { id, is_new: false, ended })
    }

    /// Hands the first connection of a process to whom it was started for. A later one is returned.
    pub(super) fn connect(&self, id: &str, stream: CaseStream) -> Option<CaseStream> {
        let connected = self.lock().as_mut().ok().and_then(|all| all.get_mut(id)?.connected.take());
        match connected {
            // The run may have been canceled.
            Some(connected) => connected.send(stream).err().and(None),
            None => Some(stream),
        }
    }

    /// Notes that a process has ended.
    pub(super) fn end(&self, id: &str, ending: Ending) {
        let process = self.lock().as_mut().ok().and_then(|all| all.remove(id));
        if let Some(process) = process {
            process.ended.send_replace(Some(ending));
        }
    }

    /// Notes that the process that forks has ended, and all others with it.
    pub(super) fn end_all(&self, how: String) {
        *self.lock() = Err(how);
    }

    /// How the process that forks has ended, if it has.
    pub(super) fn all_ended(&self) -> Option<String> {
        self.lock().as_ref().err().cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Result<HashMap<String, Process>, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
