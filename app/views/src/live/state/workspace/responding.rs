//! Ending a turn: sends the checked response, cancels the turn or completes the session, and shows why
//! the host rejects it.

use api::{ApiError, FieldMessage, LiveCall, LivePlace, LiveResponse, LiveTarget, LiveTurnId};
use json_text::JsonText;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{FILTER, LiveWorkspace, NAME_FIELD};
use crate::live::state::turn::{Checked, left_out, response};
use app::server_functions::{
    cancel_live_turn, check_live_value, complete_live_session, respond_to_turn,
};
use app::state::browser;
use app::state::live_draft::{Draft, Side};
use app::state::value_form::ValueForm;

impl LiveWorkspace {
    /// Adds the call in the form to the response.
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

    /// Sends the response, with the call or the value in the form that is shown.
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
        let warning = untrack(|| self.unsent_input(draft));
        if let Some(warning) = warning.filter(|_| !draft.was_warned.get_value()) {
            draft.was_warned.set_value(true);
            self.notice.set(Some(warning));
            return;
        }
        self.notice.set(None);
        self.is_sending.set(true);
        let place = self.place(turn.clone());
        spawn_local(async move {
            // It is sent even when the person leaves the page meanwhile.
            if let Some((text, calls)) = self.collect(place.clone(), draft).await {
                let answer = LiveResponse {
                    place,
                    by,
                    // The host decides whether this page holds the lease: the response may be sent
                    // before the page learns that it does.
                    lease: Some(draft.lease.get_value()),
                    text,
                    calls,
                };
                match respond_to_turn(answer).await {
                    Ok(()) => self.after_sending(&turn),
                    Err(error) => self.show_error(&error),
                }
            }
            self.is_sending.try_set(false);
        });
    }

    /// The warning about input on the side that is not shown, which the response would leave out.
    /// Tracked.
    fn unsent_input(self, draft: Draft) -> Option<String> {
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

    /// The value of a form that the host accepts. Otherwise `None`, and its messages are shown at the
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
                form.show_messages(messages);
                None
            }
            Err(error) => {
                self.show_error(&error);
                None
            }
        }
    }

    fn after_sending(self, turn: &LiveTurnId) {
        self.live.drafts.forget(turn);
        if self.is_gone() {
            return;
        }
        self.announcement.set("Response sent.".to_owned());
        self.show_head();
    }

    /// Shows why the host rejected a request.
    pub(super) fn show_error(self, error: &ApiError) {
        let text = match error {
            ApiError::LiveClosed { .. } => {
                format!("{error} Your draft is kept.")
            }
            ApiError::LeaseHeld { holder }
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

    /// Cancels the shown turn: its agent gets no response.
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
                    self.show_head();
                }
                Err(error) => self.show_error(&error),
            }
        });
    }

    /// Completes the session, and cancels its pending turns.
    pub fn complete(self) {
        let Some(by) = self.live.name.get_untracked() else { return };
        let id = self.id.get_value();
        spawn_local(async move {
            match complete_live_session(id, true, by).await {
                Ok(()) => self.announcement.set("Session completed.".to_owned()),
                Err(error) => self.show_error(&error),
            }
        });
    }
}
