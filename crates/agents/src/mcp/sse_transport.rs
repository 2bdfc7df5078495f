//! [`SseTransport`]: HTTP with SSE, MCP's transport before streamable HTTP. The server sends all its
//! messages over one stream of events, whose first event names the address for the client's messages.

use std::collections::HashSet;

use futures::StreamExt;
use reqwest::Url;
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::http::{HttpClient, RequestHeaders, TransportError};
use super::http_fault::{HttpFault, innermost};
use super::rejected_response::TOO_LONG;
use super::server_log::ServerLog;
use super::sse_events::{is_same, is_too_long};

/// The event that names the address for the client's messages.
const ENDPOINT: &str = "endpoint";

/// A connection to one server.
pub(super) struct SseTransport {
    client: HttpClient,
    headers: RequestHeaders,
    output: ServerLog,
    endpoint: String,
    /// Absent once the connection is closed.
    events: Option<BoxedSseResponse>,
    /// The requests without a response.
    pending: HashSet<RequestId>,
    /// Those of them that get an error, because a message was too long. It may have been the response to any.
    rejected: Vec<RequestId>,
}

impl SseTransport {
    /// Opens the stream at `url` and waits for the address for messages.
    pub(super) async fn open(
        client: HttpClient,
        url: &str,
        headers: RequestHeaders,
        output: ServerLog,
    ) -> Result<Self, HttpFault> {
        let fault = |error: TransportError| match error {
            StreamableHttpError::Client(fault) => fault,
            error => HttpFault::Other(innermost(&error)),
        };
        let mut events = client.open_stream(url, &headers).await.map_err(fault)?;
        let endpoint = loop {
            match events.next().await {
                Some(Ok(event)) if event.event.as_deref() == Some(ENDPOINT) => {
                    break endpoint_of(url, &event.data.unwrap_or_default())?;
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(HttpFault::BrokenOff(innermost(&error))),
                None => return Err(HttpFault::NoEndpoint),
            }
        };
        let (pending, rejected) = (HashSet::new(), Vec::new());
        Ok(Self { client, headers, output, endpoint, events: Some(events), pending, rejected })
    }
}

impl Transport<RoleClient> for SseTransport {
    type Error = TransportError;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), TransportError>> + Send + 'static {
        if let ClientJsonRpcMessage::Request(request) = &message {
            self.pending.insert(request.id.clone());
        }
        let (client, headers) = (self.client.clone(), self.headers.clone());
        let endpoint = self.endpoint.clone();
        async move { client.post(&endpoint, &headers, &message).await }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(id) = self.rejected.pop() {
                let error = ErrorData::new(ErrorCode::INTERNAL_ERROR, TOO_LONG, None);
                return Some(ServerJsonRpcMessage::error(error, Some(id)));
            }
            let event = match self.events.as_mut()?.next().await? {
                Ok(event) => event,
                Err(error) if is_too_long(&error) => {
                    self.output.log(TOO_LONG);
                    // The next call connects again.
                    self.events = None;
                    self.rejected = self.pending.drain().collect();
                    continue;
                }
                Err(error) => {
                    self.output.log(&format!("Its event stream failed: {}.", innermost(&error)));
                    return None;
                }
            };
            let is_message = matches!(event.event.as_deref(), None | Some("" | "message"));
            let Some(data) = event.data.filter(|_| is_message) else { continue };
            match serde_json::from_str(&data) {
                Ok(message) => {
                    if let Some(id) = answered(&message) {
                        self.pending.retain(|pending| !is_same(id, pending));
                    }
                    return Some(message);
                }
                Err(error) => self.output.log(&format!("A message is skipped: {error}.")),
            }
        }
    }

    async fn close(&mut self) -> Result<(), TransportError> {
        self.events = None;
        Ok(())
    }
}

/// The id of the request that a message responds to.
fn answered(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ServerJsonRpcMessage::Response(response) => Some(&response.id),
        ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}

/// The address that the server names, which must be its own: messages may carry credentials.
fn endpoint_of(url: &str, named: &str) -> Result<String, HttpFault> {
    let other = |why: String| HttpFault::Other(why);
    let base = Url::parse(url).map_err(|error| other(error.to_string()))?;
    let endpoint = base.join(named).map_err(|error| {
        other(format!("the address `{named}` that it names for messages is invalid: {error}"))
    })?;
    if endpoint.origin() != base.origin() {
        return Err(other(format!("it names an address of another server for messages: {named}")));
    }
    Ok(endpoint.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_for_messages_is_the_servers_own() {
        let url = "http://127.0.0.1:3001/sse";
        let endpoint = endpoint_of(url, "/messages/?session_id=a").expect("valid");
        assert_eq!(endpoint, "http://127.0.0.1:3001/messages/?session_id=a");
        let fault = endpoint_of(url, "http://127.0.0.2:3001/messages").expect_err("foreign");
        assert!(fault.to_string().contains("of another server"), "{fault}");
    }
}
