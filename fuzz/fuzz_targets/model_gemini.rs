//! Any text as a request to Gemini: reading it never panics, a refusal names its field and its
//! rule, and what was read can be put on the wire of live sessions and read back the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rehearsal_fuzz::{named, stays};

fuzz_target!(|text: &str| {
    match model_wire::gemini::read(text, "m") {
        Ok(asked) => stays(asked.request),
        Err(refusal) => named(&refusal),
    }
});
