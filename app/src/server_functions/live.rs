//! Server functions of live sessions and their turns.

use api::{
    ApiError, ExportReceipt, FieldMessage, LiveExportPlan, LiveId, LiveLeaseId, LiveList,
    LivePlace, LiveResponse, LiveRow, LiveSummary, LiveTarget, LiveTurn,
};
use json_text::JsonText;
use leptos::prelude::*;
use server_fn::codec::Json;

/// The sessions that hold `search` in their description or among their agents' names, newest first, from a place of the list on.
#[server(prefix = "/api", endpoint = "list_live_sessions", input = Json, output = Json)]
pub async fn list_live_sessions(search: String, before: Option<i64>) -> Result<LiveList, ApiError> {
    crate::host::live_sessions()?.list_live_sessions(search, before).await
}

/// One session in little.
#[server(prefix = "/api", endpoint = "read_live_session", input = Json, output = Json)]
pub async fn read_live_session(session: LiveId) -> Result<LiveSummary, ApiError> {
    crate::host::live_sessions()?.read_live_session(session).await
}

/// At most `most` events (and never more than 500) after the one with this number, in order; with
/// `whole` nothing in them is shortened.
#[server(prefix = "/api", endpoint = "read_live_rows", input = Json, output = Json)]
pub async fn read_live_rows(
    session: LiveId,
    after: u64,
    most: u64,
    whole: bool,
) -> Result<Vec<LiveRow>, ApiError> {
    crate::host::live_sessions()?.read_live_rows(session, after, most, whole).await
}

/// What the model would be given in a turn.
#[server(prefix = "/api", endpoint = "read_live_turn", input = Json, output = Json)]
pub async fn read_live_turn(place: LivePlace) -> Result<LiveTurn, ApiError> {
    crate::host::live_sessions()?.read_live_turn(place).await
}

/// Checks a value against a schema of a turn's request. No messages: it is valid.
#[server(prefix = "/api", endpoint = "check_live_value", input = Json, output = Json)]
pub async fn check_live_value(
    place: LivePlace,
    target: LiveTarget,
    value: JsonText,
) -> Result<Vec<FieldMessage>, ApiError> {
    crate::host::live_turns()?.check_live_value(place, target, value).await
}

/// Responds to the head of the queue. The same response sent again has no further effect.
#[server(prefix = "/api", endpoint = "respond_to_turn", input = Json, output = Json)]
pub async fn respond_to_turn(response: LiveResponse) -> Result<(), ApiError> {
    crate::host::live_turns()?.respond_to_turn(response).await
}

/// Takes or renews the lease of the head of the queue; repeated calls are the heartbeat.
#[server(prefix = "/api", endpoint = "take_live_lease", input = Json, output = Json)]
pub async fn take_live_lease(
    place: LivePlace,
    lease: LiveLeaseId,
    by: String,
) -> Result<(), ApiError> {
    crate::host::live_turns()?.take_live_lease(place, lease, by).await
}

/// Hands the lease over to another person, by name.
#[server(prefix = "/api", endpoint = "hand_over_live_lease", input = Json, output = Json)]
pub async fn hand_over_live_lease(
    place: LivePlace,
    lease: LiveLeaseId,
    to: String,
) -> Result<(), ApiError> {
    crate::host::live_turns()?.hand_over_live_lease(place, lease, to).await
}

/// Releases the lease.
#[server(prefix = "/api", endpoint = "release_live_lease", input = Json, output = Json)]
pub async fn release_live_lease(place: LivePlace, lease: LiveLeaseId) -> Result<(), ApiError> {
    crate::host::live_turns()?.release_live_lease(place, lease).await
}

/// Takes a turn out of the queue without an answer.
#[server(prefix = "/api", endpoint = "cancel_live_turn", input = Json, output = Json)]
pub async fn cancel_live_turn(
    place: LivePlace,
    reason: String,
    by: String,
) -> Result<(), ApiError> {
    crate::host::live_turns()?.cancel_live_turn(place, reason, by).await
}

/// Ends a session. Refused while turns wait, unless they are to be cancelled.
#[server(prefix = "/api", endpoint = "complete_live_session", input = Json, output = Json)]
pub async fn complete_live_session(
    session: LiveId,
    cancel_waiting: bool,
    by: String,
) -> Result<(), ApiError> {
    crate::host::live_turns()?.complete_live_session(session, cancel_waiting, by).await
}

/// Deletes a session with all its events. Refused while turns wait.
#[server(prefix = "/api", endpoint = "delete_live_session", input = Json, output = Json)]
pub async fn delete_live_session(session: LiveId, by: String) -> Result<(), ApiError> {
    crate::host::live_turns()?.delete_live_session(session, by).await
}

/// What can be exported of a session, and where it would go.
#[server(prefix = "/api", endpoint = "plan_live_export", input = Json, output = Json)]
pub async fn plan_live_export(session: LiveId) -> Result<LiveExportPlan, ApiError> {
    crate::host::live_sessions()?.plan_live_export(session).await
}

/// Appends these turns of a session, by the sequence numbers of their answers, as one case.
#[server(prefix = "/api", endpoint = "export_live_session", input = Json, output = Json)]
pub async fn export_live_session(
    session: LiveId,
    turns: Vec<u64>,
    by: Option<String>,
) -> Result<ExportReceipt, ApiError> {
    crate::host::live_sessions()?.export_live_session(session, turns, by).await
}
