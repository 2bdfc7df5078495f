//! [`SavedSession`]: a session as a page stores it, to take it up again after a reload.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::state::{PendingPhase, Phase, Session, SessionState};
use crate::step::{Event, Outcome, step};
use crate::{AgentId, CallId, HistoryEntry, Refusal, SessionId, WaitedFor};

/// A session as data. [`SavedSession::open`] checks it, because it may come from anywhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedSession {
    id: SessionId,
    agent: AgentId,
    history: Vec<HistoryEntry>,
    /// The calls of the history that have not ended, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pending: Vec<SavedPending>,
    /// Whether the user's next message is awaited after a completed turn.
    #[serde(default)]
    continues: bool,
}

/// What the history does not contain of a pending call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SavedPending {
    is_agent: bool,
    phase: PendingPhase,
}

/// Why a saved session is not one that [`step`] leads to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SavedFault {
    /// An entry of the history is out of place.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The parts of the session contradict each other.
    #[error("the saved session contradicts its history")]
    Contradiction,
}

impl Session {
    /// The session as data; `None` before an agent is chosen.
    #[must_use]
    pub fn saved(&self) -> Option<SavedSession> {
        let pending = self.all_pending().iter();
        Some(SavedSession {
            id: self.id().clone(),
            agent: self.agent()?.clone(),
            history: self.history(),
            pending: pending
                .map(|it| SavedPending { is_agent: it.is_agent, phase: it.phase.clone() })
                .collect(),
            continues: self.state() == SessionState::AwaitingQuery && self.past_turns() > 0,
        })
    }
}

impl SavedSession {
    /// The rehearsed agent.
    #[must_use]
    pub fn agent(&self) -> &AgentId {
        &self.agent
    }

    /// The session, built by the steps that its history records.
    ///
    /// # Errors
    /// [`SavedFault`] if no steps lead to it.
    pub fn open(self) -> Result<Session, SavedFault> {
        let mut session = Session::new(self.id);
        take(&mut session, Event::SelectAgent { agent: self.agent })?;
        let open = open_calls(&self.history);
        if open.len() != self.pending.len() {
            return Err(SavedFault::Contradiction);
        }
        for entry in &self.history {
            let saved = match entry {
                HistoryEntry::ToolCall(call) => open.iter().position(|id| *id == call.call_id),
                _ => None,
            };
            let is_agent = saved.is_some_and(|index| self.pending[index].is_agent);
            replay(&mut session, entry.clone(), is_agent)?;
        }
        if let (Phase::Active(run), Some(last)) =
            (&mut session.phase, self.pending.into_iter().last())
            && let Some(pending) = run.pending.last_mut()
        {
            pending.phase = last.phase;
        }
        if self.continues {
            take(&mut session, Event::Continue)?;
        }
        match session.history() == self.history {
            true => Ok(session),
            false => Err(SavedFault::Contradiction),
        }
    }
}

fn take(session: &mut Session, event: Event) -> Result<(), Refusal> {
    // What the events ask the host to do was done when they happened.
    *session = step(session, event)?.0;
    Ok(())
}

/// The calls without an end, in order.
fn open_calls(history: &[HistoryEntry]) -> Vec<CallId> {
    let ended = |entry: &HistoryEntry| match entry {
        HistoryEntry::ToolOutput(output) => Some(output.call_id.clone()),
        HistoryEntry::ToolError(error) => Some(error.call_id.clone()),
        _ => None,
    };
    let ended: HashSet<CallId> = history.iter().filter_map(ended).collect();
    let open = history.iter().filter_map(|entry| match entry {
        HistoryEntry::ToolCall(call) if !ended.contains(&call.call_id) => Some(&call.call_id),
        _ => None,
    });
    open.cloned().collect()
}

/// Takes the steps that led to `entry`.
fn replay(session: &mut Session, entry: HistoryEntry, is_agent: bool) -> Result<(), Refusal> {
    match entry {
        HistoryEntry::UserQuery(query) => {
            if session.state() == SessionState::Completed {
                take(session, Event::Continue)?;
            }
            take(session, Event::SubmitQuery { content: query.content, at: query.timestamp })
        }
        HistoryEntry::ToolCall(call) => {
            let busy_with = session.busy_with().map(|pending| pending.call.call_id.clone());
            if let Some(outer) = busy_with.filter(|outer| call.within.as_ref() == Some(outer)) {
                take(session, Event::BeginActing { call_id: outer })?;
            }
            let call_id = call.call_id.clone();
            take(
                session,
                Event::CallTool {
                    call_id: call.call_id,
                    tool_name: call.tool_name,
                    arguments: call.arguments,
                    is_agent,
                    at: call.timestamp,
                },
            )?;
            for event in waited(call_id, call.waited) {
                take(session, event)?;
            }
            Ok(())
        }
        HistoryEntry::ToolOutput(output) => take(
            session,
            Event::Settle {
                call_id: output.call_id,
                outcome: Outcome::Output { result: output.result, recording: output.recording },
                duration_ms: output.duration_ms,
                at: output.timestamp,
            },
        ),
        HistoryEntry::ToolError(error) => take(
            session,
            Event::Settle {
                call_id: error.call_id,
                outcome: Outcome::Error {
                    error_type: error.error_type,
                    error_message: error.error_message,
                    traceback: error.traceback,
                },
                duration_ms: error.duration_ms,
                at: error.timestamp,
            },
        ),
        HistoryEntry::FinalResponse(response) => {
            take(session, Event::Respond { content: response.content, at: response.timestamp })
        }
    }
}

