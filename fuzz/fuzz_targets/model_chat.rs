//! Any text as a request to OpenAI's Chat Completions: parsing never panics, and the
//! checks for every model API hold.

#![no_main]

use libfuzzer_sys::fuzz_target;
use model_wire::openai_chat;
use rehearsal_fuzz::holds;

fuzz_target!(|text: &str| holds(openai_chat::read(text), openai_chat::whole));
