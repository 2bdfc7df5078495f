//! Ending a turn: sends the checked response, cancels the turn or completes the session, and shows why
//! the host rejects it.

use api::{ApiError, FieldMessage, LiveCall, LivePlace, LiveResponse, LiveTarget, LiveTurnId};
use json_text::JsonText;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{FILTER, LiveWorkspace, NAME_FIELD, Rejected};
use crate::live::state::turn::{Checked, left_out, response};
use crate::shared::keys::focus_panel;
use api::host::{
    cancel_live_turn, check_live_value, complete_live_session, delete_live_session, respond_to_turn,
};
use app::state::browser;
use app::state::live_draft::{Draft, Side};
use app::state::value_form::ValueForm;

/// A response as it is filled in.
struct FilledIn {
    text: Option<String>,
    calls: Vec<LiveCall>,
    /// The form whose value it contains.
    value: Option<FormValue>,
}

/// The value of a form, which the host has not checked yet.
#[derive(Clone)]
struct FormValue {
    form: ValueForm,
    target: LiveTarget,
    value: JsonText,
}

/// Why a response was not sent.
enum Rejection {
    /// The value of this form is invalid.
    Invalid(ValueForm, Vec<FieldMessage>),
    /// The host rejects the response, or does not respond.
    Error(ApiError),
}

impl LiveWorkspace {
    /// Adds the call in the form to the response.
    pub fn add_call(self) {
        let chosen = untrack(|| Some((self.draft.get()?, self.tool()?, self.shown.get()?)));
        let Some((draft, tool, turn)) = chosen else { return };
        let place = self.place(turn);
        let form = draft.tool_form(&tool);
        let Some(value) = form.read() else { return };
        let target = LiveTarget::Arguments(tool.name.to_string());
        let call = FormValue { form, target, value };
        spawn_local(async move {
            match check(place, call.clone()).await {
                Ok(()) => {
                    draft.add_call(&tool.name, call.value, form);
                    if self.is_gone() {
                        return;
                    }
                    self.touch();
                    self.announcement.set(format!("{} added to the response.", tool.name));
                    browser::after_drawing(|| browser::focus(FILTER));
                }
                Err(Rejection::Invalid(form, messages)) => form.show_messages(messages),
                Err(Rejection::Error(error)) => self.show_error(&error),
            }
        });
    }

