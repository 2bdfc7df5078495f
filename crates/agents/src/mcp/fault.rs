//! [`ConnectFault`]: why a server cannot be used, and what to do. [`CallFault`]: why a call returned no
//! result.

use std::path::Path;
use std::time::Duration;

use crate::AgentFault;
use http::StatusCode;
use rmcp::ServiceError;

use super::http_fault::HttpFault;

/// Why there is no connection to a server.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectFault {
    #[error(
        "The MCP server {server} cannot be started: there is no program `{command}`. {}",
        no_program_remedy(.command)
    )]
    NoProgram { server: String, command: String },
    #[error("The MCP server {server} cannot be started: {error}.")]
    NotStarted { server: String, error: std::io::Error },
    #[error(
        "The working directory {cwd} of the MCP server {server} is not a folder. Correct `cwd`."
    )]
    NoFolder { server: String, cwd: String },
    #[error(
        "The MCP server {server} {ending} before it responded. Run its command in a \
         terminal to see why."
    )]
    Ended { server: String, ending: String, output: Option<String> },
    #[error(
        "The MCP server {server} did not respond within {} s. If it starts slowly, increase \
         `timeout_seconds`.",
        .patience.as_secs()
    )]
    Silent { server: String, patience: Duration, output: Option<String> },
    #[error(
        "The MCP server {server} responded to `initialize`, but not to `tools/list` within {} s. Its \
         output may say what it waits for.",
        .patience.as_secs()
    )]
    ToolsNotListed { server: String, patience: Duration, output: Option<String> },
    #[error(
        "The MCP server {server} wrote a line that is not an MCP message: `{sample}`. Write \
         only messages to standard output, and log to standard error."
    )]
    InvalidLine { server: String, sample: String, output: Option<String> },
    #[error(
        "The MCP server {server} at {url} {fault}{}",
        address_remedy(.url, .fault)
    )]
    Http { server: String, url: String, fault: HttpFault },
    #[error(
        "The MCP server {server} needs a token, but the environment variable {variable} is not set."
    )]
    NoToken { server: String, variable: String },
    #[error("The MCP server {server} has a header that HTTP does not allow: {header}.")]
    BadHeader { server: String, header: String },
    #[error("A session with the MCP server {server} cannot be opened: {}.", .error.trim_end_matches('.'))]
    Refused { server: String, error: String, output: Option<String> },
}

fn address_remedy(url: &str, fault: &HttpFault) -> &'static str {
    // A server over HTTP with SSE takes no POST there.
    let takes_no_post = matches!(
        fault,
        HttpFault::Refused(refused) if refused.status == StatusCode::METHOD_NOT_ALLOWED
    );
    if takes_no_post && url.trim_end_matches('/').ends_with("/sse") {
        " If it uses HTTP with SSE, set `transport = \"sse\"`."
    } else if !fault.doubts_the_address() {
        ""
    } else {
        " Is this the address of its MCP endpoint?"
    }
}

fn no_program_remedy(command: &str) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    match &words[..] {
        [program, arguments @ ..]
            if !arguments.is_empty()
                && (!command.starts_with(['/', '.', '~']) || Path::new(program).is_file()) =>
        {
            format!(
                "`command` is the program only: write `command = {program:?}` and \
                 `args = {arguments:?}`."
            )
        }
        _ => "Install it, or give its path in `command`.".to_owned(),
    }
}

impl ConnectFault {
    fn output(&self) -> Option<&String> {
        match self {
            Self::Ended { output, .. }
            | Self::Silent { output, .. }
            | Self::ToolsNotListed { output, .. }
            | Self::InvalidLine { output, .. }
            | Self::Refused { output, .. } => output.as_ref(),
            _ => None,
        }
    }
}

impl From<ConnectFault> for AgentFault {
    fn from(fault: ConnectFault) -> Self {
        Self { reason: fault.to_string(), error_type: None, traceback: fault.output().cloned() }
    }
}

/// Why a call returned no result.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallFault {
    /// The server rejected a request, or is gone, or the person canceled the call.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// The response to the call is neither a task nor a result.
    #[error("The server returned neither a task nor a result for the call: {0}")]
    NoTask(String),
    /// The response to `tasks/get` has no task state.
    #[error("The server returned an invalid response to `tasks/get`: {0}")]
    NoState(String),
    /// The task ended without a result.
    #[error("The task failed: {reason}")]
    Failed {
        /// The reason that the server gives.
        reason: String,
    },
    /// The server canceled the task.
    #[error("The server canceled the task{}", message.as_deref().map(|it| format!(": {it}")).unwrap_or_default())]
    Canceled {
        /// The reason that the server gives.
        message: Option<String>,
    },
}
