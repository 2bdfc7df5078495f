//! The parts of a session that can be exported as a case.

use serde::{Deserialize, Serialize};
use session::AgentId;

/// One run of an agent in a session: a user's message and all that followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveRun {
    /// The agent that received the message.
    pub agent: String,
    /// The beginning of the message.
    pub query: String,
    /// Its answered turns, in order of time.
    pub turns: Vec<AnsweredTurn>,
    /// The kinds of parts that a case cannot contain, by the vendor's names.
    pub left_out: Vec<String>,
    /// How many later user messages are left out: an invocation has one.
    pub later_user_messages: usize,
}

/// An answered turn of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweredTurn {
    /// The sequence number of its response, by which it is selected.
    pub answer: u64,
    /// The agent of the turn.
    pub agent: String,
    /// The tools that were called, in order.
    pub calls: Vec<String>,
    /// The beginning of the text.
    pub text: String,
    /// Whether a run may end with it.
    pub ends: bool,
}

/// The parts of a session that can be exported, and the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveExportPlan {
    /// The runs, in order of time.
    pub runs: Vec<LiveRun>,
    /// The eval-set file.
    pub path: String,
    /// The registered agent whose file that is.
    pub agent: Option<AgentId>,
}
