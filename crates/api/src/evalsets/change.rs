//! Edits to a case. An edit names the version that the page has read, so that it does not overwrite
//! what another program wrote since.

use json_text::JsonText;
use serde::{Deserialize, Serialize};

/// The version of a case that the page has read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseVersion {
    /// Its index in the file, from 0.
    pub index: u64,
    /// The digest of its text.
    pub digest: String,
}

/// An expected call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExpectedCall {
    /// The tool.
    pub tool: String,
    /// The arguments: a JSON object.
    pub arguments: JsonText,
    /// The recorded result, if any.
    pub response: Option<JsonText>,
}

/// An edit to a case. Turns count from 0, calls from 0 within their turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CaseChange {
    /// Sets the id.
    EvalId(String),
    /// Sets the user's message.
    Query {
        /// The turn.
        turn: usize,
        /// The message.
        text: String,
    },
    /// Sets the plan of the simulated user.
    Plan(String),
    /// Sets the expected final response; `None` removes it.
    Response {
        /// The turn.
        turn: usize,
        /// The response.
        text: Option<String>,
    },
    /// Replaces an expected call.
    Call {
        /// The turn.
        turn: usize,
        /// The call.
        call: usize,
        /// The new call.
        expected: ExpectedCall,
    },
    /// Inserts an expected call.
    AddCall {
        /// The turn.
        turn: usize,
        /// Its index.
        at: usize,
        /// The call.
        expected: ExpectedCall,
    },
    /// Removes an expected call.
    RemoveCall {
        /// The turn.
        turn: usize,
        /// The call.
        call: usize,
    },
    /// Moves an expected call.
    MoveCall {
        /// The turn.
        turn: usize,
        /// The call.
        from: usize,
        /// Its new index.
        to: usize,
    },
    /// Sets the initial session state: a JSON object.
    State(JsonText),
    /// Sets the expected final state: a JSON object; `None` removes it.
    FinalState(Option<JsonText>),
    /// Replaces the whole case.
    Whole(JsonText),
    /// Restores the whole case, to undo an edit. Its id may also belong to another case now.
    Was(JsonText),
}
