//! Any text as a request to Gemini: reading it never panics, and what comes of it keeps to what every
//! model API does.

#![no_main]

use libfuzzer_sys::fuzz_target;
use model_wire::gemini;
use rehearsal_fuzz::holds;

fuzz_target!(|text: &str| holds(gemini::read(text, "m"), gemini::whole));
