//! What of a session becomes a case.

use serde::{Deserialize, Serialize};
use session::AgentId;

/// One run of an agent in a session: a user's message and all that followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveRun {
    /// The agent that the user spoke to.
    pub agent: String,
    /// What the user said; the beginning of it.
    pub query: String,
    /// Its answered turns, in order of time.
    pub turns: Vec<AnsweredTurn>,
    /// The kinds of part in it that a case has no place for, in their vendor's words.
    pub left_out: Vec<String>,
    /// How many later messages in the user's words are within it, which its invocation has no room for.
    pub said_later: usize,
}

/// An answered turn of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweredTurn {
    /// The sequence number of its answer, by which it is chosen.
    pub answer: u64,
    /// The agent that was answered.
    pub agent: String,
    /// The tools that were called, in order.
    pub calls: Vec<String>,
    /// What was said; the beginning of it.
    pub text: String,
    /// Whether a run may end with it.
    pub ends: bool,
}

/// What can be exported of a session, and where it would go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveExportPlan {
    /// The runs, in order of time.
    pub runs: Vec<LiveRun>,
    /// The eval-set file.
    pub path: String,
    /// The registered agent whose file that is.
    pub agent: Option<AgentId>,
}
