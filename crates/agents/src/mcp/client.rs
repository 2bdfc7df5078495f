//! [`Client`]: handles the requests and notifications of one server, and passes them on to the session of
//! its connection.

#![expect(
    deprecated,
    reason = "sampling, roots and logging leave the protocol; servers use them all the same"
)]

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{Answer, Asks, CallProgressed, SampledMessage, SamplingRequest, SourceEvent};
use json_text::JsonText;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult,
    CustomRequest, CustomResult, ElicitRequestParams, ElicitResult, ElicitationAction, ErrorCode,
    ErrorData, Implementation, ListRootsResult, ProgressNotificationParam, ProgressToken,
    ProtocolVersion, Root, SamplingMessage, SamplingMessageContentBlock,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use session::{CallId, SessionId};
use tokio::sync::Notify;

use super::exact_numbers::marked;
use super::questions::Questions;
use super::server_log::ServerLog;
use super::{elicitation_schema, invalid_requests};
use crate::Reporter;
use crate::schemas;

/// The session that connections belong to.
pub(super) struct SessionLink {
    pub(super) session: SessionId,
    pub(super) reporter: Reporter,
    pub(super) questions: Questions,
    /// Notified when a server reports that its tools changed.
    pub(super) tools_changed: Notify,
    call: Mutex<Option<CallId>>,
}

impl SessionLink {
    pub(super) fn new(session: SessionId, reporter: Reporter) -> Self {
        Self {
            questions: Questions::new(session.clone(), reporter.clone()),
            session,
            reporter,
            tools_changed: Notify::new(),
            call: Mutex::default(),
        }
    }

    /// The call under way. A session has one at a time.
    pub(super) fn call(&self) -> Option<CallId> {
        self.call.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_call(&self, call: Option<CallId>) {
        *self.call.lock().unwrap_or_else(PoisonError::into_inner) = call;
    }

    /// Reports the progress of the call under way, if there is one.
    pub(super) fn progressed(
        &self,
        done: Option<f64>,
        total: Option<f64>,
        message: Option<String>,
    ) {
        let Some(call_id) = self.call() else { return };
        let session = self.session.clone();
        let progressed = CallProgressed { session, call_id, done, total, message };
        self.reporter.report(SourceEvent::Progress(progressed));
    }
}

/// The progress of the requests of one connection. Each connection has its own progress tokens.
#[derive(Default)]
pub(super) struct Requests {
    /// The progress tokens of requests that are over. A server that ignores a cancellation still sends
    /// progress, which must not count for the next call.
    ended: Mutex<HashSet<ProgressToken>>,
    /// The progress of the request under way, which only grows.
    furthest: Mutex<Option<(ProgressToken, f64)>>,
}

impl Requests {
    /// Ignores further progress with this token.
    pub(super) fn has_ended(&self, token: ProgressToken) {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).insert(token);
    }

    fn is_over(&self, token: &ProgressToken) -> bool {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).contains(token)
    }

    /// Whether no higher progress was reported for the request before.
    fn is_ahead(&self, token: &ProgressToken, done: f64) -> bool {
        let mut furthest = self.furthest.lock().unwrap_or_else(PoisonError::into_inner);
        let is_behind = furthest.as_ref().is_some_and(|(of, far)| of == token && done < *far);
        if !is_behind {
            *furthest = Some((token.clone(), done));
        }
        !is_behind
    }
}

/// Handles the requests of one server over one connection.
pub(super) struct Client {
    pub(super) server: String,
    pub(super) roots: Vec<PathBuf>,
    pub(super) output: ServerLog,
    pub(super) requests: Arc<Requests>,
    /// Absent while the agent is only listed, without a session.
    pub(super) link: Option<Arc<SessionLink>>,
}

impl Client {
    async fn ask(&self, asks: Asks) -> Answer {
        match &self.link {
            Some(link) => link.questions.ask(&self.server, link.call(), asks).await,
            None => Answer::Dismiss,
        }
    }

