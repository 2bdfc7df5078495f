//! The agents that ship: they need no key, no network and no configuration.
//!
//! Three in Rust, a smart home in Python for whoever has google-adk, and two on MCP servers: files
//! for whoever has Node, and a clock for whoever has Python.

mod booking;
mod city_file;
mod maths;
mod mcp;
mod plain;
mod smart_home;
mod tool;
mod travel;

pub use maths::math_agent;
pub use mcp::{clock_agent, files_agent};
pub use plain::poet_agent;
pub use smart_home::smart_home_folder;
pub use tool::{FnTool, ToolFault};
pub use travel::travel_agent;
