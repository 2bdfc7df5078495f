//! [`Server`]: the process that imports an agent, and forks a process for each case or runs cases itself.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agents::AgentLog;
use agents::adk_python::package;
use agents::child::TreeKiller;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, oneshot};

use super::Isolation;
use super::line_process::LineProcess;
use super::messages::{Connected, Exception, FromServer, Unseen};
use crate::fault::Fault;
use crate::names::Names;

/// How long a process that has ended a case may take until it is ready for the next one.
const RETURN: Duration = Duration::from_secs(5);

/// The module of the package that it runs.
const MODULE: &str = "rehearsal_adk.evaluation.serve";

/// With this LiteLLM does not load a list of prices from the network when it is imported.
const LITELLM_OFFLINE: &str = "LITELLM_LOCAL_MODEL_COST_MAP";

/// A process that imported an agent. Dropping this kills it and the processes of its cases.
pub(super) struct Server {
    requests: mpsc::UnboundedSender<String>,
    waiting: Arc<Waiting>,
    idle: Arc<Idle>,
    isolation: Isolation,
    next_case: AtomicU64,
    forks: bool,
    unseen: Vec<Unseen>,
    names: Names,
    log: Arc<AgentLog>,
    killer: TreeKiller,
    /// Holds the socket.
    _folder: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.killer.kill();
    }
}

/// The cases that have not connected yet, by their id.
#[derive(Default)]
struct Waiting(Mutex<HashMap<String, oneshot::Sender<Result<CaseStream, String>>>>);

impl Waiting {
    fn lock(
        &self,
    ) -> std::sync::MutexGuard<'_, HashMap<String, oneshot::Sender<Result<CaseStream, String>>>>
    {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, case: &str, result: Result<CaseStream, String>) {
        if let Some(waiting) = self.lock().remove(case) {
            // The run may have been canceled.
            let _ = waiting.send(result);
        }
    }
}

/// Processes that have ended a case and take the next one.
struct Idle {
    /// How many there are that nobody has claimed. Some may not have connected again yet.
    unclaimed: AtomicUsize,
    connected: mpsc::UnboundedSender<(String, CaseStream)>,
    streams: tokio::sync::Mutex<mpsc::UnboundedReceiver<(String, CaseStream)>>,
}

impl Default for Idle {
    fn default() -> Self {
        let (connected, streams) = mpsc::unbounded_channel();
        let streams = tokio::sync::Mutex::new(streams);
        Self { unclaimed: AtomicUsize::new(0), connected, streams }
    }
}

impl Idle {
    /// One of them, by the id of its first case; `None` if there is none, or it does not come back.
    async fn claim(&self) -> Option<(String, CaseStream)> {
        let one_less = |count: usize| count.checked_sub(1);
        self.unclaimed.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_less).ok()?;
        let connected = async { self.streams.lock().await.recv().await };
        tokio::time::timeout(RETURN, connected).await.ok().flatten()
    }
}

/// The connection of a case, its first line read.
pub(super) type CaseStream = BufReader<UnixStream>;

