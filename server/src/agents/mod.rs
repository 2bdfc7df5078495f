//! Agents: the seam behind which they differ, their sources, and the registry that holds them.

pub mod adk_python;
mod log;
pub mod native;
pub(crate) mod registry;
mod source;

pub use log::AgentLog;

pub use source::{
    AgentFacts, AgentSource, CallProgress, CallReport, SessionSeed, SourceError, ToolFailure,
    ToolInvocation,
};
