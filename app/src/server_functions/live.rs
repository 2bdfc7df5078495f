//! Live sessions and their turns.

use api::{
    ApiError, ExportReceipt, FieldMessage, LiveAnswer, LiveExportPlan, LiveId, LiveLeaseId,
    LiveList, LivePlace, LiveRow, LiveSummary, LiveTarget, LiveTurn,
};
use json_text::JsonText;
use leptos::prelude::*;
use server_fn::codec::Json;

/// The sessions with `search` in their description or in the name of an agent, newest first, after
/// the place `before` of the list.
#[server(prefix = "/api", endpoint = "list_live_sessions", input = Json, output = Json)]
pub async fn list_live_sessions(search: String, before: Option<i64>) -> Result<LiveList, ApiError> {
    crate::host::live_sessions()?.list_live_sessions(search, before).await
}

/// The summary of one session.
#[server(prefix = "/api", endpoint = "read_live_session", input = Json, output = Json)]
pub async fn read_live_session(session: LiveId) -> Result<LiveSummary, ApiError> {
    crate::host::live_sessions()?.read_live_session(session).await
}

/// At most `most` events, and never more than 500, after the one with the number `after`, in order.
/// Long values are shortened unless `whole` is true.
#[server(prefix = "/api", endpoint = "read_live_rows", input = Json, output = Json)]
pub async fn read_live_rows(
    session: LiveId,
    after: u64,
    most: u64,
    whole: bool,
) -> Result<Vec<LiveRow>, ApiError> {
    crate::host::live_sessions()?.read_live_rows(session, after, most, whole).await
}

/// The request of a turn, as the model would receive it.
#[server(prefix = "/api", endpoint = "read_live_turn", input = Json, output = Json)]
pub async fn read_live_turn(place: LivePlace) -> Result<LiveTurn, ApiError> {
    crate::host::live_sessions()?.read_live_turn(place).await
}

/// Checks a value against a schema of a turn's request. Without messages, it is valid.
#[server(prefix = "/api", endpoint = "check_live_value", input = Json, output = Json)]
pub async fn check_live_value(
    place: LivePlace,
    target: LiveTarget,
    value: JsonText,
) -> Result<Vec<FieldMessage>, ApiError> {
    crate::host::live_turns()?.check_live_value(place, target, value).await
}

/// Answers the turn at the head of the queue. A repeated answer gets the same response as the
/// first.
#[server(prefix = "/api", endpoint = "answer_live_turn", input = Json, output = Json)]
pub async fn answer_live_turn(answer: LiveAnswer) -> Result<(), ApiError> {
    crate::host::live_turns()?.answer_live_turn(answer).await
}

/// Acquires the lease on the turn at the head of the queue, or renews it.
#[server(prefix = "/api", endpoint = "hold_live_turn", input = Json, output = Json)]
pub async fn hold_live_turn(
    place: LivePlace,
    lease: LiveLeaseId,
    by: String,
) -> Result<(), ApiError> {
    crate::host::live_turns()?.hold_live_turn(place, lease, by).await
}

/// Hands this page's lease over to the person with the name `to`.
#[server(prefix = "/api", endpoint = "hand_over_live_turn", input = Json, output = Json)]
pub async fn hand_over_live_turn(
    place: LivePlace,
    lease: LiveLeaseId,
    to: String,
) -> Result<(), ApiError> {
    crate::host::live_turns()?.hand_over_live_turn(place, lease, to).await
}

/// Releases the lease on the turn.
#[server(prefix = "/api", endpoint = "release_live_turn", input = Json, output = Json)]
pub async fn release_live_turn(place: LivePlace, lease: LiveLeaseId) -> Result<(), ApiError> {
    crate::host::live_turns()?.release_live_turn(place, lease).await
}

/// Removes a turn from the queue without an answer.
#[server(prefix = "/api", endpoint = "cancel_live_turn", input = Json, output = Json)]
pub async fn cancel_live_turn(
    place: LivePlace,
    reason: String,
    by: String,
) -> Result<(), ApiError> {
    crate::host::live_turns()?.cancel_live_turn(place, reason, by).await
}

/// Completes a session. Fails while turns wait, unless `cancel_waiting` is true.
#[server(prefix = "/api", endpoint = "complete_live_session", input = Json, output = Json)]
pub async fn complete_live_session(
    session: LiveId,
    cancel_waiting: bool,
    by: String,
) -> Result<(), ApiError> {
    crate::host::live_turns()?.complete_live_session(session, cancel_waiting, by).await
}

/// The turns of a session that can be exported, and the file that they would be appended to.
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
