//! [`LiveTurnHost`]: the turns of live sessions: their leases and responses.

use json_text::JsonText;

use crate::{FieldMessage, LiveId, LiveLeaseId, LivePlace, LiveResponse, LiveTarget};

super::host_functions! {
    /// The turns of live sessions: their leases and responses.
    trait LiveTurnHost;

    /// Checks a value against a schema of a turn's request. No messages: it is valid.
    "check_live_value": fn check_live_value(
        place: LivePlace,
        target: LiveTarget,
        value: JsonText,
    ) -> Vec<FieldMessage>;

    /// Responds to the head of the queue. The same response sent again has no further effect.
    "respond_to_turn": fn respond_to_turn(response: LiveResponse) -> ();

    /// Takes or renews the lease of the head of the queue; repeated calls are the heartbeat.
    "take_live_lease": fn take_live_lease(place: LivePlace, lease: LiveLeaseId, by: String) -> ();

    /// Hands the lease over to another person, by name.
    "hand_over_live_lease": fn hand_over_live_lease(
        place: LivePlace,
        lease: LiveLeaseId,
        to: String,
    ) -> ();

    /// Releases the lease.
    "release_live_lease": fn release_live_lease(place: LivePlace, lease: LiveLeaseId) -> ();

    /// Takes a turn out of the queue without an answer.
    "cancel_live_turn": fn cancel_live_turn(place: LivePlace, reason: String, by: String) -> ();

    /// Ends a session. Refused while turns wait, unless they are to be cancelled.
    "complete_live_session": fn complete_live_session(
        session: LiveId,
        cancel_waiting: bool,
        by: String,
    ) -> ();

    /// Deletes a session with all its events. Refused while turns wait.
    "delete_live_session": fn delete_live_session(session: LiveId, by: String) -> ();
}
