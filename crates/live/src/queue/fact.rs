//! [`Fact`]: an event of a session's queue.

use crate::{AgentName, EventId, InvocationId, Lease, Timestamp, TurnId};

/// The place of an event in its session: 1 for the first, without gaps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequence(pub u64);

impl Sequence {
    /// The one after.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// Stands for the content of a message: equal exactly when the messages are (SHA-256).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub [u8; 32]);

impl std::fmt::Debug for Fingerprint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0[..4].iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

/// What every event has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its place.
    pub sequence: Sequence,
    /// When; never earlier than the entry before.
    pub at: Timestamp,
    /// The turn.
    pub turn_id: TurnId,
    /// Whose turn.
    pub agent_name: AgentName,
    /// In which run.
    pub invocation_id: InvocationId,
}

/// What has happened. Those with an [`Entry`] are events of the session and are kept; a lease lives
/// in memory and is renewed by its owner's heartbeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// A turn joined the queue.
    Requested(Entry, Fingerprint),
    /// The turn that was up was answered.
    Answered(Entry, Fingerprint),
    /// A turn left the queue: cancelled by a command of this content, or with its session.
    Cancelled(Entry, Option<Fingerprint>),
    /// Something else that the run showed.
    Recorded(Entry, EventId, Fingerprint),
    /// The session ended.
    Completed,
    /// The turn that is up is held, or held longer, or offered.
    Leased(Lease),
    /// Nobody holds it any more.
    Freed,
}

impl Fact {
    /// The entry, where it is an event of the session.
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
