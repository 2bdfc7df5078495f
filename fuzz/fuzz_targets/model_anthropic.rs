//! Any text as a request to Anthropic's Messages: reading it never panics, and what comes of it keeps to what every
//! model API does.

#![no_main]

use libfuzzer_sys::fuzz_target;
use model_wire::anthropic;
use rehearsal_fuzz::holds;

fuzz_target!(|text: &str| holds(anthropic::read(text), anthropic::whole));
