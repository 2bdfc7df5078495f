//! The requests of a rehearsal to the host.

use api::{Answer, ApiError, ExportRequest, SessionView, ToolRequest, ValueTarget};
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use session::{CallId, Effect, Event, Outcome, PendingPhase, SessionState, ToolError, ToolName};

use super::{Export, Rehearsal, TextEntry};
use crate::server_functions::{
    answer_question, begin_invocation, cancel_call, check_value, close_session, confirm_call,
    end_invocation, export_session, open_session, start_call, supply_result,
};
use crate::state::browser;
use crate::state::live::known_name;
use crate::state::value_form::ValueForm;

/// How long the host may take to report that a call was canceled before the page settles it.
const CANCEL_PATIENCE_MS: u32 = 900;

impl Rehearsal {
    /// Opens the session on the host and sends it the query, if there is one: the host may be another
    /// than before.
    pub fn open(self) {
        self.fault.set(None);
        spawn_local(async move {
            let id = self.session.read_untracked().id().clone();
            let opened = self.opened().await;
            // The person may have started over meanwhile.
            if *self.session.read_untracked().id() == id {
                match opened {
                    Ok(view) => self.see(view),
                    Err(error) => self.fault.set(Some(error)),
                }
            }
        });
    }

    async fn opened(self) -> Result<SessionView, ApiError> {
        let id = self.session.read_untracked().id().clone();
        let query = self.session.read_untracked().query().map(|query| query.content.clone());
        let view = open_session(id.clone(), self.agent()).await?;
        match query {
            Some(content) => begin_invocation(id, content).await,
            None => Ok(view),
        }
    }

    /// Ends the host's share of the session.
    pub(super) fn close(self) {
        let id = self.session.read_untracked().id().clone();
        spawn_local(async move {
            // The host forgets it by itself in ten minutes.
            let _ = close_session(id).await;
        });
    }

    /// Checks the query and starts the session with it.
    pub fn ask(self, form: Option<ValueForm>) {
        match form {
            None => {
                if let Some(content) = self.written(self.forms.query, "query") {
                    self.send(Event::SubmitQuery { content, at: browser::now() });
                }
            }
            Some(form) => self.check_then(ValueTarget::Input, form, move |value| {
                let content = value.compact().to_string();
                self.send(Event::SubmitQuery { content, at: browser::now() });
            }),
        }
    }

    /// What the person wrote. When that is nothing, its field says so and has the focus.
    fn written(self, entry: TextEntry, id: &str) -> Option<String> {
        let text = entry.read();
        if text.is_none() {
            browser::focus(id);
        }
        text
    }

    /// Checks the arguments and calls the tool with them. Nothing is entered in the history before
    /// they are valid.
    pub fn run(self, tool: ToolName, form: ValueForm) {
        if !self.can_act() {
            return;
        }
        self.check_then(ValueTarget::Arguments(tool.clone()), form, move |arguments| {
            self.send(Event::CallTool {
                call_id: browser::new_call_id(),
                tool_name: tool,
                arguments: arguments.compact(),
                at: browser::now(),
            });
        });
    }

    /// Checks the final response and ends the session with it.
    pub fn respond(self, form: Option<ValueForm>) {
        if !self.can_act() {
            return;
        }
        match form {
            None => {
                if let Some(content) = self.written(self.forms.response, "response") {
                    self.send(Event::Respond { content, at: browser::now() });
                }
            }
            Some(form) => self.check_then(ValueTarget::Output, form, move |value| {
                let content = value.compact().to_string();
                self.send(Event::Respond { content, at: browser::now() });
            }),
        }
    }

