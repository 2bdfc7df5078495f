//! The summary of a session: its pending turns and the lease of the first.

use serde::{Deserialize, Serialize};

use super::{LiveId, LiveTurnId};

/// The summary of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveSummary {
    /// Its id.
    pub id: LiveId,
    /// Its description; may be empty.
    pub description: String,
    /// When it was opened, in milliseconds since 1970.
    pub created_ms: i64,
    /// Whether it is completed.
    pub is_completed: bool,
    /// The number of its events, which is the sequence number of the last one.
    pub events: u64,
    /// The names of the first agents that sent requests, at most 20.
    pub agents: Vec<String>,
    /// The number of pending turns.
    pub depth: u64,
    /// The oldest pending turns, at most 20; the first is the head of the queue.
    pub waiting: Vec<WaitingTurn>,
    /// The lease of the head of the queue.
    pub lease: Option<LiveLease>,
}

impl LiveSummary {
    /// The turn at the head of the queue.
    #[must_use]
    pub fn head(&self) -> Option<&WaitingTurn> {
        self.waiting.first()
    }
}

/// A pending turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingTurn {
    /// The turn.
    pub turn: LiveTurnId,
    /// The agent.
    pub agent: String,
    /// The sequence number of its request.
    pub sequence: u64,
    /// When it was requested, in milliseconds since 1970.
    pub since_ms: i64,
    /// Whether the agent is connected and waits for the response.
    pub is_awaited: bool,
}

/// The lease of the head of the queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveLease {
    /// The turn.
    pub turn: LiveTurnId,
    /// The person who holds it, or to whom it is offered.
    pub holder: String,
    /// When it expires unless it is renewed, in milliseconds since 1970.
    pub until_ms: i64,
    /// Whether it is offered to the holder, who has not taken it yet.
    pub is_offered: bool,
}

/// Some sessions, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveList {
    /// The sessions.
    pub sessions: Vec<LiveSummary>,
    /// The start of the next page; `None` on the last one.
    pub next: Option<i64>,
}
