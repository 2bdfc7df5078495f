//! Tool calls. Each of these returns at once; how a call goes on is told by a
//! [`HostEvent`](super::HostEvent), so that no browser connection is held while a tool runs.

use json_text::JsonText;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use server_fn::codec::Json;
use session::{CallId, SessionId, ToolName};

use super::ApiError;

/// One tool call to start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolRequest {
    /// The session it belongs to.
    pub session: SessionId,
    /// A new id.
    pub call_id: CallId,
    /// The tool.
    pub tool: ToolName,
    /// The arguments, a JSON object.
    pub arguments: JsonText,
}

/// A part of a result that the host holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultSlice {
    /// Byte offset of `text` in the whole JSON text.
    pub offset: u64,
    /// The part, cut at characters.
    pub text: String,
    /// Length of the whole in bytes.
    pub total: u64,
}

/// Starts a call.
#[server(prefix = "/api", endpoint = "start_call", input = Json, output = Json)]
pub async fn start_call(request: ToolRequest) -> Result<(), ApiError> {
    crate::host::host()?.start_call(request).await
}

/// Stops a call. Its end is told within a second.
#[server(prefix = "/api", endpoint = "cancel_call", input = Json, output = Json)]
pub async fn cancel_call(session: SessionId, call_id: CallId) -> Result<(), ApiError> {
    crate::host::host()?.cancel_call(session, call_id).await
}

/// Answers a tool that asked for confirmation.
#[server(prefix = "/api", endpoint = "confirm_call", input = Json, output = Json)]
pub async fn confirm_call(
    session: SessionId,
    call_id: CallId,
    confirmed: bool,
    payload: Option<JsonText>,
) -> Result<(), ApiError> {
    crate::host::host()?.confirm_call(session, call_id, confirmed, payload).await
}

/// Hands over the result of a long-running tool.
#[server(prefix = "/api", endpoint = "supply_result", input = Json, output = Json)]
pub async fn supply_result(
    session: SessionId,
    call_id: CallId,
    result: JsonText,
) -> Result<(), ApiError> {
    crate::host::host()?.supply_result(session, call_id, result).await
}

/// Reads a part of a held result: at most 256 KiB from `offset` on.
#[server(prefix = "/api", endpoint = "read_held_result", input = Json, output = Json)]
pub async fn read_held_result(
    session: SessionId,
    call_id: CallId,
    offset: u64,
) -> Result<ResultSlice, ApiError> {
    crate::host::host()?.read_held_result(session, call_id, offset).await
}
