//! Agents in Python: any folder that `adk web` loads, run by google-adk's own runner.
//!
//! One process imports the agent once and forks another for each case, unless cases share it. The case gets a connection
//! to the engine, asks it about each tool call, and reports each event. `docs/design/eval-runs.md` describes the
//! protocol.

mod agent_user;
mod connection;
mod function_process;
mod functions;
mod messages;
mod model_requests;
mod person_request;
mod processes;
mod record;
mod scratch;
mod seal;
mod server;
mod servers;
mod session;
mod user_prompts;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use agents::adk_python::interpreter::find_interpreter;
use agents::adk_python::{environment_file, source_files};
use async_trait::async_trait;
use json_text::JsonText;
use xxhash_rust::xxh3::Xxh3Default;

pub use self::agent_user::AdkUser;
pub use self::functions::{PythonFunction, PythonMetric, PythonUser};
pub use self::record::record_toolsets;
use self::seal::Network;
pub use self::servers::Servers;
use self::servers::{Agent, Key};
use self::session::PythonSession;
use self::user_prompts::UserPrompts;
use crate::allowed::AllowedEffects;
use crate::function_error::FunctionError;
use crate::gate::Gate;
use crate::given_model::{GivenModel, RealModel, real_model};
use crate::model::{Models, PERSON};
use crate::names::Names;
use crate::request_changes::{OwnTexts, RequestChanges};
use crate::run_failure::RunFailure;
use crate::scopes::Scopes;
use crate::subject::{Needs, Subject, SubjectSession};

/// The variable that names the recorded declarations of MCP toolsets.
const DECLARATIONS: &str = "REHEARSAL_EVAL_DECLARATIONS";

/// How the cases of an agent are kept apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
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

/// What the kernel cannot close here for an agent whose cases allow no effect, and what that needs; empty if it closes all.
#[must_use]
pub fn seal_gaps() -> Vec<&'static str> {
    seal::layers().gaps()
}

/// An agent in Python.
pub struct AdkPythonSubject {
    agent: Agent,
    models: Models,
    servers: Servers,
    user_prompts: UserPrompts,
    fingerprint: OnceLock<String>,
}

impl AdkPythonSubject {
    /// The agent in `folder`, run by `python` or else by the interpreter that `adk` would use.
    #[must_use]
    pub fn new(folder: &Path, python: Option<&Path>) -> Self {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        let python = find_interpreter(&folder, python).program;
        let environment = Vec::new();
        Self {
            agent: Agent { python, folder, environment, isolation: Isolation::default() },
            models: Models::of_environment(),
            servers: Servers::default(),
            user_prompts: UserPrompts::default(),
            fingerprint: OnceLock::new(),
        }
    }

    /// Sets how its cases are kept apart.
    #[must_use]
    pub fn isolation(mut self, isolation: Isolation) -> Self {
        self.agent.isolation = isolation;
        self
    }

    /// Sets the processes that it shares with other subjects, such as those of the same agent in other suites.
    #[must_use]
    pub fn servers(mut self, servers: &Servers) -> Self {
        self.servers = servers.clone();
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
        self.agent.environment.push((name.into(), value.into()));
        self
    }
}

impl AdkPythonSubject {
    /// The process for a case that allows this and has this model.
    async fn key(
        &self,
        mut allowed: AllowedEffects,
        model: Option<&GivenModel>,
    ) -> Result<Key, RunFailure> {
        let parts = std::mem::take(&mut allowed.parts);
        let network = Network::of_hosts(&allowed.hosts);
        let mut key = Key { agent: self.agent.clone(), allowed, network };
        if !parts.is_empty() && !key.allowed.is_open {
            // Only the agent knows what a name is, and one that is mistyped opens nothing.
            let unseen = self.servers.unseen(&key).await?;
            key.allowed.is_open =
                unseen.iter().any(|part| part.runs_here && parts.contains(&part.name));
        }
        if key.allowed.is_open {
            // Not sealed.
            key.network = Network::default();
            return Ok(key);
        }
        match real_model(model) {
            Some(RealModel::Named(PERSON)) => {
                let (address, _) = self
                    .models
                    .person("")
                    .address()
                    .map_err(|error| RunFailure::GivenModel { message: error.to_string() })?;
                key.network = key.network.with_ports(seal::port_of(&address));
            }
            Some(_) => {
                key.network =
                    key.network.with_ports(seal::ports_of_services(&self.agent.environment));
                // Models of the agent may name others. Only its process knows.
                let ports = self.servers.model_ports(&key).await?;
                key.network = key.network.with_ports(ports);
            }
            // The engine answers.
            None => {}
        }
        Ok(key)
    }
}

