//! [`Question`]: a request of an MCP server to the person while a tool runs.
//!
//! It is an elicitation (a form or an address for the person) or a sampling request (the person responds in
//! place of the model).

use json_text::JsonText;
use session::{CallId, SessionId};

/// A question that waits for the person.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The session.
    pub session: SessionId,
    /// Counts up over the host's life.
    pub number: u64,
    /// The server that asks.
    pub asked_by: String,
    /// The call that was under way when it asked.
    pub call_id: Option<CallId>,
    /// What it asks for.
    pub asks: Asks,
}

/// What a server asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Asks {
    /// Values for a form (elicitation).
    Form {
        /// Why.
        message: String,
        /// JSON Schema of an object.
        schema: JsonText,
        /// The parts of the schema that the answer is not checked against, a sentence each.
        unchecked: Vec<String>,
    },
    /// To open an address in a browser (elicitation by URL).
    Visit {
        /// Why.
        message: String,
        /// The address, as the server gave it: never opened unasked.
        url: String,
    },
    /// The model's next message (sampling).
    Message(SamplingRequest),
}

/// A conversation to continue in place of the model.
#[derive(Debug, Clone, PartialEq)]
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
#[derive(Debug, Clone, PartialEq)]
pub struct SampledMessage {
    /// `user` or `assistant`.
    pub role: String,
    /// Its text, when it has nothing else.
    pub text: Option<String>,
    /// The content as the server gave it.
    pub content: JsonText,
}

/// The person's answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Yes: the form's values, or nothing for an address that was opened.
    Accept(Option<JsonText>),
    /// No.
    Decline,
    /// Neither: the person dismissed the question.
    Dismiss,
    /// The text in place of the model's.
    Message(String),
}
