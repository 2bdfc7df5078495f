//! [`HttpClient`]: the streamable HTTP client. It has every message [`rewritten`] before the library reads it,
//! because the library's own client cannot, and reports errors with status, kind and body.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use http::{HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Error, Method, RequestBuilder, Response, StatusCode};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_LAST_EVENT_ID, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};

use super::exact_numbers::restored;
use super::http_fault::{Answered, HttpFault, innermost};
use super::incoming::rewritten;
use super::rejected_response::TOO_LONG;
use super::server_log::ServerLog;
use super::sse_events::{LONGEST, PendingRequest, all_events, events, is_same};

/// How many times a request is redirected.
const MOST_REDIRECTS: usize = 10;
/// How much of the body of an error response is read, in bytes.
const ERROR_BODY: usize = 64 * 1024;
/// How long reading the body of an error response may take.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);
/// How much of a body is shown.
const SAMPLE_CHARACTERS: usize = 200;

pub(super) type TransportError = StreamableHttpError<HttpFault>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// Reaches one server.
#[derive(Clone)]
pub(super) struct HttpClient {
    client: Client,
    output: ServerLog,
}

/// The headers of a request, with its session and token.
#[derive(Clone)]
pub(super) struct RequestHeaders {
    pub(super) session: Option<Arc<str>>,
    pub(super) token: Option<String>,
    pub(super) headers: Headers,
}

impl RequestHeaders {
    fn has_credentials(&self) -> bool {
        self.token.is_some() || self.headers.contains_key(&AUTHORIZATION)
    }
}

impl HttpClient {
    /// A client like the library's own: no idle connections, and redirects that keep the message and
    /// stay with the server.
    pub(super) fn new(output: ServerLog) -> Result<Self, Error> {
        let same_server = Policy::custom(|attempt| {
            let keeps_body = matches!(
                attempt.status(),
                StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
            );
            let origin = attempt.previous().first().map(|url| url.origin());
            if !keeps_body || origin.is_none_or(|origin| origin != attempt.url().origin()) {
                attempt.stop()
            } else if attempt.previous().len() > MOST_REDIRECTS {
                attempt.error(format!("more than {MOST_REDIRECTS} redirects"))
            } else {
                attempt.follow()
            }
        });
        let client = Client::builder().pool_max_idle_per_host(0).redirect(same_server).build()?;
        Ok(Self { client, output })
    }

