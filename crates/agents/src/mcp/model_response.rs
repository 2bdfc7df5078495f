//! `set_model_response`: google-adk has an agent with an output schema and tools respond by calling this tool.
//!
//! A rehearsal does the same, so that a case fits the agent that `adk-folder` writes. Only Gemini on Vertex AI
//! writes such a response as text.

use json_text::{JsonText, Node};
use serde_json::json;
use session::{SET_MODEL_RESPONSE, ToolError, ToolName};

use super::agent::McpAgent;
use crate::{CallProgress, CallReport, ToolFailure, ToolHints, ToolView, schemas};

/// What google-adk adds to the instruction.
pub(super) const INSTRUCTION: &str = "IMPORTANT: You have access to other tools, but you must provide your final \
     response using the set_model_response tool with the required structured format. After using any other \
     tools needed to complete the task, always call set_model_response with your final answer in the \
     specified schema format.";
/// The tool's description.
const DESCRIPTION: &str = "Set your final response using the required output schema.\n\nUse this tool to provide \
     your final structured answer instead\nof outputting text directly.";

/// The schema of the responses that the agent gives with the tool; `None` if it has no tool for them.
pub(super) fn schema(agent: &McpAgent) -> Option<&JsonText> {
    agent.output_schema.as_ref().filter(|_| !agent.servers.is_empty())
}

/// The tool. google-adk declares any object as its argument, because the schema is not a Python class. The form
/// has the schema's fields, unless the schema's references would break within another schema.
pub(super) fn tool(schema: &JsonText) -> Option<ToolView> {
    let declared = json!({
        "name": SET_MODEL_RESPONSE,
        "description": DESCRIPTION,
        "parameters_json_schema": {
            "type": "object",
            "title": "set_model_responseParams",
            "properties": {
                "response": { "type": "object", "title": "Response", "additionalProperties": true },
            },
            "required": ["response"],
        },
    });
    let refers = ["\"$ref\"", "\"$dynamicRef\""].iter().any(|key| schema.as_str().contains(key));
    let response = if refers { "{}" } else { schema.as_str() };
    let parameters = format!(
        r#"{{"type":"object","properties":{{"response":{response}}},"required":["response"]}}"#
    );
    Some(ToolView {
        name: ToolName::parse(SET_MODEL_RESPONSE).ok()?,
        title: None,
        description: DESCRIPTION.to_owned(),
        declaration: JsonText::from_value(&declared),
        parameters: JsonText::parse(&parameters).ok(),
        response_schema: None,
        long_running: false,
        needs_confirmation: false,
        agent_model: None,
        can_be_played: false,
        provided_by: "adk".to_owned(),
        hints: ToolHints::default(),
        integers_of_64_bits: false,
    })
}

/// Calls the tool: it returns the response.
pub(super) async fn call(schema: &JsonText, arguments: &JsonText) -> CallReport {
    let response = match arguments.open() {
        Node::Object(members) => members.into_iter().find(|(key, _)| key == "response"),
        _ => None,
    };
    let invalid = |message: String| {
        CallReport::failed(ToolFailure::new(ToolError::INVALID_ARGUMENTS, message), 0.0)
    };
    let Some((_, response)) = response else {
        return invalid("The argument `response` is missing.".to_owned());
    };
    let response = JsonText::from(response);
    let (schema, checked) = (schema.clone(), response.clone());
    let found = schemas::run_blocking(move || schemas::check_schema(Some(&schema), &checked)).await;
    if let Some(violation) = found.first() {
        return invalid(format!("/response{}: {}", violation.pointer, violation.text));
    }
    CallReport::of(CallProgress::Returned(response), 0.0)
}
