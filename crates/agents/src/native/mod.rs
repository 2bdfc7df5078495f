//! Rust agents: a definition over `adk-core` tools, and the source that runs it in this process.

mod agent;
mod context;
mod run;
mod source;
mod stored;

pub use agent::NativeAgent;
pub(super) use context::instruction_context;
pub use source::NativeSource;
