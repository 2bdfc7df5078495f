//! [`Server`]: the process that imports an agent, and forks a process for each case or runs cases itself.

use std::collections::{BTreeMap, HashSet};
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agents::AgentLog;
use agents::adk_python::package;
use agents::child::{self, TreeKiller, exit_name};
use serde_json::json;
use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};

use super::Isolation;
use super::messages::{Exception, FromServer, Unseen};
use super::processes::{CaseProcess, Ending, Processes};
use super::scratch::{self, Scratch};
use super::seal::{self, Network, Seal};
use super::servers::{Agent, Key, Place};
use crate::names::Names;
use crate::process::{LineProcess, Request};
use crate::request_changes::OwnTexts;
use crate::run_failure::RunFailure;

/// How long the last output of a process that has ended may take to be read.
const LOGGED: Duration = Duration::from_secs(1);

/// How long the end of a process may take to be known after its connection is closed.
const ENDING: Duration = Duration::from_secs(10);

/// The module of the package that it runs.
const MODULE: &str = "rehearsal_adk.evaluation.serve";

/// With this LiteLLM does not load a list of prices from the network when it is imported.
const LITELLM_OFFLINE: &str = "LITELLM_LOCAL_MODEL_COST_MAP";

/// With these, libraries do not ask the network for credentials and newer files, which are not to be had there.
const OFFLINE: [(&str, &str); 3] =
    [("AWS_EC2_METADATA_DISABLED", "true"), ("NO_GCE_CHECK", "true"), ("HF_HUB_OFFLINE", "1")];

/// Where SQLite keeps what does not fit into its memory. It looks only once, before a case has its folder, and takes one
/// that the user may write to, whatever the kernel refuses.
const SQLITE_FILES: &str = "SQLITE_TMPDIR";

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
    requests: mpsc::UnboundedSender<Request>,
    processes: Arc<Processes>,
    models: tokio::sync::Mutex<Loaded>,
    ports: tokio::sync::Mutex<mpsc::UnboundedReceiver<Vec<u16>>>,
    /// The ids of processes that have ended a case and take the next one.
    idle: Mutex<Vec<String>>,
    isolation: Isolation,
    is_sealed: bool,
    next_case: AtomicU64,
    /// The threads that make a fork unsafe, by the package that started them.
    threads: BTreeMap<String, u32>,
    unseen: Vec<Unseen>,
    names: Names,
    texts: Box<OwnTexts>,
    log: Arc<AgentLog>,
    _process: KilledOnDrop,
}

/// Kills a process and those of its cases, also when nobody waits for its start any more.
struct KilledOnDrop(TreeKiller);

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        self.0.kill();
    }
}

/// Models that were loaded: the names, or `None` for those that the agents name.
struct Loaded {
    names: HashSet<Option<String>>,
    answers: mpsc::UnboundedReceiver<()>,
}

