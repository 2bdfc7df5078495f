//! [`Functions`]: the process that calls the Python functions of one run.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use agents::AgentLog;
use agents::adk_python::package;
use agents::child::{self, TreeKiller};
use json_text::JsonText;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use tokio::sync::{OnceCell, mpsc, oneshot};

use super::functions::{Call, PythonFunction};
use super::line_process::{LineProcess, Request};
use super::messages::Exception;

/// The module of the package that it runs.
const MODULE: &str = "rehearsal_adk.evaluation.functions";

/// The functions of one run: their process, once one of them is called.
#[derive(Default)]
pub(crate) struct Functions(OnceCell<Process>);

impl fmt::Debug for Functions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_running = self.0.initialized();
        formatter.debug_struct("Functions").field("is_running", &is_running).finish()
    }
}

impl Functions {
    pub(super) async fn process(&self, first: &PythonFunction) -> Result<&Process, String> {
        self.0.get_or_try_init(|| async { Process::start(first) }).await
    }
}

/// The answer to a call.
#[derive(Debug, Deserialize)]
pub(super) struct Reply {
    id: u64,
    /// Present and null if the function returned None.
    #[serde(default, deserialize_with = "present")]
    pub(super) result: Option<JsonText>,
    pub(super) raises: Option<String>,
    /// The keys of the session's state that a mock has set.
    #[serde(default)]
    pub(super) state: Map<String, Value>,
    /// Changes of the session's state by scope, of a mock.
    #[serde(default)]
    pub(super) changes: Map<String, Value>,
    pub(super) error: Option<Exception>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<JsonText>, D::Error> {
    JsonText::deserialize(deserializer).map(Some)
}

/// A process that calls functions. Dropping it ends the process.
pub(super) struct Process {
    requests: mpsc::UnboundedSender<Request>,
    waiting: Arc<Waiting>,
    pub(super) next_id: AtomicU64,
    log: Arc<AgentLog>,
    killer: TreeKiller,
}

impl Drop for Process {
    fn drop(&mut self) {
        self.killer.kill();
    }
}

/// The calls under way, by their id; `None` once the process has ended.
#[derive(Debug)]
struct Waiting(Mutex<Option<HashMap<u64, oneshot::Sender<Reply>>>>);

impl Waiting {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<HashMap<u64, oneshot::Sender<Reply>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Process {
    fn start(first: &PythonFunction) -> Result<Self, String> {
        let package = package::unpacked()
            .map_err(|error| format!("the Python package cannot be written: {error}"))?;
        let folder = first.file.parent().unwrap_or(Path::new("."));
        let mut command = package::program(&first.python, MODULE, &package, folder);
        let started = LineProcess::start(&mut command, child::start)
            .map_err(|error| format!("{} cannot be started: {error}", first.python.display()))?;
        let LineProcess { requests, mut answers, log, tree, .. } = started;
        let killer = tree.killer();
        let waiting = Arc::new(Waiting(Mutex::new(Some(HashMap::new()))));
        tokio::spawn({
            let waiting = Arc::clone(&waiting);
            async move {
                while let Ok(Some(line)) = answers.next_line().await {
                    match serde_json::from_str::<Reply>(&line) {
                        Ok(reply) => {
                            let mut waiting = waiting.lock();
                            let waiter = waiting.as_mut().and_then(|it| it.remove(&reply.id));
                            if let Some(waiter) = waiter {
                                // The run may have ended meanwhile.
                                let _ = waiter.send(reply);
                            }
                        }
                        Err(error) => tracing::warn!("a line of mock functions: {error}: {line}"),
                    }
                }
                // Dropping the waiters ends their wait.
                waiting.lock().take();
                tree.wait().await;
            }
        });
        Ok(Self { requests, waiting, next_id: AtomicU64::new(1), log, killer })
    }

    pub(super) async fn call(&self, call: &Call<'_>) -> Result<Reply, String> {
        let gone = || match self.log.last_lines(0) {
            Some(lines) => format!("the process of the functions ended. Its last output:\n{lines}"),
            None => "the process of the functions ended. It printed nothing".to_owned(),
        };
        let request = JsonText::serialize(call).map_err(|error| error.to_string())?;
        let line = request.compact().as_str().to_owned();
        let (waiter, reply) = oneshot::channel();
        match &mut *self.waiting.lock() {
            Some(waiting) => waiting.insert(call.id, waiter),
            None => return Err(gone()),
        };
        self.requests.send(line.into()).map_err(|_| gone())?;
        reply.await.map_err(|_| gone())
    }
}
