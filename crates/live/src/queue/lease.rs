//! [`Lease`]: one person's right to respond to the head of the queue.

use crate::{DisplayName, LeaseId, Moment, TurnId};

/// One person's right to respond to the head of the queue. It ends with the turn, or expires without
/// a heartbeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The turn.
    pub turn_id: TurnId,
    /// Its id, known to the holder only; `None` while it is offered and not yet taken.
    pub id: Option<LeaseId>,
    /// The person who holds it, or to whom it is offered.
    pub holder: DisplayName,
    /// When it expires. The time of day is shown, and the ticks count.
    pub until: Moment,
}

impl Lease {
    /// Whether it has not expired at `now`.
    #[must_use]
    pub fn is_valid(&self, now: Moment) -> bool {
        now.ticks < self.until.ticks
    }

    /// Whether the person `by` may take or renew the lease with `lease_id`.
    pub(super) fn may_be_taken_by(&self, lease_id: LeaseId, by: &DisplayName, now: Moment) -> bool {
        match self.id {
            _ if !self.is_valid(now) => true,
            Some(id) => id == lease_id,
            None => self.holder == *by,
        }
    }
}
