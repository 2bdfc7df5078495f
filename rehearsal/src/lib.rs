//! Rehearsal: a person plays an AI agent's part in the browser, with the agent's real tools, and the
//! performance becomes an eval case.
//!
//! The library serves agents that are given as values ([`Simulator`]); the program of the same name is
//! a command line over it ([`cli`]). This crate is the host, [`rehearsal_server`], with the page inside
//! it, and the agents that ship ([`examples`]).

pub mod cli;
pub mod config;
pub mod examples;

pub use ::agents;
pub use rehearsal_server::*;
use rust_embed::RustEmbed;

/// The page's client as it was built. A debug build reads it from disk as it is now, which is what
/// `cargo leptos watch` wants.
#[derive(Debug, Clone, Copy, RustEmbed)]
#[folder = "$REHEARSAL_SITE_DIR"]
#[allow_missing = true]
pub struct Page;

/// Serves rehearsals of the agents it is given.
///
/// ```no_run
/// use rehearsal::agents::native::NativeAgent;
/// use rehearsal::{SimulatedAgentConfig, Simulator};
///
/// # async fn doc() -> Result<(), rehearsal::ServeError> {
/// let agent = NativeAgent::new("greeter").instruction("Greet the user.");
/// Simulator::new()
///     .agent(SimulatedAgentConfig::native("Greeter", agent, "evals/greeter.evalset.json"))
///     .serve()
///     .await
/// # }
/// ```
pub type Simulator = rehearsal_server::Simulator<Page>;
