//! What the model would be given in a turn.

use json_text::JsonText;
use serde::{Deserialize, Serialize};

use super::{LiveRow, LiveTurnId};
use crate::ToolView;

/// Whose words a content holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LiveRole {
    /// The user's.
    User,
    /// The model's.
    Model,
    /// What tools answered.
    Function,
}

/// One entry of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveContent {
    /// Whose words.
    pub role: LiveRole,
    /// The pieces in order.
    pub parts: Vec<LivePart>,
}

/// A piece of a content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LivePart {
    /// Text.
    Text(String),
    /// What the model thought.
    Thought(String),
    /// A tool asked for.
    Call {
        /// The call's id, where there is one.
        id: Option<String>,
        /// The tool.
        name: String,
        /// The arguments.
        args: Option<LiveValue>,
    },
    /// What a tool answered.
    Response {
        /// The call's id, where there is one.
        id: Option<String>,
        /// The tool.
        name: String,
        /// The answer.
        response: Option<LiveValue>,
    },
    /// Bytes, such as a picture.
    Data {
        /// Such as `image/png`.
        mime_type: String,
        /// How many bytes.
        bytes: u64,
        /// A file's name, where there is one.
        name: Option<String>,
        /// The bytes; none on a line.
        content: Option<LiveBytes>,
    },
    /// A piece of another kind, as it came.
    Other {
        /// The vendor's name of it.
        kind: String,
        /// The piece.
        value: LiveValue,
    },
}

/// Bytes as a page shows them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LiveBytes {
    /// Of a type that people read.
    Text {
        /// The words.
        text: String,
        /// The address of the file.
        at: String,
    },
    /// Anything else, at an address of the host.
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
        /// How long the whole text is.
        bytes: u64,
    },
}

/// Everything that the model would be given in a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LiveTurn {
    /// The turn.
    pub turn: LiveTurnId,
    /// Who asks.
    pub agent: String,
    /// Which of the agent's runs; may be empty.
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
    /// Temperature, tool choice and the like in the vendor's words.
    pub config: Option<JsonText>,
    /// JSON Schema of the answer that is wanted.
    pub output_schema: Option<JsonText>,
    /// What the person should know about this request.
    pub warnings: Vec<String>,
    /// What closed the turn, whole; nothing while it waits.
    pub closed: Option<LiveRow>,
    /// What the tools that its answer called gave back, as far as their agent told.
    pub results: Vec<LivePart>,
    /// How its run ended, where it ended with this turn and the agent told.
    pub ended: Option<LiveRow>,
}
