//! [`AgentSource`]: the interface that each kind of agent implements.

use schema_check::Violation;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use api::{AgentFault, SourceKind};
use async_trait::async_trait;
use json_text::JsonText;
use session::{CallId, RecordedTurn, Recording, SessionId, ToolError, ToolName};
use tokio_util::sync::CancellationToken;

use super::log::AgentLog;
use super::reporter::Reporter;
use crate::{Answer, Question, SessionView};

/// Loads one agent, shows what its model would see, and runs its tools.
///
/// One source serves all sessions of its agent. The host makes sure that a session has one call
/// at a time, and that no call lasts more than a second after its cancellation. A source should stop what it
/// can when `cancel` fires and return [`ToolFailure::cancelled`], or
/// [`ToolFailure::abandoned`].
#[async_trait]
pub trait AgentSource: Send + Sync + 'static {
    /// The kind of source.
    fn kind(&self) -> SourceKind;

    /// Loads the agent, or reloads it, with the state of `seed`. Its output goes to `log`. Open sessions
    /// keep the agent that they began with.
    ///
    /// # Errors
    /// The fault that the agent shows in the list until it is reloaded.
    async fn load(&self, seed: &SessionSeed, log: Arc<AgentLog>) -> Result<AgentFacts, AgentFault>;

    /// What loads the agent, for messages: such as an interpreter and why it was chosen.
    fn loaded_with(&self) -> Option<String> {
        None
    }

    /// A number that changes when a file changes that the agent is loaded from, other than its eval set;
    /// `None` if it is not loaded from files. Blocks while it reads folders.
    fn fingerprint(&self, _eval_set: &Path) -> Option<u64> {
        None
    }

    /// Opens a session; opening one that is open gives its view as it is now.
    ///
    /// # Errors
    /// A fault of the agent.
    async fn open_session(
        &self,
        session: &SessionId,
        seed: &SessionSeed,
    ) -> Result<SessionView, SourceError>;

    /// Opens a session that an earlier host had, as it was after `past`. `None` if the source cannot restore
    /// it: the caller then opens it in its initial state.
    ///
    /// # Errors
    /// A fault of the agent.
    async fn restore_session(
        &self,
        _session: &SessionId,
        _seed: &SessionSeed,
        _past: &SessionPast,
    ) -> Result<Option<SessionView>, SourceError> {
        Ok(None)
    }

    /// Starts an invocation with the user's query: the first one, or the next one after
    /// [`Self::end_invocation`].
    ///
    /// # Errors
    /// A fault of the agent, or a session that is not open.
    async fn begin_invocation(
        &self,
        session: &SessionId,
        content: &str,
    ) -> Result<SessionView, SourceError>;

    /// Ends the current invocation with the final response. Returns the view if it may have changed. A
    /// second call changes nothing.
    ///
    /// # Errors
    /// A fault of the agent, or a session that is not open.
    async fn end_invocation(
        &self,
        _session: &SessionId,
        _content: &str,
    ) -> Result<Option<SessionView>, SourceError> {
        Ok(None)
    }

    /// Runs a tool to its end, or to the point where it needs the person.
    async fn call_tool(&self, call: ToolInvocation, cancel: CancellationToken) -> CallReport;

    /// Continues a call that asked for confirmation.
    async fn confirm(
        &self,
        session: &SessionId,
        call_id: &CallId,
        confirmed: bool,
        payload: Option<JsonText>,
        cancel: CancellationToken,
    ) -> CallReport;

    /// Continues a long-running call with the result that the person supplied.
    async fn supply_result(
        &self,
        session: &SessionId,
        call_id: &CallId,
        result: JsonText,
        cancel: CancellationToken,
    ) -> CallReport;

    /// Starts the agent that a tool is, for the person to play, in place of confirming that its model runs.
    async fn act_as_agent(
        &self,
        _session: &SessionId,
        _call_id: &CallId,
        _cancel: CancellationToken,
    ) -> CallReport {
        CallReport::failed(ToolFailure::not_an_agent(), 0.0)
    }

    /// Ends the agent that is played with its final response, which becomes the result of its call.
    async fn respond_as_agent(
        &self,
        _session: &SessionId,
        _call_id: &CallId,
        _content: &str,
        _cancel: CancellationToken,
    ) -> CallReport {
        CallReport::failed(ToolFailure::not_an_agent(), 0.0)
    }

    /// Ends the agent that is played without a response. Its call is canceled.
    async fn stop_acting(&self, _session: &SessionId, _call_id: &CallId) -> CallReport {
        CallReport::failed(ToolFailure::cancelled(), 0.0)
    }

    /// Sets the reporter for events. Called once, before all other methods.
    fn report_to(&self, _reporter: Reporter) {}

    /// The open questions of a session's tools, oldest first.
    async fn questions(&self, _session: &SessionId) -> Vec<Question> {
        Vec::new()
    }

    /// Answers a question.
    ///
    /// # Errors
    /// The question is over, or the values do not match its schema. In that case it stays open.
    async fn answer(
        &self,
        _session: &SessionId,
        _number: u64,
        _answer: Answer,
    ) -> Result<(), AnswerError> {
        Err(AnswerError::NotWaiting)
    }

    /// The content of an artifact, by its index in the view of the session.
    async fn artifact(&self, _session: &SessionId, _index: usize) -> Option<ArtifactContent> {
        None
    }

    /// Reads a resource of the MCP server that has `tool`.
    ///
    /// # Errors
    /// [`ResourceError`]
    async fn read_resource(
        &self,
        _session: &SessionId,
        _tool: &ToolName,
        _uri: &str,
    ) -> Result<Vec<ResourceContent>, ResourceError> {
        Err(ResourceError::NoServers)
    }

    /// Forgets a session.
    async fn close_session(&self, session: &SessionId);

    /// Ends everything that the source started. Called once, before the host stops.
    async fn shut_down(&self);
}

