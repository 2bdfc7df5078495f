//! [`Refusal`]: why a command changes nothing.

use crate::{DisplayName, EventId, Sequence, Timestamp, TurnId};

/// Why a command changes nothing. Each message names the field and the rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The session has ended.
    #[error("session_id: this session is completed and takes no further requests; create another")]
    Completed,
    /// The session has no such turn.
    #[error("turn_id: this session has no turn {0}")]
    UnknownTurn(TurnId),
    /// The turn id names another request.
    #[error(
        "turn_id: {0} already names another request; a new request needs a turn id of its own, and \
         a request that is sent again must be the same"
    )]
    TurnTaken(TurnId),
    /// The event id names another event.
    #[error("event_id: {0} already names another event; a new event needs an id of its own")]
    EventTaken(EventId),
    /// Somebody was faster, or the agent gave up too late.
    #[error("turn_id: {turn_id} is already answered, by event {}", sequence.0)]
    AlreadyAnswered {
        /// The turn.
        turn_id: TurnId,
        /// Its response.
        sequence: Sequence,
    },
    /// The turn left the queue without an answer.
    #[error("turn_id: {turn_id} was cancelled, by event {}", sequence.0)]
    AlreadyCancelled {
        /// The turn.
        turn_id: TurnId,
        /// The event that says so.
        sequence: Sequence,
    },
    /// Older turns come first.
    #[error(
        "turn_id: {turn_id} is not up for answer yet: {ahead} older {}",
        if *ahead == 1 { "turn comes first" } else { "turns come first" }
    )]
    NotUp {
        /// The turn.
        turn_id: TurnId,
        /// How many are before it.
        ahead: usize,
    },
    /// Somebody else answers this turn.
    #[error(
        "lease_id: {holder} holds this turn; it can be taken once handed over or released, or when \
         the lease ends unrenewed at {}", until.0
    )]
    HeldByOther {
        /// Who.
        holder: DisplayName,
        /// Until when, unless renewed.
        until: Timestamp,
    },
    /// Only its holder can hand a turn over.
    #[error("lease_id: the turn is not held under this lease; hold it first")]
    NotHeld,
    /// Agents still wait.
    #[error("cancel_pending: {count} turns are pending; answer them, or set it to cancel them")]
    TurnsPending {
        /// How many.
        count: usize,
    },
}
