//! [`Server`]: the process that imports an agent, and forks a process for each case or runs cases itself.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use agents::AgentLog;
use agents::adk_python::package;
use agents::child::{TreeKiller, exit_name};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::UnixListener;
use tokio::sync::{mpsc, oneshot};

use super::Isolation;
use super::line_process::LineProcess;
use super::messages::{Connected, Exception, FromServer, Unseen};
use super::processes::{CaseProcess, CaseStream, Ending, Processes};
use super::servers::Key;
use crate::fault::Fault;
use crate::names::Names;

/// How long a process that has ended a case may take until it is ready for the next one.
const RETURN: Duration = Duration::from_secs(5);

/// How long the last output of a process that has ended may take to be read.
const LOGGED: Duration = Duration::from_secs(1);

/// How long the end of a process may take to be known after its connection is closed.
const ENDING: Duration = Duration::from_secs(10);

/// The module of the package that it runs.
const MODULE: &str = "rehearsal_adk.evaluation.serve";

/// With this LiteLLM does not load a list of prices from the network when it is imported.
const LITELLM_OFFLINE: &str = "LITELLM_LOCAL_MODEL_COST_MAP";

/// Without these, numeric libraries start a thread for each processor when they are imported, and such a process cannot
/// be forked.
const ONE_THREAD: [(&str, &str); 10] = [
    ("OPENBLAS_NUM_THREADS", "1"),
    ("OMP_NUM_THREADS", "1"),
    ("MKL_NUM_THREADS", "1"),
    ("BLIS_NUM_THREADS", "1"),
    ("VECLIB_MAXIMUM_THREADS", "1"),
    ("NUMEXPR_NUM_THREADS", "1"),
    ("POLARS_MAX_THREADS", "1"),
    ("RAYON_NUM_THREADS", "1"),
    ("TOKENIZERS_PARALLELISM", "false"),
    ("JE_ARROW_MALLOC_CONF", "background_thread:false"),
];

