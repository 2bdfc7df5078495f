//! Agents in Python: any folder that `adk web` loads, run by a worker in the agent's own virtual
//! environment.
//!
//! The host starts one worker process for each agent, uses JSON-RPC over pipes
//! (`docs/design/worker-protocol.md`) and records what each call changed. A worker that ends is replaced,
//! and its sessions are restored from the record. A worker that ignores a cancellation is drained: new calls
//! go to a new worker, while calls of other sessions run to their end.

mod files;
mod initial_state;
pub mod interpreter;
mod messages;
pub mod package;
mod past;
mod process;
mod record;
mod source;
mod supervisor;
#[cfg(test)]
mod tests;

pub use files::{environment_file, source_files};
pub use source::AdkPythonSource;
