//! [`Lease`]: one person's hold on the turn that is up.

use crate::{DisplayName, LeaseId, Timestamp, TurnId};

/// Who answers the turn that is up. It ends with the turn, or when no heartbeat comes in time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The turn.
    pub turn_id: TurnId,
    /// The holder's secret; `None` while it is offered to the holder and not yet taken up.
    pub id: Option<LeaseId>,
    /// Who holds it, or to whom it is offered.
    pub holder: DisplayName,
    /// When it ends.
    pub until: Timestamp,
}

impl Lease {
    /// Whether it still counts.
    #[must_use]
    pub fn is_valid(&self, now: Timestamp) -> bool {
        now < self.until
    }

    /// Whether a person named `by` with `lease_id` may hold the lease now.
    pub(super) fn may_be_taken_by(
        &self,
        lease_id: LeaseId,
        by: &DisplayName,
        now: Timestamp,
    ) -> bool {
        match self.id {
            _ if !self.is_valid(now) => true,
            Some(id) => id == lease_id,
            None => self.holder == *by,
        }
    }
}
