//! Reads the resources that the results of tools link to: `resources/read`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::ServiceError;
use rmcp::model::{
    ClientRequest, ErrorCode, ReadResourceRequestParams, Request, ResourceContents, ServerResult,
};
use rmcp::service::PeerRequestOptions;
use session::ToolName;

use super::call::no_such_tool;
use super::fault::CallFault;
use super::open_session::OpenSession;
use super::rejected_response::TOO_LONG;
use super::tools::Listed;
use crate::ResourceContent;

impl OpenSession {
    /// Reads a resource of the server that has `tool`.
    ///
    /// # Errors
    /// What happened and what to do.
    pub(super) async fn read_resource(
        &self,
        tool: &ToolName,
        uri: &str,
    ) -> Result<Vec<ResourceContent>, String> {
        let catalog = self.catalog();
        let listed = catalog.find(tool).ok_or_else(|| no_such_tool(tool).message)?;
        let reached = self.reached(listed).await.map_err(|failure| failure.message)?;
        let params = ReadResourceRequestParams::new(uri);
        let request = ClientRequest::ReadResourceRequest(Request::new(params));
        let server = &self.agent.servers[listed.server];
        let options = PeerRequestOptions::with_timeout(server.patience);
        let name = &server.name;
        let read = match reached.peer.send_cancellable_request(request, options).await {
            Ok(handle) => {
                let token = handle.progress_token.clone();
                let read = handle.await_response().await;
                reached.requests.has_ended(token);
                read
            }
            Err(error) => Err(error),
        };
        let contents = match read {
            Ok(ServerResult::ReadResourceResult(read)) => read.contents,
            Ok(_) => {
                return Err(format!(
                    "The response of the server {name} is not a resource: `contents` must be a list \
                     whose items have a `uri`, and a `text` or a `blob`."
                ));
            }
            Err(error) => return Err(self.unread(listed, error).await),
        };
        if contents.is_empty() {
            return Err(format!("The server {name} returned this resource without contents."));
        }
        contents.into_iter().map(|content| decoded(name, content)).collect()
    }

    /// Why a resource was not read.
    async fn unread(&self, listed: &Listed, error: ServiceError) -> String {
        let server = &self.agent.servers[listed.server];
        let name = &server.name;
        match error {
            ServiceError::McpError(error) if error.message == TOO_LONG => format!(
                "The resource is longer than 16 MB, the limit for a message of the server {name}. \
                 Read a part of it with one of the server's tools."
            ),
            ServiceError::McpError(error) if error.code == ErrorCode::METHOD_NOT_FOUND => format!(
                "The server {name} does not support `resources/read`. Read it with one of the \
                 server's tools."
            ),
            ServiceError::McpError(error) => format!(
                "The server {name} rejected the request: {} (code {}). If the resource no longer \
                 exists, call the tool again for a new link.",
                error.message.trim_end_matches('.'),
                error.code.0
            ),
            ServiceError::Timeout { .. } => format!(
                "The server {name} did not return the resource within {} s. Try again, or increase \
                 `timeout_seconds`.",
                server.patience.as_secs()
            ),
            error => {
                let during = "read the resource";
                self.failure(listed, &CallFault::Service(error), during).await.message
            }
        }
    }
}

fn decoded(server: &str, content: ResourceContents) -> Result<ResourceContent, String> {
    let (uri, mime_type, bytes, is_text) = match content {
        ResourceContents::TextResourceContents { uri, mime_type, text, .. } => {
            (uri, mime_type, text.into_bytes(), true)
        }
        ResourceContents::BlobResourceContents { uri, mime_type, mut blob, .. } => {
            blob.retain(|character| !character.is_ascii_whitespace());
            let bytes = STANDARD.decode(blob).map_err(|error| {
                format!("The server {server} returned a `blob` that is not base64: {error}.")
            })?;
            (uri, mime_type, bytes, false)
        }
        _ => return Err(format!("The server {server} returned content of an unknown kind.")),
    };
    Ok(ResourceContent { uri, mime_type: mime_type.unwrap_or_default(), bytes, is_text })
}
