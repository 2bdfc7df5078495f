//! [`CallProcesses`]: the processes of one run that answer calls.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::call_process::{CallProcess, StartError};

/// Processes that answer calls, each started when it is first needed, such as the one that calls a run's functions.
/// Dropping this ends them.
#[derive(Default)]
pub struct CallProcesses(Mutex<HashMap<String, Arc<CallProcess>>>);

impl fmt::Debug for CallProcesses {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CallProcesses").finish_non_exhaustive()
    }
}

impl CallProcesses {
    /// The process with this key, which `start` starts if there is none.
    ///
    /// # Errors
    /// Why it does not start.
    pub(crate) fn get_or_start(
        &self,
        key: String,
        start: impl FnOnce() -> Result<CallProcess, StartError>,
    ) -> Result<Arc<CallProcess>, StartError> {
        let mut processes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(process) = processes.get(&key) {
            return Ok(Arc::clone(process));
        }
        let process = Arc::new(start()?);
        processes.insert(key, Arc::clone(&process));
        Ok(process)
    }
}
