//! The host's news of a rehearsal.

use api::{CallProgress, CallUpdate};
use leptos::prelude::*;
use session::{Call, CallId, Event, Outcome, PendingPhase, ToolError, ToolResult};

use super::Rehearsal;
use super::requests::gives_response;
use crate::state::preview::plain;
use crate::state::tool_content::result_preview;
use crate::state::{browser, times};

impl Rehearsal {
    /// Applies the progress of a call. Progress of a call that has ended here is ignored: the host
    /// repeats it after a reconnection, and may report a canceled call later.
    pub fn take_in(self, news: CallUpdate) {
        let Some(news) = self.unless_reopening(news) else { return };
        self.apply(news);
        self.remember_for_restore();
    }

    fn apply(self, news: CallUpdate) {
        let CallUpdate { call_id, progress, state, view, broken, .. } = news;
        if let Some(view) = view {
            self.see(view);
        }
        if let Some(state) = state {
            self.view.update(|view| {
                if let Some(view) = view {
                    view.state = state;
                }
            });
        }
        let phase =
            self.session.read_untracked().pending().and_then(|pending| {
                (pending.call.call_id == call_id).then(|| pending.phase.clone())
            });
        let Some(phase) = phase else { return };
        let is_broken = !broken.is_empty();
        if is_broken {
            self.broken.update(|all| drop(all.insert(call_id.clone(), broken)));
        }
        match next_step(&call_id, progress, &phase) {
            Some(NextStep::Settle { outcome, duration_ms }) => {
                self.settle(call_id, outcome, duration_ms);
            }
            Some(NextStep::Wait { event, announcement }) => {
                self.announcement.set(announcement);
                self.send(event);
            }
            Some(NextStep::Play { rejected }) => self.play_on(call_id, rejected),
            None => {}
        }
        if is_broken {
            self.announcement
                .update(|text| text.push_str(" It violates the tool's output schema."));
        }
    }

    /// The agent of a call begins to be acted as, or goes on because its final response was rejected.
    fn play_on(self, call_id: CallId, rejected: Option<String>) {
        self.send(Event::BeginActing { call_id: call_id.clone() });
        if let Some(why) = rejected {
            let why = format!("The final response was rejected: {why}");
            self.announcement.set(why.clone());
            self.notice.set(Some(why));
            return;
        }
        self.forms.begin_acting(call_id);
        let name = self.view.with_untracked(|view| view.as_ref().map(|it| it.agent.name.clone()));
        self.announcement.set(format!("You act as {}.", name.unwrap_or_default()));
    }

    /// The host was restarted: running calls are lost, and it does not know this session.
    pub fn host_restarted(self) {
        self.keep();
        self.questions.set(Vec::new());
        self.loads.set(None);
        self.lose_session(
            "The host was restarted.",
            "The host was restarted while the tool was running.",
        );
        self.open();
    }

    /// The agent was replaced or removed, and the host closed this session. It goes on with the agent that took its
    /// place, or waits until there is one.
    pub fn agent_exchanged(self) {
        const WHY: &str = "The host's configuration of this agent changed.";
        self.keep();
        self.questions.set(Vec::new());
        self.loads.set(None);
        self.lose_session(
            WHY,
            "The host's configuration of this agent changed while the tool was running.",
        );
        if self.session.read_untracked().query().is_some() {
            self.notice.set(Some(format!("{WHY} The history is kept.")));
        }
        self.open();
    }

    /// Ends every pending call, innermost first, because the host does not have them.
    pub(super) fn end_pending(self, message: &str) {
        let innermost = move || {
            self.session.read_untracked().pending().map(|pending| pending.call.call_id.clone())
        };
        while let Some(call_id) = innermost() {
            self.settle_locally(&call_id, ToolError::WORKER_EXITED, message.to_owned());
        }
    }

