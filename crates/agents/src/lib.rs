//! Agents: the trait [`AgentSource`], its implementations, and the registry of the agents that a host serves.
//!
//! This crate does not depend on pages, routes or files of eval sets, so a program that only calls agents' tools
//! can use it alone. The host converts these types to those of the page.

pub mod adk_python;
mod arguments;
pub mod child;
pub mod embedded;
mod lines;
mod log;
pub mod mcp;
pub mod native;
pub mod registry;
mod reporter;
pub mod schemas;
mod source;
pub mod spill_store;

/// The longest result of a native or Python tool, in bytes of JSON.
const MAX_RESULT_BYTES: usize = 128 * 1024 * 1024;

pub use api::{
    ActiveAgent, AgentFault, Answer, Artifact, Asks, CallProgressed, CatalogChange, LogLine,
    Question, RunnerDifference, SampledMessage, SamplingRequest, ServerInstructions, SessionView,
    SourceKind, SubAgent, ToolHints, ToolView, Workflow,
};
pub use log::AgentLog;
pub use registry::SimulatedAgentConfig;
pub use reporter::{Reporter, SourceEvent};
pub use source::{
    AgentFacts, AgentSource, AnswerError, ArtifactContent, CallProgress, CallReport,
    ResourceContent, ResourceError, SessionPast, SessionSeed, SourceError, ToolFailure,
    ToolInvocation,
};
