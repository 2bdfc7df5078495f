//! Ending a turn: what is sent, checked first, and what is said when it is refused; the turn cancelled,
//! the session completed.

use api::{ApiError, FieldMessage, LiveAnswer, LiveCall, LivePlace, LiveTarget, LiveTurnId};
use json_text::JsonText;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{FILTER, LiveWorkspace, NAME_FIELD};
use crate::live::state::turn::{Checked, left_out, response};
use app::server_functions::{
    answer_live_turn, cancel_live_turn, check_live_value, complete_live_session,
};
use app::state::browser;
use app::state::live_draft::{Draft, Side};
use app::state::value_form::ValueForm;

impl LiveWorkspace {
    /// Puts the call in the form among those of the answer.
    pub fn add_call(self) {
        let chosen = untrack(|| Some((self.draft.get()?, self.tool()?, self.shown.get()?)));
        let Some((draft, tool, turn)) = chosen else { return };
        let place = self.place(turn);
        let form = draft.tool_form(&tool);
        spawn_local(async move {
            let target = LiveTarget::Arguments(tool.name.to_string());
            if let Some(args) = self.checked(place, form, target).await {
                draft.add_call(&tool.name, args, form);
                if self.is_gone() {
                    return;
                }
                self.touch();
                self.announcement.set(format!("{} added to the response.", tool.name));
                browser::after_drawing(|| browser::focus(FILTER));
            }
        });
    }

    /// Sends what stands in the answer, with the call or the value in the form that is shown.
    pub fn send(self) {
        if self.is_sending.get_untracked() {
            return;
        }
        let (Some(draft), Some(turn)) = (self.draft.get_untracked(), self.shown.get_untracked())
        else {
            return;
        };
        let Some(by) = self.live.name.get_untracked() else {
            self.notice.set(Some("Enter your name. It is recorded with each response.".to_owned()));
            browser::focus(NAME_FIELD);
            return;
        };
        let left_behind = untrack(|| self.left_behind(draft));
        if let Some(what) = left_behind.filter(|_| !draft.was_warned.get_value()) {
            draft.was_warned.set_value(true);
            self.notice.set(Some(what));
            return;
        }
        self.notice.set(None);
        self.is_sending.set(true);
        let place = self.place(turn.clone());
        spawn_local(async move {
            // The person may leave the page meanwhile: what they sent is sent.
            if let Some((text, calls)) = self.collect(place.clone(), draft).await {
                let answer = LiveAnswer {
                    place,
                    by,
                    // Whether this page holds the turn is the host's to know: the answer may be on its
                    // way before the page has heard of it.
                    lease: Some(draft.lease.get_value()),
                    text,
                    calls,
                };
                match answer_live_turn(answer).await {
                    Ok(()) => self.was_sent(&turn),
                    Err(error) => self.was_refused(&error),
                }
            }
            self.is_sending.try_set(false);
        });
    }

    /// What was entered on the side that is not shown and would not go along, and what to do about it.
    /// Tracked.
    fn left_behind(self, draft: Draft) -> Option<String> {
        let side = self.side();
        let call = || self.tool().filter(|tool| draft.tool_form(tool).is_edited());
        let value = || self.output_schema().map(|schema| draft.answer_form(&schema));
        match side {
            Side::Text => left_out(side, call().as_ref().map(|tool| tool.name.as_str()), false),
            Side::Call => left_out(side, None, value().is_some_and(ValueForm::is_edited)),
        }
    }

    /// What would be sent; `None` when input is missing or invalid.
    async fn collect(
        self,
        place: LivePlace,
        draft: Draft,
    ) -> Option<(Option<String>, Vec<LiveCall>)> {
        let (calls, typed) = (draft.calls.get_untracked(), draft.text.get_untracked());
        let (side, tool, schema) = untrack(|| (self.side(), self.tool(), self.output_schema()));
        let checked = match (side, tool, schema) {
            (Side::Call, Some(tool), _) => {
                let form = draft.tool_form(&tool);
                let target = LiveTarget::Arguments(tool.name.to_string());
                let args = self.checked(place, form, target).await?;
                let id = draft.call_id.get_value();
                Checked::Call(LiveCall { id, name: tool.name.to_string(), args })
            }
            (Side::Text, _, Some(schema)) => {
                let form = draft.answer_form(&schema);
                let value = self.checked(place, form, LiveTarget::Output).await?;
                Checked::Value(value.as_str().to_owned())
            }
            _ => Checked::Nothing,
        };
        match response(side, typed, calls, checked) {
            Ok(response) => Some(response),
            Err(missing) => {
                self.notice.try_set(Some(missing.to_owned()));
                None
            }
        }
    }

    /// The value of a form once the host finds nothing wrong with it; what it finds stands at the
    /// fields.
    async fn checked(
        self,
        place: LivePlace,
        form: ValueForm,
        target: LiveTarget,
    ) -> Option<JsonText> {
        let value = form.read()?;
        let found: Result<Vec<FieldMessage>, ApiError> =
            check_live_value(place, target, value.clone()).await;
        match found {
            Ok(messages) if messages.is_empty() => Some(value),
            Ok(messages) => {
                form.tell(messages);
                None
            }
            Err(error) => {
                self.was_refused(&error);
                None
            }
        }
    }

    fn was_sent(self, turn: &LiveTurnId) {
        self.live.drafts.forget(turn);
        if self.is_gone() {
            return;
        }
        self.announcement.set("Response sent.".to_owned());
        self.go_on();
    }

    pub(super) fn was_refused(self, error: &ApiError) {
        let text = match error {
            ApiError::LiveClosed { .. } => {
                format!("{error} Your draft is kept.")
            }
            ApiError::LiveHeld { holder }
                if self.live.name.get_untracked().as_ref() == Some(holder) =>
            {
                format!("{holder} holds the lease in another window. Send from there, or hand over first.")
            }
            ApiError::Transport { .. } if self.connection.is_logged_out() => {
                "Not sent because you are logged out. Log in and send again. Your draft is kept."
                    .to_owned()
            }
            ApiError::Transport { .. } => {
                "Not sent because the host does not respond. Send again when it is back. Your draft is kept.".to_owned()
            }
            _ => error.to_string(),
        };
        self.notice.try_set(Some(text));
    }

    /// Sends the agent of the shown turn away.
    pub fn cancel(self, reason: String) {
        let (Some(turn), Some(by)) = (self.shown.get_untracked(), self.live.name.get_untracked())
        else {
            return;
        };
        let place = self.place(turn.clone());
        spawn_local(async move {
            match cancel_live_turn(place, reason, by).await {
                Ok(()) => {
                    self.live.drafts.forget(&turn);
                    if self.is_gone() {
                        return;
                    }
                    self.announcement.set("Turn canceled.".to_owned());
                    self.go_on();
                }
                Err(error) => self.was_refused(&error),
            }
        });
    }

    /// Ends the session, and with it every turn that waits.
    pub fn complete(self) {
        let Some(by) = self.live.name.get_untracked() else { return };
        let id = self.id.get_value();
        spawn_local(async move {
            match complete_live_session(id, true, by).await {
                Ok(()) => self.announcement.set("Session completed.".to_owned()),
                Err(error) => self.was_refused(&error),
            }
        });
    }
}
