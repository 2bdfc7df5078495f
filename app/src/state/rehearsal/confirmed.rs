//! What the host has confirmed of a session, so that another host can restore it.

use std::collections::HashSet;

use api::{RestoreRequest, SessionView};
use json_text::JsonText;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use session::{CallId, HistoryEntry, Session};

use super::Rehearsal;

/// What the host has confirmed of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Confirmed {
    /// The state that the session started with.
    initial_state: Option<JsonText>,
    /// The state and the name of the active agent now, without those of an agent that the person acts as.
    now: Option<(JsonText, String)>,
    /// How many starts and ends of turns the host has confirmed.
    steps: usize,
    /// The names of the artifacts.
    #[serde(default)]
    artifacts: Vec<String>,
}

/// A start or an end of a turn, with its number among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TurnStep {
    pub(super) number: usize,
    pub(super) content: String,
}

impl TurnStep {
    pub(super) fn begins(&self) -> bool {
        self.number.is_multiple_of(2)
    }
}

impl Confirmed {
    pub(super) fn confirm(&mut self, number: usize) {
        self.steps = self.steps.max(number + 1);
    }

    pub(super) fn remember(&mut self, view: &SessionView) {
        if self.steps == 0 {
            self.initial_state = Some(view.state.clone());
        }
        self.now = Some((view.state.clone(), view.agent.name.clone()));
        self.artifacts = artifact_names(view);
    }

    /// The names of the artifacts when the host last confirmed something.
    pub(super) fn artifacts(&self) -> Vec<String> {
        self.artifacts.clone()
    }

    /// The request that restores `session`; `None` if the host has not begun it.
    fn request(&self, session: &Session) -> Option<RestoreRequest> {
        let history = known(session, self.steps);
        let (state, active_agent) = self.now.clone()?;
        (!history.is_empty()).then_some(RestoreRequest {
            session: session.id().clone(),
            agent: session.agent()?.clone(),
            history,
            initial_state: self.initial_state.clone()?,
            state,
            active_agent,
        })
    }

    /// The starts and ends of turns that the host has not confirmed.
    fn missing(&self, session: &Session) -> Vec<TurnStep> {
        steps(session).into_iter().filter(|step| step.number >= self.steps).collect()
    }
}

/// The names of the artifacts that were saved, each once.
pub(super) fn artifact_names(view: &SessionView) -> Vec<String> {
    let mut names: Vec<String> =
        view.artifacts.iter().map(|artifact| artifact.filename.clone()).collect();
    names.sort();
    names.dedup();
    names
}

/// All starts and ends of turns.
fn steps(session: &Session) -> Vec<TurnStep> {
    let mut steps = Vec::new();
    for (turn, about) in session.turns().into_iter().enumerate() {
        steps.push(TurnStep { number: 2 * turn, content: about.query.content.clone() });
        if let Some(response) = about.final_response {
            steps.push(TurnStep { number: 2 * turn + 1, content: response.content.clone() });
        }
    }
    steps
}

/// The history up to so many starts and ends of turns, without calls that have not ended.
fn known(session: &Session, steps: usize) -> Vec<HistoryEntry> {
    let pending = session.all_pending().iter().map(|it| it.call.call_id.clone());
    let mut open: HashSet<CallId> = pending.collect();
    let mut begun = 0;
    let mut history = Vec::new();
    for entry in session.history() {
        match &entry {
            HistoryEntry::UserQuery(_) | HistoryEntry::FinalResponse(_) if begun == steps => break,
            HistoryEntry::UserQuery(_) | HistoryEntry::FinalResponse(_) => begun += 1,
            HistoryEntry::ToolCall(call) => {
                if call.within.as_ref().is_some_and(|within| open.contains(within)) {
                    open.insert(call.call_id.clone());
                }
            }
            HistoryEntry::ToolOutput(_) | HistoryEntry::ToolError(_) => {}
        }
        if !call_id(&entry).is_some_and(|id| open.contains(id)) {
            history.push(entry);
        }
    }
    history
}

fn call_id(entry: &HistoryEntry) -> Option<&CallId> {
    match entry {
        HistoryEntry::ToolCall(entry) => Some(&entry.call_id),
        HistoryEntry::ToolOutput(entry) => Some(&entry.call_id),
        HistoryEntry::ToolError(entry) => Some(&entry.call_id),
        HistoryEntry::UserQuery(_) | HistoryEntry::FinalResponse(_) => None,
    }
}

impl Rehearsal {
    /// Remembers the present view for a restore, unless it is of an agent that the person acts as.
    pub(super) fn remember_for_restore(self) {
        if self.session.read_untracked().acted_as().is_some() {
            return;
        }
        self.view.with_untracked(|view| {
            if let Some(view) = view {
                self.confirmed.update_value(|confirmed| confirmed.remember(view));
            }
        });
    }

