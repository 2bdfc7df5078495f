//! Agents in Python: any folder that `adk web` loads, run by google-adk's own runner.
//!
//! One process imports the agent once and forks another for each case, unless cases share it. The case connects to a socket of the
//! engine, asks it about each tool call, and reports each event. `docs/design/eval-runs.md` describes the
//! protocol.

mod connection;
mod function_process;
mod functions;
mod line_process;
mod messages;
mod model_requests;
mod processes;
mod record;
mod server;
mod session;
mod user_prompts;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::adk_python::interpreter::find_interpreter;
use async_trait::async_trait;
use json_text::JsonText;
use tokio::sync::Mutex;

pub(crate) use self::function_process::Functions;
pub(crate) use self::functions::YieldedTo;
pub use self::functions::{PythonFunction, PythonMetric, PythonUser};
pub use self::record::record_toolsets;
use self::server::Server;
use self::session::PythonSession;
use self::user_prompts::UserPrompts;
use crate::fault::Fault;
use crate::gate::Gate;
use crate::given_model::GivenModel;
use crate::model::{Models, PERSON};
use crate::subject::{Subject, SubjectSession};

/// The variable that names the recorded declarations of MCP toolsets.
const DECLARATIONS: &str = "REHEARSAL_EVAL_DECLARATIONS";

/// How the cases of an agent are kept apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Isolation {
    /// Each case has a process of its own.
    #[default]
    Process,
    /// A process runs several cases, one after the other, which takes less processor time. What a case changes outside of
    /// its session, such as globals of modules, stays for the next one. A case that ends with an error, or before its
    /// time, takes its process along.
    Batch,
    /// All cases run in one process at the same time. They share everything but their sessions, and one that blocks
    /// the process holds up the others.
    Shared,
}

impl Isolation {
    /// Its name in the arguments of the process.
    const fn argument(self) -> Option<&'static str> {
        match self {
            Self::Process => None,
            Self::Batch => Some("batch"),
            Self::Shared => Some("shared"),
        }
    }
}

/// An agent in Python.
pub struct AdkPythonSubject {
    folder: PathBuf,
    python: PathBuf,
    environment: Vec<(String, String)>,
    isolation: Isolation,
    models: Models,
    server: Mutex<Option<Arc<Server>>>,
    user_prompts: UserPrompts,
}

impl AdkPythonSubject {
    /// The agent in `folder`, run by `python` or else by the interpreter that `adk` would use.
    #[must_use]
    pub fn new(folder: &Path, python: Option<&Path>) -> Self {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        let python = find_interpreter(&folder, python).program;
        Self {
            folder,
            python,
            environment: Vec::new(),
            isolation: Isolation::default(),
            models: Models::of_environment(),
            server: Mutex::new(None),
            user_prompts: UserPrompts::default(),
        }
    }

    /// Sets how its cases are kept apart.
    #[must_use]
    pub fn isolation(mut self, isolation: Isolation) -> Self {
        self.isolation = isolation;
        self
    }

    /// Sets whose limits, retries and timeout the agent's own models have. The timeout is for a response, or for each
    /// part of one that is streamed.
    #[must_use]
    pub fn models(mut self, models: Models) -> Self {
        self.models = models;
        self
    }

    /// Sets the JSON file with what the agent's MCP servers declare, so that they are not started to list their tools.
    #[must_use]
    pub fn declarations(self, file: &Path) -> Self {
        self.environment(DECLARATIONS, file.to_string_lossy())
    }

    /// Sets a variable of the agent's environment, which is otherwise that of this process.
    #[must_use]
    pub fn environment(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// A process that serves another case: one process for all, unless the agent starts threads at its import.
    async fn server(&self) -> Result<Arc<Server>, Fault> {
        let mut kept = self.server.lock().await;
        if let Some(server) = kept.as_ref().filter(|server| server.can_fork()) {
            return Ok(Arc::clone(server));
        }
        let server = Server::start(&self.python, &self.folder, &self.environment, self.isolation);
        let server = Arc::new(server.await?);
        *kept = Some(Arc::clone(&server));
        Ok(server)
    }
}

#[async_trait]
impl Subject for AdkPythonSubject {
    async fn prepare(&self, model: Option<&GivenModel>) -> Result<Option<Vec<String>>, Fault> {
        let server = self.server().await?;
        match model {
            None => server.load_models(None).await,
            Some(GivenModel::Named(name)) if name != PERSON => {
                server.load_models(Some(name)).await;
            }
            // The engine answers.
            Some(_) => {}
        }
        Ok(server.tools().map(<[_]>::to_vec))
    }

    async fn check_model(&self, gate: &Arc<Gate>) -> Result<(), Fault> {
        // Classes of models that the agent registers are known in its process only.
        match PythonSession::open(self.server().await?, gate, self.models.clone(), true).await {
            Err(fault @ (Fault::GivenModel { .. } | Fault::OwnModel { .. })) => Err(fault),
            _ => Ok(()),
        }
    }

    async fn open(&self, gate: &Arc<Gate>) -> Result<Box<dyn SubjectSession>, Fault> {
        let server = self.server().await?;
        for part in server.unseen() {
            if !gate.allows(&part.name) {
                let messages::Unseen { name, agent, what } = part.clone();
                return Err(Fault::Unseen { name, agent, what });
            }
        }
        if let Some(tools) = server.tools() {
            gate.check_tools(tools)?;
        }
        Ok(Box::new(PythonSession::open(server, gate, self.models.clone(), false).await?))
    }

    async fn scenario_prompt(&self, args: &JsonText) -> Result<Option<String>, String> {
        self.user_prompts.prompt(&self.python, args).await
    }

    async fn limits(&self) -> String {
        let server = self.server.lock().await;
        let threads = server.as_ref().map(|server| server.threads()).filter(|it| !it.is_empty());
        let kept_apart = match (self.isolation, threads) {
            (Isolation::Process | Isolation::Batch, Some(threads)) => {
                let threads: Vec<_> =
                    threads.iter().map(|(of, count)| format!("{count} of {of}")).collect();
                format!(
                    "each case of {} starts an interpreter and imports the agent again, because the import leaves \
                     threads running, with which a process cannot be forked: {}",
                    self.folder.file_name().unwrap_or_default().display(),
                    threads.join(", ")
                )
            }
            (Isolation::Process, None) => "each case runs in a process of its own".to_owned(),
            (Isolation::Shared, _) => {
                "cases run at the same time in one process: what they change in modules, closures and services is seen \
                 by the others, and one that blocks the process holds up the others"
                    .to_owned()
            }
            (Isolation::Batch, None) => {
                "cases follow one another in a process: what they change in modules, closures and services stays for \
                 the next one"
                    .to_owned()
            }
        };
        format!(
            "{kept_apart}. Not intercepted: what C extensions such as gRPC do by themselves, and whatever a tool that is \
             `real` calls"
        )
    }
}
