//! The request of a turn.

use json_text::JsonText;
use serde::{Deserialize, Serialize};

use super::{LiveRow, LiveTurnId};
use crate::ToolView;

/// The author of a content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LiveRole {
    /// The user's.
    User,
    /// The model's.
    Model,
    /// Tool results.
    Function,
}

/// One entry of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveContent {
    /// The author.
    pub role: LiveRole,
    /// The parts, in order.
    pub parts: Vec<LivePart>,
}

/// A part of a content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LivePart {
    /// Text.
    Text(String),
    /// A thought of the model.
    Thought(String),
    /// A tool call.
    Call {
        /// The call's id, if it has one.
        id: Option<String>,
        /// The tool.
        name: String,
        /// The arguments.
        args: Option<LiveValue>,
    },
    /// A tool result.
    Response {
        /// The call's id, if it has one.
        id: Option<String>,
        /// The tool.
        name: String,
        /// The result.
        response: Option<LiveValue>,
    },
    /// Bytes, such as an image.
    Data {
        /// Such as `image/png`.
        mime_type: String,
        /// How many bytes.
        bytes: u64,
        /// The file's name, if it has one.
        name: Option<String>,
        /// The bytes; `None` in a row.
        content: Option<LiveBytes>,
    },
    /// A part of another kind, unchanged.
    Other {
        /// The vendor's name of the kind.
        kind: String,
        /// The part.
        value: LiveValue,
    },
}

/// The bytes for a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LiveBytes {
    /// Text.
    Text {
        /// The text.
        text: String,
        /// The URL of the file.
        at: String,
    },
    /// Anything else: the URL of the file.
    At(String),
}

/// A JSON value, or the beginning of a long one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LiveValue {
    /// The value.
    Whole(JsonText),
    /// The beginning of its text.
    Head {
        /// The beginning.
        text: String,
        /// The length of the whole text.
        bytes: u64,
    },
}

/// The whole request of a turn, and what followed it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LiveTurn {
    /// The turn.
    pub turn: LiveTurnId,
    /// The agent.
    pub agent: String,
    /// The agent's run; may be empty.
    pub run: String,
    /// The sequence number of the request.
    pub sequence: u64,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// The model that the agent names.
    pub model: Option<String>,
    /// The system instruction; may be empty.
    pub instruction: String,
    /// The conversation.
    pub contents: Vec<LiveContent>,
    /// The functions that may be called.
    pub tools: Vec<ToolView>,
    /// Temperature, tool choice and other settings, in the vendor's format.
    pub config: Option<JsonText>,
    /// The JSON Schema of the response, if the request has one.
    pub output_schema: Option<JsonText>,
    /// What the person should know about this request.
    pub warnings: Vec<String>,
    /// The event that closed the turn; `None` while it is pending.
    pub closed: Option<LiveRow>,
    /// The results of the tools that the response called, if the agent recorded them.
    pub results: Vec<LivePart>,
    /// How its run ended, if it ended with this turn and the agent recorded it.
    pub ended: Option<LiveRow>,
}
