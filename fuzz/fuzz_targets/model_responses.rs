//! Any text as a request to OpenAI's Responses: reading it never panics, a refusal names its field and its
//! rule, and what was read can be put on the wire of live sessions and read back the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use live::{LlmRequest, Payload};
use rpc::wire::session_event::Payload as WirePayload;

fuzz_target!(|text: &str| {
    if let Err(refusal) = model_wire::openai_responses::previous_turn(text) {
        named(&refusal);
    }
    match model_wire::openai_responses::read(text, Vec::new()) {
        Ok(asked) => stays(asked.request),
        Err(refusal) => named(&refusal),
    }
});

fn stays(request: LlmRequest) {
    let WirePayload::Request(message) = rpc::payload_to_wire(Payload::Request(request.clone()))
    else {
        panic!("a request")
    };
    assert_eq!(rpc::llm_request(message).expect("what was read fits the wire"), request);
}

fn named(refusal: &live::Invalid) {
    assert!(!refusal.field.is_empty() && !refusal.rule.is_empty());
}
