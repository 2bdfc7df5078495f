//! Where live sessions are kept: the trait, and what passes through it.
//!
//! SQLite serves one host ([`sqlite`]); a database that serves a team implements [`LiveStore`] beside
//! it. Exactly one ledger writes, so that the trait has one way to write: [`LiveStore::commit`].

mod error;
mod lock;
pub(super) mod sqlite;
#[cfg(test)]
mod tests;

use async_trait::async_trait;
use live::{
    ClosedTurn, EventId, Fingerprint, InvocationId, LiveSession, LiveSessionId, PayloadType,
    PendingTurn, Recorded, Sequence, Timestamp, TurnId,
};

pub(super) use error::StoreError;

/// A session as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredSession {
    pub session: LiveSession,
    /// Its place among all sessions: those opened later have higher ones.
    pub number: i64,
    /// The agents that asked first, at most 20.
    pub agents: Vec<String>,
    pub last: Sequence,
    pub last_at: Timestamp,
}

/// A turn as it is kept, pending or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StoredTurn {
    pub session_id: LiveSessionId,
    /// The place of its request.
    pub requested: Sequence,
    /// `None` while it is pending.
    pub closed: Option<ClosedTurn>,
}

/// What is kept of an event: the bytes are a `SessionEvent` of `proto/rehearsal/v1`, the rest is
/// what it is found by.
#[derive(Debug, Clone)]
pub(super) struct NewEvent {
    pub event_id: EventId,
    pub session_id: LiveSessionId,
    pub sequence: Sequence,
    pub at: Timestamp,
    pub turn_id: TurnId,
    pub agent_name: String,
    pub invocation_id: InvocationId,
    pub kind: PayloadType,
    pub fingerprint: Option<Fingerprint>,
    pub bytes: Vec<u8>,
}

/// One thing to keep.
#[derive(Debug, Clone)]
pub(super) enum Change {
    Open(LiveSession),
    Append(NewEvent),
    Complete(LiveSessionId),
}

/// Keeps sessions and events.
#[async_trait]
pub(super) trait LiveStore: Send + Sync + 'static {
    /// Keeps all of the changes or none; when this returns, they outlive a loss of power.
    async fn commit(&self, changes: &[Change]) -> Result<(), StoreError>;

    /// The turns that are pending, of every session.
    async fn pending(&self) -> Result<Vec<(LiveSessionId, PendingTurn)>, StoreError>;

    /// The turns of one session that are pending.
    async fn pending_of(&self, session: LiveSessionId) -> Result<Vec<PendingTurn>, StoreError>;

    async fn session(&self, id: LiveSessionId) -> Result<Option<StoredSession>, StoreError>;

    /// At most `count` sessions opened before number `before`, newest first, whose description or one
    /// of whose agents' names holds `search`, whatever its case.
    async fn sessions(
        &self,
        before: Option<i64>,
        search: &str,
        count: u32,
    ) -> Result<Vec<StoredSession>, StoreError>;

    /// The turn of that name, in whichever session.
    async fn turn(&self, turn_id: TurnId) -> Result<Option<StoredTurn>, StoreError>;

    /// The event of that name, in whichever session.
    async fn recorded(
        &self,
        event_id: EventId,
    ) -> Result<Option<(LiveSessionId, Recorded)>, StoreError>;

    /// The bytes of the events after a place, in order: at most `count` of them, and no more than
    /// one beyond `bytes` bytes.
    async fn events_after(
        &self,
        session: LiveSessionId,
        after: Sequence,
        count: u32,
        bytes: usize,
    ) -> Result<Vec<Vec<u8>>, StoreError>;

    /// The bytes of what was recorded of a turn, tools' results and the end of its run, in order: at
    /// most 1,000 events.
    async fn recorded_of(
        &self,
        session: LiveSessionId,
        turn_id: TurnId,
    ) -> Result<Vec<Vec<u8>>, StoreError>;

    /// How surely a commit is on disk, in the store's own words.
    async fn durability(&self) -> Result<String, StoreError>;

    /// Lets go of what is held open.
    async fn close(&self);
}
