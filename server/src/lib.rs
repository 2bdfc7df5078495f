//! The host behind the page: owns the agents, runs their tools, writes eval cases to disk.
//!
//! Library first: [`Simulator`] takes agents as values and serves them. The crate `rehearsal` puts the
//! page into it; what it needs of the page is a type that carries its files, so that this crate can
//! be compiled before there is one.

pub mod access;
pub mod agents;
pub mod cli;
pub mod config;
mod connections;
mod embedded;
mod endpoints;
mod error;
mod evalsets;
mod events;
pub mod examples;
mod folders;
mod host;
pub mod live;
mod private;
mod reports;
mod routes;
mod schemas;
mod security;
mod serve;
mod server_functions;
mod sessions;
mod shelf;
mod simulator;
mod site;

pub use access::Access;
pub use error::ServeError;
pub use live::{LiveSessions, PaceError};
pub use serve::Running;
pub use simulator::{SimulatedAgentConfig, Simulator};