    /// Whether the agent may act now; if not, the notice says why.
    fn can_act(self) -> bool {
        let session = self.session.read_untracked();
        let obstacle = match (session.state(), session.pending()) {
            (SessionState::Active, None) => None,
            (SessionState::Active, Some(pending)) => Some(match &pending.phase {
                PendingPhase::AwaitingConfirmation { .. } | PendingPhase::AwaitingResult { .. } => {
                    format!(
                        "{} waits for your input. One tool runs at a time. Respond to it in the history, or cancel it.",
                        pending.call.tool_name
                    )
                }
                _ => format!(
                    "{} is still running. One tool runs at a time. Wait for it or cancel it.",
                    pending.call.tool_name
                ),
            }),
            (SessionState::Completed, _) => Some("This session has ended. Start over.".to_owned()),
            _ => Some("First write the user message.".to_owned()),
        };
        drop(session);
        let can = obstacle.is_none();
        if !can {
            self.notice.set(obstacle);
        }
        can
    }

    fn check_then(
        self,
        target: ValueTarget,
        form: ValueForm,
        then: impl FnOnce(json_text::JsonText) + 'static,
    ) {
        if self.checking.get_untracked() {
            return;
        }
        let Some(value) = form.read() else {
            self.announce_faults(form);
            return;
        };
        self.checking.set(true);
        self.notice.set(None);
        spawn_local(async move {
            let id = self.session.read_untracked().id().clone();
            let mut checked = check_value(id.clone(), target.clone(), value.clone()).await;
            if let Err(ApiError::UnknownSession { .. }) = checked {
                // The host opens the session again, in its initial state.
                checked = match self.opened().await {
                    Ok(view) => {
                        self.note_restart("The host closed this session because it was inactive.");
                        self.see(view);
                        check_value(id.clone(), target, value.clone()).await
                    }
                    Err(error) => Err(error),
                };
            }
            if *self.session.read_untracked().id() != id {
                return;
            }
            self.checking.set(false);
            match checked {
                Ok(messages) if messages.is_empty() => then(value),
                Ok(messages) | Err(ApiError::Invalid { messages }) => {
                    form.tell(messages);
                    self.announce_faults(form);
                }
                Err(error) => self.notice.set(Some(error.to_string())),
            }
        });
    }

    fn announce_faults(self, form: ValueForm) {
        let faults = untrack(|| form.faults());
        let first = faults.first().cloned().unwrap_or_default();
        self.announcement.set(match faults.len() {
            1 => format!("1 field needs attention: {first}"),
            count => format!("{count} fields need attention. First: {first}"),
        });
    }

    /// Answers an elicitation of an MCP server. Violations are shown in `form`.
    pub fn answer(self, number: u64, answer: Answer, form: Option<ValueForm>) {
        let session = self.session.read_untracked().id().clone();
        spawn_local(async move {
            match answer_question(session, number, answer).await {
                Ok(()) | Err(ApiError::QuestionGone) => self.withdrawn(number),
                Err(ApiError::Invalid { messages }) if form.is_some() => {
                    if let Some(form) = form {
                        form.tell(messages);
                    }
                }
                Err(error) => self.notice.set(Some(error.to_string())),
            }
        });
    }

    /// Cancels the call that is under way, if there is one.
    pub fn cancel(self) {
        let pending =
            self.session.read_untracked().pending().map(|pending| pending.call.call_id.clone());
        if let Some(call_id) = pending {
            self.send(Event::CancelCall { call_id });
        }
    }

    /// What was played, for the host to export or to compare. Untracked.
    #[must_use]
    pub fn performance(self) -> ExportRequest {
        let (session, history) = self.session.with_untracked(|it| (it.id().clone(), it.history()));
        ExportRequest { session, agent: self.agent(), history }
    }

    /// Writes the session into the agent's eval set.
    pub fn export(self) {
        if matches!(&*self.export.read_untracked(), Export::Writing) {
            return;
        }
        let request = self.performance();
        let session = request.session.clone();
        self.export.set(Export::Writing);
        spawn_local(async move {
            let exported = export_session(request, known_name()).await;
            if *self.session.read_untracked().id() != session {
                return;
            }
            self.announcement.set(match &exported {
                Ok(receipt) => format!("Exported as {} to {}.", receipt.eval_id, receipt.path),
                Err(error) => format!("Not exported: {error}"),
            });
            self.export.set(match exported {
                Ok(receipt) => Export::Written(receipt),
                Err(error) => Export::Failed(error),
            });
        });
    }

