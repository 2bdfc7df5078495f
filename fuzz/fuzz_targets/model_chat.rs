//! Any text as a request to OpenAI's Chat Completions: reading it never panics, and what comes of it keeps to what every
//! model API does.

#![no_main]

use libfuzzer_sys::fuzz_target;
use model_wire::openai_chat;
use rehearsal_fuzz::holds;

fuzz_target!(|text: &str| holds(openai_chat::read(text), openai_chat::whole));
