//! [`Session`]: the four states of a rehearsal, and the data of each.

use std::ops::Range;

use jiff::Timestamp;
use json_text::JsonText;
use serde::{Deserialize, Serialize};

use crate::history::{
    FinalResponse, HistoryEntry, ToolCall, ToolError, ToolOutput, UserQuery, WaitedFor, present,
};
use crate::{AgentId, CallId, SessionId};

/// One rehearsal. Made by [`Session::new`], moved on by [`step`](crate::step) alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    pub(crate) id: SessionId,
    /// The completed turns before the current one.
    pub(crate) past: Vec<PastTurn>,
    /// The ended calls of all turns, by the time when they were made.
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

    /// The state in the words of a page, after "the session is".
    pub(crate) fn phrase(self) -> &'static str {
        match self {
            Self::SelectingAgent => "waiting for you to choose an agent",
            Self::AwaitingQuery => "waiting for the user message",
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
///
/// Of the pending calls, each is within the one before it, which is of an agent that the person acts as.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Run {
    pub(crate) agent: AgentId,
    pub(crate) query: UserQuery,
    pub(crate) pending: Vec<Pending>,
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

    /// The entry of the history.
    #[must_use]
    pub fn entry(&self) -> HistoryEntry {
        match self {
            Self::Output(output) => HistoryEntry::ToolOutput(output.clone()),
            Self::Error(error) => HistoryEntry::ToolError(error.clone()),
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

/// A call that has not ended yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Pending {
    /// What was called.
    pub call: ToolCall,
    /// Whether the tool is an agent.
    pub is_agent: bool,
    /// What it is waiting for.
    pub phase: PendingPhase,
}

impl Pending {
    /// Notes that google-adk's runner would end the run here. It does not for an agent: its model responds.
    pub(crate) fn wait_for(&mut self, waited: WaitedFor) {
        if !self.is_agent {
            self.call.waited = Some(waited);
        }
    }
}

/// What a pending call is waiting for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PendingPhase {
    /// The tool.
    Running,
    /// The person, to confirm or deny.
    AwaitingConfirmation {
        /// What the tool announces to do.
        hint: String,
        /// The payload that the tool suggests to confirm with.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
        payload: Option<JsonText>,
    },
    /// The person, to supply the result of a long-running tool.
    AwaitingResult {
        /// What the tool returned at first.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
        first: Option<JsonText>,
    },
    /// The person, who acts as the agent that was called: to call its tools and to respond as it.
    Acting,
    /// The host, to end the agent that the person acted as, with its final response.
    Responding,
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

    /// The calls of all turns that have ended, in the order in which they were made. The calls that
    /// the person made as an agent follow the call of that agent.
    #[must_use]
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// The calls of the current turn that have ended, in order.
    #[must_use]
    pub fn calls_of_turn(&self) -> &[Call] {
        self.calls.get(self.first_call()..).unwrap_or_default()
    }

    /// The innermost call that has not ended yet.
    #[must_use]
    pub fn pending(&self) -> Option<&Pending> {
        self.all_pending().last()
    }

    /// The calls that have not ended yet. Each is within the one before it: all but the last are of
    /// agents that the person acts as.
    #[must_use]
    pub fn all_pending(&self) -> &[Pending] {
        self.run().map(|run| run.pending.as_slice()).unwrap_or_default()
    }

    /// The pending call that prevents the next one. While the person acts as an agent, its call does not.
    #[must_use]
    pub fn busy_with(&self) -> Option<&Pending> {
        self.pending().filter(|pending| pending.phase != PendingPhase::Acting)
    }

    /// The innermost call whose agent the person acts as now.
    #[must_use]
    pub fn acted_as(&self) -> Option<&ToolCall> {
        let is_acting =
            |it: &&Pending| matches!(it.phase, PendingPhase::Acting | PendingPhase::Responding);
        self.all_pending().iter().rfind(is_acting).map(|pending| &pending.call)
    }

    /// Where a pending call belongs among [`Self::calls`]: before the calls that are within it.
    #[must_use]
    pub fn place_of(&self, call_id: &CallId) -> usize {
        let pending = self.all_pending().iter().map(|it| &it.call.call_id);
        let inward: Vec<_> = pending.skip_while(|it| *it != call_id).collect();
        let is_within =
            |made: &Call| made.call.within.as_ref().is_some_and(|within| inward.contains(&within));
        self.calls.iter().position(is_within).unwrap_or(self.calls.len())
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
    /// follows its call, after the calls within it. A completed turn ends with its final response.
    #[must_use]
    pub fn history(&self) -> Vec<HistoryEntry> {
        let mut history = Vec::with_capacity(self.calls.len() * 2 + 3);
        let pending = self.all_pending().iter().map(|it| (self.place_of(&it.call.call_id), it));
        let mut pending = pending.peekable();
        for turn in self.turns() {
            history.push(HistoryEntry::UserQuery(turn.query.clone()));
            // The ended calls that the current entry is within.
            let mut open: Vec<&Call> = Vec::new();
            for index in turn.calls {
                let Some(made) = self.calls.get(index) else { continue };
                while let Some(outer) =
                    open.pop_if(|it| made.call.within.as_ref() != Some(&it.call.call_id))
                {
                    history.push(outer.answer.entry());
                }
                while let Some((_, outer)) = pending.next_if(|(place, _)| *place == index) {
                    history.push(HistoryEntry::ToolCall(outer.call.clone()));
                }
                history.push(HistoryEntry::ToolCall(made.call.clone()));
                open.push(made);
            }
            history.extend(open.into_iter().rev().map(|outer| outer.answer.entry()));
            history.extend(turn.final_response.cloned().map(HistoryEntry::FinalResponse));
        }
        history.extend(pending.map(|(_, it)| HistoryEntry::ToolCall(it.call.clone())));
        history
    }
}
