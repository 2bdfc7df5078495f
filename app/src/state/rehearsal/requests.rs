//! The requests of a rehearsal to the host.

use api::{
    Answer, ApiError, ExportReceipt, ExportRequest, Restored, RestoredSession, SessionView,
    ToolRequest, ToolView, ValueTarget,
};
use futures::future::LocalBoxFuture;
use gloo_timers::future::TimeoutFuture;
use jiff::Timestamp;
use json_text::{JsonText, Node};
use leptos::prelude::*;
use leptos::task::spawn_local;
use session::{
    CallId, Effect, Event, Outcome, PendingPhase, SET_MODEL_RESPONSE, Session, SessionId,
    SessionState, ToolError, ToolName,
};

use super::{Export, Opening, Rehearsal, TextEntry};
use crate::state::browser;
use crate::state::live::known_name;
use crate::state::value_form::ValueForm;
use api::host::{
    act_as_agent, answer_question, begin_invocation, cancel_call, check_value, close_session,
    confirm_call, end_invocation, export_session, open_session, respond_as_agent, restore_session,
    start_call, supply_result,
};

/// How long the host may take to report that a call was canceled before the page settles it.
const CANCEL_PATIENCE_MS: u32 = 900;

/// How a session that has begun is opened. Function pointers, which are known once the code of a session is loaded,
/// so that the first page does not contain what they call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Restoring {
    opened: fn(Rehearsal) -> LocalBoxFuture<'static, Result<RestoredSession, ApiError>>,
    go_on: fn(Rehearsal, &RestoredSession),
}

impl Restoring {
    pub(super) const CODE: Self =
        Self { opened: |rehearsal| Box::pin(rehearsal.opened()), go_on: Rehearsal::go_on };
}

/// What the host has opened.
enum Opened {
    New(SessionView),
    Restored(RestoredSession),
}

impl Rehearsal {
    /// Opens the session on the host. If the host has lost it, restores it, and sends what the earlier host
    /// did not confirm.
    pub fn open(self) {
        self.fault.set(None);
        if self.opening.get_value() != Opening::No {
            self.opening.set_value(Opening::Again);
            return;
        }
        spawn_local(async move {
            loop {
                self.opening.set_value(Opening::Once);
                let id = self.session.read_untracked().id().clone();
                let opened = match self.restoring.get_value() {
                    Some(restoring) => (restoring.opened)(self).await.map(Opened::Restored),
                    None => self.opened_new().await.map(Opened::New),
                };
                if self.opening.get_value() == Opening::Again {
                    continue;
                }
                self.opening.set_value(Opening::No);
                // The person may have started over meanwhile.
                if *self.session.read_untracked().id() == id {
                    match (opened, self.restoring.get_value()) {
                        (Ok(Opened::Restored(opened)), Some(restoring)) => {
                            (restoring.go_on)(self, &opened);
                        }
                        (
                            Ok(Opened::Restored(RestoredSession { view, .. }) | Opened::New(view)),
                            _,
                        ) => {
                            self.see(view);
                            self.remember_for_restore();
                        }
                        (Err(error), _) => self.fault.set(Some(error)),
                    }
                }
                return;
            }
        });
    }

    async fn opened_new(self) -> Result<SessionView, ApiError> {
        let id = self.session.read_untracked().id().clone();
        open_session(id, self.agent(), self.initial_state()).await
    }

    async fn opened(self) -> Result<RestoredSession, ApiError> {
        let id = self.session.read_untracked().id().clone();
        let mut opened = match self.restore_request() {
            Some(request) => restore_session(request).await?,
            None => RestoredSession {
                view: self.opened_new().await?,
                restored: Restored::Nothing,
                was_open: true,
                calls: Vec::new(),
            },
        };
        if *self.session.read_untracked().id() != id {
            return Ok(opened);
        }
        let missing = self.missing_steps();
        if missing.first().is_some_and(|step| step.number == 0) {
            self.confirmed.update_value(|confirmed| confirmed.remember(&opened.view));
        }
        for step in missing {
            let content = step.content.clone();
            opened.view = match step.begins() {
                true => begin_invocation(id.clone(), content).await?,
                false => end_invocation(id.clone(), content).await?,
            };
            if *self.session.read_untracked().id() == id {
                self.confirm(step.number);
            }
        }
        Ok(opened)
    }

