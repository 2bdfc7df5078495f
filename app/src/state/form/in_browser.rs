//! The parts of [`FormState`] that need a browser: the focus and the timers.

use std::time::Duration;

use api::FieldMessage;
use gloo_timers::future::TimeoutFuture;
use json_text::JsonText;
use leptos::prelude::*;
use leptos::task::spawn_local;
use schema_form::{Message, MessageKind, Path, Reading};

use super::{FormState, input_id};
use crate::state::browser;
use crate::state::latest_request::use_latest_request;

/// How long typing pauses before invalid JSON is reported, in milliseconds.
const PAUSE_MS: u32 = 1_000;

/// How long after a field is left its missing value is reported. A message that appeared at once
/// would move the button that the person is about to press.
const LEFT: Duration = Duration::from_millis(180);

/// Whether typing has paused while some text is invalid JSON.
pub(super) fn use_pause(reading: Memo<Reading>) -> RwSignal<bool> {
    let paused = RwSignal::new(false);
    let latest = use_latest_request();
    // Starts a timer after each edit.
    Effect::new(move |_| {
        let is_invalid_json = |message: &Message| matches!(message.kind, MessageKind::NotJson(_));
        if !reading.read().messages().iter().any(is_invalid_json) {
            return;
        }
        let asked = latest.ask();
        paused.set(false);
        spawn_local(async move {
            TimeoutFuture::new(PAUSE_MS).await;
            if asked.is_wanted() {
                paused.try_set(true);
            }
        });
    });
    paused
}

impl FormState {
    /// The value to send. If it is invalid, shows the violations at their fields and focuses the
    /// first.
    pub fn read(self) -> Option<JsonText> {
        let value = self.attempt();
        if value.is_none() {
            self.focus_first_fault();
        }
        value
    }

    /// Shows the host's messages, each at its field until that is changed, and focuses the first.
    pub fn show_messages(self, messages: Vec<FieldMessage>) {
        self.place_messages(messages);
        self.focus_first_fault();
    }

    /// Takes the last edit back; false when there is none.
    pub fn undo(self) -> bool {
        let is_undoable = untrack(|| self.undoable()).is_some();
        if is_undoable {
            browser::keep_focus();
        }
        is_undoable && self.restore()
    }

    /// Reports a missing value at `path`, which the person has left, unless they return at once.
    pub fn touch(self, path: &Path) {
        // A field that loses the focus because its form is removed is touched after the form is
        // gone.
        if self.feedback.try_with_untracked(|feedback| feedback.is_touched(path)) != Some(false) {
            return;
        }
        let path = path.clone();
        let report = move || {
            // If the field has the focus again, the next blur reports it.
            let input = self.drawn_as.try_get_value().map(|id| input_id(id, &path));
            if input.is_some_and(|input| input != browser::focused_id()) {
                self.feedback.try_update(|feedback| feedback.touch(path.clone()));
            }
        };
        set_timeout(report, LEFT);
    }

    /// Focuses the first field with a shown fault.
    pub fn focus_first_fault(self) {
        let Some(path) = self.first_fault() else { return };
        let id = input_id(self.drawn_as.get_value(), &path);
        self.wanted.set(Some(path));
        browser::after_drawing(move || {
            // A list has no input of its own, only a button.
            let _ = browser::focus(&id) || browser::focus(&format!("{id}-add"));
            browser::reveal(&format!("{id}-fault"));
        });
    }
}