    pub(super) fn settle(self, call_id: CallId, outcome: Outcome, duration_ms: f64) {
        let tool = self
            .session
            .read_untracked()
            .pending()
            .map(|pending| pending.call.tool_name.to_string())
            .unwrap_or_default();
        self.announcement.set(announcement(&tool, &outcome));
        self.progress.set(None);
        self.forms.end_acting(&call_id);
        self.forms.forget_call(&call_id);
        let id = call_id.clone();
        self.send(Event::Settle { call_id, outcome, duration_ms, at: browser::now() });
        self.take_model_response(&id);
    }

    /// Ends the session, or the agent that the person acts as, with the value of `set_model_response`, as google-adk
    /// does.
    fn take_model_response(self, call_id: &CallId) {
        let offers_it = self.view.with_untracked(|view| {
            view.as_ref().is_some_and(|view| view.tools.iter().any(gives_response))
        });
        let given = self.session.with_untracked(|session| {
            let ended = session.calls().iter().rfind(|made| made.call.call_id == *call_id);
            ended.and_then(Call::model_response).cloned()
        });
        if let Some(value) = given.filter(|_| offers_it) {
            self.give_response(&value);
        }
    }
}

/// What the progress of the pending call leads to.
#[derive(Debug, Clone, PartialEq)]
enum NextStep {
    /// The call ends.
    Settle { outcome: Outcome, duration_ms: f64 },
    /// The call waits for the person.
    Wait { event: Event, announcement: String },
    /// The person acts as the agent that was called.
    Play { rejected: Option<String> },
}

/// The next step of the pending call, which is in `phase`. `None` when it already waits for the
/// person.
fn next_step(call_id: &CallId, progress: CallProgress, phase: &PendingPhase) -> Option<NextStep> {
    let call_id = call_id.clone();
    Some(match progress {
        CallProgress::Returned { result, recording, duration_ms } => {
            let result = ToolResult::Whole(result);
            NextStep::Settle { outcome: Outcome::Output { result, recording }, duration_ms }
        }
        CallProgress::ReturnedStored { stored, recording, duration_ms } => {
            let result = ToolResult::Stored(stored);
            NextStep::Settle { outcome: Outcome::Output { result, recording }, duration_ms }
        }
        CallProgress::Failed { error_type, message, traceback, duration_ms } => {
            let outcome = Outcome::Error { error_type, error_message: message, traceback };
            NextStep::Settle { outcome, duration_ms }
        }
        CallProgress::AsksConfirmation { hint, payload } if *phase == PendingPhase::Running => {
            let announcement = format!("The tool requires confirmation. {hint}");
            NextStep::Wait {
                event: Event::AskConfirmation { call_id, hint, payload },
                announcement,
            }
        }
        CallProgress::AwaitsResult { first } if *phase == PendingPhase::Running => NextStep::Wait {
            event: Event::AwaitResult { call_id, first },
            announcement: "The tool is waiting for you to supply its result.".to_owned(),
        },
        CallProgress::Acting { rejected }
            if matches!(phase, PendingPhase::Running | PendingPhase::Responding) =>
        {
            NextStep::Play { rejected }
        }
        CallProgress::AsksConfirmation { .. }
        | CallProgress::AwaitsResult { .. }
        | CallProgress::Acting { .. } => return None,
    })
}

/// The announcement that a call of `tool` has ended.
fn announcement(tool: &str, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Output { result, .. } => {
            let verb = if result.is_warning() { "returned an error" } else { "returned" };
            format!("{tool} {verb}: {}", result_summary(result))
        }
        Outcome::Error { error_type, error_message, .. } => {
            format!("{tool} failed: {error_type}. {error_message}")
        }
    }
}

fn result_summary(result: &ToolResult) -> String {
    match result {
        ToolResult::Whole(result) => plain(&result_preview(result, 120)),
        ToolResult::Stored(held) => format!("{} of JSON", times::size(held.bytes)),
    }
}

#[cfg(test)]
mod tests {
    use json_text::JsonText;
    use session::{Recording, StoredResult};

