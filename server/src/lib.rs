//! The host behind the page: owns the agents, runs their tools, writes eval cases to disk.
//!
//! [`Simulator`] takes agents as values and serves them. The page comes in as a type
//! parameter, so that this crate compiles without it; the crate `rehearsal` has it.

pub mod access;
mod actor;
mod blocking;
mod connections;
mod endpoints;
mod error;
mod evalsets;
mod events;
mod folders;
mod health;
mod host;
pub mod live;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod memory;
mod no_runs;
mod page_dto;
mod parsing;
mod reload;
mod replaceable;
mod reports;
mod response_limit;
mod routes;
mod security;
mod serve;
mod served_file;
mod server_functions;
mod sessions;
mod simulator;
mod site;
mod vendors;

pub use access::Access;
pub use agents::SimulatedAgentConfig;
pub use base_path::{BasePath, InvalidBasePath};
pub use error::ServeError;
pub use folders::Folders;
pub use live::{LiveSessions, PaceError, Retention};
pub use reload::{LoginChanged, Reload};
pub use serve::Running;
pub use simulator::Simulator;
pub use site::ServedPage;
