//! [`PythonFunction`]: a mock that the author of a case wrote in Python.
//!
//! Functions run in a process of their own, one for each run that calls any, so that they work with every
//! subject, share nothing with the agent and may keep a state for the case.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use agents::AgentLog;
use agents::adk_python::interpreter::find_interpreter;
use agents::adk_python::package;
use agents::child::{self, TreeKiller};
use json_text::JsonText;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::ChildStdin;
use tokio::sync::{OnceCell, mpsc, oneshot};

use super::messages::Exception;
use crate::mock::{MockContext, MockFailure};

/// The module of the package that it runs.
const MODULE: &str = "rehearsal_adk.evaluation.functions";

/// A function in a Python file.
#[derive(Debug, Clone)]
pub struct PythonFunction {
    file: PathBuf,
    name: String,
    python: PathBuf,
}

impl PythonFunction {
    /// The function `name` at the top level of `file`, run by `python` or else by the interpreter of the
    /// file's folder, as an agent's there.
    #[must_use]
    pub fn new(file: &Path, name: impl Into<String>, python: Option<&Path>) -> Self {
        let file = std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf());
        let folder = file.parent().unwrap_or(Path::new("."));
        let python = find_interpreter(folder, python).program;
        Self { file, name: name.into(), python }
    }

    /// What the function returns for a call.
    ///
    /// # Errors
    /// [`MockFailure::Raises`] if it raises `ToolError`, [`MockFailure::Broken`] if it fails otherwise or
    /// cannot be called.
    pub(crate) async fn answer(
        &self,
        args: &JsonText,
        context: &MockContext,
    ) -> Result<JsonText, MockFailure> {
        let process = context.functions.process(self).await.map_err(MockFailure::Broken)?;
        let call = Call {
            id: process.next_id.fetch_add(1, Ordering::Relaxed),
            file: &self.file,
            function: &self.name,
            args,
            context: CallContext {
                call_id: &context.call_id,
                tool_name: &context.tool_name,
                invocation_id: &context.invocation_id,
                state: &context.state,
                now_ms: context.now_ms,
            },
        };
        let reply = process.call(&call).await.map_err(MockFailure::Broken)?;
        match reply {
            Reply { result: Some(result), .. } => Ok(result),
            Reply { raises: Some(message), .. } => Err(MockFailure::Raises(message)),
            Reply { error: Some(Exception { message, traceback }), .. } => {
                let place = self.file.display();
                Err(MockFailure::Broken(format!("{place}:{}: {message}\n{traceback}", self.name)))
            }
            Reply { .. } => Err(MockFailure::Broken("it gave no answer".to_owned())),
        }
    }
}

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
    async fn process(&self, first: &PythonFunction) -> Result<&Process, String> {
        self.0.get_or_try_init(|| async { Process::start(first) }).await
    }
}

#[derive(Serialize)]
struct Call<'a> {
    id: u64,
    file: &'a Path,
    function: &'a str,
    args: &'a JsonText,
    context: CallContext<'a>,
}

#[derive(Serialize)]
struct CallContext<'a> {
    call_id: &'a str,
    tool_name: &'a str,
    invocation_id: &'a str,
    state: &'a JsonText,
    now_ms: u64,
}

#[derive(Debug, Deserialize)]
struct Reply {
    id: u64,
    result: Option<JsonText>,
    raises: Option<String>,
    error: Option<Exception>,
}

/// A process that calls functions. Dropping it ends the process.
struct Process {
    requests: mpsc::UnboundedSender<Vec<u8>>,
    waiting: Arc<Waiting>,
    next_id: AtomicU64,
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
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut tree = child::start(&mut command)
            .map_err(|error| format!("{} cannot be started: {error}", first.python.display()))?;
        let process = tree.child();
        let missing = || format!("a pipe of {} is missing", first.python.display());
        let input = process.stdin.take().ok_or_else(missing)?;
        let output = process.stdout.take().ok_or_else(missing)?;
        let errors = process.stderr.take().ok_or_else(missing)?;
        let killer = tree.killer();
        let log = Arc::new(AgentLog::default());
        let waiting = Arc::new(Waiting(Mutex::new(Some(HashMap::new()))));
        let (requests, queued) = mpsc::unbounded_channel();
        tokio::spawn(write(input, queued));
        tokio::spawn({
            let log = Arc::clone(&log);
            async move {
                let mut lines = BufReader::new(errors).lines();
                while let Ok(Some(line)) = lines.next_line().await {
                    log.push(&line);
                }
            }
        });
        tokio::spawn({
            let waiting = Arc::clone(&waiting);
            async move {
                let mut lines = BufReader::new(output).lines();
                while let Ok(Some(line)) = lines.next_line().await {
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
                // Dropping the waiters tells them.
                waiting.lock().take();
                tree.wait().await;
            }
        });
        Ok(Self { requests, waiting, next_id: AtomicU64::new(1), log, killer })
    }

    async fn call(&self, call: &Call<'_>) -> Result<Reply, String> {
        let gone = || match self.log.last_lines(0) {
            Some(lines) => format!("the process of the functions ended. Its last output:\n{lines}"),
            None => "the process of the functions ended. It printed nothing".to_owned(),
        };
        let request = JsonText::serialize(call).map_err(|error| error.to_string())?;
        let mut line = request.compact().as_str().as_bytes().to_vec();
        line.push(b'\n');
        let (waiter, reply) = oneshot::channel();
        match &mut *self.waiting.lock() {
            Some(waiting) => waiting.insert(call.id, waiter),
            None => return Err(gone()),
        };
        self.requests.send(line).map_err(|_| gone())?;
        reply.await.map_err(|_| gone())
    }
}

async fn write(mut input: ChildStdin, mut queued: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(line) = queued.recv().await {
        if input.write_all(&line).await.is_err() {
            return;
        }
    }
}