    use super::*;

    fn call_id() -> CallId {
        CallId::parse("c1").expect("the id is valid")
    }

    fn json(text: &str) -> JsonText {
        JsonText::parse(text).expect("the text is JSON")
    }

    fn waiting() -> PendingPhase {
        PendingPhase::AwaitingResult { first: None }
    }

    #[test]
    fn a_returned_result_settles_the_call_in_every_phase() {
        for phase in [PendingPhase::Running, PendingPhase::Cancelling, waiting()] {
            let recording = Recording { wrapped: true, media: Vec::new() };
            let progress = CallProgress::Returned {
                result: json("21"),
                recording: recording.clone(),
                duration_ms: 4.0,
            };
            let outcome = Outcome::Output { result: ToolResult::Whole(json("21")), recording };
            let expected = NextStep::Settle { outcome, duration_ms: 4.0 };
            assert_eq!(next_step(&call_id(), progress, &phase), Some(expected), "{phase:?}");
        }
    }

    #[test]
    fn a_failure_settles_the_call_with_its_traceback() {
        let progress = CallProgress::Failed {
            error_type: "ValueError".to_owned(),
            message: "no such room".to_owned(),
            traceback: Some("line 3".to_owned()),
            duration_ms: 1.5,
        };
        let outcome = Outcome::Error {
            error_type: "ValueError".to_owned(),
            error_message: "no such room".to_owned(),
            traceback: Some("line 3".to_owned()),
        };
        assert_eq!(
            next_step(&call_id(), progress, &PendingPhase::Running),
            Some(NextStep::Settle { outcome, duration_ms: 1.5 })
        );
    }

    #[test]
    fn a_running_call_asks_for_confirmation_once() {
        let progress = || CallProgress::AsksConfirmation {
            hint: "Open the window.".to_owned(),
            payload: Some(json("{}")),
        };
        let expected = NextStep::Wait {
            event: Event::AskConfirmation {
                call_id: call_id(),
                hint: "Open the window.".to_owned(),
                payload: Some(json("{}")),
            },
            announcement: "The tool requires confirmation. Open the window.".to_owned(),
        };
        assert_eq!(next_step(&call_id(), progress(), &PendingPhase::Running), Some(expected));
        let asked = PendingPhase::AwaitingConfirmation {
            hint: "Open the window.".to_owned(),
            payload: None,
        };
        assert_eq!(next_step(&call_id(), progress(), &asked), None);
        assert_eq!(next_step(&call_id(), progress(), &PendingPhase::Cancelling), None);
    }

    #[test]
    fn a_running_call_waits_for_a_result_once() {
        let progress = || CallProgress::AwaitsResult { first: None };
        let expected = NextStep::Wait {
            event: Event::AwaitResult { call_id: call_id(), first: None },
            announcement: "The tool is waiting for you to supply its result.".to_owned(),
        };
        assert_eq!(next_step(&call_id(), progress(), &PendingPhase::Running), Some(expected));
        assert_eq!(next_step(&call_id(), progress(), &waiting()), None);
    }

    #[test]
    fn an_ended_call_is_announced_with_its_result() {
        let whole = |text: &str| Outcome::returned(ToolResult::Whole(json(text)));
        assert_eq!(announcement("read", &whole("21")), "read returned: 21");
        let refused = announcement("read", &whole(r#"{"error": "locked"}"#));
        assert!(refused.starts_with("read returned an error: "), "{refused}");
        let held = StoredResult { bytes: 5_242_880, head: "[1".to_owned(), is_warning: false };
        assert_eq!(
            announcement("read", &Outcome::returned(ToolResult::Stored(held))),
            "read returned: 5.2 MB of JSON"
        );
        let failed = Outcome::Error {
            error_type: "ValueError".to_owned(),
            error_message: "no such room".to_owned(),
            traceback: None,
        };
        assert_eq!(announcement("read", &failed), "read failed: ValueError. no such room");
    }
}
