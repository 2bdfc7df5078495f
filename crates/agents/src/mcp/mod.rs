//! MCP agents: an instruction, and the tools of one or more MCP servers.
//!
//! Every session has connections of its own, so that what a server asks, reports and keeps in
//! memory belongs to one person. A server that ended is started again by the next call.

mod adk_folder;
mod agent;
mod asked_schema;
mod call;
mod client;
mod connection;
mod digits;
mod events;
mod fault;
mod halves;
mod http;
mod http_fault;
mod listing;
mod messages;
mod misasked;
mod open_session;
mod output;
mod promised;
mod questions;
mod results;
mod skipped;
mod source;
mod strays;
mod tasks;
mod tools;
mod unreadable;
mod wire;

pub use adk_folder::{FolderFile, adk_folder, left_out};
pub use agent::{McpAgent, McpServer, McpTransport};
pub use source::McpSource;

#[cfg(test)]
mod tests;