    /// Goes on in the session that the host has opened.
    fn go_on(self, opened: &RestoredSession) {
        let reopened = self.reopened.try_update_value(Option::take).flatten();
        if let Some(reopened) = &reopened {
            (reopened.before)(self, opened);
        }
        self.see(opened.view.clone());
        self.remember_for_restore();
        self.note_restart(opened.restored);
        self.compare_tools(&opened.view);
        if let Some(reopened) = reopened {
            (reopened.after)(self, reopened, opened);
        }
    }

    /// Closes the session on the host.
    pub(super) fn close(self) {
        let id = self.session.read_untracked().id().clone();
        spawn_local(async move {
            // The host closes it by itself after ten minutes.
            let _ = close_session(id).await;
        });
    }

    /// Checks the query and starts the session with it.
    pub fn ask(self, form: Option<ValueForm>) {
        if self.rejects_initial_state() {
            return;
        }
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

    /// The text that the person wrote. If it is empty, its field shows that and is focused.
    fn written(self, entry: TextEntry, id: &str) -> Option<String> {
        let text = entry.read();
        if text.is_none() {
            browser::focus(id);
        }
        text
    }

    /// Checks the arguments and calls the tool with them. Invalid arguments do not enter the
    /// history.
    pub fn run(self, tool: ToolName, form: ValueForm) {
        if !self.can_act() {
            return;
        }
        self.check_then(ValueTarget::Arguments(tool.clone()), form, move |arguments| {
            self.call(tool, &arguments);
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
                // The call's result becomes the final response, in `news`.
                match self.view.with_untracked(|view| response_call(view.as_ref()?, &value)) {
                    Some((tool_name, arguments)) => self.call(tool_name, &arguments),
                    None => self.give_response(&value),
                }
            }),
        }
    }

    /// Ends the session with a value as the final response.
    pub(super) fn give_response(self, value: &JsonText) {
        let content = value.compact().to_string();
        self.send(Event::Respond { content, at: browser::now() });
    }

    fn call(self, tool_name: ToolName, arguments: &JsonText) {
        let is_agent = self.view.with_untracked(|view| {
            let tool = view.as_ref()?.tools.iter().find(|tool| tool.name == tool_name);
            tool?.agent_model.as_ref().map(|_| true)
        });
        self.send(Event::CallTool {
            call_id: browser::new_call_id(),
            is_agent: is_agent.unwrap_or(false),
            tool_name,
            arguments: arguments.compact(),
            at: browser::now(),
        });
    }

    /// Whether the agent may act now; if not, the notice gives the reason.
    fn can_act(self) -> bool {
        let obstacle = obstacle(&self.session.read_untracked());
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
        then: impl FnOnce(JsonText) + 'static,
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
            if let Err(ApiError::UnknownSession(_)) = checked {
                let why = "The host closed this session because the host restarted or the page was inactive.";
                self.lose_session(why, why);
                checked = match self.opened().await {
                    Ok(opened) => {
                        self.go_on(&opened);
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
                Ok(messages) | Err(ApiError::Invalid(messages)) => {
                    form.show_messages(messages);
                    self.announce_faults(form);
                }
                Err(error) => self.notice.set(Some(error.to_string())),
            }
        });
    }

    fn announce_faults(self, form: ValueForm) {
        self.announcement.set(faults_summary(&untrack(|| form.faults())));
    }

    /// Answers an elicitation of an MCP server. Violations are shown in `form`.
    pub fn answer(self, number: u64, answer: Answer, form: Option<ValueForm>) {
        let session = self.session.read_untracked().id().clone();
        spawn_local(async move {
            match answer_question(session, number, answer).await {
                Ok(()) | Err(ApiError::QuestionGone) => self.withdrawn(number),
                Err(ApiError::Invalid(messages)) if form.is_some() => {
                    if let Some(form) = form {
                        form.show_messages(messages);
                    }
                }
                Err(error) => self.notice.set(Some(error.to_string())),
            }
        });
    }

    /// Cancels the pending call, if there is one.
    pub fn cancel(self) {
        let pending =
            self.session.read_untracked().pending().map(|pending| pending.call.call_id.clone());
        if let Some(call_id) = pending {
            self.send(Event::CancelCall { call_id });
        }
    }

    /// The session, for the host to export or to compare. Untracked.
    #[must_use]
    pub fn export_request(self) -> ExportRequest {
        let (session, history) = self.session.with_untracked(|it| (it.id().clone(), it.history()));
        let choices = untrack(|| self.export_choices());
        let state = self.initial_state();
        ExportRequest { session, agent: self.agent(), history, state, choices }
    }

