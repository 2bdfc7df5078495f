//! Any text as a request to OpenAI's Responses: parsing never panics, and the checks for every
//! model API hold.

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
