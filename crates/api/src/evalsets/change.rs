//! What can be different in a case. A change names the case as the page has read it, so that what
//! another program wrote since is not overwritten.

use json_text::JsonText;
use serde::{Deserialize, Serialize};

/// A case as the page has read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseVersion {
    /// Its place in the file, from 0.
    pub index: u64,
    /// The digest of its text.
    pub digest: String,
}

/// A call as a case is to expect it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExpectedCall {
    /// The tool.
    pub tool: String,
    /// The arguments: a JSON object.
    pub arguments: JsonText,
    /// What it answers, if that is recorded.
    pub response: Option<JsonText>,
}

/// What is to be different in a case. Turns count from 0, calls from 0 within their turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CaseChange {
    /// Another id.
    EvalId(String),
    /// The user says something else.
    Query {
        /// The turn.
        turn: usize,
        /// What the user says.
        text: String,
    },
    /// The simulated user does something else.
    Plan(String),
    /// Another answer is expected; none at all with `None`.
    Response {
        /// The turn.
        turn: usize,
        /// The answer.
        text: Option<String>,
    },
    /// Another call is expected in the place of one.
    Call {
        /// The turn.
        turn: usize,
        /// The call.
        call: usize,
        /// As it is to be.
        expected: ExpectedCall,
    },
    /// One more call is expected.
    AddCall {
        /// The turn.
        turn: usize,
        /// Before which call, or behind the last.
        at: usize,
        /// The call.
        expected: ExpectedCall,
    },
    /// A call is expected no more.
    RemoveCall {
        /// The turn.
        turn: usize,
        /// The call.
        call: usize,
    },
    /// A call is expected earlier or later.
    MoveCall {
        /// The turn.
        turn: usize,
        /// The call.
        from: usize,
        /// Where it is to stand afterwards.
        to: usize,
    },
    /// The session starts with another state: a JSON object.
    State(JsonText),
    /// Another state is expected at the end: a JSON object; none at all with `None`.
    FinalState(Option<JsonText>),
    /// The whole case reads otherwise.
    Whole(JsonText),
    /// The whole case reads as it did: a change that is taken back. It may have its id again, whoever
    /// has that by now.
    Was(JsonText),
}
