//! A session in little: who waits, for how long, and who answers.

use serde::{Deserialize, Serialize};

use super::{LiveId, LiveTurnId};

/// A session in little.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveSummary {
    /// Its id.
    pub id: LiveId,
    /// What its agent says of it; may be empty.
    pub description: String,
    /// When it was opened, in milliseconds since 1970.
    pub created_ms: i64,
    /// Whether it has ended.
    pub is_completed: bool,
    /// How many events it has, which is the sequence number of the last one.
    pub events: u64,
    /// The agents that asked first, by name, at most 20.
    pub agents: Vec<String>,
    /// How many turns wait for an answer.
    pub depth: u64,
    /// The oldest turns that wait, at most 20; the first is up for answer.
    pub waiting: Vec<WaitingTurn>,
    /// Who answers the first.
    pub lease: Option<LiveLease>,
}

impl LiveSummary {
    /// The turn that is up for answer.
    #[must_use]
    pub fn head(&self) -> Option<&WaitingTurn> {
        self.waiting.first()
    }
}

/// A turn without an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingTurn {
    /// The turn.
    pub turn: LiveTurnId,
    /// Who asks.
    pub agent: String,
    /// The sequence number of its request.
    pub sequence: u64,
    /// Since when, in milliseconds since 1970.
    pub since_ms: i64,
    /// Whether the agent listens right now.
    pub is_awaited: bool,
}

/// Who answers the turn that is up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveLease {
    /// The turn.
    pub turn: LiveTurnId,
    /// The name of whoever holds it, or to whom it is offered.
    pub holder: String,
    /// When it ends without a further word, in milliseconds since 1970.
    pub until_ms: i64,
    /// Handed over and not yet taken up.
    pub is_offered: bool,
}

/// Some sessions, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveList {
    /// The sessions.
    pub sessions: Vec<LiveSummary>,
    /// Where the next ones begin; nothing after the last.
    pub next: Option<i64>,
}