impl Server {
    /// Starts a process and waits until it has imported the agent.
    pub(super) async fn start(
        python: &Path,
        folder: &Path,
        environment: &[(String, String)],
        isolation: Isolation,
    ) -> Result<Self, Fault> {
        let broken = |what: &str, error: &dyn std::fmt::Display| Fault::Infrastructure {
            message: format!("{what}: {error}"),
        };
        let socket_folder =
            tempfile::tempdir().map_err(|error| broken("no temporary folder", &error))?;
        let socket = socket_folder.path().join("cases");
        let listener = UnixListener::bind(&socket)
            .map_err(|error| broken("the socket for the cases cannot be made", &error))?;
        let package = package::unpacked()
            .map_err(|error| broken("the Python package cannot be written", &error))?;
        let mut command = package::program(python, MODULE, &package, folder);
        if std::env::var_os(LITELLM_OFFLINE).is_none() {
            command.env(LITELLM_OFFLINE, "True");
        }
        command
            .arg(folder)
            .arg(&socket)
            .args(isolation.argument())
            .envs(environment.iter().map(|(name, value)| (name, value)));
        let started = LineProcess::start(&mut command)
            .map_err(|error| broken(&format!("{} cannot be started", python.display()), &error))?;
        let LineProcess { requests, mut answers, log, tree } = started;
        let killer = tree.killer();

        let waiting = Arc::new(Waiting::default());
        let (ready, is_ready) = oneshot::channel();
        let idle = Arc::new(Idle::default());
        tokio::spawn(accept(listener, Arc::clone(&waiting), Arc::clone(&idle)));
        tokio::spawn({
            let (waiting, log) = (Arc::clone(&waiting), Arc::clone(&log));
            async move {
                let mut ready = Some(ready);
                while let Ok(Some(line)) = answers.next_line().await {
                    match serde_json::from_str(&line) {
                        Ok(FromServer::Ended { case, status }) => {
                            let ending = format!("its process ended with status {status}");
                            waiting.end(&case, Err(explained(&ending, &log)));
                        }
                        Ok(begun) => {
                            if let Some(ready) = ready.take() {
                                let _ = ready.send(Ok(begun));
                            }
                        }
                        Err(error) => tracing::warn!("a line of an eval process: {error}: {line}"),
                    }
                }
                let ending = tree.wait().await;
                let message = explained(&format!("the process of the agent {ending}"), &log);
                if let Some(ready) = ready.take() {
                    let _ = ready.send(Err(message.clone()));
                }
                let cases: Vec<String> = waiting.lock().keys().cloned().collect();
                for case in cases {
                    waiting.end(&case, Err(message.clone()));
                }
            }
        });
        let begun = is_ready.await.unwrap_or_else(|_| Err("the engine is stopping".to_owned()));
        let (forks, unseen, names) = match begun {
            Ok(FromServer::Ready { forks, unseen, names }) => (forks, unseen, names),
            Ok(FromServer::Fault(Exception { r#type, message, .. }))
                if r#type == "Declarations" =>
            {
                return Err(Fault::Declarations { message });
            }
            Ok(FromServer::Fault(Exception { message, traceback, .. })) => {
                return Err(Fault::Subject { message, traceback });
            }
            Ok(FromServer::Ended { .. }) => {
                return Err(broken("an unexpected line", &"a case ended before it began"));
            }
            Err(message) => return Err(Fault::Infrastructure { message }),
        };
        Ok(Self {
            requests,
            waiting,
            idle,
            isolation,
            next_case: AtomicU64::new(0),
            forks,
            unseen,
            names,
            log,
            killer,
            _folder: socket_folder,
        })
    }

    /// Whether it serves more than one case.
    pub(super) fn can_fork(&self) -> bool {
        (self.forks || self.isolation == Isolation::Shared) && !self.requests.is_closed()
    }

    /// What interception cannot see in the agent.
    pub(super) fn unseen(&self) -> &[Unseen] {
        &self.unseen
    }

    /// The names that the agent shows.
    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    /// Lets the process of a case go, which is idle and whose connection is about to be closed: it takes the next case,
    /// or ends.
    pub(super) fn release(&self, case: &str) {
        if self.isolation == Isolation::Batch && self.forks {
            self.idle.unclaimed.fetch_add(1, Ordering::AcqRel);
        } else {
            self.end(case);
        }
    }

    /// Begins a case: the id of its process, and its connection.
    pub(super) async fn begin(&self) -> Result<(String, CaseStream), Fault> {
        if let Some(idle) = self.idle.claim().await {
            return Ok(idle);
        }
        let case = self.next_case.fetch_add(1, Ordering::Relaxed).to_string();
        let (connected, connection) = oneshot::channel();
        self.waiting.lock().insert(case.clone(), connected);
        // If the writer has ended, so has the process, and its end is the answer.
        let _ = self.requests.send(serde_json::json!({ "case": case }).to_string());
        let stopping = || Err("the process of the agent is gone".to_owned());
        match connection.await.unwrap_or_else(|_| stopping()) {
            Ok(stream) => Ok((case, stream)),
            Err(message) => Err(Fault::Infrastructure { message }),
        }
    }

    /// Ends the process of a case, whatever it does.
    pub(super) fn end(&self, case: &str) {
        let _ = self.requests.send(serde_json::json!({ "end": case }).to_string());
    }

    /// How a case whose connection broke may have ended.
    pub(super) fn explain(&self, what: &str) -> String {
        explained(what, &self.log)
    }
}

fn explained(what: &str, log: &AgentLog) -> String {
    match log.last_lines(0) {
        Some(lines) => format!("{what}. Its last output:\n{lines}"),
        None => format!("{what}. It printed nothing"),
    }
}

/// Hands each connection to the run that waits for it. A process that nobody waits for has ended its case.
async fn accept(listener: UnixListener, waiting: Arc<Waiting>, idle: Arc<Idle>) {
    while let Ok((stream, _)) = listener.accept().await {
        let (waiting, idle) = (Arc::clone(&waiting), Arc::clone(&idle));
        tokio::spawn(async move {
            let mut stream = BufReader::with_capacity(1 << 16, stream);
            let mut line = String::new();
            if stream.read_line(&mut line).await.is_ok()
                && let Ok(first) = serde_json::from_str::<Connected>(&line)
            {
                let case = first.params.case;
                let is_waited_for = waiting.lock().contains_key(&case);
                match is_waited_for {
                    true => waiting.end(&case, Ok(stream)),
                    // Its receiver lives as long as the server.
                    false => drop(idle.connected.send((case, stream))),
                }
            }
        });
    }
}
