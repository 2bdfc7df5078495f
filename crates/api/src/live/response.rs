//! A person's response to a turn.

use json_text::JsonText;
use serde::{Deserialize, Serialize};

use super::{LiveLeaseId, LivePlace};

/// A response in the model's place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveResponse {
    /// The turn.
    pub place: LivePlace,
    /// Who responds.
    pub by: String,
    /// The id of this page's lease; checked only while somebody holds the lease.
    pub lease: Option<LiveLeaseId>,
    /// The text, if any.
    pub text: Option<String>,
    /// The tools to call.
    pub calls: Vec<LiveCall>,
}

/// One tool to call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveCall {
    /// Created by the page, so that a repeated response is recognized.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments, an object.
    pub args: JsonText,
}

/// The schema that a value is checked against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LiveTarget {
    /// The parameters of this tool.
    Arguments(String),
    /// The output schema.
    Output,
}