/// The events by which a call waited for the person.
fn waited(call_id: CallId, waited: Option<WaitedFor>) -> Vec<Event> {
    let again = call_id.clone();
    match waited {
        None => Vec::new(),
        Some(WaitedFor::Confirmation) => vec![
            Event::AskConfirmation { call_id: again, hint: String::new(), payload: None },
            Event::Confirm { call_id, confirmed: true, payload: None },
        ],
        Some(WaitedFor::Result) => vec![
            Event::AwaitResult { call_id: again, first: None },
            Event::SupplyResult { call_id, result: json_text::JsonText::null() },
        ],
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use json_text::JsonText;

    use super::*;
    use crate::{ToolName, ToolResult};

    fn after(events: Vec<Event>) -> Session {
        let session = Session::new(SessionId::parse("s").expect("valid"));
        let agent = AgentId::parse("home").expect("valid");
        let chosen = [Event::SelectAgent { agent }];
        chosen.into_iter().chain(events).fold(session, |session, event| {
            step(&session, event).expect("the session takes the event").0
        })
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("valid")
    }

    fn id(id: &str) -> CallId {
        CallId::parse(id).expect("valid")
    }

    fn ask(second: i64) -> Event {
        Event::SubmitQuery { content: "Warm the hall.".to_owned(), at: at(second) }
    }

    fn call(call: &str, second: i64, is_agent: bool) -> Event {
        let arguments = JsonText::parse(r#"{"to":1.10}"#).expect("valid");
        let tool_name = ToolName::parse("heat").expect("valid");
        Event::CallTool { call_id: id(call), tool_name, arguments, is_agent, at: at(second) }
    }

    fn end(call: &str, second: i64) -> Event {
        let outcome = Outcome::returned(ToolResult::Whole(JsonText::null()));
        Event::Settle { call_id: id(call), outcome, duration_ms: 1.5, at: at(second) }
    }

    fn fail(call: &str, second: i64) -> Event {
        let outcome = Outcome::Error {
            error_type: "ValueError".to_owned(),
            error_message: "cold".to_owned(),
            traceback: Some("line 3".to_owned()),
        };
        Event::Settle { call_id: id(call), outcome, duration_ms: 2.0, at: at(second) }
    }

    fn respond(second: i64) -> Event {
        Event::Respond { content: "Done.".to_owned(), at: at(second) }
    }

    fn confirmed(call: &str) -> [Event; 2] {
        [
            Event::AskConfirmation { call_id: id(call), hint: "Heat?".to_owned(), payload: None },
            Event::Confirm { call_id: id(call), confirmed: true, payload: None },
        ]
    }

    #[test]
    fn a_saved_session_opens_as_it_was() {
        let [asked, confirm] = confirmed("c2");
        let play = |call: &str| Event::BeginActing { call_id: id(call) };
        let awaits = Event::AwaitResult { call_id: id("c3"), first: Some(JsonText::null()) };
        let events = vec![
            ask(1),
            call("c1", 2, false),
            fail("c1", 3),
            call("c2", 4, false),
            asked,
            confirm,
            end("c2", 5),
            respond(6),
            Event::Continue,
            ask(7),
            call("c3", 8, false),
            awaits,
            Event::SupplyResult { call_id: id("c3"), result: JsonText::null() },
            end("c3", 9),
            call("c4", 10, true),
            play("c4"),
            call("c5", 11, false),
            end("c5", 12),
            call("c6", 13, true),
            play("c6"),
            call("c7", 14, false),
            end("c7", 15),
            end("c6", 16),
            respond(17),
            end("c4", 18),
            respond(19),
            Event::Continue,
        ];
        for count in 0..=events.len() {
            let session = after(events[..count].to_vec());
            let text = serde_json::to_string(&session.saved().expect("an agent")).expect("writes");
            let saved: SavedSession = serde_json::from_str(&text).expect("reads");
            assert_eq!(saved.open(), Ok(session), "after {count} events");
        }
    }

    #[test]
    fn what_no_steps_lead_to_is_refused() {
        let saved =
            after(vec![ask(1), call("c1", 2, false), end("c1", 3)]).saved().expect("an agent");
        let changed = |change: fn(&mut SavedSession)| {
            let mut saved = saved.clone();
            change(&mut saved);
            saved.open().expect_err("is refused")
        };
        changed(|saved| drop(saved.history.remove(0)));
        changed(|saved| saved.history.swap(1, 2));
        changed(|saved| saved.continues = true);
        let one_more = SavedPending { is_agent: false, phase: PendingPhase::Running };
        let mut pending = saved.clone();
        pending.pending.push(one_more);
        assert_eq!(pending.open(), Err(SavedFault::Contradiction));
        let unended = |saved: &mut SavedSession| drop(saved.history.pop());
        assert_eq!(changed(unended), SavedFault::Contradiction);
    }
}
