//! google-adk's tool for the final response of an agent with an output schema and tools.

use json_text::{JsonText, Node};

use crate::history::ToolResult;
use crate::state::{Answer, Call};

/// The tool's name. With a value that matches the schema, its call ends the run, and google-adk makes
/// its result the final response.
pub const SET_MODEL_RESPONSE: &str = "set_model_response";

/// The beginning of the tool's error for a value that violates the schema. The model then tries again.
const REJECTED: &str = "Validation Error found:";

/// Whether the tool accepted the value, given its response.
#[must_use]
pub fn accepts_model_response(response: &JsonText) -> bool {
    match response.open() {
        Node::Null => false,
        Node::Object(members) => !members.iter().any(|(key, value)| {
            key == "error"
                && matches!(Node::of(value), Node::String(why) if why.starts_with(REJECTED))
        }),
        _ => true,
    }
}

impl Call {
    /// The value that google-adk makes the final response, if this call gave it.
    #[must_use]
    pub fn model_response(&self) -> Option<&JsonText> {
        let Answer::Output(output) = &self.answer else { return None };
        let ToolResult::Whole(result) = &output.result else { return None };
        let is_it = self.call.tool_name.as_str() == SET_MODEL_RESPONSE;
        (is_it && accepts_model_response(result)).then_some(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rejected_value_is_told_from_a_value_with_an_error() {
        let accepts = |text| accepts_model_response(&JsonText::parse(text).expect("valid"));
        assert!(accepts(r#"{"summary": "Warm."}"#));
        assert!(accepts(r#"["a"]"#));
        assert!(accepts(r#"{"error": "no such room"}"#));
        assert!(!accepts(r#"{"error": "Validation Error found:\n1 validation error"}"#));
        assert!(!accepts("null"));
    }
}
