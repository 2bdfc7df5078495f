//! What of a session becomes a case.

use serde::{Deserialize, Serialize};
use session::AgentId;

/// One run of an agent in a session: a user's message and all that followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveRun {
    /// The sequence number of its first request, by which it is chosen.
    pub first: u64,
    /// The agent that the user spoke to.
    pub agent: String,
    /// What the user said; the beginning of it.
    pub query: String,
    /// How many turns were answered.
    pub turns: u64,
    /// How many tools were called.
    pub calls: u64,
    /// Whether it came to a final answer.
    pub is_answered: bool,
    /// The kinds of part in it that a case has no place for, in their vendor's words.
    pub left_out: Vec<String>,
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
