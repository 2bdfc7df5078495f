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
    /// Its place in the file, from 0, where others have that id; without it the first is meant.
    pub at: Option<u64>,
}

/// What is held against a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Actual {
    /// Another case.
    Case(CaseName),
    /// A completed rehearsal, whose history the page sends.
    Rehearsal(ExportRequest),
    /// Turns of a live session, each by the sequence number of its answer.
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
    /// What is expected.
    pub expected: CaseName,
    /// What is held against it, where that is a case.
    pub actual: Option<CaseName>,
    /// How well they agree.
    pub scores: Vec<ComparedScore>,
    /// In words, what is not the same; empty when nothing is.
    pub why: Vec<String>,
    /// What of the case is not compared, in a sentence.
    pub left_out: Option<String>,
    /// The turns, as many as the longer one has.
    pub turns: Vec<ComparedTurn>,
    /// Final state, laid out, where one is expected.
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

/// One turn of both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedTurn {
    /// What the user says.
    pub query: ComparedText,
    /// The calls, aligned.
    pub calls: Vec<ComparedCall>,
    /// Why the calls are not aligned.
    pub note: Option<String>,
    /// What the agent answers.
    pub response: ComparedText,
}

/// A text of both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedText {
    /// What is expected; `None` where there is none.
    pub expected: Option<String>,
    /// What is held against it.
    pub actual: Option<String>,
    /// Whether both read the same.
    pub is_same: bool,
    /// Both word by word; empty where they are the same or too long.
    pub parts: Vec<TextPart>,
}

/// A call of one side or of both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedCall {
    /// How it matches.
    pub status: MatchStatus,
    /// As expected.
    pub expected: Option<CallSide>,
    /// As made.
    pub actual: Option<CallSide>,
    /// The names of the arguments that differ.
    pub differing: Vec<String>,
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

/// A call as one side has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallSide {
    /// The tool.
    pub tool: String,
    /// The arguments, where there are some.
    pub arguments: Option<JsonText>,
}
