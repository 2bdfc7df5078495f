//! The host's news of a rehearsal.

use api::{CallProgress, CallUpdate};
use leptos::prelude::*;
use session::{CallId, Event, Outcome, PendingPhase, ToolError, ToolResult};

use super::Rehearsal;
use crate::state::preview::plain;
use crate::state::tool_content::result_preview;
use crate::state::{browser, times};

impl Rehearsal {
    /// Takes in how a call goes on. News of a call that has ended here are old: a repeat after a
    /// reconnection, or what came of a call that was given up.
    pub fn take_in(self, news: CallUpdate) {
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
        match progress {
            CallProgress::Returned { result, duration_ms } => {
                self.settle(call_id, Outcome::Output(ToolResult::Whole(result)), duration_ms);
            }
            CallProgress::ReturnedStored { stored, duration_ms } => {
                self.settle(call_id, Outcome::Output(ToolResult::Stored(stored)), duration_ms);
            }
            CallProgress::Failed { error_type, message, traceback, duration_ms } => {
                let outcome = Outcome::Error { error_type, error_message: message, traceback };
                self.settle(call_id, outcome, duration_ms);
            }
            CallProgress::AsksConfirmation { hint, payload } if phase == PendingPhase::Running => {
                self.announcement.set(format!("The tool requires confirmation. {hint}"));
                self.send(Event::AskConfirmation { call_id, hint, payload });
            }
            CallProgress::AwaitsResult { first } if phase == PendingPhase::Running => {
                self.announcement.set("The tool waits for the result that you supply.".to_owned());
                self.send(Event::AwaitResult { call_id, first });
            }
            CallProgress::AsksConfirmation { .. } | CallProgress::AwaitsResult { .. } => {}
        }
        if is_broken {
            self.announcement
                .update(|text| text.push_str(" It violates the tool's output schema."));
        }
    }

    /// The host was restarted: running calls are lost, and it does not know this session.
    pub fn host_restarted(self) {
        let pending =
            self.session.read_untracked().pending().map(|pending| pending.call.call_id.clone());
        if let Some(call_id) = pending {
            let message = "The host was restarted while the tool was running.";
            self.settle_locally(&call_id, ToolError::WORKER_EXITED, message.to_owned());
        }
        self.questions.set(Vec::new());
        self.note_restart("The host was restarted.");
        self.open();
    }

    /// Records that the tools lost their state, as a mark in the history, and notifies the person. The
    /// next step clears the notice.
    pub(super) fn note_restart(self, why: &str) {
        let calls = self.session.read_untracked().calls().len();
        if calls > 0 && self.restarts.read_untracked().last() != Some(&calls) {
            self.restarts.update(|restarts| restarts.push(calls));
            self.notice.set(Some(format!("{why} The history is kept. The tools' state is reset.")));
        }
    }

    pub(super) fn settle(self, call_id: CallId, outcome: Outcome, duration_ms: f64) {
        let tool = self
            .session
            .read_untracked()
            .pending()
            .map(|pending| pending.call.tool_name.to_string())
            .unwrap_or_default();
        self.announcement.set(match &outcome {
            Outcome::Output(result) => {
                let verb = if result.is_warning() { "returned an error" } else { "returned" };
                format!("{tool} {verb}: {}", result_summary(result))
            }
            Outcome::Error { error_type, error_message, .. } => {
                format!("{tool} failed: {error_type}. {error_message}")
            }
        });
        self.progress.set(None);
        self.send(Event::Settle { call_id, outcome, duration_ms, at: browser::now() });
    }
}

fn result_summary(result: &ToolResult) -> String {
    match result {
        ToolResult::Whole(result) => plain(&result_preview(result, 120)),
        ToolResult::Stored(held) => format!("{} of JSON", times::size(held.bytes)),
    }
}