impl Server {
    /// Starts a process, which gives up its agent's place when it has ended, and waits until it has imported the agent.
    pub(super) async fn start(key: &Key, place: Place) -> Result<Self, RunFailure> {
        let Key { agent: Agent { python, folder, environment, isolation }, allowed, network } = key;
        let broken = |what: &str, error: &dyn std::fmt::Display| RunFailure::Infrastructure {
            message: format!("{what}: {error}"),
        };
        let scratch = Scratch::new()
            .map_err(|error| broken("the folder for temporary files cannot be made", &error))?;
        for folder in &allowed.folders {
            std::fs::create_dir_all(folder).map_err(|error| {
                broken(&format!("the folder {} cannot be made", folder.display()), &error)
            })?;
        }
        let seal = (!allowed.is_open).then_some(Seal { allowed, network, scratch: &scratch });
        let package = package::unpacked()
            .map_err(|error| broken("the Python package cannot be written", &error))?;
        let mut command = package::program(python, MODULE, &package, folder);
        let is_sealed = seal.is_some() && seal::layers().is_closed();
        let is_offline = seal.is_some() && *network == Network::Closed;
        let offline = is_offline.then_some(OFFLINE).into_iter().flatten();
        for (name, value) in
            ONE_THREAD.into_iter().chain([(LITELLM_OFFLINE, "True")]).chain(offline)
        {
            if std::env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        let arguments = json!({
            "agent": folder,
            "isolation": isolation.argument(),
            "files": scratch.files(),
            "homes": scratch.homes(),
            "folders": allowed.folders,
            "programs": allowed.programs,
            "hosts": allowed.hosts,
            "is_sealed": is_sealed,
            "is_offline": is_sealed && is_offline,
            "program_filter": seal.as_ref().map(Seal::program_filter).unwrap_or_default(),
        });
        command
            .arg(arguments.to_string())
            .envs(scratch::encodings())
            .env(SQLITE_FILES, scratch.files())
            .envs(environment.iter().map(|(name, value)| (name, value)));
        let started = LineProcess::start(&mut command, |command| match &seal {
            None => child::start(command),
            Some(seal) => seal.start(|| child::start(command)),
        })
        .map_err(|error| broken(&format!("{} cannot be started", python.display()), &error))?;
        let LineProcess { requests, mut answers, log, logged, tree } = started;
        let process = KilledOnDrop(tree.killer());

        let processes = Arc::new(Processes::default());
        let (ready, is_ready) = oneshot::channel();
        let (loaded, answers_of_models) = mpsc::unbounded_channel();
        let (ports, answers_of_ports) = mpsc::unbounded_channel();
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
                        Ok(FromServer::Ports(of_models)) => {
                            let _ = ports.send(of_models);
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
                drop(place);
                // Before, a process could write there again.
                drop(scratch);
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
        let (threads, unseen, names, texts) = match begun {
            Ok(FromServer::Ready { threads, unseen, names, texts, uncompiled }) => {
                compile(python, &uncompiled);
                (threads, unseen, names, texts)
            }
            Ok(FromServer::Fault(Exception { r#type, message, .. }))
                if r#type == "Declarations" =>
            {
                return Err(RunFailure::Declarations { message });
            }
            Ok(FromServer::Fault(Exception { message, traceback, .. })) => {
                return Err(RunFailure::Subject { message, traceback });
            }
            Ok(FromServer::Ended { .. } | FromServer::ModelsLoaded | FromServer::Ports(_)) => {
                return Err(broken("an unexpected line", &"nothing was asked yet"));
            }
            // Nothing else than the agent's code ends it.
            Err(message) => return Err(RunFailure::Subject { message, traceback: String::new() }),
        };
        Ok(Self {
            requests,
            processes,
            models: tokio::sync::Mutex::new(Loaded {
                names: HashSet::new(),
                answers: answers_of_models,
            }),
            ports: tokio::sync::Mutex::new(answers_of_ports),
            idle: Mutex::default(),
            isolation: *isolation,
            is_sealed,
            next_case: AtomicU64::new(0),
            threads,
            unseen,
            names,
            texts,
            log,
            _process: process,
        })
    }

    /// Whether it still runs.
    pub(super) fn is_running(&self) -> bool {
        self.processes.all_ended().is_none()
    }

    /// Whether the kernel refuses effects to it and to its cases.
    pub(super) fn is_sealed(&self) -> bool {
        self.is_sealed
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

    /// The instructions and descriptions of the agent.
    pub(super) fn texts(&self) -> &OwnTexts {
        &self.texts
    }

    /// Imports what the model of this name needs, or what those need that the agents name.
    pub(super) async fn load_models(&self, name: Option<&str>) {
        let mut models = self.models.lock().await;
        if !models.names.contains(&name.map(str::to_owned)) {
            let _ = self.requests.send(json!({ "models": name }).to_string().into());
            // Without an answer the process has ended, which whoever begins a case sees.
            if models.answers.recv().await.is_some() {
                models.names.insert(name.map(str::to_owned));
            }
        }
    }

    /// The TCP ports that the agent's models may need.
    pub(super) async fn model_ports(&self) -> Result<Vec<u16>, RunFailure> {
        let mut ports = self.ports.lock().await;
        let _ = self.requests.send(json!({ "ports": true }).to_string().into());
        ports.recv().await.ok_or_else(|| self.lost())
    }

    /// Whether the process of a case that is over can take another one.
    pub(super) fn reuses_processes(&self) -> bool {
        self.isolation == Isolation::Batch && self.forks()
    }

    /// Keeps a process that was let go, for another case.
    pub(super) fn keep(&self, process: &CaseProcess) {
        self.idle().push(process.id.clone());
    }

    /// Begins a case, where `is_alone` in a process in which no other has run: its process, and its connection.
    pub(super) fn begin(&self, is_alone: bool) -> Result<(CaseProcess, UnixStream), RunFailure> {
        let broken = |error: std::io::Error| RunFailure::Infrastructure {
            message: format!("the connection to the case cannot be made: {error}"),
        };
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().map_err(broken)?;
        ours.set_nonblocking(true).map_err(broken)?;
        let stream = UnixStream::from_std(ours).map_err(broken)?;
        let (request, process) = match self.next_idle(is_alone) {
            Some(process) => (json!({ "next": process.id }), process),
            None => {
                let id = self.next_case.fetch_add(1, Ordering::Relaxed).to_string();
                (json!({ "case": id }), self.processes.start(id).ok_or_else(|| self.lost())?)
            }
        };
        // If the writer has ended, so has the process, which ends the connection.
        let _ = self.requests.send(Request::with_connection(request.to_string(), theirs));
        Ok((process, stream))
    }

    fn next_idle(&self, is_alone: bool) -> Option<CaseProcess> {
        let mut idle = self.idle();
        while !is_alone && let Some(id) = idle.pop() {
            // One that has ended meanwhile is gone.
            if let Some(process) = self.processes.next_case_of(id) {
                return Some(process);
            }
        }
        None
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the process of a case, whatever it does.
    pub(super) fn end(&self, process: &CaseProcess) {
        let _ = self.requests.send(json!({ "end": process.id }).to_string().into());
    }

    /// Why the connection to a case was closed.
    pub(super) async fn explain(&self, process: &CaseProcess) -> RunFailure {
        let mut ended = process.ended.clone();
        let ending = tokio::time::timeout(ENDING, ended.wait_for(Option::is_some)).await;
        let ending = ending.map(|ending| ending.ok().and_then(|ending| ending.clone()));
        match ending {
            Ok(Some(Ending { status, output })) if self.isolation != Isolation::Shared => {
                let how = format!("the process of the case ended with {}", exit_name(status));
                match process.is_new {
                    true => subject(&how, output.as_deref()),
                    // What an earlier case left behind may have ended it.
                    false => {
                        RunFailure::ProcessLost { message: with_output(&how, output.as_deref()) }
                    }
                }
            }
            Ok(None) => self.lost(),
            Ok(Some(_)) | Err(_) => RunFailure::Infrastructure {
                message: "the connection to the case was closed, and its process still runs"
                    .to_owned(),
            },
        }
    }

    /// What it means for a case that the process that imported the agent has ended.
    fn lost(&self) -> RunFailure {
        let how = self.processes.all_ended().unwrap_or_else(|| "is gone".to_owned());
        let output = self.log.last_lines(0);
        match (self.isolation, self.forks()) {
            (Isolation::Shared, _) => {
                let how = format!("the process in which all cases run {how}");
                subject(&how, output.as_deref())
            }
            (_, false) => subject(&format!("the process of the case {how}"), output.as_deref()),
            (_, true) => RunFailure::ProcessLost {
                message: with_output(
                    &format!("the process that imports the agent {how} while the case ran"),
                    output.as_deref(),
                ),
            },
        }
    }
}

fn subject(how: &str, output: Option<&str>) -> RunFailure {
    RunFailure::Subject { message: with_output(how, output), traceback: String::new() }
}

fn with_output(how: &str, output: Option<&str>) -> String {
    match output {
        Some(lines) => format!("{how}. Its last output:\n{lines}"),
        None => format!("{how}. It printed nothing"),
    }
}

/// Has Python keep modules of google-adk compiled, which a sealed process cannot. Otherwise each one would compile them.
fn compile(python: &Path, files: &[String]) {
    if files.is_empty() {
        return;
    }
    let mut command = std::process::Command::new(python);
    command.args(["-m", "py_compile", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let list = files.join("\n");
    std::thread::spawn(move || {
        // Without it, the next start is slow again.
        if let Ok(mut compiling) = command.spawn() {
            if let Some(mut input) = compiling.stdin.take() {
                let _ = input.write_all(list.as_bytes());
            }
            let _ = compiling.wait();
        }
    });
}
