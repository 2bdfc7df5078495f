//! Converts a server's responses to tool calls into results for the model.
//!
//! A result with a content block that the library does not know arrives as plain JSON and is passed on
//! unchanged.

use json_text::JsonText;
use rmcp::ServiceError;
use rmcp::model::ServerResult;
use serde_json::{Map, Value};
use session::ToolError;

use super::fault::CallFault;
use super::structured_content::ExactResult;
use crate::{CallProgress, ToolFailure};

/// The error type of a result with `isError`.
const TOOL_ERROR: &str = ToolError::REPORTED;
/// The error type of a JSON-RPC error.
const MCP_ERROR: &str = "McpError";

/// The outcome of a call from its response.
pub(super) fn progress(result: ServerResult) -> CallProgress {
    match result {
        ServerResult::CallToolResult(result) => match serde_json::to_value(result) {
            Ok(Value::Object(whole)) => of_result(whole),
            _ => of_result(Map::new()),
        },
        ServerResult::CustomResult(result) => of_unread(result.0),
        ServerResult::CreateTaskResult(_) => CallProgress::Failed(ToolFailure::new(
            ToolError::INVALID_OUTPUT,
            "The server started a task for the call, but the client did not offer task support.",
        )),
        ServerResult::InputRequiredResult(_) => CallProgress::Failed(ToolFailure::new(
            ToolError::INVALID_OUTPUT,
            "The server requested input with a later protocol version than the negotiated one.",
        )),
        // The response to another request.
        _ => CallProgress::Failed(ToolFailure::new(
            ToolError::INVALID_OUTPUT,
            "The server returned a response that is not a tool result.",
        )),
    }
}

/// Takes a result that the library could not read.
fn of_unread(result: Value) -> CallProgress {
    let fault = match &result {
        Value::Object(members) => fault_of(members),
        _ => Some("it is not an object".to_owned()),
    };
    match (fault, result) {
        (None, Value::Object(members)) => of_result(members),
        (fault, result) => CallProgress::Failed(ToolFailure {
            error_type: ToolError::INVALID_OUTPUT.to_owned(),
            message: format!(
                "The server returned a response that is not a tool result: {}.",
                fault.unwrap_or_default()
            ),
            traceback: Some(JsonText::from_value(&result).pretty()),
        }),
    }
}

/// Why this is not a result, even if blocks of unknown types are allowed.
fn fault_of(members: &Map<String, Value>) -> Option<String> {
    let Some(content) = members.get("content") else {
        return Some("it has no `content`".to_owned());
    };
    let Some(blocks) = content.as_array() else {
        return Some(format!(
            "its `content` must be a list of blocks and is of type {}",
            JsonText::from_value(content).kind().name()
        ));
    };
    if let Some(at) = blocks.iter().position(|block| !block["type"].is_string()) {
        return Some(format!("the block at `/content/{at}` has no `type`"));
    }
    match members.get("isError") {
        None | Some(Value::Bool(_)) => None,
        Some(_) => Some("its `isError` is neither true nor false".to_owned()),
    }
}