    /// Sends the response, with the call or the value in the form that is shown. What the person
    /// types from now on is for the next request.
    pub fn send(self) {
        let (Some(draft), Some(turn)) = (self.draft.get_untracked(), self.shown.get_untracked())
        else {
            return;
        };
        if let Some(closing) = untrack(|| self.closing()) {
            let notice = format!(
                "Not sent. {closing}. Move your draft to the next response, or discard it."
            );
            self.notice.set(Some(notice));
            return;
        }
        // Nobody responds to a request that they have not seen.
        if self.is_ahead.get_untracked() || self.turn.read_untracked().is_none() {
            if draft.is_begun.get_untracked() {
                let notice = if self.is_rejected(&turn) {
                    "Not sent, because your response to this request was rejected. Edit or discard that first."
                } else {
                    "Not sent, because no request is pending. Your input is kept for the next one."
                };
                self.notice.set(Some(notice.to_owned()));
            }
            return;
        }
        if self.is_sending.get_untracked() {
            return;
        }
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
        let filled_in = untrack(|| self.filled_in(draft));
        let Some(FilledIn { text, calls, value }) = filled_in else { return };
        self.is_sending.set(true);
        self.show_next_draft();
        let place = self.place(turn);
        let response = LiveResponse {
            place: place.clone(),
            by,
            // The host decides whether this page holds the lease: the response may be sent before the
            // page learns that it does.
            lease: Some(draft.lease.get_value()),
            text,
            calls,
        };
        spawn_local(async move {
            // It is sent even when the person leaves the page meanwhile.
            let checked = match value {
                Some(value) => check(place.clone(), value).await,
                None => Ok(()),
            };
            let sent = match checked {
                Ok(()) => respond_to_turn(response).await.map_err(Rejection::Error),
                Err(rejection) => Err(rejection),
            };
            match sent {
                Ok(()) => self.after_sending(&place.turn),
                Err(rejection) => self.after_rejection(&place.turn, draft, rejection),
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

    /// What would be sent; `None` when input is missing or invalid. Tracked.
    fn filled_in(self, draft: Draft) -> Option<FilledIn> {
        let (calls, typed) = (draft.calls.get(), draft.text.get());
        let side = self.side();
        let (checked, value) = match (side, self.tool(), self.output_schema()) {
            (Side::Call, Some(tool), _) => {
                let form = draft.tool_form(&tool);
                let value = form.read()?;
                let (id, name) = (draft.call_id.get_value(), tool.name.to_string());
                let call = LiveCall { id, name: name.clone(), args: value.clone() };
                let target = LiveTarget::Arguments(name);
                (Checked::Call(call), Some(FormValue { form, target, value }))
            }
            (Side::Text, _, Some(schema)) => {
                let form = draft.answer_form(&schema);
                let value = form.read()?;
                let text = value.as_str().to_owned();
                let target = LiveTarget::Output;
                (Checked::Value(text), Some(FormValue { form, target, value }))
            }
            _ => (Checked::Nothing, None),
        };
        match response(side, typed, calls, checked) {
            Ok((text, calls)) => Some(FilledIn { text, calls, value }),
            Err(missing) => {
                self.notice.set(Some(missing.to_owned()));
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
        self.go_on(turn);
    }

    /// Shows the draft again, and why it was not sent. If its request is closed or the person has typed
    /// since, the form stays as it is, and the draft is offered beside it.
    fn after_rejection(self, turn: &LiveTurnId, draft: Draft, rejection: Rejection) {
        if self.is_gone() {
            return;
        }
        let is_closed = matches!(rejection, Rejection::Error(ApiError::LiveClosed { .. }));
        if is_closed || self.is_typed_in() {
            let reason = match &rejection {
                Rejection::Invalid(..) => "The host found invalid input.".to_owned(),
                Rejection::Error(error) => self.explained(error),
            };
            if let Rejection::Invalid(form, messages) = rejection {
                form.show_messages(messages);
            }
            self.set_aside(Rejected { turn: turn.clone(), draft, reason });
            return;
        }
        if self.shown.read_untracked().as_ref() == Some(turn) {
            self.show_draft(Some(draft));
        }
        match rejection {
            Rejection::Invalid(form, messages) => form.show_messages(messages),
            Rejection::Error(error) => {
                self.show_error(&error);
                focus_panel();
            }
        }
    }

    /// Shows why the host rejected a request.
    pub(super) fn show_error(self, error: &ApiError) {
        self.notice.try_set(Some(self.explained(error)));
    }

    /// Why the host rejected a request, and what to do.
    fn explained(self, error: &ApiError) -> String {
        match error {
            ApiError::LiveClosed { .. } => {
                format!("{error} Your draft is kept.")
            }
            ApiError::LeaseHeld(holder)
                if self.live.name.get_untracked().as_ref() == Some(holder) =>
            {
                format!("{holder} holds the lease in another window. Send from there, or hand over first.")
            }
            ApiError::Transport(_) if self.connection.is_logged_out() => {
                "Not sent because you are logged out. Log in and send again. Your draft is kept."
                    .to_owned()
            }
            ApiError::Transport(_) => {
                "Not sent because the host does not respond. Send again when it is back. Your draft is kept.".to_owned()
            }
            _ => error.to_string(),
        }
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
                    self.announcement.set("Request canceled.".to_owned());
                    self.show_next_draft();
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

    /// Deletes the session, and goes to the list.
    pub fn delete(self) {
        let Some(by) = self.live.name.get_untracked() else { return };
        let id = self.id.get_value();
        spawn_local(async move {
            match delete_live_session(id, by).await {
                Ok(()) if self.is_gone() => {}
                Ok(()) => self.navigate.with_value(|navigate| navigate("/live".to_owned(), false)),
                Err(error) => self.show_error(&error),
            }
        });
    }
}

/// Has the host check the value of a form.
async fn check(place: LivePlace, value: FormValue) -> Result<(), Rejection> {
    let FormValue { form, target, value } = value;
    match check_live_value(place, target, value).await {
        Ok(messages) if messages.is_empty() => Ok(()),
        Ok(messages) => Err(Rejection::Invalid(form, messages)),
        Err(error) => Err(Rejection::Error(error)),
    }
}
