//! [`SessionEvent`]: an event of a session.

use crate::{
    AgentName, DisplayName, EventId, FunctionResponse, HumanResponse, InvocationId, LiveSessionId,
    LlmRequest, Note, Sequence, Timestamp, TurnId,
};

/// An event. Events are ordered within their session by time, then by sequence number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionEvent {
    /// Its id.
    pub event_id: EventId,
    /// The session.
    pub session_id: LiveSessionId,
    /// 1, 2, 3 and so on within the session.
    pub sequence: Sequence,
    /// Never earlier than that of the event before.
    pub at: Timestamp,
    /// The turn that it is about.
    pub turn_id: TurnId,
    /// The agent of the turn.
    pub agent_name: AgentName,
    /// The agent's run that it belongs to.
    pub invocation_id: InvocationId,
    /// Who responded or canceled.
    pub by: Option<DisplayName>,
    /// What happened.
    pub payload: Payload,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// The agent sent a request. A turn has one.
    Request(LlmRequest),
    /// A person responded. A turn has at most one response, and none after it was canceled.
    Response(HumanResponse),
    /// The turn was canceled, with the reason.
    Cancelled(Note),
    /// A tool returned the result of a call of the turn's response.
    ToolResult(ToolOutcome),
    /// The run that the turn belongs to is over.
    RunEnded(RunEnd),
}

impl Payload {
    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> PayloadType {
        match self {
            Self::Request(_) => PayloadType::Request,
            Self::Response(_) => PayloadType::Response,
            Self::Cancelled(_) => PayloadType::Cancelled,
            Self::ToolResult(_) => PayloadType::ToolResult,
            Self::RunEnded(_) => PayloadType::RunEnded,
        }
    }
}

/// Kinds of [`Payload`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PayloadType {
    /// [`Payload::Request`]
    Request,
    /// [`Payload::Response`]
    Response,
    /// [`Payload::Cancelled`]
    Cancelled,
    /// [`Payload::ToolResult`]
    ToolResult,
    /// [`Payload::RunEnded`]
    RunEnded,
}

impl PayloadType {
    /// The name in the database.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Response => "response",
            Self::Cancelled => "cancelled",
            Self::ToolResult => "tool_result",
            Self::RunEnded => "run_ended",
        }
    }
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutcome {
    /// The result.
    pub response: FunctionResponse,
    /// Whether the tool failed.
    pub failed: bool,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<i64>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEnd {
    /// The kind of end.
    pub outcome: RunOutcome,
    /// What went wrong, if anything.
    pub message: String,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunOutcome {
    /// With its last response.
    Completed,
    /// With an error.
    Failed,
    /// It was canceled.
    Cancelled,
}
