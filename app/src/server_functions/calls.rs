//! Tool calls. Each function returns at once. The progress of a call comes as a
//! [`HostEvent`](api::HostEvent), so that no request stays open while a tool runs.

use api::{ApiError, ResourceContent, ResultSlice, ToolRequest};
use json_text::JsonText;
use leptos::prelude::*;
use server_fn::codec::Json;
use session::{CallId, SessionId, ToolName};

/// Starts a call.
#[server(prefix = "/api", endpoint = "start_call", input = Json, output = Json)]
pub async fn start_call(request: ToolRequest) -> Result<(), ApiError> {
    crate::host::calls()?.start_call(request).await
}

/// Stops a call. The host reports its end within a second.
#[server(prefix = "/api", endpoint = "cancel_call", input = Json, output = Json)]
pub async fn cancel_call(session: SessionId, call_id: CallId) -> Result<(), ApiError> {
    crate::host::calls()?.cancel_call(session, call_id).await
}

/// Answers a tool that asked for confirmation.
#[server(prefix = "/api", endpoint = "confirm_call", input = Json, output = Json)]
pub async fn confirm_call(
    session: SessionId,
    call_id: CallId,
    confirmed: bool,
    payload: Option<JsonText>,
) -> Result<(), ApiError> {
    crate::host::calls()?.confirm_call(session, call_id, confirmed, payload).await
}

/// Supplies the result of a long-running tool.
#[server(prefix = "/api", endpoint = "supply_result", input = Json, output = Json)]
pub async fn supply_result(
    session: SessionId,
    call_id: CallId,
    result: JsonText,
) -> Result<(), ApiError> {
    crate::host::calls()?.supply_result(session, call_id, result).await
}

/// Has the person act as the agent that was called, in place of confirming that its model runs.
#[server(prefix = "/api", endpoint = "act_as_agent", input = Json, output = Json)]
pub async fn act_as_agent(session: SessionId, call_id: CallId) -> Result<(), ApiError> {
    crate::host::calls()?.act_as_agent(session, call_id).await
}

/// Ends the agent that the person acts as with its final response, which becomes the result of its call.
#[server(prefix = "/api", endpoint = "respond_as_agent", input = Json, output = Json)]
pub async fn respond_as_agent(
    session: SessionId,
    call_id: CallId,
    content: String,
) -> Result<(), ApiError> {
    crate::host::calls()?.respond_as_agent(session, call_id, content).await
}

/// Reads a part of a stored result: at most 256 KiB from `offset` on.
#[server(prefix = "/api", endpoint = "read_stored_result", input = Json, output = Json)]
pub async fn read_stored_result(
    session: SessionId,
    call_id: CallId,
    offset: u64,
) -> Result<ResultSlice, ApiError> {
    crate::host::calls()?.read_stored_result(session, call_id, offset).await
}

/// Reads a resource of the MCP server that has `tool`.
#[server(prefix = "/api", endpoint = "read_resource", input = Json, output = Json)]
pub async fn read_resource(
    session: SessionId,
    tool: ToolName,
    uri: String,
) -> Result<Vec<ResourceContent>, ApiError> {
    crate::host::calls()?.read_resource(session, tool, uri).await
}
