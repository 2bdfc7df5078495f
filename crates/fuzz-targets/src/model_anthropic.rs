//! Any text as a request to Anthropic's Messages: parsing never panics, and the
//! checks for every model API hold.

use crate::model_api::holds;
use model_wire::anthropic;

/// Runs the checks on one input.
pub(crate) fn check(text: &str) {
    holds(anthropic::read(text), anthropic::whole);
}
