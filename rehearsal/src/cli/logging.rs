//! What the program logs, and where.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;

/// To standard error; `REHEARSAL_LOG` takes the usual filters, such as `rehearsal=debug`.
pub fn start_logging() {
    // The end of a connection to an MCP server is reported by its agent.
    let filter = EnvFilter::try_from_env("REHEARSAL_LOG")
        .unwrap_or_else(|_| "info,rmcp=warn,rmcp::transport::worker=off".into());
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .with_target(false)
        .init();
}
