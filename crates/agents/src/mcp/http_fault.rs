//! [`HttpFault`]: why a server over HTTP did not return a message. Opening a session, calls and listing
//! tools use the same texts.

use http::StatusCode;
use rmcp::ServiceError;
use rmcp::model::RequestId;
use rmcp::service::ClientInitializeError;
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::StreamableHttpError;

/// What happened to a request: the end of a sentence that begins with the server, with its full stop.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum HttpFault {
    #[error("cannot be reached: {0}. Is it running?")]
    Unreachable(String),
    #[error("closed the connection: {0}.")]
    BrokenOff(String),
    /// 401 or 403, and the request had no credentials.
    #[error(
        "requires authentication ({0}). Name the variable with its token in \
         `bearer_token_env`, or set `headers`."
    )]
    Unauthorized(Answered),
    /// 401 or 403, although the request had credentials.
    #[error(
        "rejected the credentials ({0}). Check the token in the variable that `bearer_token_env` \
         names, or `headers`."
    )]
    NotAccepted(Answered),
    /// Any other error status.
    #[error("returned {0}.")]
    Refused(Answered),
    /// A success status without a body.
    #[error("returned HTTP {0} without a body. A request needs a result.")]
    Nothing(StatusCode),
    #[error(
        "returned {kind} instead of `application/json` or `text/event-stream`{}",
        ended(.sample)
    )]
    Kind { kind: String, sample: String },
    #[error("returned a body that is not an MCP message ({why}){}", ended(.sample))]
    NoMessage { why: String, sample: String },
    #[error("returned a response with the wrong id {0}.")]
    Another(RequestId),
    #[error("ended its response without a result.")]
    Unfinished,
    #[error(
        "closed its event stream without an address for messages. Is it a streamable HTTP endpoint? \
         Then remove `transport = \"sse\"`."
    )]
    NoEndpoint,
    #[error(
        "does not know the session (HTTP 404 Not Found), and a new session could not be opened."
    )]
    NoSession,
    /// Any other error, with the message of the library.
    #[error("could not be queried: {0}.")]
    Other(String),
}

/// A status, the time after which to ask again, and the beginning of the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answered {
    pub(super) status: StatusCode,
    /// `Retry-After` as the server wrote it.
    pub(super) retry_after: Option<String>,
    pub(super) sample: String,
}

impl std::fmt::Display for Answered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HTTP {}", self.status)?;
        if let Some(after) = &self.retry_after {
            write!(f, ", `Retry-After: {after}`")?;
        }
        if !self.sample.is_empty() {
            write!(f, ": {}", self.sample)?;
        }
        Ok(())
    }
}

/// The rest of a sentence that shows a sample, which may be empty.
fn ended(sample: &str) -> String {
    if sample.is_empty() { ".".to_owned() } else { format!(": `{sample}`.") }
}

impl HttpFault {
    /// The HTTP error when a session was opened; `None` for other errors.
    pub(super) fn of_initialize(error: &ClientInitializeError) -> Option<Self> {
        match error {
            ClientInitializeError::TransportError { error, .. } => Some(Self::sending(error)),
            _ => None,
        }
    }

    /// The HTTP error of a later request; `None` for other errors.
    pub(super) fn of_request(error: &ServiceError) -> Option<Self> {
        match error {
            ServiceError::TransportSend(error) => Some(Self::sending(error)),
            ServiceError::TransportClosed => Some(Self::Unfinished),
            _ => None,
        }
    }

    fn sending(error: &DynamicTransportError) -> Self {
        match error.error.downcast_ref::<StreamableHttpError<Self>>() {
            Some(StreamableHttpError::Client(fault)) => fault.clone(),
            Some(StreamableHttpError::SessionExpired) => Self::NoSession,
            _ => Self::Other(innermost(error.error.as_ref())),
        }
    }

    /// Whether the address may not be that of an MCP server.
    pub(super) fn doubts_the_address(&self) -> bool {
        match self {
            Self::Refused(answered) => {
                !answered.status.is_server_error()
                    && answered.status != StatusCode::TOO_MANY_REQUESTS
            }
            Self::Nothing(_) | Self::Kind { .. } | Self::NoMessage { .. } | Self::Another(_) => {
                true
            }
            _ => false,
        }
    }
}

/// The last cause in the chain, without the errors that wrap it.
pub(super) fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}
