//! [`GoldenTrace`]: a completed rehearsal, ready to become an eval case.

use std::collections::HashSet;

use jiff::Timestamp;

use crate::error::TraceFault;
use crate::history::{FinalResponse, HistoryEntry, ToolCall, UserQuery};
use crate::state::{Answer, Call, Phase, Session};
use crate::{AgentId, CallId, SessionId};

/// A completed session: turns in order of time.
#[derive(Debug, Clone, PartialEq)]
pub struct GoldenTrace {
    /// The session it came from.
    pub session_id: SessionId,
    /// The agent that was rehearsed.
    pub agent: AgentId,
    /// The turns, at least one.
    pub turns: Vec<GoldenTurn>,
}

/// A turn of a history: one query, calls that all ended, and the final response once it was sent.
///
/// Without the calls that the person made as an agent that was called.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedTurn {
    /// The user message.
    pub query: UserQuery,
    /// Every call with its answer, in order.
    pub calls: Vec<Call>,
    /// The final response. Only the last turn may lack it.
    pub final_response: Option<FinalResponse>,
}

impl RecordedTurn {
    /// Checks a history that came from elsewhere against the rules of a session without a pending call.
    ///
    /// # Errors
    /// [`TraceFault`] naming the first entry that breaks a rule.
    pub fn from_history(history: Vec<HistoryEntry>) -> Result<Vec<Self>, TraceFault> {
        if let Some(index) =
            history.windows(2).position(|pair| pair[1].timestamp() < pair[0].timestamp())
        {
            return Err(TraceFault::OutOfOrder { index: index + 1 });
        }
        let mut entries = history.into_iter().enumerate();
        let mut seen = HashSet::new();
        let mut turns = Vec::new();
        while let Some((index, entry)) = entries.next() {
            match entry {
                HistoryEntry::UserQuery(query) => {
                    turns.push(turn(query, &mut entries, &mut seen)?);
                }
                other => return Err(misplaced(index, &other, "user_query")),
            }
        }
        Ok(turns)
    }
}

/// A completed turn: one query, calls that all ended, one final response.
///
/// Without the calls that the person made as an agent that was called: google-adk runs such an agent
/// in a session of its own, and a case has only the call of the agent and its result.
#[derive(Debug, Clone, PartialEq)]
pub struct GoldenTurn {
    /// The user message.
    pub query: UserQuery,
    /// Every call with its answer, in order.
    pub calls: Vec<Call>,
    /// The answer to the user.
    pub final_response: FinalResponse,
}

impl Session {
    /// The trace of a completed session, or of its completed turns while it awaits the next query;
    /// `None` before that.
    #[must_use]
    pub fn golden_trace(&self) -> Option<GoldenTrace> {
        let agent = match &self.phase {
            Phase::Completed { run, .. } => &run.agent,
            Phase::AwaitingQuery { agent } if !self.past.is_empty() => agent,
            _ => return None,
        };
        let turns = self.turns().into_iter().map(|turn| {
            Some(GoldenTurn {
                query: turn.query.clone(),
                calls: self
                    .calls
                    .get(turn.calls)?
                    .iter()
                    .filter(|it| it.call.within.is_none())
                    .cloned()
                    .collect(),
                final_response: turn.final_response?.clone(),
            })
        });
        Some(GoldenTrace {
            session_id: self.id.clone(),
            agent: agent.clone(),
            turns: turns.collect::<Option<_>>()?,
        })
    }
}

impl GoldenTrace {
    /// When the session started.
    #[must_use]
    pub fn started_at(&self) -> Timestamp {
        self.turns.first().map_or(Timestamp::UNIX_EPOCH, |turn| turn.query.timestamp)
    }

    /// The calls of all turns, in order.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.turns.iter().flat_map(|turn| &turn.calls)
    }

    /// The calls of all turns, in order.
    pub fn calls_mut(&mut self) -> impl Iterator<Item = &mut Call> {
        self.turns.iter_mut().flat_map(|turn| &mut turn.calls)
    }

    /// Checks a history that came from elsewhere against the rules of a completed session.
    ///
    /// # Errors
    /// [`TraceFault`] naming the first entry that breaks a rule.
    pub fn from_history(
        session_id: SessionId,
        agent: AgentId,
        history: Vec<HistoryEntry>,
    ) -> Result<Self, TraceFault> {
        let completed = |turn: RecordedTurn| {
            let RecordedTurn { query, calls, final_response } = turn;
            let final_response = final_response.ok_or(TraceFault::NotCompleted)?;
            Ok(GoldenTurn { query, calls, final_response })
        };
        let turns = RecordedTurn::from_history(history)?;
        let turns = turns.into_iter().map(completed).collect::<Result<Vec<_>, _>>()?;
        if turns.is_empty() {
            return Err(TraceFault::Empty);
        }
        Ok(Self { session_id, agent, turns })
    }
}

/// The turn of `query`, from the entries after it.
fn turn(
    query: UserQuery,
    entries: &mut impl Iterator<Item = (usize, HistoryEntry)>,
    seen: &mut HashSet<CallId>,
) -> Result<RecordedTurn, TraceFault> {
    let mut calls = Vec::new();
    // The calls that have not ended. Each is within the one before it.
    let mut open: Vec<ToolCall> = Vec::new();
    for (index, entry) in entries {
        let answer = match entry {
            HistoryEntry::ToolCall(call)
                if call.within.as_ref() == open.last().map(|outer| &outer.call_id) =>
            {
                if !seen.insert(call.call_id.clone()) {
                    let call_id = call.call_id;
                    return Err(TraceFault::RepeatedCallId { index, call_id });
                }
                open.push(call);
                continue;
            }
            HistoryEntry::FinalResponse(final_response) if open.is_empty() => {
                let final_response = Some(final_response);
                return Ok(RecordedTurn { query, calls, final_response });
            }
            HistoryEntry::ToolOutput(output) if !open.is_empty() => Answer::Output(output),
            HistoryEntry::ToolError(error) if !open.is_empty() => Answer::Error(error),
            other if open.is_empty() => {
                return Err(misplaced(index, &other, "tool_call or final_response"));
            }
            other => return Err(misplaced(index, &other, "tool_output or tool_error")),
        };
        let Some(call) = open.pop() else { continue };
        let found = answer_id(&answer);
        if *found != call.call_id {
            let (found, expected) = (found.clone(), call.call_id);
            return Err(TraceFault::WrongCallId { index, found, expected });
        }
        if open.is_empty() {
            calls.push(Call { call, answer });
        }
    }
    match open.is_empty() {
        true => Ok(RecordedTurn { query, calls, final_response: None }),
        false => Err(TraceFault::NotCompleted),
    }
}

fn answer_id(answer: &Answer) -> &CallId {
    match answer {
        Answer::Output(output) => &output.call_id,
        Answer::Error(error) => &error.call_id,
    }
}

fn misplaced(index: usize, entry: &HistoryEntry, expected: &'static str) -> TraceFault {
    TraceFault::Misplaced { index, found: entry.type_name(), expected }
}
