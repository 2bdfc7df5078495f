//! [`Question`]: what the server of a tool asks the person while the tool runs.
//!
//! MCP calls them elicitation (the person's own answer) and sampling (an answer in the model's place).

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
        /// What of the schema the host cannot hold the answer against, a sentence each.
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

/// A conversation that the model is asked to go on with.
#[derive(Debug, Clone, PartialEq)]
pub struct SamplingRequest {
    /// What the model is told first.
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
    /// Neither: the person put the question away.
    Dismiss,
    /// What the model says.
    Message(String),
}
