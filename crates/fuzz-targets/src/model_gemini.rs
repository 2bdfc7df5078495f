//! Any text as a request to Gemini: parsing never panics, and the checks for every model
//! API hold.

use crate::model_api::holds;
use model_wire::gemini;

/// Runs the checks on one input.
pub(crate) fn check(text: &str) {
    holds(gemini::read(text, "m"), gemini::whole);
}
