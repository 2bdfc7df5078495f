//! [`SameRequests`]: decides which earlier request a new, equal one repeats, from the newest back.
//!
//! The rules are in `docs/design/model-endpoints.md`.

use std::time::Duration;

use live::TurnId;

use super::waiting_clients::KEPT;

/// How long after its end a turn may match a request that the client marks as a retry.
pub(super) const RECENT: Duration = Duration::from_secs(10 * 60);

/// The status of an equal request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestStatus {
    /// It is pending.
    Pending { attended: bool },
    /// It was answered or canceled this long ago. It is undelivered if its client left before the
    /// response.
    Ended { answered: bool, undelivered: bool, age: Duration },
}

/// The equal requests seen so far.
#[derive(Debug, Default)]
pub(super) struct SameRequests {
    /// The oldest pending one without a waiting client.
    abandoned: Option<TurnId>,
    /// The newest one with a waiting client.
    attended: Option<TurnId>,
    /// The newest one that ended recently.
    ended: Option<TurnId>,
    is_past_answer: bool,
}

impl SameRequests {
    /// Adds one request; call it with the newest first.
    pub(super) fn take(&mut self, turn: TurnId, status: RequestStatus) {
        match status {
            RequestStatus::Pending { attended: false } => self.abandoned = Some(turn),
            RequestStatus::Pending { attended: true } => {
                self.attended.get_or_insert(turn);
            }
            RequestStatus::Ended { answered, undelivered, age } => {
                if undelivered && age < KEPT {
                    self.abandoned = Some(turn);
                }
                if age < RECENT {
                    self.ended.get_or_insert(turn);
                }
                self.is_past_answer |= answered;
            }
        }
    }

    /// Whether all older requests have ended: turns are answered in order, but canceled in any
    /// order.
    pub(super) fn is_past_answer(&self) -> bool {
        self.is_past_answer
    }

    /// The request that the new one repeats; `None` if it is new.
    pub(super) fn matched(&self, tries_again: bool) -> Option<TurnId> {
        let meant = || self.attended.or(self.ended).filter(|_| tries_again);
        self.abandoned.or_else(meant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABANDONED: RequestStatus = RequestStatus::Pending { attended: false };
    const ATTENDED: RequestStatus = RequestStatus::Pending { attended: true };

    fn ended(answered: bool, undelivered: bool, minutes: u64) -> RequestStatus {
        RequestStatus::Ended { answered, undelivered, age: Duration::from_secs(minutes * 60) }
    }

    /// The index of the match, oldest first, without and with a retry header.
    fn matched(statuses: &[RequestStatus]) -> [Option<usize>; 2] {
        let turn = |place| TurnId::from_random([u8::try_from(place).expect("few"); 16]);
        let mut same_request = SameRequests::default();
        for (place, status) in statuses.iter().enumerate().rev() {
            same_request.take(turn(place), *status);
        }
        let place = |matched| (0..statuses.len()).find(|place| turn(*place) == matched);
        [false, true].map(|tries_again| same_request.matched(tries_again).and_then(place))
    }

    #[test]
    fn matches_a_turn_without_a_client_before_an_ended_one() {
        let (answered, cancelled) = (ended(true, false, 1), ended(false, false, 1));
        assert_eq!(matched(&[ABANDONED, cancelled]), [Some(0); 2]);
        assert_eq!(
            matched(&[answered, ABANDONED, cancelled, ABANDONED]),
            [Some(1); 2],
            "the oldest"
        );
        assert_eq!(matched(&[ended(true, true, 1), answered]), [Some(0); 2]);
        assert_eq!(matched(&[ended(true, true, 1), ABANDONED]), [Some(0); 2]);
    }

    #[test]
    fn a_retry_matches_a_pending_turn_and_then_the_last_ended_one() {
        let (answered, cancelled) = (ended(true, false, 1), ended(false, false, 1));
        assert_eq!(matched(&[ATTENDED, cancelled]), [None, Some(0)]);
        assert_eq!(matched(&[answered, cancelled]), [None, Some(1)]);
        assert_eq!(matched(&[answered, ended(true, false, 11)]), [None, Some(0)]);
        assert_eq!(matched(&[ended(true, false, 11)]), [None, None]);
    }

    #[test]
    fn an_undelivered_response_matches_for_a_day() {
        assert_eq!(matched(&[ended(true, true, 24 * 60 - 1)]), [Some(0); 2]);
        assert_eq!(matched(&[ended(true, true, 24 * 60)]), [None; 2]);
        assert_eq!(matched(&[ended(true, true, 3 * 24 * 60), ABANDONED]), [Some(1); 2]);
    }
}
