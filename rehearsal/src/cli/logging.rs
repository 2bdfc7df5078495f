//! What the program logs, and where.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;

use super::Format;

/// What is logged without `REHEARSAL_LOG`. The end of a connection to an MCP server is reported by its agent, and the
/// failure of a model by the case that asked it.
const USUAL: &str = "info,rmcp=warn,rmcp::transport::worker=off,\
                     adk_model=off,adk_model::catalog=warn,adk_gemini=off,adk_anthropic=off";

/// To standard error, as lines of text or as one JSON object per line; `REHEARSAL_LOG` takes the usual filters, such as
/// `rehearsal=debug`.
pub fn start_logging(format: Format) {
    let filter = EnvFilter::try_from_env("REHEARSAL_LOG").unwrap_or_else(|_| USUAL.into());
    let to_stderr = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    match format {
        Format::Json => to_stderr.json().flatten_event(true).init(),
        Format::Text => {
            to_stderr.with_ansi(io::stderr().is_terminal()).with_target(false).init();
        }
    }
}
