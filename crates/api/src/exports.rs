//! Export: a completed session becomes a case in the agent's eval set.

use serde::{Deserialize, Serialize};
use session::{AgentId, HistoryEntry, SessionId};

/// A completed session to export. The host names the file, the page cannot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExportRequest {
    /// The session.
    pub session: SessionId,
    /// The agent that was played.
    pub agent: AgentId,
    /// The whole history, held results by reference.
    pub history: Vec<HistoryEntry>,
}

/// What was written, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportReceipt {
    /// Absolute path of the eval-set file.
    pub path: String,
    /// The case's id in it.
    pub eval_id: String,
    /// How many cases the file holds now.
    pub cases: u64,
    /// The case as it stands in the file; a long one in part.
    pub preview: String,
    /// Whether `preview` is the whole case.
    pub preview_is_whole: bool,
    /// Whether this session was exported before, so that nothing was added.
    pub already_there: bool,
    /// Whether the file was made by this export.
    pub created: bool,
}
