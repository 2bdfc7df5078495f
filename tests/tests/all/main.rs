//! The integration tests of this crate in one program, which builds faster than one for each file.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod adk_eval;
mod evalsets;
mod export;
mod hosting;
mod linting;
mod mcp;
mod pairing;
mod playing_back;
mod scoring;
mod wheel;
