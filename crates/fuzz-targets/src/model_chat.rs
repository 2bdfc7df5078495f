//! Any text as a request to OpenAI's Chat Completions: parsing never panics, and the
//! checks for every model API hold.

use crate::model_api::holds;
use model_wire::openai_chat;

/// Runs the checks on one input.
pub(crate) fn check(text: &str) {
    holds(openai_chat::read(text), openai_chat::whole);
}
