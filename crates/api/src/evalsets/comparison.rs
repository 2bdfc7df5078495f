//! Two cases side by side: turns and calls aligned, what differs marked, and the scores.

use json_text::JsonText;
use report_view::TextPart;
use serde::{Deserialize, Serialize};

use super::SetId;
use crate::{ExportRequest, LiveId};

/// Which case of which set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseName {
    /// The set.
    pub set: SetId,
    /// The case's id.
    pub eval_id: String,
    /// Its index in the file, from 0, if ids repeat; `None` for the first case with the id.
    pub at: Option<u64>,
}

/// What is compared with a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Actual {
    /// Another case.
    Case(CaseName),
    /// A completed rehearsal, whose history the page sends.
    Rehearsal(Box<ExportRequest>),
    /// Turns of a live session, each by the sequence number of its response.
    Live {
        /// The session.
        session: LiveId,
        /// The turns.
        turns: Vec<u64>,
    },
}

/// Two cases, side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseComparison {
    /// The expected case.
    pub expected: CaseName,
    /// The other one, if it is a case.
    pub actual: Option<CaseName>,
    /// The scores of the other against the expected case.
    pub scores: Vec<ComparedScore>,
    /// The differences, a sentence each; empty if there are none.
    pub why: Vec<String>,
    /// One sentence on what is not compared.
    pub left_out: Option<String>,
    /// The turns, as many as the longer one has.
    pub turns: Vec<ComparedTurn>,
    /// The final states, formatted, if one is expected.
    pub state: Option<ComparedText>,
}

/// A score of one case against another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedScore {
    /// The metric.
    pub name: String,
    /// From 0 to 1; `None` when it could not be scored.
    pub score: Option<f64>,
    /// Why it was not scored.
    pub note: String,
}

/// One turn on both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedTurn {
    /// The user's message.
    pub query: ComparedText,
    /// The calls, aligned.
    pub calls: Vec<ComparedCall>,
    /// Why the calls are not aligned.
    pub note: Option<String>,
    /// The final response.
    pub response: ComparedText,
}

/// A text on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedText {
    /// The expected text; `None` if there is none.
    pub expected: Option<String>,
    /// The actual text; `None` if there is none.
    pub actual: Option<String>,
    /// Whether both are the same.
    pub is_same: bool,
    /// The difference by words; empty if they are the same or too long.
    pub parts: Vec<TextPart>,
}

/// A call on one side or on both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedCall {
    /// How it matches.
    pub status: MatchStatus,
    /// The expected call.
    pub expected: Option<CallSide>,
    /// The actual call.
    pub actual: Option<CallSide>,
    /// The names of the arguments that differ.
    pub differing: Vec<String>,
    /// Whether both calls have a result, and the results differ. No score compares results.
    #[serde(default)]
    pub has_other_result: bool,
}

/// How an expected call matches an actual one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MatchStatus {
    /// It was made as expected.
    Same,
    /// It was made with other arguments.
    Changed,
    /// It was not made.
    Missing,
    /// It was made and not expected.
    Extra,
}

/// A call on one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallSide {
    /// The tool.
    pub tool: String,
    /// The arguments, if any.
    pub arguments: Option<JsonText>,
}
