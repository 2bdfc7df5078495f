//! Agents: the seam behind which they differ, their sources, and the registry that holds them.

pub mod adk_python;
mod arguments;
pub(crate) mod child;
mod instruction;
mod lines;
mod log;
pub mod mcp;
pub mod native;
pub(crate) mod registry;
mod reporter;
mod source;

/// The longest result of a native or Python tool that is taken, in bytes of JSON.
const MAX_RESULT_BYTES: usize = 128 * 1024 * 1024;

pub use log::AgentLog;
pub use reporter::Reporter;
pub use source::{
    AgentFacts, AgentSource, AnswerError, CallProgress, CallReport, SessionSeed, SourceError,
    ToolFailure, ToolInvocation,
};
