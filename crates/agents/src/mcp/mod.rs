//! MCP agents: an instruction, and the tools of one or more MCP servers.
//!
//! Every session has its own connections, so that a server's questions, reports and memory belong to one
//! person. The next call restarts a server that ended.

mod adk_folder;
mod adk_folder_name;
mod agent;
mod call;
mod client;
mod connection;
mod declared_tools;
mod elicitation_schema;
mod exact_numbers;
mod fault;
mod http;
mod http_fault;
mod incoming;
mod invalid_requests;
mod invalid_tools;
mod json_object;
mod listing;
mod lone_surrogates;
mod model_response;
mod open_session;
mod output_schema;
mod questions;
mod rejected_response;
mod resources;
mod results;
mod server_config;
mod server_log;
mod servers_file;
mod source;
mod sse_events;
mod sse_transport;
mod stdio_messages;
mod structured_content;
mod tasks;
mod tools;
mod unmatched_responses;
mod unseen_by_adk;

pub use adk_folder::{FolderFile, adk_folder, left_out};
pub use adk_folder_name::why_unloadable;
pub use agent::{McpAgent, McpServer, McpTransport};
pub use declared_tools::{UnreadableTool, declared_tools, listed_declarations};
pub use server_config::{HttpTransport, ServerConfig, ServerConfigError};
pub use servers_file::{ServersFileError, ServersFileFault, servers_of_file};
pub use source::McpSource;

#[cfg(test)]
mod tests;
