//! Any text as a request to Anthropic's Messages: parsing never panics, and the
//! checks for every model API hold.

#![no_main]

use libfuzzer_sys::fuzz_target;
use model_wire::anthropic;
use rehearsal_fuzz::holds;

fuzz_target!(|text: &str| holds(anthropic::read(text), anthropic::whole));
