//! [`Session`]: the four states of a rehearsal, and the data of each.

use jiff::Timestamp;
use json_text::JsonText;

use crate::history::{FinalResponse, HistoryEntry, ToolCall, ToolError, ToolOutput, UserQuery};
use crate::{AgentId, SessionId};

/// One rehearsal. Made by [`Session::new`], moved on by [`step`](crate::step) alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    pub(crate) id: SessionId,
    pub(crate) phase: Phase,
}

/// The name of a session's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SessionState {
    /// No agent is chosen yet.
    SelectingAgent,
    /// The agent is chosen, the user's query is not there yet.
    AwaitingQuery,
    /// Tools can be called and the final response can be sent.
    Active,
    /// The final response was sent.
    Completed,
}

impl SessionState {
    /// The name in snake_case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SelectingAgent => "selecting_agent",
            Self::AwaitingQuery => "awaiting_query",
            Self::Active => "active",
            Self::Completed => "completed",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Phase {
    SelectingAgent,
    AwaitingQuery { agent: AgentId },
    Active(Run),
    Completed { run: Run, final_response: FinalResponse },
}

/// What an active session holds; a completed one holds it with nothing pending.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Run {
    pub(crate) agent: AgentId,
    pub(crate) query: UserQuery,
    pub(crate) calls: Vec<Call>,
    pub(crate) pending: Option<Pending>,
}

/// A call that has come to its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// What was called.
    pub call: ToolCall,
    /// How it ended.
    pub answer: Answer,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The tool returned.
    Output(ToolOutput),
    /// The tool or the call failed.
    Error(ToolError),
}

impl Answer {
    /// How long the tool ran, in milliseconds.
    #[must_use]
    pub fn duration_ms(&self) -> f64 {
        match self {
            Self::Output(output) => output.duration_ms,
            Self::Error(error) => error.duration_ms,
        }
    }

    /// When the call ended.
    #[must_use]
    pub fn timestamp(&self) -> Timestamp {
        match self {
            Self::Output(output) => output.timestamp,
            Self::Error(error) => error.timestamp,
        }
    }
}

/// The one call that has not ended yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Pending {
    /// What was called.
    pub call: ToolCall,
    /// What it is waiting for.
    pub phase: PendingPhase,
}

/// What a pending call is waiting for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PendingPhase {
    /// The tool.
    Running,
    /// The person, to confirm or deny.
    AwaitingConfirmation {
        /// What the tool announces to do.
        hint: String,
        /// The payload that the tool suggests to confirm with.
        payload: Option<JsonText>,
    },
    /// The person, to supply the result of a long-running tool.
    AwaitingResult {
        /// What the tool returned at first.
        first: Option<JsonText>,
    },
    /// The host, to confirm the cancellation.
    Cancelling,
}

impl Session {
    /// A session without an agent.
    #[must_use]
    pub fn new(id: SessionId) -> Self {
        Self { id, phase: Phase::SelectingAgent }
    }

    /// Unique across all pages.
    #[must_use]
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// Which state the session is in.
    #[must_use]
    pub fn state(&self) -> SessionState {
        match &self.phase {
            Phase::SelectingAgent => SessionState::SelectingAgent,
            Phase::AwaitingQuery { .. } => SessionState::AwaitingQuery,
            Phase::Active(_) => SessionState::Active,
            Phase::Completed { .. } => SessionState::Completed,
        }
    }

    /// The agent, once chosen. It stays the same to the end.
    #[must_use]
    pub fn agent(&self) -> Option<&AgentId> {
        match &self.phase {
            Phase::SelectingAgent => None,
            Phase::AwaitingQuery { agent } => Some(agent),
            Phase::Active(run) | Phase::Completed { run, .. } => Some(&run.agent),
        }
    }

    fn run(&self) -> Option<&Run> {
        match &self.phase {
            Phase::Active(run) | Phase::Completed { run, .. } => Some(run),
            Phase::SelectingAgent | Phase::AwaitingQuery { .. } => None,
        }
    }

    /// The user's query, once submitted.
    #[must_use]
    pub fn query(&self) -> Option<&UserQuery> {
        self.run().map(|run| &run.query)
    }

    /// When the session started: the moment of its query.
    #[must_use]
    pub fn started_at(&self) -> Option<Timestamp> {
        self.query().map(|query| query.timestamp)
    }

    /// The calls that have ended, in order.
    #[must_use]
    pub fn calls(&self) -> &[Call] {
        self.run().map_or(&[], |run| &run.calls)
    }

    /// The call that has not ended yet. There is at most one.
    #[must_use]
    pub fn pending(&self) -> Option<&Pending> {
        self.run().and_then(|run| run.pending.as_ref())
    }

    /// The final response, once sent.
    #[must_use]
    pub fn final_response(&self) -> Option<&FinalResponse> {
        match &self.phase {
            Phase::Completed { final_response, .. } => Some(final_response),
            _ => None,
        }
    }

    /// Everything that happened, in order of time.
    ///
    /// Empty until the session is active; then it starts with the query. Each output or error
    /// follows its call. Once completed it ends with the final response.
    #[must_use]
    pub fn history(&self) -> Vec<HistoryEntry> {
        let Some(run) = self.run() else { return Vec::new() };
        let mut history = Vec::with_capacity(run.calls.len() * 2 + 3);
        history.push(HistoryEntry::UserQuery(run.query.clone()));
        for Call { call, answer } in &run.calls {
            history.push(HistoryEntry::ToolCall(call.clone()));
            history.push(match answer {
                Answer::Output(output) => HistoryEntry::ToolOutput(output.clone()),
                Answer::Error(error) => HistoryEntry::ToolError(error.clone()),
            });
        }
        history.extend(run.pending.iter().map(|it| HistoryEntry::ToolCall(it.call.clone())));
        history.extend(self.final_response().cloned().map(HistoryEntry::FinalResponse));
        history
    }
}
