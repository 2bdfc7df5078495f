//! Questions: what the server of a tool asks the person while the tool runs.
//!
//! MCP calls them elicitation (the person's own answer) and sampling (an answer in the model's place).

use json_text::JsonText;
use serde::{Deserialize, Serialize};
use session::{CallId, SessionId};

/// A question that waits for the person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The session.
    pub session: SessionId,
    /// Counts up while the host runs.
    pub number: u64,
    /// The server that asks.
    pub asked_by: String,
    /// The call that was running when it asked.
    pub call_id: Option<CallId>,
    /// What it asks for.
    pub asks: Asks,
}

/// What a server asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Asks {
    /// Values for a form (elicitation).
    Form {
        /// Why.
        message: String,
        /// JSON Schema of an object.
        schema: JsonText,
        /// What the host cannot check by the schema, a sentence each.
        #[serde(default)]
        unchecked: Vec<String>,
    },
    /// To open a URL in a browser (elicitation by URL).
    Visit {
        /// Why.
        message: String,
        /// The URL from the server. Only the person opens it.
        url: String,
    },
    /// The model's next message (sampling).
    Message(SamplingRequest),
}

/// A conversation that the model is to continue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SamplingRequest {
    /// The system prompt.
    pub system_prompt: Option<String>,
    /// The conversation so far.
    pub messages: Vec<SampledMessage>,
    /// How many tokens the answer may have.
    pub max_tokens: u64,
    /// Everything else that the server asked for, a JSON object: preferences, temperature, tools.
    pub rest: JsonText,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SampledMessage {
    /// `user` or `assistant`.
    pub role: String,
    /// Its text, when it has nothing else.
    pub text: Option<String>,
    /// The content as the server gave it.
    pub content: JsonText,
}

/// The person's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// Yes: the form's values, or `None` for a URL that was opened.
    Accept(Option<JsonText>),
    /// No.
    Decline,
    /// Neither: the person dismissed the question.
    Dismiss,
    /// The model's message.
    Message(String),
}
