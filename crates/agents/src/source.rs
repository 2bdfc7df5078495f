//! [`AgentSource`]: the interface that each kind of agent implements.

use schema_check::Violation;
use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use json_text::JsonText;
use serde::Serialize;
use session::{CallId, SessionId, ToolError, ToolName};
use tokio_util::sync::CancellationToken;

use super::log::AgentLog;
use super::reporter::Reporter;
use crate::{Answer, Question, SessionView};

/// Where one agent comes from: how it is loaded, what its model would see, how its tools run.
///
/// One source serves all sessions of its agent. The host sees to it that a session has one call
/// under way at a time and that no call outlives its cancellation by more than a second; a source
/// should stop what it can when `cancel` fires and return [`ToolFailure::cancelled`], or
/// [`ToolFailure::abandoned`].
#[async_trait]
pub trait AgentSource: Send + Sync + 'static {
    /// Which sort of source this is.
    fn kind(&self) -> SourceKind;

    /// Loads the agent, or loads it anew after a fault, as a session from `seed` would find it. What
    /// it prints goes to `log`.
    ///
    /// # Errors
    /// The fault that the agent shows in the list until it is retried.
    async fn load(&self, seed: &SessionSeed, log: Arc<AgentLog>) -> Result<AgentFacts, AgentFault>;

    /// Opens a session; opening one that is open gives its view as it is now.
    ///
    /// # Errors
    /// A fault of the agent.
    async fn open_session(
        &self,
        session: &SessionId,
        seed: &SessionSeed,
    ) -> Result<SessionView, SourceError>;

    /// Tells what the user asked.
    ///
    /// # Errors
    /// A fault of the agent, or a session that is not open.
    async fn begin_invocation(
        &self,
        session: &SessionId,
        content: &str,
    ) -> Result<SessionView, SourceError>;

    /// Tells what the agent answered, which ends the session's one invocation. Gives the view where
    /// that may have changed it; told again, it changes nothing.
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

    /// Goes on with a call that asked for confirmation.
    async fn confirm(
        &self,
        session: &SessionId,
        call_id: &CallId,
        confirmed: bool,
        payload: Option<JsonText>,
        cancel: CancellationToken,
    ) -> CallReport;

    /// Goes on with a long-running call, whose result the person supplied.
    async fn supply_result(
        &self,
        session: &SessionId,
        call_id: &CallId,
        result: JsonText,
        cancel: CancellationToken,
    ) -> CallReport;

    /// Where the source tells what happens unasked. Called once, before anything else.
    fn report_to(&self, _reporter: Reporter) {}

    /// What the tools of a session ask the person now, oldest first.
    async fn questions(&self, _session: &SessionId) -> Vec<Question> {
        Vec::new()
    }

    /// Answers a question.
    ///
    /// # Errors
    /// Nobody waits for it, or the values do not fit; then it still waits.
    async fn answer(
        &self,
        _session: &SessionId,
        _number: u64,
        _answer: Answer,
    ) -> Result<(), AnswerError> {
        Err(AnswerError::NotWaiting)
    }

    /// Forgets a session.
    async fn close_session(&self, session: &SessionId);

    /// Ends everything that the source started. Called once, before the host stops.
    async fn shut_down(&self);
}

/// Where an agent comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SourceKind {
    /// Rust, against the `adk-core` traits.
    Native,
    /// A folder that `adk web` would load.
    AdkPython,
    /// An instruction and the tools of MCP servers.
    Mcp,
}

/// Why an agent cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentFault {
    /// One sentence: what happened and what to do.
    pub reason: String,
    /// The exception's class name, where there was one.
    pub error_type: Option<String>,
    /// The original traceback or output, where there was one.
    pub traceback: Option<String>,
}

/// What is known of an agent once it is loaded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentFacts {
    /// The app that an exported case belongs to.
    pub app_name: String,
    /// What the agent says of itself.
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

/// How a call went on, and what it left behind.
#[derive(Debug, Clone, PartialEq)]
pub struct CallReport {
    /// How it went on.
    pub progress: CallProgress,
    /// Time spent in the tool, in milliseconds.
    pub duration_ms: f64,
    /// The whole session state after it, where the source can tell.
    pub state: Option<JsonText>,
    /// What the model would see now, where that has changed.
    pub view: Option<SessionView>,
    /// Where what was returned breaks the schema that the tool promises it by.
    pub broken: Vec<Violation>,
    /// Why no tool of this agent can be called any more, if none can.
    pub fault: Option<AgentFault>,
}

/// How a call went on.
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
    /// A call that left nothing behind.
    #[must_use]
    pub fn of(progress: CallProgress, duration_ms: f64) -> Self {
        Self { progress, duration_ms, state: None, view: None, broken: Vec::new(), fault: None }
    }

    /// A failed call that left nothing behind.
    #[must_use]
    pub fn failed(failure: ToolFailure, duration_ms: f64) -> Self {
        Self::of(CallProgress::Failed(failure), duration_ms)
    }
}

/// Why a source could not do what was asked of it.
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
