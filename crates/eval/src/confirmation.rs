//! [`Confirmation`] and [`ConfirmationRequest`]: how the code of a tool asks a person before it acts.
//!
//! With google-adk, a tool asks within its first call, and returns something meanwhile. When the person has answered,
//! google-adk calls it again, with the answer. The tool's own code then decides what it returns.

use json_text::JsonText;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// What a person answered to the request of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmation {
    /// Whether the call may go on.
    pub confirmed: bool,
    /// What the request said.
    #[serde(default)]
    pub hint: String,
    /// What the person gave with it; null if nothing.
    #[serde(default = "JsonText::null")]
    pub payload: JsonText,
}

/// A request of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmationRequest {
    /// What it says to the person.
    #[serde(default)]
    pub hint: String,
    /// The form of the payload that the tool expects; null if it expects none.
    #[serde(default = "JsonText::null")]
    pub payload: JsonText,
    /// Whether the agent's turn ends with it. Otherwise the model is asked, with what the tool returned meanwhile.
    #[serde(default)]
    pub skip_summarization: bool,
}

impl Default for ConfirmationRequest {
    fn default() -> Self {
        Self { hint: String::new(), payload: JsonText::null(), skip_summarization: false }
    }
}

/// The name under which a framework waits until the user confirms a call.
pub const CONFIRMATION: &str = "adk_request_confirmation";

/// What google-adk's tools return when a person denied them.
pub(crate) const REJECTED: &str = "This tool call is rejected.";

/// The result of a denied call for which a mock has none: that of google-adk's own tools.
pub(crate) fn rejected() -> JsonText {
    JsonText::from_value(&json!({ "error": REJECTED }))
}
