//! From what a server answered to what the model would be told.

use json_text::JsonText;
use rmcp::ServiceError;
use rmcp::model::{CallToolResult, ServerResult};
use serde_json::Value;
use session::ToolError;

use super::fault::CallFault;
use crate::agents::{CallProgress, ToolFailure};

/// The error type of a result that says it is an error.
const TOOL_ERROR: &str = "ToolError";
/// The error type of a JSON-RPC error.
const MCP_ERROR: &str = "McpError";

/// What came of a call that the server answered.
pub(super) fn progress(result: ServerResult) -> CallProgress {
    match result {
        ServerResult::CallToolResult(result) => of_result(&result),
        ServerResult::CreateTaskResult(_) => CallProgress::Failed(ToolFailure::new(
            ToolError::INVALID_OUTPUT,
            "The server made a task of the call, which this client did not offer to follow.",
        )),
        ServerResult::InputRequiredResult(_) => CallProgress::Failed(ToolFailure::new(
            ToolError::INVALID_OUTPUT,
            "The server asks for input in a later version of the protocol than was agreed on.",
        )),
        other => {
            let text: String = format!("{other:?}").chars().take(400).collect();
            CallProgress::Failed(ToolFailure::new(
                ToolError::INVALID_OUTPUT,
                format!("The server answered with what is no result of a tool: {text}"),
            ))
        }
    }
}

/// A result marked as an error is a tool's failure; any other is handed to the model whole, as
/// ADK's `McpTool` does: content, structured content and `isError` in one object.
fn of_result(result: &CallToolResult) -> CallProgress {
    let mut whole = match serde_json::to_value(result) {
        Ok(Value::Object(whole)) => whole,
        _ => serde_json::Map::new(),
    };
    whole.remove("resultType");
    whole.entry("isError").or_insert(Value::Bool(false));
    plain_meta(&mut whole);
    if let Some(Value::Array(content)) = whole.get_mut("content") {
        content.iter_mut().filter_map(Value::as_object_mut).for_each(plain_meta);
    }
    let value = Value::Object(whole);
    if result.is_error != Some(true) {
        return CallProgress::Returned(JsonText::from_value(&value));
    }
    let content = value["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<&str> = content.iter().filter_map(|part| part["text"].as_str()).collect();
    let only_text = texts.len() == content.len() && result.structured_content.is_none();
    let message = if texts.is_empty() {
        "The tool says that it failed, and nothing more.".to_owned()
    } else {
        texts.join("\n")
    };
    CallProgress::Failed(ToolFailure {
        error_type: TOOL_ERROR.to_owned(),
        message,
        traceback: (!only_text).then(|| JsonText::from_value(&value).pretty()),
    })
}

/// The SDK that ADK uses names `_meta` without its underscore when it hands a result on.
fn plain_meta(members: &mut serde_json::Map<String, Value>) {
    if let Some(meta) = members.remove("_meta") {
        members.insert("meta".to_owned(), meta);
    }
}

/// A call that the server refused, or that got no answer it could use.
pub(super) fn failure(fault: &CallFault) -> ToolFailure {
    match fault {
        CallFault::Service(ServiceError::McpError(error)) => ToolFailure {
            error_type: MCP_ERROR.to_owned(),
            message: format!("{} (code {})", error.message, error.code.0),
            traceback: error.data.as_ref().map(|data| JsonText::from_value(data).pretty()),
        },
        CallFault::Service(ServiceError::Cancelled { .. }) => ToolFailure::cancelled(),
        CallFault::Service(other) => ToolFailure::new(MCP_ERROR, other.to_string()),
        CallFault::NoTask(_) | CallFault::NoState(_) => {
            ToolFailure::new(ToolError::INVALID_OUTPUT, fault.to_string())
        }
        CallFault::Failed { .. } | CallFault::CalledOff { .. } => {
            ToolFailure::new(TOOL_ERROR, fault.to_string())
        }
    }
}

/// The addresses that the person is asked to visit before the call can succeed, with the reasons:
/// JSON-RPC error -32042.
pub(super) fn visits_required(fault: &CallFault) -> Option<Vec<(String, String)>> {
    let CallFault::Service(ServiceError::McpError(error)) = fault else { return None };
    if error.code.0 != -32042 {
        return None;
    }
    let asked = error.data.as_ref()?.get("elicitations")?.as_array()?;
    let text = |value: &Value, key: &str| value.get(key)?.as_str().map(str::to_owned);
    let visits: Vec<(String, String)> = asked
        .iter()
        .filter_map(|one| Some((text(one, "message").unwrap_or_default(), text(one, "url")?)))
        .collect();
    (!visits.is_empty()).then_some(visits)
}
