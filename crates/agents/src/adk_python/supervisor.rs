//! [`Supervisor`]: starts, replaces and stops the workers of an agent.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::AgentFault;
use tokio_util::sync::CancellationToken;

use super::interpreter::{Interpreter, find_interpreter};
use super::messages::{Initialize, Initialized, PROTOCOL};
use super::package;
use super::process::{RequestError, Worker};
use crate::AgentLog;
use crate::MAX_RESULT_BYTES;

/// How long an agent may take to be imported.
const IMPORT: Duration = Duration::from_secs(300);
/// How long a worker may take to close its toolsets when the host stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// The workers of one agent: the one for new sessions, those from before a reload that still have
/// sessions, and those whose last calls are still running.
pub(super) struct Supervisor {
    folder: PathBuf,
    python: Option<PathBuf>,
    log: Mutex<Arc<AgentLog>>,
    /// Locked while a worker is started, so that one is started at a time.
    serving: tokio::sync::Mutex<Serving>,
    former: Mutex<Vec<Arc<Worker>>>,
    /// Canceled when the host stops, which does not wait for an import.
    stopping: CancellationToken,
}

#[derive(Default)]
struct Serving {
    worker: Option<Arc<Worker>>,
    stopped: bool,
}

impl Supervisor {
    pub(super) fn new(folder: PathBuf, python: Option<PathBuf>) -> Self {
        let folder = std::path::absolute(&folder).unwrap_or(folder);
        Self {
            folder,
            python,
            log: Mutex::default(),
            serving: tokio::sync::Mutex::default(),
            former: Mutex::default(),
            stopping: CancellationToken::new(),
        }
    }

    /// The interpreter that a worker would be started with.
    pub(super) fn interpreter(&self) -> Interpreter {
        find_interpreter(&self.folder, self.python.as_deref())
    }

    /// The fault with the interpreter that was used, unless its reason names it.
    pub(super) fn with_interpreter(&self, fault: AgentFault) -> AgentFault {
        let interpreter = self.interpreter();
        let program = interpreter.program.to_string_lossy();
        if fault.reason.contains(&*program) || !self.folder.is_dir() {
            return fault;
        }
        let reason = fault.reason.trim_end().trim_end_matches('.');
        AgentFault { reason: format!("{reason}. It was loaded with {interpreter}."), ..fault }
    }

