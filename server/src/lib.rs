//! The host behind the page: owns the agents, runs their tools, writes eval cases to disk.
//!
//! Library first: [`Simulator`] takes agents as values and serves them. The crate `rehearsal` puts the
//! page into it; what it needs of the page is a type that carries its files, so that this crate can
//! be compiled before there is one.

pub mod access;
mod actor;
mod connections;
mod endpoints;
mod error;
mod evalsets;
mod events;
mod folders;
mod host;
pub mod live;
mod page_dto;
mod private;
mod reports;
mod routes;
mod security;
mod serve;
mod server_functions;
mod sessions;
mod simulator;
mod site;
mod vendors;

pub use access::Access;
pub use agents::SimulatedAgentConfig;
pub use error::ServeError;
pub use folders::Folders;
pub use live::{LiveSessions, PaceError};
pub use serve::Running;
pub use simulator::Simulator;
