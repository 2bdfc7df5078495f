//! Eval sets on disk: a completed session becomes a case in the agent's file.
//!
//! `golden_trace` makes the case, `export` has it appended; the file itself is `evalset-file`'s.

mod export;
mod golden_trace;

pub(crate) use export::export;
