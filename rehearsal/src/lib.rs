//! Rehearsal: a person acts as an AI agent in the browser, with the agent's real tools, and the trace
//! becomes an eval case.
//!
//! [`Simulator`] serves agents from a Rust program. The default feature `cli` adds the module `cli`
//! and the program `rehearsal`. A program that only serves agents depends on this crate with
//! `default-features = false`, which leaves out the command line. This crate combines the host
//! ([`rehearsal_server`]) with the embedded page and the example agents ([`examples`]).

#[cfg(feature = "cli")]
pub mod cli;
pub mod config;
pub mod examples;

pub use ::agents;
use leptos::prelude::{AnyView, LeptosOptions};
use leptos_axum::{AxumRouteListing, generate_route_list};
pub use rehearsal_server::*;
use rust_embed::RustEmbed;

/// The built page. A debug build reads it from disk at run time, so that `cargo leptos watch` serves
/// each new build.
#[derive(Debug, Clone, Copy, RustEmbed)]
#[folder = "$REHEARSAL_SITE_DIR"]
#[allow_missing = true]
pub struct Page;

impl ServedPage for Page {
    fn routes() -> Vec<AxumRouteListing> {
        generate_route_list(pages::App)
    }

    fn document(options: LeptosOptions) -> AnyView {
        pages::shell(options)
    }
}

/// Serves rehearsals of agents.
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
