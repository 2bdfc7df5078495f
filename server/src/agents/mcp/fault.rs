//! [`ConnectFault`]: why a server cannot be used, and what to do about it.

use std::time::Duration;

use app::api::AgentFault;

/// Why there is no connection to a server.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectFault {
    #[error(
        "The MCP server {server} cannot be started: there is no program `{command}`. Install it, or \
         give its path in `command`."
    )]
    NoProgram { server: String, command: String },
    #[error("The MCP server {server} cannot be started: {error}.")]
    NotStarted { server: String, error: std::io::Error },
    #[error("The working directory {cwd} of the MCP server {server} is no folder: mend `cwd`.")]
    NoFolder { server: String, cwd: String },
    #[error(
        "The MCP server {server} ended with {status} before it answered. Run its command by hand to \
         see why."
    )]
    Ended { server: String, status: String, output: Option<String> },
    #[error(
        "The MCP server {server} did not answer within {} s. If it is slow to start, give it more \
         in `timeout_seconds`.",
        .patience.as_secs()
    )]
    Silent { server: String, patience: Duration, output: Option<String> },
    #[error(
        "The MCP server {server} wrote what is no MCP message: {sample}. A server's standard output \
         is for messages only; its log belongs on standard error."
    )]
    Nonsense { server: String, sample: String, output: Option<String> },
    #[error("The MCP server {server} at {url} cannot be reached: {error}. Is it running?")]
    Unreachable { server: String, url: String, error: String },
    #[error(
        "The MCP server {server} at {url} wants to know who asks: name the variable that holds its \
         token in `bearer_token_env`, or set `headers`."
    )]
    Unauthorized { server: String, url: String },
    #[error("The MCP server {server} wants the token of {variable}, which is not set.")]
    NoToken { server: String, variable: String },
    #[error("The MCP server {server} has a header that HTTP does not allow: {header}.")]
    BadHeader { server: String, header: String },
    #[error("The MCP server {server} refused: {error}.")]
    Refused { server: String, error: String, output: Option<String> },
}

impl ConnectFault {
    fn output(&self) -> Option<&String> {
        match self {
            Self::Ended { output, .. }
            | Self::Silent { output, .. }
            | Self::Nonsense { output, .. }
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
