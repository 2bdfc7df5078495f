//! What the program logs, and where.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;

/// What is logged without `REHEARSAL_LOG`. The end of a connection to an MCP server is reported by its agent, and the
/// failure of a model by the case that asked it.
const USUAL: &str = "info,rmcp=warn,rmcp::transport::worker=off,\
                     adk_model=off,adk_model::catalog=warn,adk_gemini=off,adk_anthropic=off";

/// To standard error; `REHEARSAL_LOG` takes the usual filters, such as `rehearsal=debug`.
pub fn start_logging() {
    let filter = EnvFilter::try_from_env("REHEARSAL_LOG").unwrap_or_else(|_| USUAL.into());
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .with_target(false)
        .init();
}
