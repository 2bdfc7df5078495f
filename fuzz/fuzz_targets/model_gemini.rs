//! Any text as a request to Gemini: parsing never panics, and the checks for every model
//! API hold.

#![no_main]

use libfuzzer_sys::fuzz_target;
use model_wire::gemini;
use rehearsal_fuzz::holds;

fuzz_target!(|text: &str| holds(gemini::read(text, "m"), gemini::whole));