    /// The agent's folder.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Starts a worker with the agent's code as it is now. Sessions stay on the worker that they are on,
    /// which ends after the last of them. What the new one prints goes to `log`.
    pub(super) async fn restart(
        &self,
        log: Arc<AgentLog>,
    ) -> Result<(Arc<Worker>, Initialized), AgentFault> {
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) = log;
        let mut serving = self.serving.lock().await;
        if let Some(old) = serving.worker.take() {
            self.end_when_free(old);
        }
        self.start(&mut serving).await
    }

    /// The worker that serves. Starts one if there is none or it has ended.
    pub(super) async fn worker(&self) -> Result<Arc<Worker>, AgentFault> {
        let mut serving = self.serving.lock().await;
        if let Some(worker) = serving.worker.as_ref().filter(|worker| !worker.has_ended()) {
            return Ok(Arc::clone(worker));
        }
        Ok(self.start(&mut serving).await?.0)
    }

    /// Takes a worker out of service. Its sessions move to another one, and it ends after its last call.
    pub(super) async fn replace(&self, worker: &Arc<Worker>) {
        let mut serving = self.serving.lock().await;
        serving.worker.take_if(|serving| Arc::ptr_eq(serving, worker));
        drop(serving);
        if worker.begin_draining() {
            self.end_when_free(Arc::clone(worker));
        }
    }

    /// Ends every worker, and prevents new ones.
    pub(super) async fn stop(&self) {
        self.stopping.cancel();
        let mut serving = self.serving.lock().await;
        serving.stopped = true;
        let worker = serving.worker.take();
        drop(serving);
        let former =
            std::mem::take(&mut *self.former.lock().unwrap_or_else(PoisonError::into_inner));
        // A drained worker is probably stuck, so it gets little time.
        let patience = |worker: &Worker| match worker.is_drained() {
            true => Duration::from_millis(100),
            false => SHUTDOWN_TIMEOUT,
        };
        let ends = worker.iter().chain(&former).map(|worker| worker.stop(patience(worker)));
        futures::future::join_all(ends).await;
    }

    /// Ends a worker that is out of service, once nothing needs it.
    fn end_when_free(&self, worker: Arc<Worker>) {
        let mut former = self.former.lock().unwrap_or_else(PoisonError::into_inner);
        former.retain(|worker| !worker.has_ended());
        former.push(Arc::clone(&worker));
        drop(former);
        tokio::spawn(async move {
            worker.free().await;
            worker.stop(Duration::from_millis(500)).await;
        });
    }

    async fn start(&self, serving: &mut Serving) -> Result<(Arc<Worker>, Initialized), AgentFault> {
        if serving.stopped {
            return Err(stopping());
        }
        if !self.folder.is_dir() {
            return Err(no_folder(&self.folder));
        }
        let interpreter = self.interpreter();
        let log = Arc::clone(&self.log.lock().unwrap_or_else(PoisonError::into_inner));
        let package = package::unpacked()
            .map_err(|error| plain(format!("The worker's files cannot be written: {error}")))?;
        let printed = log.next_number();
        let started = Worker::start(&interpreter.program, &package, &self.folder, Arc::clone(&log));
        let worker = Arc::new(started.map_err(|error| no_interpreter(&interpreter, &error))?);
        let agent_dir = self.folder.to_string_lossy();
        let about = Initialize {
            protocol: PROTOCOL,
            agent_dir: &agent_dir,
            max_result_bytes: MAX_RESULT_BYTES,
        };
        // The worker responds before it imports the agent, if its Python can read the package.
        let ping = worker.send("ping", &serde_json::Map::new());
        let answered = tokio::time::timeout(IMPORT, worker.request("initialize", &about));
        let answer = tokio::select! {
            answer = answered => answer,
            () = self.stopping.cancelled() => {
                worker.stop(Duration::ZERO).await;
                return Err(stopping());
            }
        };
        let answer = answer.map_err(|_| {
            plain(format!(
                "Importing the agent timed out after {} seconds. \
                 Its log shows how far it got.",
                IMPORT.as_secs()
            ))
        })?;
        let initialized = answer.map_err(|error| {
            let is_python = ping.is_ok_and(|mut reply| matches!(reply.try_recv(), Ok(Ok(_))));
            fault(error, &interpreter, is_python, log.last_lines(printed))
        })?;
        let initialized: Initialized = initialized
            .decode()
            .map_err(|error| plain(format!("The worker's response cannot be read: {error}")))?;
        serving.worker = Some(Arc::clone(&worker));
        Ok((worker, initialized))
    }
}

/// A request's error as a fault of the agent.
pub(super) fn fault_of(error: RequestError) -> AgentFault {
    match error {
        RequestError::Refused(error) => error.fault(),
        error @ RequestError::Exited(_) => AgentFault {
            reason: error.to_string(),
            error_type: Some(session::ToolError::WORKER_EXITED.to_owned()),
            traceback: None,
        },
        error => plain(error.to_string()),
    }
}

fn fault(
    error: RequestError,
    interpreter: &Interpreter,
    is_python: bool,
    printed: Option<String>,
) -> AgentFault {
    let has_ended = matches!(error, RequestError::Exited(_));
    let mut fault = fault_of(error);
    if has_ended {
        fault.traceback = printed;
        let about = match is_python {
            true => " and was importing the agent",
            false => ", which must be Python 3.10 or newer, and new enough for its google-adk",
        };
        fault.reason = format!("{} It ran {interpreter}{about}.", fault.reason);
    }
    fault
}

fn no_folder(folder: &Path) -> AgentFault {
    let path = folder.display();
    plain(match folder.exists() {
        true => format!(
            "{path} is not a folder. Name the folder of agent.py or root_agent.yaml in `folder`."
        ),
        false => format!("The folder {path} does not exist. Correct `folder`, or create it."),
    })
}

fn no_interpreter(interpreter: &Interpreter, error: &std::io::Error) -> AgentFault {
    let hint = if is_folder(&interpreter.program) { " It is a folder." } else { "" };
    plain(format!(
        "Python cannot be started: {interpreter}: {error}.{hint} Name the agent's interpreter with \
         `python = \"...\"`."
    ))
}

fn is_folder(program: &Path) -> bool {
    program.components().count() > 1 && program.is_dir()
}

fn stopping() -> AgentFault {
    plain("The host is stopping.".to_owned())
}

fn plain(reason: String) -> AgentFault {
    AgentFault { reason, error_type: None, traceback: None }
}