    /// Writes the session into the agent's eval set.
    pub fn export(self) {
        if matches!(&*self.export.read_untracked(), Export::Writing) {
            return;
        }
        let request = self.export_request();
        let session = request.session.clone();
        self.export.set(Export::Writing);
        spawn_local(async move {
            let exported = export_session(request, known_name()).await;
            if *self.session.read_untracked().id() != session {
                return;
            }
            self.announcement.set(export_summary(&exported));
            self.export.set(match exported {
                Ok(receipt) => Export::Written(receipt),
                Err(error) => Export::Failed(error),
            });
        });
    }

    pub(super) fn carry_out(self, effect: Effect) {
        let session = self.session.read_untracked().id().clone();
        match effect {
            // The first message takes the initial state along as it is now.
            Effect::BeginInvocation { .. } if self.may_open_again() => self.open(),
            Effect::BeginInvocation { content } => {
                let number = self.last_step();
                spawn_local(async move {
                    let begun = begin_invocation(session.clone(), content).await;
                    self.take_step(&session, number, begun);
                });
            }
            Effect::RunTool { call_id, tool_name, arguments } => spawn_local(async move {
                let request =
                    ToolRequest { session, call_id: call_id.clone(), tool: tool_name, arguments };
                if let Err(error) = start_call(request).await {
                    self.settle_failed(&call_id, &error);
                }
            }),
            Effect::CancelTool { call_id } => {
                let asked = cancel_call(session, call_id.clone());
                // The host reports the end as news, so the response does not matter.
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
            Effect::ActAsAgent { call_id } => spawn_local(async move {
                if let Err(error) = act_as_agent(session, call_id.clone()).await {
                    self.settle_failed(&call_id, &error);
                }
            }),
            Effect::RespondAsAgent { call_id, content } => spawn_local(async move {
                if let Err(error) = respond_as_agent(session, call_id.clone(), content).await {
                    self.settle_failed(&call_id, &error);
                }
            }),
            Effect::SupplyResult { call_id, result } => spawn_local(async move {
                if let Err(error) = supply_result(session, call_id.clone(), result).await {
                    self.settle_failed(&call_id, &error);
                }
            }),
            Effect::EndInvocation { content } => {
                let number = self.last_step();
                spawn_local(async move {
                    let ended = end_invocation(session.clone(), content).await;
                    self.take_step(&session, number, ended);
                });
            }
        }
    }

    /// Takes the host's answer to a start or an end of a turn.
    fn take_step(self, session: &SessionId, number: usize, answer: Result<SessionView, ApiError>) {
        if self.session.read_untracked().id() != session {
            return;
        }
        match answer {
            Ok(view) => {
                self.confirm(number);
                self.see(view);
                self.remember_for_restore();
            }
            // Opening the session sends the step too.
            Err(ApiError::UnknownSession(_)) => {
                let why = "The host closed this session because the host restarted or the page was inactive.";
                self.lose_session(why, why);
                self.open();
            }
            Err(error) => self.notice.set(Some(error.to_string())),
        }
    }

    /// Whether the host may have the session with another initial state than the entered one.
    fn may_open_again(self) -> bool {
        let is_first = self.session.read_untracked().past_turns() == 0;
        let is_entered = self.entered_state.read_untracked().is_some();
        is_first && (is_entered || self.opening.get_value() != Opening::No)
    }

    /// Ends a call that the host rejected or did not receive.
    fn settle_failed(self, call_id: &CallId, error: &ApiError) {
        self.settle_locally(call_id, error_type(error), error.to_string());
    }

    fn settle_cancelled(self, call_id: &CallId) {
        let message = "The call was canceled. Its work may still finish in the background.";
        self.settle_locally(call_id, ToolError::CANCELLED, message.to_owned());
    }

    /// Ends a call without news from the host, unless it has ended.
    pub(super) fn settle_locally(self, call_id: &CallId, error_type: &str, message: String) {
        let running_ms = running_ms(&self.session.read_untracked(), call_id, browser::now());
        let Some(duration_ms) = running_ms else { return };
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

/// Whether `tool` is the tool with which google-adk has the model give a final response that has a
/// schema.
pub(super) fn gives_response(tool: &ToolView) -> bool {
    tool.name.as_str() == SET_MODEL_RESPONSE && tool.provided_by == "adk"
}

/// The call with which a model would give `value` as the final response; `None` if it would write it.
fn response_call(view: &SessionView, value: &JsonText) -> Option<(ToolName, JsonText)> {
    let tool = view.tools.iter().find(|tool| gives_response(tool))?;
    let parameters = names(tool.parameters.as_ref());
    // An object's members are parameters. Any other value has one parameter: `items` or `response`.
    let arguments = match parameters.as_slice() {
        [only] if parameters != names(view.output_schema.as_ref()) => {
            let name = JsonText::string(only);
            JsonText::parse(&format!("{{{name}:{value}}}")).ok()?
        }
        _ => value.clone(),
    };
    Some((tool.name.clone(), arguments))
}

/// The names of an object schema's properties.
fn names(schema: Option<&JsonText>) -> Vec<String> {
    let members = |value: &JsonText| -> Vec<(String, JsonText)> {
        match value.open() {
            Node::Object(members) => {
                members.into_iter().map(|(name, value)| (name, JsonText::from(value))).collect()
            }
            _ => Vec::new(),
        }
    };
    let found = schema.map(members).unwrap_or_default();
    let properties = found.into_iter().find(|(name, _)| name == "properties");
    let properties = properties.map(|(_, properties)| members(&properties)).unwrap_or_default();
    properties.into_iter().map(|(name, _)| name).collect()
}

/// Why the agent cannot act in `session` now.
fn obstacle(session: &Session) -> Option<String> {
    match (session.state(), session.busy_with()) {
        (SessionState::Active, None) => None,
        (SessionState::Active, Some(pending)) => Some(match &pending.phase {
            PendingPhase::AwaitingConfirmation { .. } | PendingPhase::AwaitingResult { .. } => {
                format!(
                    "{} is waiting for your input. One tool runs at a time. Respond to it in the history, or cancel it.",
                    pending.call.tool_name
                )
            }
            _ => format!(
                "{} is still running. One tool runs at a time. Wait for it or cancel it.",
                pending.call.tool_name
            ),
        }),
        (SessionState::Completed, _) => {
            Some("This session is completed. Continue it, or start over.".to_owned())
        }
        _ => Some("First write the user message.".to_owned()),
    }
}

/// The announcement that a form cannot be sent because of `faults`.
fn faults_summary(faults: &[String]) -> String {
    let first = faults.first().cloned().unwrap_or_default();
    match faults.len() {
        1 => format!("1 field needs attention: {first}"),
        count => format!("{count} fields need attention. First: {first}"),
    }
}

/// The announcement that an export has ended.
fn export_summary(exported: &Result<ExportReceipt, ApiError>) -> String {
    match exported {
        Ok(receipt) => format!("Exported as {} to {}.", receipt.eval_id, receipt.path),
        Err(error) => format!("Not exported: {error}"),
    }
}

/// The error type of a call that failed with `error` before the host ran it.
fn error_type(error: &ApiError) -> &'static str {
    match error {
        ApiError::Invalid(_) => ToolError::INVALID_ARGUMENTS,
        ApiError::AgentFaulted(_) => ToolError::WORKER_EXITED,
        _ => ToolError::HOST_UNREACHABLE,
    }
}

/// How long the call has been pending at `now`, in milliseconds; `None` when it is not pending.
fn running_ms(session: &Session, call_id: &CallId, now: Timestamp) -> Option<f64> {
    let call = &session.pending().filter(|pending| pending.call.call_id == *call_id)?.call;
    #[expect(clippy::cast_precision_loss, reason = "a call lasts less than 2^52 milliseconds")]
    let milliseconds = (now.as_millisecond() - call.timestamp.as_millisecond()) as f64;
    Some(milliseconds)
}

#[cfg(test)]
mod tests {
    use json_text::JsonText;
    use session::{AgentId, SessionId, step};

    use super::*;

    fn at(milliseconds: i64) -> Timestamp {
        Timestamp::from_millisecond(milliseconds).expect("the time is valid")
    }

    fn call_id() -> CallId {
        CallId::parse("c1").expect("the id is valid")
    }

    fn json(text: &str) -> JsonText {
        JsonText::parse(text).expect("the text is JSON")
    }

    fn after(session: &Session, event: Event) -> Session {
        step(session, event).expect("the event fits the session").0
    }

    fn begun() -> Session {
        let session = Session::new(SessionId::parse("s1").expect("the id is valid"));
        after(&session, Event::SelectAgent { agent: AgentId::from_display_name("home") })
    }

    fn active() -> Session {
        after(&begun(), Event::SubmitQuery { content: "Warm the hall.".to_owned(), at: at(1_000) })
    }

    fn calling() -> Session {
        let tool_name = ToolName::parse("heat").expect("the name is valid");
        let arguments = json("{}");
        after(
            &active(),
            Event::CallTool {
                call_id: call_id(),
                tool_name,
                arguments,
                is_agent: false,
                at: at(2_000),
            },
        )
    }

    #[test]
    fn the_agent_acts_after_the_query_while_no_call_is_pending() {
        assert_eq!(obstacle(&begun()).as_deref(), Some("First write the user message."));
        assert_eq!(obstacle(&active()), None);
        let running = "heat is still running. One tool runs at a time. Wait for it or cancel it.";
        assert_eq!(obstacle(&calling()).as_deref(), Some(running));
        let canceled = after(&calling(), Event::CancelCall { call_id: call_id() });
        assert_eq!(obstacle(&canceled).as_deref(), Some(running));
    }

    #[test]
    fn a_call_that_waits_for_the_person_is_an_obstacle() {
        let waits = "heat is waiting for your input. One tool runs at a time. Respond to it in the history, or cancel it.";
        let call_id = call_id();
        let hint = "Heat the hall.".to_owned();
        let confirmation = Event::AskConfirmation { call_id, hint, payload: None };
        assert_eq!(obstacle(&after(&calling(), confirmation)).as_deref(), Some(waits));
        let result = Event::AwaitResult { call_id: self::call_id(), first: None };
        assert_eq!(obstacle(&after(&calling(), result)).as_deref(), Some(waits));
    }

    #[test]
    fn a_completed_session_is_an_obstacle() {
        let ended = after(&active(), Event::Respond { content: "Done.".to_owned(), at: at(3_000) });
        let completed = "This session is completed. Continue it, or start over.";
        assert_eq!(obstacle(&ended).as_deref(), Some(completed));
    }

    fn view(parameters: &str, output: &str, provided_by: &str) -> SessionView {
        let text = format!(
            r#"{{"app_name": "a", "agent": {{"name": "a"}}, "instruction": "", "state": {{}},
            "output_schema": {output}, "tools": [{{"name": "set_model_response",
            "declaration": {{}}, "parameters": {parameters}, "provided_by": "{provided_by}"}}]}}"#
        );
        serde_json::from_str(&text).expect("a view")
    }

