//! The built-in example agents. They need no API key, no network and no configuration.
//!
//! Three are in Rust, a smart home in Python requires google-adk, and two use MCP servers: files requires
//! Node, and the clock requires Python.

mod booking;
mod city_file;
mod math;
mod mcp;
mod plain;
mod smart_home;
mod tool;
mod travel;

pub use math::math_agent;
pub use mcp::{clock_agent, files_agent};
pub use plain::poet_agent;
pub use smart_home::smart_home_folder;
pub use tool::{FnTool, ToolFault};
pub use travel::travel_agent;
