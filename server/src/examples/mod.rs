//! The native agents that ship: they need no key, no network and no configuration.

mod maths;
mod plain;
mod tool;
mod travel;

pub use maths::math_agent;
pub use plain::poet_agent;
pub use tool::{FnTool, ToolFault};
pub use travel::travel_agent;
