//! Agents with a model and the tools of MCP servers.
//!
//! The framework around the model is this module: it asks the model, has the gate decide its calls, and gives
//! it the results as MCP has them. With recorded declarations, a server starts at the first call of one of its
//! tools that the case allows with `real`, and a case that only mocks needs no server.

mod declarations;
mod result;
mod server;
mod session;
mod tools;

use std::sync::Arc;

pub use agents::mcp::{McpAgent, McpServer, McpTransport};
use async_trait::async_trait;
use json_text::JsonText;

pub use self::declarations::{DeclarationsError, DeclaredTools, record_declarations};
use self::server::LiveServer;
use self::session::{AskedModel, McpSession};
use self::tools::Tools;
use crate::gate::Gate;
use crate::given_model::{GivenModel, RealModel, real_model};
use crate::message::Message;
use crate::model::{Model, ModelNameError, Models, PERSON};
use crate::names::Names;
use crate::request_changes::RequestChanges;
use crate::run_failure::RunFailure;
use crate::subject::{Needs, Subject, SubjectSession};

/// How often the model may be asked in one turn, unless the subject says otherwise: google-adk's limit.
pub const MOST_MODEL_CALLS: usize = 500;

/// An agent with a model, an instruction and the tools of MCP servers.
pub struct McpSubject {
    agent: McpAgent,
    declared: Option<Vec<DeclaredTools>>,
    models: Models,
    most_model_calls: usize,
}

impl McpSubject {
    /// An agent whose model is reached with what the environment says. Its servers must be started to list their
    /// tools, which a case has to allow by their names, unless [`McpSubject::declarations`] are given.
    #[must_use]
    pub fn new(agent: McpAgent) -> Self {
        let models = Models::of_environment();
        Self { agent, declared: None, models, most_model_calls: MOST_MODEL_CALLS }
    }

    /// Gives it the tools that its servers declared earlier: the response of the only server to `tools/list`, or
    /// an object of such responses by the names of the servers.
    ///
    /// # Errors
    /// [`DeclarationsError`] if they cannot be read, or do not fit the servers.
    pub fn declarations(mut self, declarations: &JsonText) -> Result<Self, DeclarationsError> {
        let declared = declarations::read(&self.agent.servers, declarations)?;
        Tools::of(&declared).map_err(|error| DeclarationsError::new(error.to_string()))?;
        self.declared = Some(declared);
        Ok(self)
    }

    /// Reaches its model with these.
    #[must_use]
    pub fn models(mut self, models: Models) -> Self {
        self.models = models;
        self
    }

    /// Sets how often the model may be asked in one turn.
    #[must_use]
    pub fn most_model_calls(mut self, most: usize) -> Self {
        self.most_model_calls = most;
        self
    }

    fn model(&self, gate: &Gate) -> Result<AskedModel, RunFailure> {
        let is_of_engine = gate.model().is_some_and(GivenModel::is_of_engine);
        let real = match (real_model(gate.model()), &self.agent.model) {
            (None, _) => None,
            (Some(RealModel::Named(name)), _) => {
                let given =
                    |error: ModelNameError| RunFailure::GivenModel { message: error.to_string() };
                Some(self.named(name, gate).map_err(given)?)
            }
            (Some(RealModel::Own), Some(name)) => {
                Some(self.named(name, gate).map_err(|error| failed(error.to_string()))?)
            }
            (Some(RealModel::Own), None) => return Err(failed(NO_MODEL.to_owned())),
        };
        Ok(AskedModel { is_of_engine, real })
    }

    fn named(&self, name: &str, gate: &Gate) -> Result<Model, ModelNameError> {
        match name {
            PERSON => {
                let session = self.models.person(gate.case_name()).in_run(gate.run_id());
                session.model(&self.agent.name)
            }
            name => self.models.model(name),
        }
    }
}

/// The message for an agent without a model.
const NO_MODEL: &str = "the agent has no model; add `model: NAME` to the subject, or give the case one, \
    such as `model: { scripted: [...] }`";

#[async_trait]
impl Subject for McpSubject {
    async fn prepare(&self, _: &Needs<'_>) -> Result<Names, RunFailure> {
        let tools = self.declared.as_ref().and_then(|declared| Tools::of(declared).ok());
        Ok(names(&self.agent.name, tools.as_ref()))
    }

    fn unchangeable(&self, _: &RequestChanges) -> Option<String> {
        None
    }

    fn refusal(&self, message: &Message) -> Option<String> {
        message.texts().err().map(|error| error.to_string())
    }

    async fn check_model(&self, gate: &Arc<Gate>) -> Result<(), RunFailure> {
        self.model(gate).map(drop)
    }

    async fn open(&self, gate: &Arc<Gate>) -> Result<Box<dyn SubjectSession>, RunFailure> {
        let model = self.model(gate)?;
        if self.declared.is_none()
            && let Some(server) = self.agent.servers.iter().find(|it| !gate.allows(&it.name))
        {
            return Err(RunFailure::UnlistedServer {
                server: server.name.clone(),
                agent: self.agent.name.clone(),
            });
        }
        let servers: Vec<LiveServer> = self.agent.servers.iter().map(LiveServer::new).collect();
        // Dropping the session ends its servers, also if one of them does not start.
        let mut session = McpSession::new(gate, &self.agent, servers, model, self.models.clone())?;
        session.most_model_calls(self.most_model_calls);
        match &self.declared {
            Some(declared) => session.has(declared)?,
            None => session.list_tools().await?,
        }
        Ok(Box::new(session))
    }
}

/// The names of an agent with these tools.
fn names(agent: &str, tools: Option<&Tools>) -> Names {
    Names {
        tools: tools.map(Tools::names),
        arguments: tools.map(Tools::arguments).unwrap_or_default(),
        framework_tools: Vec::new(),
        agents: Some(vec![agent.to_owned()]),
        ..Names::default()
    }
}

/// A failure of the agent.
fn failed(message: String) -> RunFailure {
    RunFailure::Subject { message, traceback: String::new() }
}
