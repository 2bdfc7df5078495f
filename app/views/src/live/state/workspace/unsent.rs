//! Drafts that were not sent: of a request that is closed, and of a response that the host rejected.
//!
//! The form that the person types in stays as it is. What was not sent is offered above it until the person uses or
//! discards it; until then it is also in the browser's storage.

use api::{LiveEventKind, LiveTurnId};
use leptos::prelude::*;

use super::LiveWorkspace;
use crate::shared::keys::focus_panel;
use app::state::live_draft::{Draft, Side};
use app::state::value_form::ValueForm;

/// A response that the host rejected while the person already typed the next one, or whose request was closed.
#[derive(Clone)]
pub struct Rejected {
    /// Its turn.
    pub turn: LiveTurnId,
    /// What was to be sent.
    pub draft: Draft,
    /// Why it was not sent, in sentences.
    pub reason: String,
}

impl LiveWorkspace {
    /// Why the shown draft can no longer be sent; `None` while it can. Tracked.
    #[must_use]
    pub fn closing(self) -> Option<String> {
        let has_begun = self.draft.get().is_some_and(|draft| draft.is_begun.get());
        if !has_begun || self.ahead().is_some() {
            return None;
        }
        if self.is_ahead.get() {
            return self.is_completed().then(|| "The session is completed".to_owned());
        }
        let closed = self.turn.with(|turn| turn.as_ref()?.closed.clone());
        Some(match closed {
            None => "This request is closed".to_owned(),
            Some(row) => {
                let by = row.by.clone().unwrap_or_else(|| row.agent.clone());
                match row.what {
                    LiveEventKind::Cancelled { .. } => format!("{by} canceled this request"),
                    _ => format!("{by} responded first"),
                }
            }
        })
    }

    /// Whether the turn's response was rejected and is offered beside the form.
    pub(super) fn is_rejected(self, turn: &LiveTurnId) -> bool {
        self.rejected.read_untracked().iter().any(|it| it.turn == *turn)
    }

    /// Whether the turn waits for a response. Tracked.
    #[must_use]
    pub fn is_waiting(self, turn: &LiveTurnId) -> bool {
        self.summary.with(|it| it.iter().any(|it| it.waiting.iter().any(|it| it.turn == *turn)))
    }

    /// Offers a rejected response beside the form, which stays as it is.
    pub(super) fn set_aside(self, rejected: Rejected) {
        self.rejected.update(|all| {
            all.retain(|it| it.turn != rejected.turn);
            all.push(rejected);
        });
        self.show_head();
    }

    /// Shows a rejected response in the form again. What the form has now is kept for the next request.
    pub fn edit_rejected(self, turn: &LiveTurnId) {
        let Some(rejected) = self.take_rejected(turn) else { return };
        if self.shown.read_untracked().as_ref() == Some(turn) {
            self.show_draft(Some(rejected.draft));
        } else {
            self.shown.set(Some(turn.clone()));
        }
        focus_panel();
    }

    /// Adds a rejected response to what the form has.
    pub fn insert_rejected(self, turn: &LiveTurnId) {
        let (Some(rejected), Some(draft)) = (self.take_rejected(turn), self.draft.get_untracked())
        else {
            return;
        };
        untrack(|| self.add(draft, rejected.draft));
        self.live.drafts.forget(turn);
        self.touch();
        focus_panel();
    }

    /// Deletes a rejected response.
    pub fn discard_rejected(self, turn: &LiveTurnId) {
        if self.take_rejected(turn).is_none() {
            return;
        }
        self.live.drafts.forget(turn);
        // What was typed since is for this request, if that waits.
        if untrack(|| self.is_waiting(turn)) && self.shown.read_untracked().as_ref() == Some(turn) {
            let draft = self.live.drafts.adopt_next(&self.id.get_value(), turn);
            self.show_draft(Some(draft));
        }
        focus_panel();
    }

    /// Moves the draft of the shown turn, which is closed, to the response to the next request.
    pub fn move_to_next(self) {
        let (Some(turn), Some(left)) = (self.shown.get_untracked(), self.draft.get_untracked())
        else {
            return;
        };
        self.show_next_draft();
        if let Some(next) = self.draft.get_untracked() {
            untrack(|| self.add(next, left));
            next.touch();
        }
        self.live.drafts.forget(&turn);
        self.notice.set(None);
        self.show_head();
    }

    fn take_rejected(self, turn: &LiveTurnId) -> Option<Rejected> {
        self.rejected.try_update(|all| {
            let place = all.iter().position(|it| it.turn == *turn)?;
            Some(all.remove(place))
        })?
    }

    /// Whether everything of `from` can be added to the form: it has no other input at the same place. Tracked.
    #[must_use]
    pub fn takes(self, from: Draft) -> bool {
        let Some(to) = self.draft.get() else { return false };
        let forms = self.forms(to, from);
        let (has_text, has_value) = (!from.text.read().is_empty(), !from.value_text().is_empty());
        let takes_words = match self.output_schema() {
            Some(_) => !has_text,
            None => !has_value,
        };
        let is_offered = from.tool.read().is_none() || self.tool_of(from).is_some();
        takes_words
            && is_offered
            && forms.iter().all(|(to, from)| !to.is_edited() || !from.is_edited())
    }

    fn add(self, to: Draft, from: Draft) {
        to.add(from);
        if from.side.get() == Some(Side::Call) && from.tool.read().is_some() {
            to.tool.set(from.tool.get());
        }
        for tool in &self.offer.read().tools {
            if to.entered_args().contains_key(tool.name.as_str()) {
                to.refill(&tool.name, to.tool_form(tool));
            }
        }
        if let Some(schema) = self.output_schema() {
            to.refill_value(to.answer_form(&schema));
        }
    }

    /// The forms of both drafts for the same values, which the shown turn offers.
    fn forms(self, to: Draft, from: Draft) -> Vec<(ValueForm, ValueForm)> {
        let arguments = self.tool_of(from).map(|tool| (to.tool_form(&tool), from.tool_form(&tool)));
        let value =
            self.output_schema().map(|schema| (to.answer_form(&schema), from.answer_form(&schema)));
        arguments.into_iter().chain(value).collect()
    }

    /// The tool whose form `draft` shows, if the shown turn offers it. Tracked.
    fn tool_of(self, draft: Draft) -> Option<api::ToolView> {
        let name = draft.tool.get()?;
        self.offer.with(|offer| offer.tools.iter().find(|tool| tool.name.as_str() == name).cloned())
    }

    /// What `draft` says, as text: its words, its value and its calls, also the one that is not finished. Tracked.
    #[must_use]
    pub fn written(self, draft: Draft) -> String {
        let call = |name: &str, arguments: &str| format!("{name}({arguments})");
        let mut parts = vec![draft.text.get(), draft.value_text()];
        parts.extend(draft.calls.get().iter().map(|it| call(&it.name, it.args.as_str())));
        parts.extend(draft.entered_args().iter().map(|(name, args)| call(name, args)));
        parts.retain(|part| !part.trim().is_empty());
        parts.join("\n")
    }
}
