//! [`Fact`]: an event of a session's queue.

use crate::{AgentName, EventId, InvocationId, Lease, Timestamp, TurnId};

/// The number of an event in its session: 1 for the first, without gaps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequence(pub u64);

impl Sequence {
    /// The next number.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// The SHA-256 of a message: equal for equal messages only.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub [u8; 32]);

impl std::fmt::Debug for Fingerprint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0[..4].iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

/// The fields of every event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub sequence: Sequence,
    /// Its time; never earlier than that of the entry before.
    pub at: Timestamp,
    /// The turn.
    pub turn_id: TurnId,
    /// The agent of the turn.
    pub agent_name: AgentName,
    /// The agent's run.
    pub invocation_id: InvocationId,
}

/// A change of the queue. Facts with an [`Entry`] are events of the session and are stored. Leases
/// live in memory and are renewed by their owner's heartbeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// A turn joined the queue.
    Requested(Entry, Fingerprint),
    /// The head of the queue got its response.
    Answered(Entry, Fingerprint),
    /// A turn was canceled: by a command with this fingerprint, or when its session was completed.
    Cancelled(Entry, Option<Fingerprint>),
    /// A tool result or the end of a run was recorded.
    Recorded(Entry, EventId, Fingerprint),
    /// The session was completed.
    Completed,
    /// The lease of the head of the queue was taken, renewed or offered.
    Leased(Lease),
    /// The lease was released or expired.
    Freed,
}

impl Fact {
    /// The entry, if it is an event of the session.
    #[must_use]
    pub fn entry(&self) -> Option<&Entry> {
        match self {
            Self::Requested(entry, _)
            | Self::Answered(entry, _)
            | Self::Cancelled(entry, _)
            | Self::Recorded(entry, _, _) => Some(entry),
            Self::Completed | Self::Leased(_) | Self::Freed => None,
        }
    }
}
