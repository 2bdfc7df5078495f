//! Storage of live sessions: the trait and its types.
//!
//! SQLite serves one host ([`SqliteStore`]); a database for a team would be another implementation of
//! [`LiveStore`]. Exactly one ledger writes, so the trait has one write method:
//! [`LiveStore::commit`].

mod error;
mod sqlite;
#[cfg(test)]
mod tests;

use async_trait::async_trait;
use live::{
    ClosedTurn, EventId, Fingerprint, InvocationId, LiveSession, LiveSessionId, PayloadType,
    PendingTurn, Recorded, Sequence, Timestamp, TurnId,
};

pub use error::StoreError;
pub use sqlite::SqliteStore;

/// A stored session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSession {
    /// The session itself.
    pub session: LiveSession,
    /// Its number: later sessions have higher ones.
    pub number: i64,
    /// The first agents that sent requests, at most 20.
    pub agents: Vec<String>,
    /// The sequence number of its last event; 0 before the first.
    pub last: Sequence,
    /// The time of its last event.
    pub last_at: Timestamp,
}

/// A stored turn, pending or closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTurn {
    /// Its session.
    pub session_id: LiveSessionId,
    /// Who opened its session; `None` without authentication.
    pub owner: Option<String>,
    /// The sequence number of its request.
    pub requested: Sequence,
    /// `None` while it is pending.
    pub closed: Option<ClosedTurn>,
}

/// A stored event: the bytes are a `SessionEvent` of `proto/rehearsal/v1`, the other fields are for
/// queries.
#[derive(Debug, Clone)]
pub struct NewEvent {
    /// Its id.
    pub event_id: EventId,
    /// Its session.
    pub session_id: LiveSessionId,
    /// Its position in the session.
    pub sequence: Sequence,
    /// When it was recorded.
    pub at: Timestamp,
    /// The turn that it belongs to.
    pub turn_id: TurnId,
    /// The agent of that turn.
    pub agent_name: String,
    /// The agent's run.
    pub invocation_id: InvocationId,
    /// The kind of its payload.
    pub kind: PayloadType,
    /// The fingerprint of what was sent; `None` if the host itself recorded it.
    pub fingerprint: Option<Fingerprint>,
    /// Who sent a request; `None` for other events, and without authentication.
    pub caller: Option<String>,
    /// The encoded `SessionEvent`.
    pub bytes: Vec<u8>,
}

/// One change to store.
#[derive(Debug, Clone)]
pub enum Change {
    /// A new session.
    Open(LiveSession),
    /// A new event.
    Append(NewEvent),
    /// The session accepts no more requests.
    Complete(LiveSessionId),
    /// The session and all its events are deleted.
    Delete(LiveSessionId),
    /// A client of a model endpoint waits for the turn's response. No effect if it is repeated.
    Await(TurnId, Fingerprint),
    /// The response has reached the client.
    Deliver(TurnId),
}

/// Stores sessions and events.
#[async_trait]
pub trait LiveStore: Send + Sync + 'static {
    /// Stores all of the changes or none; when this returns, they survive a power loss.
    async fn commit(&self, changes: &[Change]) -> Result<(), StoreError>;

    /// The pending turns of every session.
    async fn pending(&self) -> Result<Vec<(LiveSessionId, PendingTurn)>, StoreError>;

    /// The pending turns of one session.
    async fn pending_of(&self, session: LiveSessionId) -> Result<Vec<PendingTurn>, StoreError>;

    /// The session with that id.
    async fn session(&self, id: LiveSessionId) -> Result<Option<StoredSession>, StoreError>;

    /// At most `count` sessions before number `before`, newest first. `search` matches a part of
    /// the description or of an agent's name, ignoring case. With `owners`, only sessions that one of
    /// them opened.
    async fn sessions(
        &self,
        before: Option<i64>,
        search: &str,
        owners: Option<&[String]>,
        count: u32,
    ) -> Result<Vec<StoredSession>, StoreError>;

    /// The turn with that id, in any session.
    async fn turn(&self, turn_id: TurnId) -> Result<Option<StoredTurn>, StoreError>;

    /// The event with that id, in any session.
    async fn recorded(
        &self,
        event_id: EventId,
    ) -> Result<Option<(LiveSessionId, Recorded)>, StoreError>;

    /// The turns that a client of a model endpoint waits for, oldest first, with the fingerprints of
    /// their requests. Those that ended before a time are deleted.
    async fn undelivered(
        &self,
        ended_before: Timestamp,
    ) -> Result<Vec<(TurnId, Fingerprint)>, StoreError>;

    /// The bytes of the events after a sequence number, in order: at most `count` of them, and at
    /// most one beyond `bytes` bytes.
    async fn events_after(
        &self,
        session: LiveSessionId,
        after: Sequence,
        count: u32,
        bytes: usize,
    ) -> Result<Vec<Vec<u8>>, StoreError>;

    /// The bytes of the events recorded for a turn (tool results and the end of its run), in order:
    /// at most 1,000 events.
    async fn recorded_of(
        &self,
        session: LiveSessionId,
        turn_id: TurnId,
    ) -> Result<Vec<Vec<u8>>, StoreError>;

    /// At most `count` sessions without a pending turn whose last event is older than `before`, the longest unused
    /// first.
    async fn unused(&self, before: Timestamp, count: u32)
    -> Result<Vec<LiveSessionId>, StoreError>;

    /// The time of the last event or the last new session; `None` without sessions.
    async fn last_used(&self) -> Result<Option<Timestamp>, StoreError>;

    /// Whether the disk has no room for another request: less than a megabyte.
    fn disk_is_full(&self) -> bool;

    /// The size of what is stored, in bytes, without the space that deleted sessions have left.
    async fn bytes(&self) -> Result<u64, StoreError>;

    /// The durability of a commit, in the database's terms.
    async fn durability(&self) -> Result<String, StoreError>;

    /// Closes the database.
    async fn close(&self);
}
