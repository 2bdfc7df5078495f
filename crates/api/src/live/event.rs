//! The events of a session, as rows.

use serde::{Deserialize, Serialize};

use super::{LivePart, LiveRole, LiveTurnId, LiveValue};

/// The row of an event. Long texts and values are truncated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveRow {
    /// Its sequence number: 1, 2, 3 and so on.
    pub sequence: u64,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// The turn that it is about.
    pub turn: LiveTurnId,
    /// The agent of the turn.
    pub agent: String,
    /// The agent's run; may be empty.
    pub run: String,
    /// Who responded or canceled.
    pub by: Option<String>,
    /// What happened.
    pub what: LiveEventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LiveEventKind {
    /// The agent sent a request.
    Asked {
        /// The last content of the conversation.
        last: Vec<LivePart>,
        /// How many of its parts are left out.
        more: usize,
        /// The author of the last content.
        role: LiveRole,
        /// The number of contents.
        contents: u64,
        /// The number of tools.
        tools: u64,
    },
    /// A person responded.
    Answered {
        /// The parts of the first candidate.
        parts: Vec<LivePart>,
        /// How many of its parts are left out.
        more: usize,
    },
    /// The turn was canceled.
    Cancelled {
        /// Why.
        reason: String,
    },
    /// A tool returned a result.
    ToolAnswered {
        /// The tool.
        tool: String,
        /// The result; `None` is not `{}`.
        response: Option<LiveValue>,
        /// Whether it failed.
        failed: bool,
        /// How long it took.
        duration_ms: Option<i64>,
    },
    /// The run is over.
    Ended {
        /// How.
        outcome: LiveOutcome,
        /// What went wrong, if anything.
        message: String,
    },
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LiveOutcome {
    /// With its last response.
    Completed,
    /// With an error.
    Failed,
    /// It was canceled.
    Cancelled,
}
