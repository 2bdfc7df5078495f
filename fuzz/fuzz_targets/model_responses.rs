//! Any text as a request to OpenAI's Responses: reading it never panics, a refusal names its field and its
//! rule, and what was read can be put on the wire of live sessions and read back the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rehearsal_fuzz::{named, stays};

fuzz_target!(|text: &str| {
    if let Err(refusal) = model_wire::openai_responses::previous_turn(text) {
        named(&refusal);
    }
    match model_wire::openai_responses::read(text, Vec::new()) {
        Ok(asked) => stays(asked.request),
        Err(refusal) => named(&refusal),
    }
});
