//! What the targets share: what must hold of a model API's request, however it was written.

use live::{Invalid, LlmRequest, Payload};
use rpc::wire::session_event::Payload as WirePayload;

/// What was read can be put on the wire of live sessions and read back the same.
pub fn stays(request: LlmRequest) {
    let WirePayload::Request(message) = rpc::payload_to_wire(Payload::Request(request.clone()))
    else {
        panic!("a request")
    };
    assert_eq!(rpc::llm_request(message).expect("what was read fits the wire"), request);
}

/// A refusal names its field and its rule.
pub fn named(refusal: &Invalid) {
    assert!(!refusal.field.is_empty() && !refusal.rule.is_empty());
}
