//! Rust agents: a definition over `adk-core` tools, and the source that runs it in this process.

mod agent;
mod context;
mod instruction;
mod run;
mod source;
mod stored;

pub use agent::NativeAgent;
pub use instruction::{InstructionError, resolved_instruction};
pub use source::NativeSource;