    async fn send(
        &self,
        method: Method,
        uri: &str,
        request_headers: &RequestHeaders,
        rest: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<Response, TransportError> {
        let mut request = self.client.request(method, uri);
        for (name, value) in &request_headers.headers {
            let is_ours = *name == ACCEPT
                || [HEADER_SESSION_ID, HEADER_LAST_EVENT_ID]
                    .iter()
                    .any(|ours| name.as_str().eq_ignore_ascii_case(ours));
            if is_ours {
                return Err(StreamableHttpError::ReservedHeaderConflict(name.to_string()));
            }
            request = request.header(name, value);
        }
        if let Some(session) = &request_headers.session {
            request = request.header(HEADER_SESSION_ID, session.as_ref());
        }
        if let Some(token) = &request_headers.token {
            request = request.bearer_auth(token);
        }
        rest(request).send().await.map_err(|error| {
            let why = innermost(&error);
            TransportError::Client(match error.is_connect() {
                true => HttpFault::Unreachable(why),
                false => HttpFault::BrokenOff(why),
            })
        })
    }

    /// Opens the event stream of a server that speaks HTTP with SSE.
    pub(super) async fn open_stream(
        &self,
        uri: &str,
        request_headers: &RequestHeaders,
    ) -> Result<BoxedSseResponse, TransportError> {
        let accept = |request: RequestBuilder| request.header(ACCEPT, EVENT_STREAM_MIME_TYPE);
        let response = self.send(Method::GET, uri, request_headers, accept).await?;
        if !response.status().is_success() {
            return Err(self.refusal(response, request_headers).await);
        }
        let kind = kind(&response);
        if !kind.starts_with(EVENT_STREAM_MIME_TYPE) {
            let sample = sample(&beginning(response, ERROR_BODY).await);
            return Err(TransportError::Client(HttpFault::Kind { kind: named(&kind), sample }));
        }
        Ok(all_events(response, self.output.clone()))
    }

    /// Posts a message whose response comes over the event stream.
    pub(super) async fn post(
        &self,
        uri: &str,
        request_headers: &RequestHeaders,
        message: &ClientJsonRpcMessage,
    ) -> Result<(), TransportError> {
        let body = restored(serde_json::to_string(message)?);
        let posted =
            |request: RequestBuilder| request.header(CONTENT_TYPE, JSON_MIME_TYPE).body(body);
        let response = self.send(Method::POST, uri, request_headers, posted).await?;
        match response.status().is_success() {
            true => Ok(()),
            false => Err(self.refusal(response, request_headers).await),
        }
    }

    /// The error of a response with an error status.
    async fn refusal(
        &self,
        response: Response,
        request_headers: &RequestHeaders,
    ) -> TransportError {
        match self.error_response(response, request_headers, None).await {
            Err(error) => error,
            Ok(_) => TransportError::Client(HttpFault::Unfinished),
        }
    }

    /// Reads the message from the body.
    async fn message(
        &self,
        mut response: Response,
        id: &RequestId,
    ) -> Result<ServerJsonRpcMessage, HttpFault> {
        let status = response.status();
        let mut body = Vec::new();
        loop {
            let broken = |error: Error| HttpFault::BrokenOff(innermost(&error));
            let Some(part) = response.chunk().await.map_err(broken)? else { break };
            if body.len() + part.len() > LONGEST {
                self.output.log(TOO_LONG);
                let error = ErrorData::new(ErrorCode::INTERNAL_ERROR, TOO_LONG, None);
                return Ok(ServerJsonRpcMessage::error(error, Some(id.clone())));
            }
            body.extend_from_slice(&part);
        }
        let text = String::from_utf8_lossy(&body);
        if text.trim().is_empty() {
            return Err(HttpFault::Nothing(status));
        }
        let no_message = |why: &str| HttpFault::NoMessage {
            why: why.trim_end_matches('.').to_owned(),
            sample: sample(&body),
        };
        let message = match rewritten(&text) {
            Some(rewritten) => {
                rewritten.notes.iter().for_each(|note| self.output.log(note));
                if rewritten.message.is_empty() {
                    let note = rewritten.notes.first().map_or("", String::as_str);
                    return Err(no_message(note.split_once(": ").map_or(note, |(_, why)| why)));
                }
                serde_json::from_str(&rewritten.message)
            }
            None => serde_json::from_str(&text),
        };
        match message.map_err(|_| no_message("it is not JSON-RPC"))? {
            JsonRpcMessage::Response(answer) if !is_same(&answer.id, id) => {
                Err(self.unmatched_response(answer.id))
            }
            JsonRpcMessage::Error(mut error) => match error.id.take() {
                Some(other) if !is_same(&other, id) => Err(self.unmatched_response(other)),
                _ => Ok(ServerJsonRpcMessage::error(error.error, Some(id.clone()))),
            },
            answer @ JsonRpcMessage::Response(_) => Ok(answer),
            _ => Err(no_message("it is not a response")),
        }
    }

    fn unmatched_response(&self, id: RequestId) -> HttpFault {
        let fault = HttpFault::Another(id);
        self.output.log(&fault.to_string());
        fault
    }

    /// Handles an error status: a JSON-RPC error for the request, or a fault.
    async fn error_response(
        &self,
        response: Response,
        request_headers: &RequestHeaders,
        asked: Option<&RequestId>,
    ) -> Result<StreamableHttpPostResponse, TransportError> {
        let status = response.status();
        if status == StatusCode::NOT_FOUND && request_headers.session.is_some() {
            return Err(StreamableHttpError::SessionExpired);
        }
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let retry_after = header(RETRY_AFTER).map(str::to_owned);
        let elsewhere = header(LOCATION).map(|location| format!("it redirects to {location}"));
        let is_json = kind(&response).starts_with(JSON_MIME_TYPE);
        let body = beginning(response, ERROR_BODY).await;
        let sample = elsewhere.unwrap_or_else(|| sample(&body));
        let answered = Answered { status, retry_after, sample };
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return Err(TransportError::Client(match request_headers.has_credentials() {
                true => HttpFault::NotAccepted(answered),
                false => HttpFault::Unauthorized(answered),
            }));
        }
        if let Some(id) = asked
            && is_json
            && let Ok(ServerJsonRpcMessage::Error(error)) = serde_json::from_slice(&body)
        {
            let message = ServerJsonRpcMessage::error(error.error, Some(id.clone()));
            return Ok(StreamableHttpPostResponse::Json(message, None));
        }
        Err(TransportError::Client(HttpFault::Refused(answered)))
    }