/// The content of one version of an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactContent {
    /// Such as `image/png`.
    pub mime_type: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// One of the contents of an MCP server's resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceContent {
    /// Its URI: that of the resource, or of a part of it.
    pub uri: String,
    /// Such as `image/png`; may be empty.
    pub mime_type: String,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whether the server sent text.
    pub is_text: bool,
}

/// Why a resource was not read. The message says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResourceError {
    /// The agent has no MCP servers.
    #[error("The agent has no MCP servers.")]
    NoServers,
    /// The server that has the tool cannot be used.
    #[error("{0}")]
    Unreachable(String),
    /// The server does not support resources.
    #[error(
        "The server {server} does not support `resources/read`. Read it with one of the server's tools."
    )]
    Unsupported {
        /// The server.
        server: String,
    },
    /// The server rejected the request.
    #[error(
        "The server {server} rejected the request: {reason} (code {code}). If the resource no longer exists, call \
         the tool again for a new link."
    )]
    Rejected {
        /// The server.
        server: String,
        /// Its message, without a full stop.
        reason: String,
        /// Its code.
        code: i32,
    },
    /// The server did not respond in time.
    #[error(
        "The server {server} did not return the resource within {seconds} s. Try again, or increase \
         `timeout_seconds`."
    )]
    TimedOut {
        /// The server.
        server: String,
        /// The time limit.
        seconds: u64,
    },
    /// The resource is longer than a message may be.
    #[error(
        "The resource is longer than 16 MB, the limit for a message of the server {server}. Read a part of it with \
         one of the server's tools."
    )]
    TooLong {
        /// The server.
        server: String,
    },
    /// The response is not a resource.
    #[error(
        "The response of the server {server} is not a resource: `contents` must be a list whose items have a `uri`, \
         and a `text` or a `blob`."
    )]
    NotAResource {
        /// The server.
        server: String,
    },
    /// The resource has no contents.
    #[error("The server {server} returned this resource without contents.")]
    Empty {
        /// The server.
        server: String,
    },
    /// A `blob` is not base64.
    #[error("The server {server} returned a `blob` that is not base64: {reason}.")]
    NotBase64 {
        /// The server.
        server: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A content is neither text nor a `blob`.
    #[error("The server {server} returned content of an unknown kind.")]
    UnknownKind {
        /// The server.
        server: String,
    },
}

/// What is known of an agent once it is loaded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentFacts {
    /// The app that an exported case belongs to.
    pub app_name: String,
    /// The agent's description.
    pub description: String,
    /// The model it names.
    pub model: Option<String>,
    /// Names of its tools.
    pub tools: Vec<String>,
    /// What runs it, such as `python 3.11.7 · google-adk 2.13.0`.
    pub runtime: Option<String>,
}

