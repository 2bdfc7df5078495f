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
use crate::{ResourceContent, ResourceError, ToolFailure};

impl OpenSession {
    /// Reads a resource of the server that has `tool`.
    ///
    /// # Errors
    /// [`ResourceError`]
    pub(super) async fn read_resource(
        &self,
        tool: &ToolName,
        uri: &str,
    ) -> Result<Vec<ResourceContent>, ResourceError> {
        let catalog = self.catalog();
        let unreachable = |failure: ToolFailure| ResourceError::Unreachable(failure.message);
        let listed = catalog.find(tool).ok_or_else(|| unreachable(no_such_tool(tool)))?;
        let reached = self.reached(listed).await.map_err(unreachable)?;
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
            Ok(_) => return Err(ResourceError::NotAResource { server: name.clone() }),
            Err(error) => return Err(self.unread(listed, error).await),
        };
        if contents.is_empty() {
            return Err(ResourceError::Empty { server: name.clone() });
        }
        contents.into_iter().map(|content| decoded(name, content)).collect()
    }

    /// Why a resource was not read.
    async fn unread(&self, listed: &Listed, error: ServiceError) -> ResourceError {
        let used = &self.agent.servers[listed.server];
        let server = used.name.clone();
        match error {
            ServiceError::McpError(error) if error.message == TOO_LONG => {
                ResourceError::TooLong { server }
            }
            ServiceError::McpError(error) if error.code == ErrorCode::METHOD_NOT_FOUND => {
                ResourceError::Unsupported { server }
            }
            ServiceError::McpError(error) => ResourceError::Rejected {
                server,
                reason: error.message.trim_end_matches('.').to_owned(),
                code: error.code.0,
            },
            ServiceError::Timeout { .. } => {
                ResourceError::TimedOut { server, seconds: used.patience.as_secs() }
            }
            error => {
                let during = "read the resource";
                let failure = self.failure(listed, &CallFault::Service(error), during).await;
                ResourceError::Unreachable(failure.message)
            }
        }
    }
}

fn decoded(server: &str, content: ResourceContents) -> Result<ResourceContent, ResourceError> {
    let server = server.to_owned();
    let (uri, mime_type, bytes, is_text) = match content {
        ResourceContents::TextResourceContents { uri, mime_type, text, .. } => {
            (uri, mime_type, text.into_bytes(), true)
        }
        ResourceContents::BlobResourceContents { uri, mime_type, mut blob, .. } => {
            blob.retain(|character| !character.is_ascii_whitespace());
            let bytes = STANDARD
                .decode(blob)
                .map_err(|error| ResourceError::NotBase64 { server, reason: error.to_string() })?;
            (uri, mime_type, bytes, false)
        }
        _ => return Err(ResourceError::UnknownKind { server }),
    };
    Ok(ResourceContent { uri, mime_type: mime_type.unwrap_or_default(), bytes, is_text })
}