/// A process that imported an agent. Dropping this kills it and the processes of its cases.
pub(super) struct Server {
    requests: mpsc::UnboundedSender<String>,
    processes: Arc<Processes>,
    models: tokio::sync::Mutex<Loaded>,
    idle: Arc<Idle>,
    isolation: Isolation,
    next_case: AtomicU64,
    /// The threads that make a fork unsafe, by the package that started them.
    threads: BTreeMap<String, u32>,
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

/// Models that were loaded: the names, or `None` for those that the agents name.
struct Loaded {
    names: HashSet<Option<String>>,
    answers: mpsc::UnboundedReceiver<()>,
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

impl Server {
    /// Starts a process and waits until it has imported the agent.
    pub(super) async fn start(key: &Key) -> Result<Self, Fault> {
        let Key { python, folder, environment, isolation } = key;
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
        for (name, value) in ONE_THREAD.into_iter().chain([(LITELLM_OFFLINE, "True")]) {
            if std::env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        command
            .arg(folder)
            .arg(&socket)
            .args(isolation.argument())
            .envs(environment.iter().map(|(name, value)| (name, value)));
        let started = LineProcess::start(&mut command)
            .map_err(|error| broken(&format!("{} cannot be started", python.display()), &error))?;
        let LineProcess { requests, mut answers, log, logged, tree } = started;
        let killer = tree.killer();

        let processes = Arc::new(Processes::default());
        let (ready, is_ready) = oneshot::channel();
        let (loaded, answers_of_models) = mpsc::unbounded_channel();
        let idle = Arc::new(Idle::default());
        tokio::spawn(accept(listener, Arc::clone(&processes), Arc::clone(&idle)));
        // Its end is not that of its output, which tools may have passed on to processes of their own.
        let ended = tokio::spawn(tree.wait());
        tokio::spawn({
            let (processes, log) = (Arc::clone(&processes), Arc::clone(&log));
            async move {
                let mut ready = Some(ready);
                while let Ok(Some(line)) = answers.next_line().await {
                    match serde_json::from_str(&line) {
                        Ok(FromServer::Ended { case, status, output }) => {
                            processes.end(&case, Ending { status, output });
                        }
                        Ok(FromServer::ModelsLoaded) => {
                            let _ = loaded.send(());
                        }
                        Ok(begun) => {
                            if let Some(ready) = ready.take() {
                                let _ = ready.send(Ok(begun));
                            }
                        }
                        Err(error) => tracing::warn!("a line of an eval process: {error}: {line}"),
                    }
                }
                let how = ended.await.unwrap_or_else(|error| error.to_string());
                // Processes that tools have started may keep the pipe.
                let _ = tokio::time::timeout(LOGGED, logged).await;
                if let Some(ready) = ready.take() {
                    let how = format!("the process that imports the agent {how}");
                    let _ = ready.send(Err(with_output(&how, log.last_lines(0).as_deref())));
                }
                processes.end_all(how);
            }
        });
        let begun = is_ready.await.unwrap_or_else(|_| Err("the engine is stopping".to_owned()));
        let (threads, unseen, names) = match begun {
            Ok(FromServer::Ready { threads, unseen, names }) => (threads, unseen, names),
            Ok(FromServer::Fault(Exception { r#type, message, .. }))
                if r#type == "Declarations" =>
            {
                return Err(Fault::Declarations { message });
            }
            Ok(FromServer::Fault(Exception { message, traceback, .. })) => {
                return Err(Fault::Subject { message, traceback });
            }
            Ok(FromServer::Ended { .. } | FromServer::ModelsLoaded) => {
                return Err(broken("an unexpected line", &"nothing was asked yet"));
            }
            // Nothing else than the agent's code ends it.
            Err(message) => return Err(Fault::Subject { message, traceback: String::new() }),
        };
        Ok(Self {
            requests,
            processes,
            models: tokio::sync::Mutex::new(Loaded {
                names: HashSet::new(),
                answers: answers_of_models,
            }),
            idle,
            isolation: *isolation,
            next_case: AtomicU64::new(0),
            threads,
            unseen,
            names,
            log,
            killer,
            _folder: socket_folder,
        })
    }

    /// Whether it still runs.
    pub(super) fn is_running(&self) -> bool {
        self.processes.all_ended().is_none()
    }

    /// Whether it serves more than one case.
    pub(super) fn serves_many(&self) -> bool {
        self.forks() || self.isolation == Isolation::Shared
    }

    fn forks(&self) -> bool {
        self.threads.is_empty()
    }

    /// The threads because of which each case has an interpreter of its own, by the package that started them.
    pub(super) fn threads(&self) -> &BTreeMap<String, u32> {
        &self.threads
    }

    /// What interception cannot see in the agent.
    pub(super) fn unseen(&self) -> &[Unseen] {
        &self.unseen
    }

    /// The names that the agent shows.
    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    /// Imports what the model of this name needs, or what those need that the agents name.
    pub(super) async fn load_models(&self, name: Option<&str>) {
        let mut models = self.models.lock().await;
        if !models.names.contains(&name.map(str::to_owned)) {
            let _ = self.requests.send(serde_json::json!({ "models": name }).to_string());
            // Without an answer the process has ended, which whoever begins a case sees.
            if models.answers.recv().await.is_some() {
                models.names.insert(name.map(str::to_owned));
            }
        }
    }

    /// Whether the process of a case that is over can take another one.
    pub(super) fn reuses_processes(&self) -> bool {
        self.isolation == Isolation::Batch && self.forks()
    }

    /// Counts on a process that was let go, for another case.
    pub(super) fn expect_idle(&self) {
        self.idle.unclaimed.fetch_add(1, Ordering::AcqRel);
    }

    /// Begins a case, where `is_alone` in a process in which no other has run: its process, and its connection.
    pub(super) async fn begin(&self, is_alone: bool) -> Result<(CaseProcess, CaseStream), Fault> {
        while !is_alone && let Some((id, stream)) = self.idle.claim().await {
            if let Some(process) = self.processes.next_case_of(id) {
                return Ok((process, stream));
            }
        }
        let id = self.next_case.fetch_add(1, Ordering::Relaxed).to_string();
        let (process, connection) = self.processes.start(id.clone()).ok_or_else(|| self.lost())?;
        // If the writer has ended, so has the process, which ends the connection.
        let _ = self.requests.send(serde_json::json!({ "case": id }).to_string());
        match connection.await {
            Ok(stream) => Ok((process, stream)),
            Err(_) => Err(self.explain(&process).await),
        }
    }

    /// Ends the process of a case, whatever it does.
    pub(super) fn end(&self, process: &CaseProcess) {
        let _ = self.requests.send(serde_json::json!({ "end": process.id }).to_string());
    }

    /// Why the connection to a case was closed.
    pub(super) async fn explain(&self, process: &CaseProcess) -> Fault {
        let mut ended = process.ended.clone();
        let ending = tokio::time::timeout(ENDING, ended.wait_for(Option::is_some)).await;
        let ending = ending.map(|ending| ending.ok().and_then(|ending| ending.clone()));
        match ending {
            Ok(Some(Ending { status, output })) if self.isolation != Isolation::Shared => {
                let how = format!("the process of the case ended with {}", exit_name(status));
                match process.is_new {
                    true => subject(&how, output.as_deref()),
                    // What an earlier case left behind may have ended it.
                    false => Fault::ProcessLost { message: with_output(&how, output.as_deref()) },
                }
            }
            Ok(None) => self.lost(),
            Ok(Some(_)) | Err(_) => Fault::Infrastructure {
                message: "the connection to the case was closed, and its process still runs"
                    .to_owned(),
            },
        }
    }

    /// What it means for a case that the process that imported the agent has ended.
    fn lost(&self) -> Fault {
        let how = self.processes.all_ended().unwrap_or_else(|| "is gone".to_owned());
        let output = self.log.last_lines(0);
        match (self.isolation, self.forks()) {
            (Isolation::Shared, _) => {
                let how = format!("the process in which all cases run {how}");
                subject(&how, output.as_deref())
            }
            (_, false) => subject(&format!("the process of the case {how}"), output.as_deref()),
            (_, true) => Fault::ProcessLost {
                message: with_output(
                    &format!("the process that imports the agent {how} while the case ran"),
                    output.as_deref(),
                ),
            },
        }
    }
}

fn subject(how: &str, output: Option<&str>) -> Fault {
    Fault::Subject { message: with_output(how, output), traceback: String::new() }
}

fn with_output(how: &str, output: Option<&str>) -> String {
    match output {
        Some(lines) => format!("{how}. Its last output:\n{lines}"),
        None => format!("{how}. It printed nothing"),
    }
}

/// Hands each connection to the run that waits for it. A process that nobody waits for has ended its case.
async fn accept(listener: UnixListener, processes: Arc<Processes>, idle: Arc<Idle>) {
    while let Ok((stream, _)) = listener.accept().await {
        let (processes, idle) = (Arc::clone(&processes), Arc::clone(&idle));
        tokio::spawn(async move {
            let mut stream = BufReader::with_capacity(1 << 16, stream);
            let mut line = String::new();
            if stream.read_line(&mut line).await.is_ok()
                && let Ok(first) = serde_json::from_str::<Connected>(&line)
            {
                let case = first.params.case;
                if let Some(stream) = processes.connect(&case, stream) {
                    // Its receiver lives as long as the server.
                    let _ = idle.connected.send((case, stream));
                }
            }
        });
    }
}
