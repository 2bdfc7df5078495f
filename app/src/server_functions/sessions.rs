//! The host's share of a session: what the model would see, and checks against its schemas.

use api::{ApiError, FieldMessage, SessionView, ValueTarget};
use json_text::JsonText;
use leptos::prelude::*;
use server_fn::codec::Json;
use session::{AgentId, SessionId};

/// Opens the host's share of a session. Opening it again gives the view as it is now.
#[server(prefix = "/api", endpoint = "open_session", input = Json, output = Json)]
pub async fn open_session(session: SessionId, agent: AgentId) -> Result<SessionView, ApiError> {
    crate::host::rehearsals()?.open_session(session, agent).await
}

/// Tells the host what the user asked; the view that comes back is what the model would see next.
#[server(prefix = "/api", endpoint = "begin_invocation", input = Json, output = Json)]
pub async fn begin_invocation(
    session: SessionId,
    content: String,
) -> Result<SessionView, ApiError> {
    crate::host::rehearsals()?.begin_invocation(session, content).await
}

/// Tells the host what the agent answered, so that callbacks of its end run; the view that comes back
/// has the state that they left. A second call changes nothing.
#[server(prefix = "/api", endpoint = "end_invocation", input = Json, output = Json)]
pub async fn end_invocation(session: SessionId, content: String) -> Result<SessionView, ApiError> {
    crate::host::rehearsals()?.end_invocation(session, content).await
}

/// Checks a value against a schema, with the host as the authority. No messages: it is valid.
#[server(prefix = "/api", endpoint = "check_value", input = Json, output = Json)]
pub async fn check_value(
    session: SessionId,
    target: ValueTarget,
    value: JsonText,
) -> Result<Vec<FieldMessage>, ApiError> {
    crate::host::rehearsals()?.check_value(session, target, value).await
}

/// Ends the host's share of a session.
#[server(prefix = "/api", endpoint = "close_session", input = Json, output = Json)]
pub async fn close_session(session: SessionId) -> Result<(), ApiError> {
    crate::host::rehearsals()?.close_session(session).await
}
