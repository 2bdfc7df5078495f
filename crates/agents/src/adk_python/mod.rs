//! Agents in Python: any folder that `adk web` loads, run by a worker in the agent's own virtual
//! environment.
//!
//! The host starts one worker process for each agent, speaks JSON-RPC with it over pipes
//! (`docs/design/worker-protocol.md`) and records what each call changed. A worker that dies is
//! replaced and its sessions are rebuilt from the record; one that does not obey a cancel is
//! drained: new calls go to a fresh worker while the calls of other sessions run to their end.

pub mod interpreter;
mod messages;
mod package;
mod process;
mod record;
mod source;
mod supervisor;
#[cfg(test)]
mod tests;

pub use source::AdkPythonSource;
