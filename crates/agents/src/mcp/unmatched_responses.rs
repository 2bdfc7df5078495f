//! [`UnmatchedResponseLog`]: logs responses that match no request. The library drops them silently.

use std::borrow::Cow;
use std::collections::HashSet;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;

use super::server_log::ServerLog;
use super::sse_events::is_same;

/// A connection with the ids of its requests.
pub(super) struct UnmatchedResponseLog<T> {
    inner: T,
    output: ServerLog,
    asked: HashSet<RequestId>,
}

impl<T> UnmatchedResponseLog<T> {
    pub(super) fn new(inner: T, output: ServerLog) -> Self {
        Self { inner, output, asked: HashSet::new() }
    }

    fn look(&self, message: &ServerJsonRpcMessage) {
        let id = match message {
            JsonRpcMessage::Response(response) => &response.id,
            JsonRpcMessage::Error(error) => match &error.id {
                Some(id) => id,
                None => {
                    let error = &error.error;
                    self.output.log(&format!(
                        "sent an error without a request id: {} (code {})",
                        error.message, error.code.0
                    ));
                    return;
                }
            },
            _ => return,
        };
        if !self.asked.contains(id) && !self.asked.iter().any(|asked| is_same(id, asked)) {
            self.output.log(&format!("sent a response with the unknown request id {id}."));
        }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for UnmatchedResponseLog<T> {
    type Error = T::Error;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &message {
            self.asked.insert(request.id.clone());
        }
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        let message = self.inner.receive().await?;
        self.look(&message);
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
