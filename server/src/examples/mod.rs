//! The agents that ship: they need no key, no network and no configuration.
//!
//! Three in Rust, and a smart home in Python for whoever has google-adk.

mod maths;
mod plain;
mod smart_home;
mod tool;
mod travel;

pub use maths::math_agent;
pub use plain::poet_agent;
pub use smart_home::smart_home_folder;
pub use tool::{FnTool, ToolFault};
pub use travel::travel_agent;
