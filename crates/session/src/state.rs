//! [`Session`]: the four states of a rehearsal, and the data of each.

use std::ops::Range;

use jiff::Timestamp;
use json_text::JsonText;

use crate::history::{FinalResponse, HistoryEntry, ToolCall, ToolError, ToolOutput, UserQuery};
use crate::{AgentId, SessionId};

/// One rehearsal. Made by [`Session::new`], moved on by [`step`](crate::step) alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    pub(crate) id: SessionId,
    /// The completed turns before the current one.
    pub(crate) past: Vec<PastTurn>,
    /// The ended calls of all turns.
    pub(crate) calls: Vec<Call>,
    pub(crate) phase: Phase,
}

/// A turn that another one follows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PastTurn {
    pub(crate) query: UserQuery,
    /// How many calls the session has up to its end.
    pub(crate) calls_to: usize,
    pub(crate) final_response: FinalResponse,
}

/// One turn: a user message and all that follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn<'a> {
    /// The user message.
    pub query: &'a UserQuery,
    /// Its ended calls, among [`Session::calls`].
    pub calls: Range<usize>,
    /// The final response, once sent.
    pub final_response: Option<&'a FinalResponse>,
}

/// The name of a session's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SessionState {
    /// No agent is chosen yet.
    SelectingAgent,
    /// The agent is chosen, and the user's first or next query is not there yet.
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
        Self { id, past: Vec::new(), calls: Vec::new(), phase: Phase::SelectingAgent }
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

    /// The query of the current turn, once submitted.
    #[must_use]
    pub fn query(&self) -> Option<&UserQuery> {
        self.run().map(|run| &run.query)
    }

    /// When the session started: the moment of its first query.
    #[must_use]
    pub fn started_at(&self) -> Option<Timestamp> {
        let first = self.past.first().map(|turn| &turn.query);
        first.or_else(|| self.query()).map(|query| query.timestamp)
    }

    /// Every turn that has begun, in order.
    #[must_use]
    pub fn turns(&self) -> Vec<Turn<'_>> {
        let mut from = 0;
        let past = self.past.iter().map(|turn| {
            let calls = from..turn.calls_to;
            from = turn.calls_to;
            Turn { query: &turn.query, calls, final_response: Some(&turn.final_response) }
        });
        let mut turns: Vec<_> = past.collect();
        turns.extend(self.run().map(|run| Turn {
            query: &run.query,
            calls: self.first_call()..self.calls.len(),
            final_response: self.final_response(),
        }));
        turns
    }

    /// How many turns come before the current one.
    #[must_use]
    pub fn past_turns(&self) -> usize {
        self.past.len()
    }

    /// Where the calls of the current turn begin among [`Self::calls`].
    fn first_call(&self) -> usize {
        self.past.last().map_or(0, |turn| turn.calls_to)
    }

    /// The calls of all turns that have ended, in order.
    #[must_use]
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// The calls of the current turn that have ended, in order.
    #[must_use]
    pub fn calls_of_turn(&self) -> &[Call] {
        self.calls.get(self.first_call()..).unwrap_or_default()
    }

    /// The call that has not ended yet. There is at most one.
    #[must_use]
    pub fn pending(&self) -> Option<&Pending> {
        self.run().and_then(|run| run.pending.as_ref())
    }

    /// The final response of the current turn, once sent.
    #[must_use]
    pub fn final_response(&self) -> Option<&FinalResponse> {
        match &self.phase {
            Phase::Completed { final_response, .. } => Some(final_response),
            _ => None,
        }
    }

    /// Everything that happened, in order of time.
    ///
    /// Empty until the session is active; then each turn starts with its query. Each output or error
    /// follows its call. A completed turn ends with its final response.
    #[must_use]
    pub fn history(&self) -> Vec<HistoryEntry> {
        let mut history = Vec::with_capacity(self.calls.len() * 2 + 3);
        for turn in self.turns() {
            history.push(HistoryEntry::UserQuery(turn.query.clone()));
            for Call { call, answer } in self.calls.get(turn.calls).unwrap_or_default() {
                history.push(HistoryEntry::ToolCall(call.clone()));
                history.push(match answer {
                    Answer::Output(output) => HistoryEntry::ToolOutput(output.clone()),
                    Answer::Error(error) => HistoryEntry::ToolError(error.clone()),
                });
            }
            history.extend(turn.final_response.cloned().map(HistoryEntry::FinalResponse));
        }
        history.extend(self.pending().map(|it| HistoryEntry::ToolCall(it.call.clone())));
        history
    }
}
