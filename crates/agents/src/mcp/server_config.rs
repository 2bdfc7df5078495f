//! [`ServerConfig`]: one MCP server as configurations write it, checked as a whole.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::agent::{McpServer, McpTransport};

/// A transport over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HttpTransport {
    /// Streamable HTTP.
    Http,
    /// HTTP with SSE, the transport before it.
    Sse,
}

/// One MCP server: a program (`command`) or an endpoint (`url`).
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServerConfig {
    /// A program that speaks MCP over standard input and output: a path, or a name on `PATH`.
    pub command: Option<String>,
    /// The program's arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Environment variables of the program, in addition to the few that every program needs.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Names of environment variables to pass to the program, such as those with tokens.
    #[serde(default)]
    pub pass_env: Vec<String>,
    /// The program's working directory.
    pub cwd: Option<PathBuf>,
    /// An HTTP endpoint.
    pub url: Option<String>,
    /// What the endpoint speaks. Default: streamable HTTP.
    pub transport: Option<HttpTransport>,
    /// Headers of every request to the endpoint.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The environment variable with the bearer token for the endpoint.
    pub bearer_token_env: Option<String>,
    /// The tools to use, by name. Default: all.
    pub tools: Option<Vec<String>>,
    /// A prefix for each tool's name, followed by an underscore.
    pub tool_name_prefix: Option<String>,
    /// Folders that the server gets when it requests roots.
    #[serde(default)]
    pub roots: Vec<PathBuf>,
    /// Whether the server's `instructions` are added to the agent's instruction. Default: false.
    #[serde(default)]
    pub include_instructions: bool,
    /// The time limit for starting and listing tools, in seconds. Default: 60.
    #[schemars(range(min = 1))]
    pub timeout_seconds: Option<u64>,
}

/// What is wrong with the configuration of a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerConfigError {
    /// It has both a program and an address.
    #[error("the server `{0}` has both `command` and `url`: choose one")]
    TwoTransports(String),
    /// It has neither.
    #[error(
        "the server `{0}` needs `command`, such as \"npx\", or `url`, such as \"http://127.0.0.1:3001/mcp\""
    )]
    NoTransport(String),
    /// A key belongs to servers of the other kind.
    #[error("`{key}` of the server `{server}` belongs to servers with `{kind}`")]
    Misplaced {
        /// The server.
        server: String,
        /// The key.
        key: &'static str,
        /// The key that such servers have.
        kind: &'static str,
    },
    /// The address is none of the web.
    #[error("`{0}` is not a server address: write http://… or https://…")]
    NotAnAddress(String),
    /// It may take no time.
    #[error("`timeout_seconds` must be at least 1")]
    NoTime,
}

impl ServerConfig {
    /// The server of this name.
    ///
    /// # Errors
    /// [`ServerConfigError`]
    pub fn server(&self, name: &str) -> Result<McpServer, ServerConfigError> {
        let mut server = McpServer::new(name, self.transport_of(name)?);
        server.tools.clone_from(&self.tools);
        server.tool_name_prefix.clone_from(&self.tool_name_prefix);
        server.roots.clone_from(&self.roots);
        server.include_instructions = self.include_instructions;
        match self.timeout_seconds {
            Some(0) => return Err(ServerConfigError::NoTime),
            Some(seconds) => server.patience = Duration::from_secs(seconds),
            None => {}
        }
        Ok(server)
    }

    fn transport_of(&self, name: &str) -> Result<McpTransport, ServerConfigError> {
        let server = name.to_owned();
        match (&self.command, &self.url) {
            (Some(_), Some(_)) => Err(ServerConfigError::TwoTransports(server)),
            (None, None) => Err(ServerConfigError::NoTransport(server)),
            (Some(command), None) => match self.key_of_endpoints() {
                Some(key) => Err(ServerConfigError::Misplaced { server, key, kind: "url" }),
                None => Ok(McpTransport::Stdio {
                    command: command.clone(),
                    args: self.args.clone(),
                    env: self.env.clone(),
                    pass_env: self.pass_env.clone(),
                    cwd: self.cwd.clone(),
                }),
            },
            (None, Some(url)) => match self.key_of_programs() {
                Some(key) => Err(ServerConfigError::Misplaced { server, key, kind: "command" }),
                None if !is_address(url) => Err(ServerConfigError::NotAnAddress(url.clone())),
                None => Ok(McpTransport::Http {
                    url: url.clone(),
                    headers: self.headers.clone(),
                    bearer_token_env: self.bearer_token_env.clone(),
                    sse: self.transport == Some(HttpTransport::Sse),
                }),
            },
        }
    }

    /// The first key that only a server with `url` may have.
    fn key_of_endpoints(&self) -> Option<&'static str> {
        let given = [
            ("headers", !self.headers.is_empty()),
            ("bearer_token_env", self.bearer_token_env.is_some()),
            ("transport", self.transport.is_some()),
        ];
        first_given(&given)
    }

    /// The first key that only a server with `command` may have.
    fn key_of_programs(&self) -> Option<&'static str> {
        let given = [
            ("args", !self.args.is_empty()),
            ("env", !self.env.is_empty()),
            ("pass_env", !self.pass_env.is_empty()),
            ("cwd", self.cwd.is_some()),
        ];
        first_given(&given)
    }
}

fn first_given(keys: &[(&'static str, bool)]) -> Option<&'static str> {
    keys.iter().find(|(_, is_given)| *is_given).map(|(key, _)| *key)
}

fn is_address(url: &str) -> bool {
    let is_web = url.starts_with("http://") || url.starts_with("https://");
    is_web && url.parse::<http::Uri>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(config: &str) -> Result<McpServer, ServerConfigError> {
        let config: ServerConfig = serde_json::from_str(config).expect("valid members");
        config.server("s")
    }

    #[test]
    fn a_server_is_a_program_or_an_endpoint() {
        let files = server(
            r#"{"command": "npx", "args": ["files"], "tools": ["read"], "timeout_seconds": 5}"#,
        );
        let files = files.expect("a program");
        assert_eq!(files.patience, Duration::from_secs(5));
        assert_eq!(files.tools.as_deref(), Some(&["read".to_owned()][..]));
        assert!(matches!(files.transport, McpTransport::Stdio { command, .. } if command == "npx"));
        let clock = server(r#"{"url": "http://127.0.0.1/sse", "transport": "sse"}"#);
        let clock = clock.expect("an endpoint");
        assert!(matches!(clock.transport, McpTransport::Http { sse: true, .. }));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_the_remedy() {
        for (config, reason) in [
            ("{}", "the server `s` needs `command`, such as \"npx\", or `url`"),
            (r#"{"command": "a", "url": "http://a"}"#, "has both `command` and `url`: choose one"),
            (r#"{"command": "a", "transport": "sse"}"#, "`transport` of the server `s` belongs to"),
            (r#"{"url": "http://a", "cwd": "b"}"#, "belongs to servers with `command`"),
            (r#"{"url": "localhost"}"#, "write http://… or https://…"),
            (r#"{"command": "a", "timeout_seconds": 0}"#, "must be at least 1"),
        ] {
            let error = server(config).expect_err("it does not fit").to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