/// What a session starts from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionSeed {
    /// The user's id, as ADK's session service wants one.
    pub user_id: String,
    /// The initial state by key.
    pub state: BTreeMap<String, JsonText>,
    /// Whether `state` is the whole initial state, so that the agent's own one is not used.
    pub is_whole: bool,
}

/// A session that an earlier host had, as far as the page knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionPast {
    /// Its turns, at least one.
    pub turns: Vec<RecordedTurn>,
    /// The state after them, by key.
    pub state: BTreeMap<String, JsonText>,
    /// The name of the active agent after them.
    pub active_agent: String,
}

/// One tool to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolInvocation {
    /// The session it belongs to.
    pub session: SessionId,
    /// The call; becomes the function call's id.
    pub call_id: CallId,
    /// The tool.
    pub tool: ToolName,
    /// A JSON object.
    pub arguments: JsonText,
}

/// The outcome of a call, and its effects.
#[derive(Debug, Clone, PartialEq)]
pub struct CallReport {
    /// The outcome.
    pub progress: CallProgress,
    /// Time spent in the tool, in milliseconds.
    pub duration_ms: f64,
    /// The session state after it, if the source knows it.
    pub state: Option<JsonText>,
    /// What the model would see now, where that has changed.
    pub view: Option<SessionView>,
    /// Violations of the tool's output schema.
    pub broken: Vec<Violation>,
    /// How google-adk records the result.
    pub recording: Recording,
    /// The fault of the agent, if no tool can be called any more.
    pub fault: Option<AgentFault>,
}

/// The outcome of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallProgress {
    /// The tool returned.
    Returned(JsonText),
    /// The tool or the call failed.
    Failed(ToolFailure),
    /// The tool wants a confirmation.
    AsksConfirmation {
        /// What it is about to do.
        hint: String,
        /// What it suggests to confirm with.
        payload: Option<JsonText>,
    },
    /// A long-running tool waits for its result.
    AwaitsResult {
        /// What it returned at first.
        first: Option<JsonText>,
    },
    /// The person acts as the agent that was called.
    Acting {
        /// Why the agent's final response was rejected, if it was.
        rejected: Option<String>,
    },
}

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolFailure {
    /// Exception class name or a constant of [`ToolError`].
    pub error_type: String,
    /// What went wrong.
    pub message: String,
    /// The whole traceback.
    pub traceback: Option<String>,
}

impl ToolFailure {
    /// A failure without a traceback.
    #[must_use]
    pub fn new(error_type: &str, message: impl Into<String>) -> Self {
        Self { error_type: error_type.to_owned(), message: message.into(), traceback: None }
    }

    /// Only tools of google-adk can be agents.
    fn not_an_agent() -> Self {
        Self::new("NotAnAgent", "The tool is not an agent that a person could play.")
    }

    /// The person canceled the call, and its work has ended.
    #[must_use]
    pub fn cancelled() -> Self {
        Self::new(ToolError::CANCELLED, "The person canceled the call.")
    }

    /// The person canceled the call, but its work cannot be stopped.
    #[must_use]
    pub fn abandoned() -> Self {
        Self::new(
            ToolError::CANCELLED,
            "The call was canceled. Its work may still finish in the background.",
        )
    }
}

impl CallReport {
    /// A call without effects.
    #[must_use]
    pub fn of(progress: CallProgress, duration_ms: f64) -> Self {
        Self {
            progress,
            duration_ms,
            state: None,
            view: None,
            broken: Vec::new(),
            recording: Recording::default(),
            fault: None,
        }
    }

    /// A failed call without effects.
    #[must_use]
    pub fn failed(failure: ToolFailure, duration_ms: f64) -> Self {
        Self::of(CallProgress::Failed(failure), duration_ms)
    }
}

/// Why a source could not handle a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// The agent cannot be used.
    #[error("{}", .0.reason)]
    Faulted(AgentFault),
    /// The session is not open here.
    #[error("session {0} is not open")]
    UnknownSession(SessionId),
}

/// Why an answer was rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The question is no longer open.
    #[error("this request is closed")]
    NotWaiting,
    /// The values do not fit the form's schema. The question still waits.
    #[error("the values do not match the schema")]
    Invalid(Vec<Violation>),
}
