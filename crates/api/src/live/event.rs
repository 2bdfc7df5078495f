//! What happened in a session, each event on a line.

use serde::{Deserialize, Serialize};

use super::{LivePart, LiveRole, LiveTurnId, LiveValue};

/// One event on a line. Long texts and values are there in part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveRow {
    /// Its place: 1, 2, 3 and so on.
    pub sequence: u64,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// The turn that it is about.
    pub turn: LiveTurnId,
    /// Whose turn.
    pub agent: String,
    /// Which of the agent's runs; may be empty.
    pub run: String,
    /// Who answered or cancelled.
    pub by: Option<String>,
    /// What happened.
    pub what: LiveEventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LiveEventKind {
    /// The agent asked its model.
    Asked {
        /// The end of the conversation that it sent.
        last: Vec<LivePart>,
        /// How many of its pieces are left out of a line.
        more: usize,
        /// Whose words these are.
        role: LiveRole,
        /// How long the conversation is.
        contents: u64,
        /// How many tools it offers.
        tools: u64,
    },
    /// A person answered.
    Answered {
        /// The first candidate.
        parts: Vec<LivePart>,
        /// How many of its pieces are left out of a line.
        more: usize,
    },
    /// The turn left the queue without an answer.
    Cancelled {
        /// Why.
        reason: String,
    },
    /// A tool answered.
    ToolAnswered {
        /// The tool.
        tool: String,
        /// What it answered; nothing is not `{}`.
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
        /// What went wrong, where something did.
        message: String,
    },
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LiveOutcome {
    /// With its last answer.
    Completed,
    /// With an error.
    Failed,
    /// It was stopped.
    Cancelled,
}
