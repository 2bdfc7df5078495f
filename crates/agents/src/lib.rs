//! Agents: the trait [`AgentSource`] behind which they differ, its sources, and the registry of those
//! that a host serves.
//!
//! Nothing here knows of pages, routes or files of eval sets: a program that only calls agents' tools
//! can use this crate by itself. The host converts these types to the page's where it answers.

pub mod adk_python;
mod arguments;
pub mod child;
pub mod embedded;
mod lines;
mod log;
pub mod mcp;
pub mod native;
mod question;
pub mod registry;
mod reporter;
pub mod schemas;
mod source;
pub mod spill_store;
mod view;

/// The longest result of a native or Python tool that is taken, in bytes of JSON.
const MAX_RESULT_BYTES: usize = 128 * 1024 * 1024;

pub use log::{AgentLog, LogLine};
pub use question::{Answer, Asks, Question, SampledMessage, SamplingRequest};
pub use registry::SimulatedAgentConfig;
pub use reporter::{CallProgressed, CatalogueChange, Reporter, SourceEvent};
pub use source::{
    AgentFacts, AgentFault, AgentSource, AnswerError, CallProgress, CallReport, SessionSeed,
    SourceError, SourceKind, ToolFailure, ToolInvocation,
};
pub use view::{ActiveAgent, SessionView, SubAgent, ToolHints, ToolView};
