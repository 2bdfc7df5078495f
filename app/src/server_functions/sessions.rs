//! The host's part of a session: what the model would see, and checks against its schemas.

use api::{ApiError, FieldMessage, RestoreRequest, RestoredSession, SessionView, ValueTarget};
use json_text::JsonText;
use leptos::prelude::*;
use server_fn::codec::Json;
use session::{AgentId, SessionId};

/// Opens a session on the host with the initial state `state`, a JSON object; without one, as
/// configured. If the session is open, returns its present view. If it has not begun, it opens again
/// with another initial state.
#[server(prefix = "/api", endpoint = "open_session", input = Json, output = Json)]
pub async fn open_session(
    session: SessionId,
    agent: AgentId,
    state: Option<JsonText>,
) -> Result<SessionView, ApiError> {
    crate::host::rehearsals()?.open_session(session, agent, state).await
}

/// Opens a session on a host that does not have it any more, and restores what it can. If the session is
/// open, returns its present view.
#[server(prefix = "/api", endpoint = "restore_session", input = Json, output = Json)]
pub async fn restore_session(request: RestoreRequest) -> Result<RestoredSession, ApiError> {
    crate::host::rehearsals()?.restore_session(request).await
}

/// Sends the user's message, and returns what the model would see next.
#[server(prefix = "/api", endpoint = "begin_invocation", input = Json, output = Json)]
pub async fn begin_invocation(
    session: SessionId,
    content: String,
) -> Result<SessionView, ApiError> {
    crate::host::rehearsals()?.begin_invocation(session, content).await
}

/// Sends the final response, so that the agent's callbacks run, and returns the view with the state
/// after them. A second call changes nothing.
#[server(prefix = "/api", endpoint = "end_invocation", input = Json, output = Json)]
pub async fn end_invocation(session: SessionId, content: String) -> Result<SessionView, ApiError> {
    crate::host::rehearsals()?.end_invocation(session, content).await
}

/// Checks a value against a schema on the host. Without messages, it is valid.
#[server(prefix = "/api", endpoint = "check_value", input = Json, output = Json)]
pub async fn check_value(
    session: SessionId,
    target: ValueTarget,
    value: JsonText,
) -> Result<Vec<FieldMessage>, ApiError> {
    crate::host::rehearsals()?.check_value(session, target, value).await
}

/// Closes a session on the host.
#[server(prefix = "/api", endpoint = "close_session", input = Json, output = Json)]
pub async fn close_session(session: SessionId) -> Result<(), ApiError> {
    crate::host::rehearsals()?.close_session(session).await
}