    async fn answer(
        &self,
        response: Response,
        request_headers: &RequestHeaders,
        message: &ClientJsonRpcMessage,
    ) -> Result<StreamableHttpPostResponse, TransportError> {
        let status = response.status();
        let asked = match message {
            JsonRpcMessage::Request(request) => Some(&request.id),
            _ => None,
        };
        if !status.is_success() {
            return self.error_response(response, request_headers, asked).await;
        }
        // Only requests get a response.
        let Some(id) = asked else { return Ok(StreamableHttpPostResponse::Accepted) };
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Err(TransportError::Client(HttpFault::Nothing(status)));
        }
        let session = response.headers().get(HEADER_SESSION_ID);
        let session = session.and_then(|it| it.to_str().ok()).map(str::to_owned);
        let kind = kind(&response);
        if kind.starts_with(EVENT_STREAM_MIME_TYPE) {
            // For `initialize` the library reads the stream only once.
            let resumes = !is_initialize(message);
            let asked = Some(PendingRequest { id: id.clone(), resumes });
            let events = events(response, self.output.clone(), asked);
            return Ok(StreamableHttpPostResponse::Sse(events, session));
        }
        if kind.starts_with(JSON_MIME_TYPE) {
            let message = self.message(response, id).await.map_err(TransportError::Client)?;
            return Ok(StreamableHttpPostResponse::Json(message, session));
        }
        let body = beginning(response, ERROR_BODY).await;
        Err(TransportError::Client(match body.is_empty() {
            true => HttpFault::Nothing(status),
            false => HttpFault::Kind { kind: named(&kind), sample: sample(&body) },
        }))
    }
}

impl StreamableHttpClient for HttpClient {
    type Error = HttpFault;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, TransportError> {
        let request_headers = RequestHeaders { session, token, headers };
        let body = restored(serde_json::to_string(&message)?);
        let accepted = [EVENT_STREAM_MIME_TYPE, JSON_MIME_TYPE].join(", ");
        let posted = self.send(Method::POST, &uri, &request_headers, |request| {
            request.header(ACCEPT, accepted).header(CONTENT_TYPE, JSON_MIME_TYPE).body(body)
        });
        let answer = match posted.await {
            Ok(response) => self.answer(response, &request_headers, &message).await,
            Err(fault) => Err(fault),
        };
        if let Err(TransportError::Client(fault)) = &answer
            && !matches!(message, JsonRpcMessage::Request(_))
        {
            // The library does not report it.
            self.output.log(&fault.to_string());
        }
        answer
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), TransportError> {
        let request_headers = RequestHeaders { session: Some(session), token, headers };
        // The status does not matter: the session is over for the client.
        self.send(Method::DELETE, &uri, &request_headers, |request| request).await.map(drop)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<BoxedSseResponse, TransportError> {
        let request_headers = RequestHeaders { session, token, headers };
        let accepted = [EVENT_STREAM_MIME_TYPE, JSON_MIME_TYPE].join(", ");
        let response = self
            .send(Method::GET, &uri, &request_headers, |request| {
                let request = request.header(ACCEPT, accepted);
                match last_event {
                    Some(event) => request.header(HEADER_LAST_EVENT_ID, event),
                    None => request,
                }
            })
            .await?;
        match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => {
                return Err(StreamableHttpError::ServerDoesNotSupportSse);
            }
            // For these errors the library does not retry.
            status @ (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => {
                let error = AuthRequiredError::new(status.to_string());
                return Err(StreamableHttpError::AuthRequired(error));
            }
            status if status.is_success() => {}
            status => {
                let (retry_after, sample) = (None, String::new());
                let answered = Answered { status, retry_after, sample };
                return Err(TransportError::Client(HttpFault::Refused(answered)));
            }
        }
        let kind = kind(&response);
        if !kind.starts_with(EVENT_STREAM_MIME_TYPE) && !kind.starts_with(JSON_MIME_TYPE) {
            return Err(StreamableHttpError::UnexpectedContentType(Some(kind)));
        }
        Ok(events(response, self.output.clone(), None))
    }
}

/// The content type; empty if there is none.
fn kind(response: &Response) -> String {
    let kind = response.headers().get(CONTENT_TYPE);
    kind.map(|kind| String::from_utf8_lossy(kind.as_bytes()).into_owned()).unwrap_or_default()
}

fn named(kind: &str) -> String {
    if kind.is_empty() { "no content type".to_owned() } else { format!("`{kind}`") }
}

/// The beginning of a body, as much as comes in time.
async fn beginning(mut response: Response, most: usize) -> Vec<u8> {
    let mut body = Vec::new();
    let reading = async {
        while let Ok(Some(part)) = response.chunk().await {
            body.extend_from_slice(&part);
            if body.len() >= most {
                return;
            }
        }
    };
    let _ = tokio::time::timeout(BODY_TIMEOUT, reading).await;
    body
}

/// The beginning of a body, in one line.
fn sample(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(&body[..body.len().min(8 * SAMPLE_CHARACTERS)]);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= SAMPLE_CHARACTERS {
        return line;
    }
    let cut: String = line.chars().take(SAMPLE_CHARACTERS).collect();
    format!("{cut}…")
}

/// Whether the message opens a session.
fn is_initialize(message: &ClientJsonRpcMessage) -> bool {
    matches!(
        message,
        JsonRpcMessage::Request(request)
            if matches!(request.request, ClientRequest::InitializeRequest(_))
    )
}
