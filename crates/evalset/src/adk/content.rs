//! What is said and called: the part of `google.genai.types` that a recorded case uses.

use json_text::JsonText;
use serde::Serialize;

/// A message.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Content {
    /// What it consists of.
    pub parts: Vec<Part>,
    /// Who speaks.
    pub role: Role,
}

/// Who speaks, in the Gemini API's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The user.
    User,
    /// The agent.
    Model,
}

/// One part of a message; a recorded case holds text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// The text.
    pub text: String,
}

impl Content {
    /// A message of the user's, one text.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self { parts: vec![Part { text: text.into() }], role: Role::User }
    }

    /// A message of the agent's, one text.
    #[must_use]
    pub fn model(text: impl Into<String>) -> Self {
        Self { parts: vec![Part { text: text.into() }], role: Role::Model }
    }
}

/// A tool called.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FunctionCall {
    /// What the response refers to.
    pub id: String,
    /// The arguments: a JSON object.
    pub args: JsonText,
    /// The tool.
    pub name: String,
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FunctionResponse {
    /// The `id` of the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The answer: a JSON object, `{"result": ...}` or `{"error": {"type", "message"}}`.
    pub response: JsonText,
}
