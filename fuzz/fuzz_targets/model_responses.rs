//! Any text as a request to OpenAI's Responses: reading it never panics, and what comes of it keeps to
//! what every model API does.

#![no_main]

use libfuzzer_sys::fuzz_target;
use model_wire::openai_responses;
use rehearsal_fuzz::{holds, named};

fuzz_target!(|text: &str| {
    if let Err(refusal) = openai_responses::previous_turn(text) {
        named(&refusal);
    }
    holds(openai_responses::read(text, Vec::new()), openai_responses::whole);
});