/// A result marked as an error is a failure of the tool. Any other is passed to the model as one object with
/// content, structured content and `isError`, as ADK's `McpTool` does.
fn of_result(whole: Map<String, Value>) -> CallProgress {
    let mut exact = ExactResult::of(whole);
    let whole = exact.members();
    whole.remove("resultType");
    whole.entry("isError").or_insert(Value::Bool(false));
    plain_meta(whole);
    if let Some(Value::Array(content)) = whole.get_mut("content") {
        content.iter_mut().filter_map(Value::as_object_mut).for_each(plain_meta);
    }
    if whole.get("isError") != Some(&Value::Bool(true)) {
        return CallProgress::Returned(exact.text());
    }
    let member = |name: &str| whole.get(name).filter(|value| !value.is_null());
    let content = member("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let texts: Vec<&str> = content.iter().filter_map(|part| part["text"].as_str()).collect();
    // Then the message has everything.
    let is_one_text =
        texts.len() == 1 && content.len() == 1 && member("structuredContent").is_none();
    let message = match (texts.is_empty(), besides(whole).as_str()) {
        (false, _) => texts.join("\n"),
        (true, "") => "The tool reported an error without a message.".to_owned(),
        (true, besides) => {
            format!("The tool reported an error without a message. It sent {besides}.")
        }
    };
    CallProgress::Failed(ToolFailure {
        error_type: TOOL_ERROR.to_owned(),
        message,
        traceback: (!is_one_text).then(|| exact.text().pretty()),
    })
}

/// Lists the content of a failed result that is not text, such as `an image, a resource_link and
/// structured content`.
fn besides(whole: &Map<String, Value>) -> String {
    let member = |name: &str| whole.get(name).filter(|value| !value.is_null());
    let content = member("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut held: Vec<String> = Vec::new();
    for kind in content.iter().filter_map(|block| block["type"].as_str()) {
        let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        let named = format!("{article} {kind}");
        if kind != "text" && !held.contains(&named) {
            held.push(named);
        }
    }
    if member("structuredContent").is_some() {
        held.push("structured content".to_owned());
    }
    match held.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
        None => String::new(),
    }
}

/// Renames `_meta` to `meta`, as the SDK that ADK uses does.
fn plain_meta(members: &mut Map<String, Value>) {
    if let Some(meta) = members.remove("_meta") {
        members.insert("meta".to_owned(), meta);
    }
}

/// The failure of a call that the server rejected, or that got no valid response.
pub(super) fn failure(fault: &CallFault) -> ToolFailure {
    match fault {
        CallFault::Service(ServiceError::McpError(error)) => ToolFailure {
            error_type: MCP_ERROR.to_owned(),
            message: format!("{} (code {})", error.message, error.code.0),
            traceback: error.data.as_ref().map(|data| JsonText::from_value(data).pretty()),
        },
        CallFault::Service(ServiceError::Cancelled { .. }) => ToolFailure::abandoned(),
        CallFault::Service(other) => ToolFailure::new(MCP_ERROR, other.to_string()),
        CallFault::NoTask(_) | CallFault::NoState(_) => {
            ToolFailure::new(ToolError::INVALID_OUTPUT, fault.to_string())
        }
        CallFault::Failed { .. } | CallFault::Canceled { .. } => {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(result: &str) -> CallProgress {
        progress(serde_json::from_str(result).expect("the library reads it"))
    }

    #[test]
    fn keeps_blocks_of_unknown_types() {
        let progress = answered(
            r#"{"content":[{"type":"text","text":"seen","_meta":{"k":1}},
                {"type":"hologram","beams":[1]},{"type":"text","text":"too"}]}"#,
        );
        let CallProgress::Returned(result) = progress else { panic!("{progress:?}") };
        let result = result.to_value().expect("JSON");
        assert_eq!(result["content"][0]["text"], "seen");
        assert_eq!(result["content"][0]["meta"]["k"], 1);
        assert_eq!(result["content"][1], serde_json::json!({"type": "hologram", "beams": [1]}));
        assert_eq!(result["content"][2]["text"], "too");
        assert_eq!(result["isError"], false);
    }

    #[test]
    fn keeps_an_error_with_blocks_of_unknown_types() {
        let progress = answered(
            r#"{"isError":true,"content":[{"type":"text","text":"no tide"},{"type":"hologram"}]}"#,
        );
        let CallProgress::Failed(failure) = progress else { panic!("{progress:?}") };
        assert_eq!(
            (failure.error_type.as_str(), failure.message.as_str()),
            (TOOL_ERROR, "no tide")
        );
        assert!(failure.traceback.is_some_and(|whole| whole.contains("hologram")));
    }

    #[test]
    fn describes_the_content_of_an_error_without_text() {
        let image = r#"{"type":"image","data":"aGk=","mimeType":"image/png"}"#;
        for (result, expected) in [
            (format!(r#"{{"isError":true,"content":[{image},{image}]}}"#), "It sent an image."),
            (
                format!(r#"{{"isError":true,"content":[{image}],"structuredContent":{{"a":1}}}}"#),
                "It sent an image and structured content.",
            ),
            (r#"{"isError":true,"content":[]}"#.to_owned(), "an error without a message."),
        ] {
            let CallProgress::Failed(failure) = answered(&result) else { panic!("{result}") };
            assert!(failure.message.ends_with(expected), "{}", failure.message);
        }
    }

    #[test]
    fn explains_why_a_response_is_not_a_result() {
        for (answer, reason) in [
            (
                r#"{"content":"text"}"#,
                "its `content` must be a list of blocks and is of type string",
            ),
            (
                r#"{"content":[{"type":"text","text":"a"},7]}"#,
                "the block at `/content/1` has no `type`",
            ),
            (r#"{"content":[{"type":"new"}],"isError":"yes"}"#, "its `isError` is neither"),
            (r#"{"tides":[]}"#, "it has no `content`"),
            ("[1]", "it is not an object"),
        ] {
            let progress = answered(answer);
            let CallProgress::Failed(failure) = progress else { panic!("{answer}: {progress:?}") };
            assert!(failure.message.contains(reason), "{answer}: {failure:?}");
            assert!(!failure.message.contains("Result("), "{failure:?}");
            assert_eq!(failure.error_type, ToolError::INVALID_OUTPUT);
            assert!(failure.traceback.is_some(), "the response is shown unchanged");
        }
    }
}