    pub(super) fn carry_out(self, effect: Effect) {
        let session = self.session.read_untracked().id().clone();
        match effect {
            Effect::BeginInvocation { content } => spawn_local(async move {
                match begin_invocation(session.clone(), content).await {
                    Ok(view) if *self.session.read_untracked().id() == session => {
                        self.see(view);
                    }
                    Ok(_) => {}
                    // Opening it again sends the query too.
                    Err(ApiError::UnknownSession { .. }) => self.open(),
                    Err(error) => self.notice.set(Some(error.to_string())),
                }
            }),
            Effect::RunTool { call_id, tool_name, arguments } => spawn_local(async move {
                let request =
                    ToolRequest { session, call_id: call_id.clone(), tool: tool_name, arguments };
                if let Err(error) = start_call(request).await {
                    self.settle_failed(&call_id, &error);
                }
            }),
            Effect::CancelTool { call_id } => {
                let asked = cancel_call(session, call_id.clone());
                // The host sends the end as news; the response, if any, does not matter.
                spawn_local(async move { drop(asked.await) });
                spawn_local(async move {
                    TimeoutFuture::new(CANCEL_PATIENCE_MS).await;
                    self.settle_cancelled(&call_id);
                });
            }
            Effect::ConfirmTool { call_id, confirmed, payload } => spawn_local(async move {
                if let Err(error) = confirm_call(session, call_id.clone(), confirmed, payload).await
                {
                    self.settle_failed(&call_id, &error);
                }
            }),
            Effect::SupplyResult { call_id, result } => spawn_local(async move {
                if let Err(error) = supply_result(session, call_id.clone(), result).await {
                    self.settle_failed(&call_id, &error);
                }
            }),
            Effect::EndInvocation { content } => spawn_local(async move {
                match end_invocation(session.clone(), content).await {
                    Ok(view) if *self.session.read_untracked().id() == session => self.see(view),
                    // A host that knows the session no longer has nothing that could end.
                    Ok(_) | Err(ApiError::UnknownSession { .. }) => {}
                    Err(error) => self.notice.set(Some(error.to_string())),
                }
            }),
        }
    }

    /// Ends a call that the host could not take.
    fn settle_failed(self, call_id: &CallId, error: &ApiError) {
        let error_type = match error {
            ApiError::Invalid { .. } => ToolError::INVALID_ARGUMENTS,
            ApiError::AgentFaulted { .. } => ToolError::WORKER_EXITED,
            _ => ToolError::HOST_UNREACHABLE,
        };
        self.settle_locally(call_id, error_type, error.to_string());
    }

    fn settle_cancelled(self, call_id: &CallId) {
        let message = "The call was canceled. Its work may still finish in the background.";
        self.settle_locally(call_id, ToolError::CANCELLED, message.to_owned());
    }

    /// Ends a call without news from the host, unless it has ended.
    pub(super) fn settle_locally(self, call_id: &CallId, error_type: &str, message: String) {
        let started = self.session.read_untracked().pending().and_then(|pending| {
            (pending.call.call_id == *call_id).then_some(pending.call.timestamp)
        });
        let Some(started) = started else { return };
        let at = browser::now();
        #[expect(clippy::cast_precision_loss, reason = "a call lasts less than 2^52 milliseconds")]
        let duration_ms = (at.as_millisecond() - started.as_millisecond()) as f64;
        self.settle(
            call_id.clone(),
            Outcome::Error {
                error_type: error_type.to_owned(),
                error_message: message,
                traceback: None,
            },
            duration_ms,
        );
    }
}