    #[test]
    fn a_response_with_a_schema_is_given_as_a_model_gives_it() {
        let object = r#"{"type": "object", "properties": {"summary": {"type": "string"}}}"#;
        let listed = r#"{"type": "object", "properties": {"items": {"type": "array"}}}"#;
        let given = |view: &SessionView, value: &str| {
            response_call(view, &json(value)).map(|(_, arguments)| arguments.to_string())
        };
        let value = r#"{"summary":"Warm."}"#;
        assert_eq!(given(&view(object, object, "adk"), value).as_deref(), Some(value));
        let items = given(&view(listed, r#"{"type": "array"}"#, "adk"), "[1.50]");
        assert_eq!(items.as_deref(), Some(r#"{"items":[1.50]}"#));
        assert_eq!(given(&view(object, object, "agent"), value), None, "the agent's own tool");
    }

    #[test]
    fn a_call_is_timed_while_it_is_pending() {
        assert_eq!(running_ms(&calling(), &call_id(), at(2_250)), Some(250.0));
        let other = CallId::parse("c2").expect("the id is valid");
        assert_eq!(running_ms(&calling(), &other, at(2_250)), None);
        assert_eq!(running_ms(&active(), &call_id(), at(2_250)), None);
    }

    #[test]
    fn a_call_that_the_host_did_not_run_has_the_type_of_the_error() {
        let invalid = ApiError::Invalid(Vec::new());
        assert_eq!(error_type(&invalid), ToolError::INVALID_ARGUMENTS);
        assert_eq!(error_type(&ApiError::UnknownFunction), ToolError::HOST_UNREACHABLE);
    }

    #[test]
    fn announcements_name_the_first_fault_and_the_file() {
        let faults = ["city: Required.".to_owned(), "days: Required.".to_owned()];
        assert_eq!(faults_summary(&faults[..1]), "1 field needs attention: city: Required.");
        assert_eq!(faults_summary(&faults), "2 fields need attention. First: city: Required.");
        let failed = export_summary(&Err(ApiError::UnknownFunction));
        assert_eq!(failed, format!("Not exported: {}", ApiError::UnknownFunction));
    }
}
