//! [`Processes`]: the processes of cases, from their start to their end.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

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

/// What notes the ends of those that run, by their ids.
type Running = HashMap<String, watch::Sender<Option<Ending>>>;

/// All that run; or how the process that forks them has ended.
pub(super) struct Processes(Mutex<Result<Running, String>>);

impl Default for Processes {
    fn default() -> Self {
        Self(Mutex::new(Ok(HashMap::new())))
    }
}

impl Processes {
    /// A process that is about to start; `None` if there is nothing that forks it.
    pub(super) fn start(&self, id: String) -> Option<CaseProcess> {
        let (ended, ending) = watch::channel(None);
        self.lock().as_mut().ok()?.insert(id.clone(), ended);
        Some(CaseProcess { id, is_new: true, ended: ending })
    }

    /// A process that takes another case; `None` if it has ended.
    pub(super) fn next_case_of(&self, id: String) -> Option<CaseProcess> {
        let ended = self.lock().as_ref().ok()?.get(&id)?.subscribe();
        Some(CaseProcess { id, is_new: false, ended })
    }

    /// Notes that a process has ended.
    pub(super) fn end(&self, id: &str, ending: Ending) {
        let ended = self.lock().as_mut().ok().and_then(|all| all.remove(id));
        if let Some(ended) = ended {
            ended.send_replace(Some(ending));
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

    fn lock(&self) -> MutexGuard<'_, Result<Running, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
