//! [`Refusal`]: why a command changes nothing.

use crate::{DisplayName, EventId, Sequence, Timestamp, TurnId};

/// Why a command changes nothing. Each message names the field and the rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The session has ended.
    #[error(
        "session_id: this session is completed and accepts no requests; create another session"
    )]
    Completed,
    /// The session has no such turn.
    #[error("turn_id: this session has no turn {0}")]
    UnknownTurn(TurnId),
    /// The turn id names another request.
    #[error(
        "turn_id: {0} is already used by another request; send a new turn id with a new request, \
         and the same content with a retry"
    )]
    TurnTaken(TurnId),
    /// The event id names another event.
    #[error("event_id: {0} is already used by another event; send a new id with a new event")]
    EventTaken(EventId),
    /// Somebody was faster, or the agent gave up too late.
    #[error("turn_id: {turn_id} already has a response, event {}", sequence.0)]
    AlreadyAnswered {
        /// The turn.
        turn_id: TurnId,
        /// Its response.
        sequence: Sequence,
    },
    /// The turn left the queue without an answer.
    #[error("turn_id: {turn_id} was canceled, event {}", sequence.0)]
    AlreadyCancelled {
        /// The turn.
        turn_id: TurnId,
        /// The event that says so.
        sequence: Sequence,
    },
    /// Older turns come first.
    #[error(
        "turn_id: {turn_id} is not at the head of the queue: {ahead} earlier {} pending",
        if *ahead == 1 { "turn is" } else { "turns are" }
    )]
    NotAtHead {
        /// The turn.
        turn_id: TurnId,
        /// How many are before it.
        ahead: usize,
    },
    /// Somebody else answers this turn.
    #[error(
        "lease_id: {holder} holds the lease; you can take it when {holder} hands it over or \
         releases it, or when it expires at {}", until.0
    )]
    LeaseHeld {
        /// Who.
        holder: DisplayName,
        /// Until when, unless renewed.
        until: Timestamp,
    },
    /// Only its holder can hand a turn over.
    #[error("lease_id: this lease does not hold the turn; take the lease first")]
    LeaseNotHeld,
    /// Agents still wait.
    #[error("cancel_pending: {count} turns are pending; respond to them, or set cancel_pending")]
    TurnsPending {
        /// How many.
        count: usize,
    },
}
