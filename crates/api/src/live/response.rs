//! What a person answers.

use json_text::JsonText;
use serde::{Deserialize, Serialize};

use super::{LiveLeaseId, LivePlace};

/// An answer in the model's place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveResponse {
    /// The turn.
    pub place: LivePlace,
    /// Who answers.
    pub by: String,
    /// The secret under which this page holds the turn, or would; nothing refuses it where nobody does.
    pub lease: Option<LiveLeaseId>,
    /// The text, where there is one.
    pub text: Option<String>,
    /// The tools to call.
    pub calls: Vec<LiveCall>,
}

/// One tool to call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveCall {
    /// Made by the page, so that the same answer sent again is the same.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments, an object.
    pub args: JsonText,
}

/// What a value is checked against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LiveTarget {
    /// The parameters of this tool.
    Arguments(String),
    /// The schema of the answer.
    Output,
}