#[async_trait]
impl Subject for AdkPythonSubject {
    async fn prepare(&self, needs: &Needs<'_>) -> Result<Names, RunFailure> {
        let server = self.servers.get(&self.key(needs.allowed.clone(), needs.model).await?).await?;
        match real_model(needs.model) {
            Some(RealModel::Own) => server.load_models(None).await,
            // A person, or the engine, answers.
            Some(RealModel::Named(PERSON)) | None => {}
            Some(RealModel::Named(name)) => server.load_models(Some(name)).await,
        }
        Ok(server.names().clone())
    }

    fn seals_tools(&self) -> bool {
        true
    }

    fn asks_confirmations(&self) -> bool {
        true
    }

    fn scopes(&self) -> Scopes {
        Scopes::OF_ADK
    }

    async fn check_model(&self, gate: &Arc<Gate>) -> Result<(), RunFailure> {
        // Classes of models that the agent registers are known in its process only.
        let key = self.key(gate.allowed_effects().clone(), gate.model()).await?;
        let server = self.servers.for_case(&key).await?;
        match PythonSession::open(server, gate, self.models.clone(), true).await {
            Err(failure @ (RunFailure::GivenModel { .. } | RunFailure::OwnModel { .. })) => {
                Err(failure)
            }
            _ => Ok(()),
        }
    }

    async fn open(&self, gate: &Arc<Gate>) -> Result<Box<dyn SubjectSession>, RunFailure> {
        let key = self.key(gate.allowed_effects().clone(), gate.model()).await?;
        let server = self.servers.for_case(&key).await?;
        for part in server.unseen() {
            if !gate.allows(&part.name) {
                let messages::Unseen { name, agent, what, .. } = part.clone();
                return Err(RunFailure::Unseen { name, agent, what });
            }
        }
        gate.check_names(server.names())?;
        Ok(Box::new(PythonSession::open(server, gate, self.models.clone(), false).await?))
    }

    fn fingerprint(&self) -> Option<(String, String)> {
        let hash = self.fingerprint.get_or_init(|| fingerprint_of(&self.agent.folder));
        let name = self.agent.folder.file_name().unwrap_or_default().to_string_lossy();
        Some((format!("the agent {name}"), hash.clone()))
    }

    fn unchangeable(&self, _: &RequestChanges) -> Option<String> {
        // Instructions are changed in the agent, which cases in one process share.
        (self.agent.isolation != Isolation::Process).then(|| {
            "the requests of an agent in Python are changed only with each case in a process of its own; leave out `--isolation`"
                .to_owned()
        })
    }

    async fn own_texts(&self, needs: &Needs<'_>) -> Result<OwnTexts, RunFailure> {
        let server = self.servers.get(&self.key(needs.allowed.clone(), needs.model).await?).await?;
        Ok(server.texts().clone())
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.agent.folder)
    }

    async fn scenario_prompt(&self, args: &JsonText) -> Result<Option<String>, FunctionError> {
        self.user_prompts.prompt(&self.agent.python, args).await
    }

    async fn limits(&self, needs: &Needs<'_>) -> Vec<String> {
        let threads = self.servers.threads(&self.agent).await;
        let kept_apart = match self.agent.isolation {
            Isolation::Process | Isolation::Batch if !threads.is_empty() => {
                let threads: Vec<_> =
                    threads.iter().map(|(of, count)| format!("{count} of {of}")).collect();
                format!(
                    "each case of {} starts an interpreter and imports the agent again, because the import leaves \
                     threads running, with which a process cannot be forked: {}",
                    self.agent.folder.file_name().unwrap_or_default().display(),
                    threads.join(", ")
                )
            }
            Isolation::Process => "each case runs in a process of its own".to_owned(),
            Isolation::Shared => {
                "cases run at the same time in one process: what they change in modules, closures and services is seen \
                 by the others, and one that blocks the process holds up the others"
                    .to_owned()
            }
            Isolation::Batch => {
                "cases follow one another in a process: what they change in modules, closures and services stays for \
                 the next one"
                    .to_owned()
            }
        };
        let key = self.key(needs.allowed.clone(), needs.model).await;
        let closed = match key.is_ok_and(|key| key.allowed.is_open) {
            false => seal::layers().to_string(),
            true => "cases with a tool that is `real`, or with a part of the agent in `allow`, run without the seal: Python's \
                     audit hook does not see what C extensions such as gRPC do by themselves, and nothing stops what the \
                     tool calls"
                .to_owned(),
        };
        vec![kept_apart, closed]
    }
}

/// A hash of the files of an agent's folder that its behavior depends on.
pub(crate) fn fingerprint_of(folder: &Path) -> String {
    let mut hasher = Xxh3Default::new();
    for file in source_files(folder).chain(environment_file(folder)) {
        let name = file.strip_prefix(folder).unwrap_or(&file);
        hasher.update(name.as_os_str().as_encoded_bytes());
        // A file that cannot be read is reported when the agent is loaded.
        hasher.update(&std::fs::read(&file).unwrap_or_default());
    }
    format!("{:032x}", hasher.digest128())
}
