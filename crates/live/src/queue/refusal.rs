//! [`Refusal`]: why a command changes nothing.

use crate::{DisplayName, EventId, Sequence, Timestamp, TurnId};

/// Why a command changes nothing. Each message names the field and the rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The session is completed.
    #[error(
        "session_id: this session is completed and accepts no requests; create another session"
    )]
    Completed,
    /// The session has no such turn.
    #[error("turn_id: this session has no turn {0}")]
    UnknownTurn(TurnId),
    /// The turn id belongs to another request.
    #[error(
        "turn_id: {0} is already used by another request; send a new turn id with a new request, \
         and the same content with a retry"
    )]
    TurnTaken(TurnId),
    /// The event id belongs to another event.
    #[error("event_id: {0} is already used by another event; send a new id with a new event")]
    EventTaken(EventId),
    /// The turn already has a response.
    #[error("turn_id: {turn_id} already has a response, event {}", sequence.0)]
    AlreadyAnswered {
        /// The turn.
        turn_id: TurnId,
        /// The event of its response.
        sequence: Sequence,
    },
    /// The turn was canceled.
    #[error("turn_id: {turn_id} was canceled, event {}", sequence.0)]
    AlreadyCancelled {
        /// The turn.
        turn_id: TurnId,
        /// The event of its cancellation.
        sequence: Sequence,
    },
    /// Earlier turns are pending.
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
    /// Another person holds the lease of this turn.
    #[error(
        "lease_id: {holder} holds the lease; you can take it when {holder} hands it over or \
         releases it, or when it expires at {}", until.0
    )]
    LeaseHeld {
        /// The holder.
        holder: DisplayName,
        /// When it expires unless it is renewed.
        until: Timestamp,
    },
    /// The sender does not hold the lease that it would hand over.
    #[error("lease_id: this lease does not hold the turn; take the lease first")]
    LeaseNotHeld,
    /// The session has pending turns.
    #[error("cancel_pending: {count} turns are pending; respond to them, or set cancel_pending")]
    TurnsPending {
        /// How many.
        count: usize,
    },
}
