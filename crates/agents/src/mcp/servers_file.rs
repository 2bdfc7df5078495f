//! Reads the MCP servers of a JSON file as other clients write it, under `mcpServers` or `servers`.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::agent::{McpServer, McpTransport};

/// The file. Clients keep other settings in it, which are ignored.
#[derive(Deserialize)]
struct File {
    #[serde(rename = "mcpServers", alias = "servers")]
    servers: Map<String, Value>,
}

/// A server as clients agree on it.
#[derive(Deserialize)]
struct Server {
    #[serde(default, alias = "transport")]
    r#type: Option<String>,
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    cwd: Option<PathBuf>,
    #[serde(alias = "serverUrl", alias = "httpUrl")]
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    disabled: bool,
}

/// The servers of a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ServersFileError {
    /// The file cannot be read.
    #[error("the servers in {} cannot be read: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// Its content cannot be used.
    #[error("the servers in {}: {fault}", path.display())]
    Faulty {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        fault: ServersFileFault,
    },
}

/// What is wrong with the content of such a file.
#[derive(Debug, thiserror::Error)]
pub enum ServersFileFault {
    /// It is not JSON, or has no list of servers.
    #[error("{0}. The file needs an object `mcpServers`")]
    NoServers(serde_json::Error),
    /// A server is not an object that clients agree on.
    #[error("the server `{server}` cannot be read: {reason}")]
    UnreadableServer {
        /// The server.
        server: String,
        /// Why.
        reason: serde_json::Error,
    },
    /// A server has neither or both of a program and an address.
    #[error("the server `{0}` needs either `command` or `url`")]
    NoTransport(String),
    /// A server needs an environment variable.
    #[error("the server `{server}` needs the environment variable `{variable}`, which is not set")]
    NoVariable {
        /// The server.
        server: String,
        /// The variable.
        variable: String,
    },
    /// All servers are disabled, or there are none.
    #[error("no server is enabled")]
    NoneEnabled,
}

/// The servers of the file at `path`, without those that are disabled.
///
/// # Errors
/// [`ServersFileError`]
pub fn servers_of_file(path: &Path) -> Result<Vec<McpServer>, ServersFileError> {
    let own = || path.to_owned();
    let text = std::fs::read_to_string(path)
        .map_err(|cause| ServersFileError::Unreadable { path: own(), cause })?;
    parsed(&text).map_err(|fault| ServersFileError::Faulty { path: own(), fault })
}

fn parsed(text: &str) -> Result<Vec<McpServer>, ServersFileFault> {
    let file: File = serde_json::from_str(text).map_err(ServersFileFault::NoServers)?;
    let mut servers = Vec::with_capacity(file.servers.len());
    for (name, server) in file.servers {
        let server: Server = serde_json::from_value(server).map_err(|reason| {
            ServersFileFault::UnreadableServer { server: name.clone(), reason }
        })?;
        if !server.disabled {
            servers.push(server_of(&name, server)?);
        }
    }
    match servers.is_empty() {
        true => Err(ServersFileFault::NoneEnabled),
        false => Ok(servers),
    }
}

fn server_of(name: &str, server: Server) -> Result<McpServer, ServersFileFault> {
    let Server { r#type, command, args, env, cwd, url, headers, .. } = server;
    let text = |value: String| {
        expanded(&value).map_err(|variable| ServersFileFault::NoVariable {
            server: name.to_owned(),
            variable: variable.to_owned(),
        })
    };
    let texts = |texts: BTreeMap<String, String>| -> Result<BTreeMap<String, String>, _> {
        texts.into_iter().map(|(key, value)| Ok((key, text(value)?))).collect()
    };
    let transport = match (command, url) {
        (Some(command), None) => McpTransport::Stdio {
            command: text(command)?,
            args: args.into_iter().map(text).collect::<Result<_, _>>()?,
            env: texts(env)?,
            pass_env: Vec::new(),
            cwd,
        },
        (None, Some(url)) => {
            let sse = r#type.as_deref() == Some("sse");
            let (url, headers) = (text(url)?, texts(headers)?);
            McpTransport::Http { url, headers, bearer_token_env: None, sse }
        }
        _ => return Err(ServersFileFault::NoTransport(name.to_owned())),
    };
    Ok(McpServer::new(name, transport))
}

/// The text with `${NAME}`, `${env:NAME}` and `${NAME:-default}` replaced from the environment; else the name of
/// a variable that is not set.
fn expanded(text: &str) -> Result<String, &str> {
    let mut whole = String::new();
    let mut rest = text;
    while let Some((before, (inside, after))) =
        rest.split_once("${").and_then(|(before, after)| Some((before, after.split_once('}')?)))
    {
        let inside = inside.strip_prefix("env:").unwrap_or(inside);
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        let value = env::var(name).ok().or_else(|| default.map(str::to_owned));
        whole.push_str(before);
        whole.push_str(&value.ok_or(name)?);
        rest = after;
    }
    whole.push_str(rest);
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_files_of_other_clients() {
        let servers = parsed(
            r#"{"globalShortcut": "", "mcpServers": {
                "files": {"command": "npx", "args": ["-y", "server", "${REHEARSAL_NO_SUCH:-notes}"],
                    "env": {"MODE": "x"}, "autoApprove": []},
                "off": {"command": "npx", "disabled": true},
                "clock": {"type": "http", "url": "http://127.0.0.1:3001/mcp", "headers": {"X-Team": "a"}}
            }}"#,
        );
        let servers = servers.expect("it can be read");
        let [files, clock] = &servers[..] else { panic!("two servers, not {servers:?}") };
        assert_eq!((files.name.as_str(), clock.name.as_str()), ("files", "clock"));
        let McpTransport::Stdio { args, env, .. } = &files.transport else { panic!("{files:?}") };
        assert_eq!(args, &["-y", "server", "notes"]);
        assert_eq!(env["MODE"], "x");
        assert!(
            matches!(&clock.transport, McpTransport::Http { headers, .. } if headers["X-Team"] == "a")
        );
        let older =
            parsed(r#"{"mcpServers": {"a": {"type": "sse", "url": "http://127.0.0.1/sse"}}}"#);
        let older = older.expect("it can be read");
        assert!(matches!(older[0].transport, McpTransport::Http { sse: true, .. }), "{older:?}");
        let of_vs_code = parsed(r#"{"servers": {"a": {"type": "stdio", "command": "a"}}}"#);
        assert_eq!(of_vs_code.expect("it can be read").len(), 1);
    }

    #[test]
    fn says_why_a_file_cannot_be_used() {
        for (text, reason) in [
            ("{}", "missing field `mcpServers`"),
            (r#"{"mcpServers": {}}"#, "no server is enabled"),
            (r#"{"mcpServers": {"a": {}}}"#, "`a` needs either `command` or `url`"),
            (
                r#"{"mcpServers": {"a": {"command": "${REHEARSAL_NO_SUCH}"}}}"#,
                "`REHEARSAL_NO_SUCH`, which",
            ),
        ] {
            let error = parsed(text).expect_err("it cannot be used").to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
