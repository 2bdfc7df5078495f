//! Rehearsal: a person acts as an AI agent in the browser, with the agent's real tools, and the trace
//! becomes an eval case.
//!
//! [`Simulator`] serves agents from a Rust program. The default features `cli` and `services` are the program
//! `rehearsal`. A program that only serves agents depends on this crate with `default-features = false`, which
//! leaves out the command line. This crate combines the host ([`rehearsal_server`]) with the embedded page and the
//! example agents.
//!
//! What this page does not list may change in any version.

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod config;
#[doc(hidden)]
pub mod examples;
#[cfg(feature = "cli")]
mod run_views;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod runs;

/// What an agent can be. A folder of google-adk is [`SimulatedAgentConfig::adk_python`].
pub mod agents {
    pub use ::agents::SessionSeed;

    /// Agents whose tools are in Rust.
    pub mod native {
        pub use ::agents::native::NativeAgent;
    }

    /// Agents whose tools are on servers of the Model Context Protocol.
    pub mod mcp {
        pub use ::agents::mcp::{HttpTransport, McpAgent, McpServer, McpTransport};
    }
}

/// Who may log in, and with which secrets.
pub mod access {
    pub use live::DisplayName;
    pub use rehearsal_server::access::{FreshToken, SecretHash};
}

use leptos::prelude::{AnyView, LeptosOptions};
use leptos_axum::{AxumRouteListing, generate_route_list};
pub use rehearsal_server::{
    Access, BasePath, Folders, InvalidBasePath, LiveSessions, PaceError, Retention, Running,
    ServeError, ServedPage, SimulatedAgentConfig,
};
#[doc(hidden)]
pub use rehearsal_server::{LoginChanged, Reload};
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

    fn provide(base_path: &str, login: Option<String>) {
        pages::provide(base_path, login);
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
