//! [`CallProcess`]: a child process that answers calls, several at the same time.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use agents::AgentLog;
use agents::child::{self, TreeKiller};
use json_text::JsonText;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::process::Command;
use tokio::sync::{mpsc, oneshot};

use super::line_process::{LineProcess, Request};

/// A process that answers calls. Dropping it ends the process.
pub(crate) struct CallProcess {
    /// What it is, for people.
    name: String,
    requests: mpsc::UnboundedSender<Request>,
    waiting: Arc<Waiting>,
    next_id: AtomicU64,
    log: Arc<AgentLog>,
    killer: TreeKiller,
}

impl Drop for CallProcess {
    fn drop(&mut self) {
        self.killer.kill();
    }
}

/// Why a process does not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// The package cannot be written where Python finds it.
    #[error("the Python package cannot be written: {0}")]
    Package(io::Error),
    /// The system starts no process.
    #[error("{} cannot be started: {cause}", program.display())]
    Process { program: PathBuf, cause: io::Error },
}

/// Why a process gave no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallError {
    /// The process ended.
    #[error("{name} ended. {}", printed(output.as_deref()))]
    Ended { name: String, output: Option<String> },
    /// The call cannot be written.
    #[error(transparent)]
    Call(serde_json::Error),
    /// The answer is not of the kind that was asked for.
    #[error("the answer of {name} cannot be read: {cause}")]
    Answer { name: String, cause: serde_json::Error },
}

fn printed(output: Option<&str>) -> String {
    match output {
        Some(lines) => format!("Its last output:\n{lines}"),
        None => "It printed nothing".to_owned(),
    }
}

/// The calls under way, by their id, which get the line of the answer; `None` once the process has ended.
#[derive(Debug)]
struct Waiting(Mutex<Option<HashMap<u64, oneshot::Sender<String>>>>);

impl Waiting {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<HashMap<u64, oneshot::Sender<String>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call with its number.
#[derive(Serialize)]
struct Numbered<'a, T> {
    id: u64,
    #[serde(flatten)]
    call: &'a T,
}

/// The number of an answer.
#[derive(Deserialize)]
struct NumberOf {
    id: u64,
}

impl CallProcess {
    /// Starts the command. `name` says what it is, such as `the process of the functions`.
    ///
    /// # Errors
    /// The system's, if the process does not start.
    pub(crate) fn start(command: &mut Command, name: impl Into<String>) -> io::Result<Self> {
        let started = LineProcess::start(command, child::start)?;
        let LineProcess { requests, mut answers, log, tree, .. } = started;
        let (name, killer) = (name.into(), tree.killer());
        let waiting = Arc::new(Waiting(Mutex::new(Some(HashMap::new()))));
        tokio::spawn({
            let (waiting, name) = (Arc::clone(&waiting), name.clone());
            async move {
                while let Ok(Some(line)) = answers.next_line().await {
                    match serde_json::from_str::<NumberOf>(&line) {
                        Ok(NumberOf { id }) => {
                            let mut waiting = waiting.lock();
                            if let Some(waiter) = waiting.as_mut().and_then(|it| it.remove(&id)) {
                                // The run may have ended meanwhile.
                                let _ = waiter.send(line);
                            }
                        }
                        Err(error) => tracing::warn!("a line of {name}: {error}: {line}"),
                    }
                }
                // Dropping the waiters ends their wait.
                waiting.lock().take();
                tree.wait().await;
            }
        });
        Ok(Self { name, requests, waiting, next_id: AtomicU64::new(1), log, killer })
    }

    /// The answer to a call.
    ///
    /// # Errors
    /// The process ended, with its last output, or the answer is not of this kind.
    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        call: &impl Serialize,
    ) -> Result<T, CallError> {
        let gone = || CallError::Ended { name: self.name.clone(), output: self.log.last_lines(0) };
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let request = JsonText::serialize(&Numbered { id, call });
        let line = request.map_err(CallError::Call)?.compact().as_str().to_owned();
        let (waiter, answer) = oneshot::channel();
        match &mut *self.waiting.lock() {
            Some(waiting) => waiting.insert(id, waiter),
            None => return Err(gone()),
        };
        self.requests.send(line.into()).map_err(|_| gone())?;
        let line = answer.await.map_err(|_| gone())?;
        serde_json::from_str(&line)
            .map_err(|cause| CallError::Answer { name: self.name.clone(), cause })
    }
}
