//! Any bytes as a stored event: reading never panics, and a valid event is unchanged after writing and
//! reading. The event can have every payload, so that all decoders are reached.

use prost::Message;

/// Runs the checks on one input.
pub(crate) fn check(data: &[u8]) {
    let Ok(event) = rpc::stored_event(data) else { return };
    let bytes = rpc::event_to_wire(event.clone()).encode_to_vec();
    assert_eq!(rpc::stored_event(&bytes), Ok(event), "what is written reads back the same");
}
