//! [`SessionEvent`]: one thing that happened in a session.

use crate::{
    AgentName, DisplayName, EventId, FunctionResponse, HumanResponse, InvocationId, LiveSessionId,
    LlmRequest, Note, Sequence, Timestamp, TurnId,
};

/// One thing that happened. Ordered within its session by time, and by the sequence that breaks
/// ties.
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
    /// The turn that this is about.
    pub turn_id: TurnId,
    /// The agent of the turn.
    pub agent_name: AgentName,
    /// Which of the agent's runs this belongs to.
    pub invocation_id: InvocationId,
    /// Who answered or cancelled.
    pub by: Option<DisplayName>,
    /// What happened.
    pub payload: Payload,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// The agent asked. A turn has one.
    Request(LlmRequest),
    /// A person answered. A turn has at most one, and none once it is cancelled.
    Response(HumanResponse),
    /// The turn will not be answered, and why.
    Cancelled(Note),
    /// A tool answered a call of the turn's response.
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
    /// The name by which it is stored.
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

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutcome {
    /// The answer.
    pub response: FunctionResponse,
    /// Whether the tool failed.
    pub failed: bool,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<i64>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEnd {
    /// Well or not.
    pub outcome: RunOutcome,
    /// What went wrong, where something did.
    pub message: String,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunOutcome {
    /// With its last answer.
    Completed,
    /// With an error.
    Failed,
    /// It was stopped.
    Cancelled,
}