    /// Logs why a request is invalid, and returns the error for the server.
    fn reject(&self, method: &str, reason: String) -> ErrorData {
        self.output.log(&format!("sent an invalid request ({method}): {reason}."));
        ErrorData::invalid_params(reason, None)
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(
            capabilities(),
            Implementation::new("rehearsal", env!("CARGO_PKG_VERSION")),
        )
        // The library would offer a later version, which has no `initialize`.
        .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let asks = match request {
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
                let read = || JsonText::serialize(&requested_schema);
                let written =
                    elicitation_schema::schema_from_meta(&context.meta).map_or_else(read, Ok);
                let schema = written.map_err(|error| {
                    ErrorData::invalid_params(format!("the schema cannot be read: {error}"), None)
                })?;
                let fields = schema.to_value().unwrap_or_default();
                if let Some(reason) = invalid_requests::empty_choice(&fields) {
                    return Err(self.reject("elicitation/create", reason));
                }
                let declared = schema.clone();
                let unchecked =
                    schemas::run_blocking(move || schemas::left_unchecked(&declared)).await;
                Asks::Form { message, schema, unchecked }
            }
            ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
                Asks::Visit { message, url }
            }
            _ => return Ok(ElicitResult::new(ElicitationAction::Decline)),
        };
        Ok(match self.ask(asks).await {
            Answer::Accept(values) => {
                let accepted = ElicitResult::new(ElicitationAction::Accept);
                match values.and_then(|values| marked(&values).ok()) {
                    Some(values) => accepted.with_content(values),
                    None => accepted,
                }
            }
            Answer::Decline | Answer::Message(_) => ElicitResult::new(ElicitationAction::Decline),
            Answer::Dismiss => ElicitResult::new(ElicitationAction::Cancel),
        })
    }

    async fn create_message(
        &self,
        request: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        match self.ask(Asks::Message(sampling_request(&request))).await {
            Answer::Message(text) => {
                let message = SamplingMessage::assistant_text(text);
                // Servers record this name, so it shows that no model wrote the text.
                Ok(CreateMessageResult::new(message, "rehearsal-person".to_owned())
                    .with_stop_reason(CreateMessageResult::STOP_REASON_END_TURN))
            }
            // The protocol's code for a person who declines.
            _ => Err(ErrorData::new(
                ErrorCode(-1),
                "The person declined to respond in place of the model",
                None,
            )),
        }
    }

    /// Rejects requests that the library could not read or does not know.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, params, .. } = request;
        match invalid_requests::invalid_params(&method, params.as_ref()) {
            Some(reason) => Err(self.reject(&method, reason)),
            None => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None)),
        }
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        let roots = self.roots.iter().map(|folder| {
            let path = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
            let root = Root::new(file_url(&path));
            match path.file_name() {
                Some(name) => root.with_name(name.to_string_lossy()),
                None => root,
            }
        });
        Ok(ListRootsResult::new(roots.collect()))
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        if let Some(link) = &self.link
            && !self.requests.is_over(&progress.progress_token)
        {
            // Notifications are handled concurrently, so that this one may be late.
            if !self.requests.is_ahead(&progress.progress_token, progress.progress) {
                return;
            }
            let total = progress.total.filter(|total| *total > 0.0);
            link.progressed(Some(progress.progress), total, progress.message);
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        if let Some(link) = &self.link {
            link.tools_changed.notify_one();
        }
    }
}

/// The capabilities of this client.
fn capabilities() -> ClientCapabilities {
    // As JSON, because the builder is part of the library's server feature.
    let offered = serde_json::json!({
        "roots": {},
        "sampling": {},
        "elicitation": {"form": {}, "url": {}},
    });
    serde_json::from_value(offered).unwrap_or_default()
}

fn sampling_request(request: &CreateMessageRequestParams) -> SamplingRequest {
    let messages = request.messages.iter().map(|message| SampledMessage {
        role: serde_json::to_value(&message.role)
            .ok()
            .and_then(|role| role.as_str().map(str::to_owned))
            .unwrap_or_default(),
        text: text_alone(message),
        content: JsonText::serialize(&message.content).unwrap_or_else(|_| JsonText::null()),
    });
    let mut rest = serde_json::to_value(request).unwrap_or_default();
    if let Some(members) = rest.as_object_mut() {
        for shown in ["messages", "systemPrompt", "maxTokens", "_meta"] {
            members.remove(shown);
        }
    }
    SamplingRequest {
        system_prompt: request.system_prompt.clone(),
        messages: messages.collect(),
        max_tokens: request.max_tokens.into(),
        rest: JsonText::from_value(&rest),
    }
}

/// The message's text, if it has only text.
fn text_alone(message: &SamplingMessage) -> Option<String> {
    let parts = message.content.clone().into_vec();
    let texts: Option<Vec<String>> = parts
        .into_iter()
        .map(|part| match part {
            SamplingMessageContentBlock::Text(text) => Some(text.text),
            _ => None,
        })
        .collect();
    texts.map(|texts| texts.join("\n"))
}

/// A folder as a `file:` URL, percent-encoded.
fn file_url(path: &std::path::Path) -> String {
    let mut url = "file://".to_owned();
    for byte in path.to_string_lossy().replace('\\', "/").bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' | b':' => {
                url.push(char::from(byte));
            }
            other => url.push_str(&format!("%{other:02X}")),
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::file_url;

    #[test]
    fn converts_a_folder_to_a_url() {
        assert_eq!(file_url("/tmp/a b/é".as_ref()), "file:///tmp/a%20b/%C3%A9");
    }
}
