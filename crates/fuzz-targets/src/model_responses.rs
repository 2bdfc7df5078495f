//! Any text as a request to OpenAI's Responses: parsing never panics, and the checks for every
//! model API hold.

use crate::model_api::{holds, named};
use model_wire::openai_responses;

/// Runs the checks on one input.
pub(crate) fn check(text: &str) {
    if let Err(refusal) = openai_responses::previous_turn(text) {
        named(refusal);
    }
    holds(openai_responses::read(text, Vec::new()), openai_responses::whole);
}
