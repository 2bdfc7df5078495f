//! [`GoldenTrace`]: a completed rehearsal, ready to become an eval case.

use std::collections::HashSet;

use jiff::Timestamp;

use crate::error::TraceFault;
use crate::history::{FinalResponse, HistoryEntry, UserQuery};
use crate::state::{Answer, Call, Phase, Session};
use crate::{AgentId, CallId, SessionId};

/// A completed session: one query, calls that all ended, one final response, in order of time.
#[derive(Debug, Clone, PartialEq)]
pub struct GoldenTrace {
    /// The session it came from.
    pub session_id: SessionId,
    /// The agent that was rehearsed.
    pub agent: AgentId,
    /// The user message; its time is the session's start.
    pub query: UserQuery,
    /// Every call with its answer, in order.
    pub calls: Vec<Call>,
    /// The answer to the user.
    pub final_response: FinalResponse,
}

impl Session {
    /// The trace of a completed session; `None` before that.
    #[must_use]
    pub fn golden_trace(&self) -> Option<GoldenTrace> {
        let Phase::Completed { run, final_response } = &self.phase else { return None };
        Some(GoldenTrace {
            session_id: self.id.clone(),
            agent: run.agent.clone(),
            query: run.query.clone(),
            calls: run.calls.clone(),
            final_response: final_response.clone(),
        })
    }
}

impl GoldenTrace {
    /// When the session started.
    #[must_use]
    pub fn started_at(&self) -> Timestamp {
        self.query.timestamp
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
        if let Some(index) =
            history.windows(2).position(|pair| pair[1].timestamp() < pair[0].timestamp())
        {
            return Err(TraceFault::OutOfOrder { index: index + 1 });
        }
        let mut entries = history.into_iter().enumerate();
        let query = match entries.next() {
            None => return Err(TraceFault::Empty),
            Some((_, HistoryEntry::UserQuery(query))) => query,
            Some((index, other)) => return Err(misplaced(index, &other, "user_query")),
        };
        let mut calls = Vec::new();
        let mut seen = HashSet::new();
        while let Some((index, entry)) = entries.next() {
            match entry {
                HistoryEntry::ToolCall(call) => {
                    if !seen.insert(call.call_id.clone()) {
                        let call_id = call.call_id;
                        return Err(TraceFault::RepeatedCallId { index, call_id });
                    }
                    let answer = match entries.next() {
                        Some((_, HistoryEntry::ToolOutput(output))) => Answer::Output(output),
                        Some((_, HistoryEntry::ToolError(error))) => Answer::Error(error),
                        Some((index, other)) => {
                            return Err(misplaced(index, &other, "tool_output or tool_error"));
                        }
                        None => return Err(TraceFault::NotCompleted),
                    };
                    let found = answer_id(&answer);
                    if *found != call.call_id {
                        let found = found.clone();
                        let expected = call.call_id;
                        return Err(TraceFault::WrongCallId { index: index + 1, found, expected });
                    }
                    calls.push(Call { call, answer });
                }
                HistoryEntry::FinalResponse(final_response) => {
                    return match entries.next() {
                        None => Ok(Self { session_id, agent, query, calls, final_response }),
                        Some((index, other)) => Err(misplaced(index, &other, "end")),
                    };
                }
                other => return Err(misplaced(index, &other, "tool_call or final_response")),
            }
        }
        Err(TraceFault::NotCompleted)
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