    /// Records that the host has done a start or an end of a turn.
    pub(super) fn confirm(self, number: usize) {
        self.confirmed.update_value(|confirmed| confirmed.confirm(number));
    }

    /// The number of the last start or end of a turn.
    pub(super) fn last_step(self) -> usize {
        self.session.with_untracked(|session| steps(session).len().saturating_sub(1))
    }

    pub(super) fn restore_request(self) -> Option<RestoreRequest> {
        self.session.with_untracked(|it| self.confirmed.with_value(|known| known.request(it)))
    }

    pub(super) fn missing_steps(self) -> Vec<TurnStep> {
        self.session.with_untracked(|it| self.confirmed.with_value(|known| known.missing(it)))
    }
}

#[cfg(test)]
mod tests {
    use session::{AgentId, Event, Outcome, SessionId, ToolName, ToolResult, step};

    use super::*;

    fn after(events: Vec<Event>) -> Session {
        let session = Session::new(SessionId::parse("s").expect("valid"));
        let agent = AgentId::parse("home").expect("valid");
        let chosen = Event::SelectAgent { agent };
        [chosen].into_iter().chain(events).fold(session, |session, event| {
            step(&session, event).expect("the session takes the event").0
        })
    }

    fn at(second: i64) -> jiff::Timestamp {
        jiff::Timestamp::from_second(second).expect("valid")
    }

    fn ask(content: &str, second: i64) -> Event {
        Event::SubmitQuery { content: content.to_owned(), at: at(second) }
    }

    fn call(id: &str, second: i64) -> Event {
        Event::CallTool {
            call_id: CallId::parse(id).expect("valid"),
            tool_name: ToolName::parse("look").expect("valid"),
            arguments: JsonText::parse("{}").expect("valid"),
            is_agent: false,
            at: at(second),
        }
    }

    fn returned(id: &str, second: i64) -> Event {
        let outcome = Outcome::returned(ToolResult::Whole(JsonText::null()));
        let call_id = CallId::parse(id).expect("valid");
        Event::Settle { call_id, outcome, duration_ms: 1.0, at: at(second) }
    }

    fn respond(content: &str, second: i64) -> Event {
        Event::Respond { content: content.to_owned(), at: at(second) }
    }

    fn view(state: &str, agent: &str) -> SessionView {
        let state: serde_json::Value = serde_json::from_str(state).expect("JSON");
        let agent = serde_json::json!({ "name": agent });
        let view = serde_json::json!({
            "app_name": "a", "agent": agent, "instruction": "", "tools": [], "state": state,
        });
        serde_json::from_value(view).expect("a view")
    }

    fn types(history: &[HistoryEntry]) -> Vec<&'static str> {
        history.iter().map(HistoryEntry::type_name).collect()
    }

    #[test]
    fn a_restore_has_the_first_and_the_last_state_and_the_active_agent() {
        let session = after(vec![ask("Hi", 1), call("c1", 2), returned("c1", 3), call("c2", 4)]);
        let mut confirmed = Confirmed::default();
        assert_eq!(confirmed.request(&session), None);
        confirmed.remember(&view(r#"{"rooms":1}"#, "home"));
        confirmed.confirm(0);
        confirmed.remember(&view(r#"{"rooms":2}"#, "garage"));
        let request = confirmed.request(&session).expect("the turn has begun");
        assert_eq!(request.initial_state.as_str(), r#"{"rooms":1}"#);
        assert_eq!(request.state.as_str(), r#"{"rooms":2}"#);
        assert_eq!(request.active_agent, "garage");
        // A call that runs is not part of it.
        assert_eq!(types(&request.history), ["user_query", "tool_call", "tool_output"]);
        assert_eq!(confirmed.missing(&session), []);
    }

    #[test]
    fn what_the_host_did_not_confirm_is_sent_again() {
        let session = after(vec![
            ask("Hi", 1),
            respond("Hello", 2),
            Event::Continue,
            ask("And?", 3),
            respond("Bye", 4),
        ]);
        let check = |steps: usize, known: &[&str], missing: &[(usize, &str)]| {
            let confirmed = Confirmed { steps, ..Confirmed::default() };
            assert_eq!(types(&super::known(&session, steps)), known);
            let expected: Vec<_> = missing
                .iter()
                .map(|(number, content)| TurnStep { number: *number, content: (*content).into() })
                .collect();
            assert_eq!(confirmed.missing(&session), expected);
        };
        check(0, &[], &[(0, "Hi"), (1, "Hello"), (2, "And?"), (3, "Bye")]);
        check(1, &["user_query"], &[(1, "Hello"), (2, "And?"), (3, "Bye")]);
        check(3, &["user_query", "final_response", "user_query"], &[(3, "Bye")]);
        let all = ["user_query", "final_response", "user_query", "final_response"];
        check(4, &all, &[]);
    }
}
