//! [`Reach`]: HTTP as the library has it, with every message [`lifted`] before the library reads it.

use std::collections::HashMap;
use std::sync::Arc;

use futures::StreamExt;
use http::{HeaderName, HeaderValue};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
    ServerResult,
};
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use rmcp_reqwest::redirect::Policy;
use rmcp_reqwest::{Client, Error, StatusCode};

use super::fault::innermost;
use super::output::Output;
use super::wire::{READABLE, lifted, log_line};

/// The longest answer that is read whole, in bytes: as much as the library takes.
const LONGEST: usize = 16 * 1024 * 1024;
/// How many times a request is redirected.
const MOST_REDIRECTS: usize = 10;
/// How the library says that an answer is no JSON which it reads; the reason follows.
const UNREAD: &str = "could not parse JSON response as ServerJsonRpcMessage: ";
/// How serde_json says that it stops.
const TOO_DEEP: &str = "recursion limit exceeded";

type Fault = StreamableHttpError<Error>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// Reaches one server.
#[derive(Clone)]
pub(super) struct Reach {
    client: Client,
    output: Output,
}

impl Reach {
    /// A client of the library's own making: no idle connections, and redirects that keep the
    /// message and stay with the server.
    pub(super) fn new(output: Output) -> Result<Self, Error> {
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

    fn lift(&self, message: &str) -> Option<String> {
        let lifted = lifted(message)?;
        lifted.told.iter().for_each(|told| self.output.log(told));
        Some(lifted.message)
    }

    fn lift_events(&self, events: BoxedSseResponse) -> BoxedSseResponse {
        let reach = self.clone();
        let lifted = events.map(move |event| {
            event.map(|mut event| {
                if let Some(told) = event.data.as_deref().and_then(log_line) {
                    reach.output.log(&told);
                    // Its id stays: the stream is taken up again from there.
                    event.data = None;
                } else if let Some(message) =
                    event.data.as_deref().and_then(|data| reach.lift(data))
                {
                    event.data = Some(message).filter(|message| !message.is_empty());
                }
                event
            })
        });
        lifted.boxed()
    }

    /// An answer that the library knew no name for, lifted.
    fn read_again(&self, answer: &ServerJsonRpcMessage) -> Option<ServerJsonRpcMessage> {
        let JsonRpcMessage::Response(response) = answer else { return None };
        if !matches!(response.result, ServerResult::CustomResult(_)) {
            return None;
        }
        serde_json::from_str(&self.lift(&serde_json::to_string(answer).ok()?)?).ok()
    }

    /// The answer that stands in the place of one that nobody can read, of which the library `told`.
    fn unread(&self, id: &RequestId, told: &str) -> StreamableHttpPostResponse {
        let reason = match told.split_once(UNREAD).filter(|_| !told.contains(TOO_DEEP)) {
            Some((_, why)) => format!("The server's answer cannot be read: {why}"),
            None => format!(
                "The server's answer is nested more than {READABLE} levels deep and cannot be read. \
                 Let the tool answer with a flatter value, or with its JSON as text."
            ),
        };
        self.output.log(&reason);
        let error = rmcp::ErrorData::new(rmcp::model::ErrorCode::INTERNAL_ERROR, reason, None);
        StreamableHttpPostResponse::Json(ServerJsonRpcMessage::error(error, Some(id.clone())), None)
    }

    /// Asks once more what the library could not read, and reads the answer lifted.
    async fn ask_again(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
        token: Option<&str>,
        headers: Headers,
    ) -> Option<StreamableHttpPostResponse> {
        let accepted = [EVENT_STREAM_MIME_TYPE, JSON_MIME_TYPE].join(", ");
        let body = serde_json::to_vec(message).ok()?;
        let mut request = self.client.post(uri).header(http::header::ACCEPT, accepted);
        request = request.header(http::header::CONTENT_TYPE, JSON_MIME_TYPE).body(body);
        if let Some(session) = session {
            request = request.header(HEADER_SESSION_ID, session);
        }
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let mut response = request.send().await.ok()?.error_for_status().ok()?;
        let mut text = Vec::new();
        while let Some(part) = response.chunk().await.ok()? {
            if text.len() + part.len() > LONGEST {
                return None;
            }
            text.extend_from_slice(&part);
        }
        let lifted = self.lift(std::str::from_utf8(&text).ok()?)?;
        let message: ServerJsonRpcMessage = serde_json::from_str(&lifted).ok()?;
        Some(StreamableHttpPostResponse::Json(message, None))
    }
}

impl StreamableHttpClient for Reach {
    type Error = Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Fault> {
        self.post_message_with_max_sse_event_size(uri, message, session, token, headers, LONGEST)
            .await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
        longest_event: usize,
    ) -> Result<StreamableHttpPostResponse, Fault> {
        let posted = self.client.post_message_with_max_sse_event_size(
            Arc::clone(&uri),
            message.clone(),
            session.clone(),
            token.clone(),
            headers.clone(),
            longest_event,
        );
        match posted.await {
            Ok(StreamableHttpPostResponse::Sse(events, session)) => {
                Ok(StreamableHttpPostResponse::Sse(self.lift_events(events), session))
            }
            Ok(StreamableHttpPostResponse::Json(answer, session)) => {
                let answer = self.read_again(&answer).unwrap_or(answer);
                Ok(StreamableHttpPostResponse::Json(answer, session))
            }
            Err(StreamableHttpError::UnexpectedServerResponse(told))
                if told.contains(TOO_DEEP) || told.contains(UNREAD) && !is_greeting(&message) =>
            {
                let JsonRpcMessage::Request(request) = &message else {
                    return Err(StreamableHttpError::UnexpectedServerResponse(told));
                };
                // A list may be asked for twice; a tool must not be called twice.
                let is_list = matches!(request.request, ClientRequest::ListToolsRequest(_));
                let again = match is_list {
                    true => {
                        self.ask_again(
                            &uri,
                            &message,
                            session.as_deref(),
                            token.as_deref(),
                            headers,
                        )
                        .await
                    }
                    false => None,
                };
                Ok(again.unwrap_or_else(|| self.unread(&request.id, &told)))
            }
            // The library's words for it leave out the cause.
            Err(StreamableHttpError::Client(error)) if is_greeting(&message) => {
                Err(StreamableHttpError::Io(std::io::Error::other(innermost(&error))))
            }
            posted => posted,
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), Fault> {
        self.client.delete_session(uri, session, token, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<BoxedSseResponse, Fault> {
        self.get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, LONGEST)
            .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
        longest_event: usize,
    ) -> Result<BoxedSseResponse, Fault> {
        let events = self.client.get_stream_with_max_sse_event_size(
            uri,
            session,
            last_event,
            token,
            headers,
            longest_event,
        );
        Ok(self.lift_events(events.await?))
    }
}

/// Whether the message is the first to a server, which may be no MCP server at all.
fn is_greeting(message: &ClientJsonRpcMessage) -> bool {
    matches!(
        message,
        JsonRpcMessage::Request(request)
            if matches!(request.request, ClientRequest::InitializeRequest(_))
    )
}
