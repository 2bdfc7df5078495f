//! [`Connection`]: one server, started or reached, and its tools.

use std::collections::HashMap;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once};
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use rmcp::model::Tool;
use rmcp::service::{ClientInitializeError, Peer, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{RoleClient, ServiceError, ServiceExt};
use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::sync::watch;

use super::agent::{McpServer, McpTransport};
use super::client::{Client, Requests, SessionLink};
use super::exact_numbers::ExactNumbers;
use super::fault::ConnectFault;
use super::http::{HttpClient, RequestHeaders};
use super::http_fault::{HttpFault, innermost};
use super::listing::{ListFault, ToolList, list_tools};
use super::server_log::ServerLog;
use super::sse_transport::SseTransport;
use super::stdio_messages::StdioMessages;
use super::unmatched_responses::UnmatchedResponseLog;
use crate::AgentLog;
use crate::child;

/// Variables that every program needs. The configuration names others. MCP's own SDKs pass on the same
/// ones, so that a server runs as it does under ADK.
const INHERITED: [&str; 13] = [
    "HOME",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "USER",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMFILES",
    "SYSTEMROOT",
    "TEMP",
    "USERNAME",
    "USERPROFILE",
];

/// How long a server may take to end after its input is closed.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(800);

/// How long standard error is still read after the end. Processes that the server started may keep it open.
const STDERR_TIMEOUT: Duration = Duration::from_millis(400);

/// A connection to one server. Dropping it kills the processes that the server started.
pub(super) struct Connection {
    service: RunningService<RoleClient, Client>,
    /// The server's tools as it last listed them.
    pub(super) tools: Vec<Tool>,
    /// How many of them were on the first page of the first list.
    pub(super) on_first_page: usize,
    /// The name and version that it reports.
    pub(super) about: String,
    /// What it says about its use.
    pub(super) instructions: Option<String>,
    output: ServerLog,
    process: Option<Process>,
}

/// The process behind a stdio server.
struct Process {
    ended: watch::Receiver<Option<String>>,
    killer: child::TreeKiller,
}

impl Drop for Process {
    fn drop(&mut self) {
        self.killer.kill();
    }
}

impl Connection {
    /// Starts or reaches `server`, opens a session and lists its tools.
    pub(super) async fn open(
        server: &McpServer,
        log: &Arc<AgentLog>,
        link: Option<Arc<SessionLink>>,
    ) -> Result<Self, ConnectFault> {
        let output = ServerLog::new(&server.name, Arc::clone(log));
        let client = Client {
            server: server.name.clone(),
            roots: server.roots.clone(),
            output: output.clone(),
            requests: Arc::default(),
            link,
        };
        match &server.transport {
            McpTransport::Stdio { .. } => Self::start(server, client, output).await,
            McpTransport::Http { .. } => Self::reach(server, client, output).await,
        }
    }

    async fn start(
        server: &McpServer,
        client: Client,
        output: ServerLog,
    ) -> Result<Self, ConnectFault> {
        let (messages, input, process) = spawn(server, &output)?;
        let has_responded = AtomicBool::new(false);
        let greeting = async {
            let service = client
                .serve(UnmatchedResponseLog::new(
                    AsyncRwTransport::new(messages, ExactNumbers::new(input)),
                    output.clone(),
                ))
                .await
                .map_err(|error| HandshakeError::Refused(Box::new(error)))?;
            has_responded.store(true, Ordering::Relaxed);
            Self::greeted(service, output.clone()).await.map_err(HandshakeError::Unlisted)
        };
        // Kept until the reason is known: dropping it closes the server's input, and a server that ends
        // then would seem to have ended by itself.
        let mut greeting = std::pin::pin!(greeting);
        let fault = match tokio::time::timeout(server.patience, &mut greeting).await {
            Ok(Ok(connection)) => return Ok(Self { process: Some(process), ..connection }),
            Ok(Err(error)) => Some(error),
            Err(_) => None,
        };
        let mut ended = process.ended.clone();
        let is_broken_off = fault.as_ref().is_some_and(HandshakeError::is_broken_off);
        let status = if is_broken_off {
            // The exit status may not have arrived yet.
            let end = ended.wait_for(Option::is_some);
            match tokio::time::timeout(SHUTDOWN_TIMEOUT, end).await {
                Ok(Ok(status)) => status.clone(),
                _ => None,
            }
        } else {
            ended.borrow().clone()
        };
        let (name, last_lines) = (server.name.clone(), output.last_lines());
        Err(match (fault, output.invalid_line(), status) {
            (Some(error), ..) if !is_broken_off => {
                ConnectFault::Refused { server: name, error: error.to_string(), output: last_lines }
            }
            (_, Some(sample), _) => {
                ConnectFault::InvalidLine { server: name, sample, output: last_lines }
            }
            (_, None, Some(status)) => {
                ConnectFault::Ended { server: name, ending: status, output: last_lines }
            }
            (None, None, None) => silent(server, &has_responded, last_lines),
            (Some(error), None, None) => {
                ConnectFault::Refused { server: name, error: error.to_string(), output: last_lines }
            }
        })
    }

    async fn reach(
        server: &McpServer,
        client: Client,
        output: ServerLog,
    ) -> Result<Self, ConnectFault> {
        let McpTransport::Http { url, headers, bearer_token_env, sse } = &server.transport else {
            return Err(refused(server, "its transport is not HTTP"));
        };
        use_ring();
        let token = match bearer_token_env {
            Some(variable) => {
                let (server, variable) = (server.name.clone(), variable.clone());
                let token = std::env::var(&variable);
                Some(token.map_err(|_| ConnectFault::NoToken { server, variable })?)
            }
            None => None,
        };
        let headers = checked_headers(server, headers)?;
        let reach =
            HttpClient::new(output.clone()).map_err(|error| refused(server, &innermost(&error)))?;
        let has_responded = AtomicBool::new(false);
        let greeting = async {
            let service = if *sse {
                let headers = RequestHeaders { session: None, token, headers };
                let transport = SseTransport::open(reach, url, headers, output.clone());
                let transport = transport.await.map_err(HandshakeError::Http)?;
                client.serve(UnmatchedResponseLog::new(transport, output.clone())).await
            } else {
                let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
                if let Some(token) = token {
                    config = config.auth_header(token);
                }
                let config = config.custom_headers(headers);
                let transport = StreamableHttpClientTransport::with_client(reach, config);
                client.serve(UnmatchedResponseLog::new(transport, output.clone())).await
            };
            let service = service.map_err(|error| HandshakeError::Refused(Box::new(error)))?;
            has_responded.store(true, Ordering::Relaxed);
            Self::greeted(service, output).await.map_err(HandshakeError::Unlisted)
        };
        let name = server.name.clone();
        match tokio::time::timeout(server.patience, greeting).await {
            Ok(Ok(connection)) => Ok(connection),
            Ok(Err(error)) => Err(match error.over_http() {
                Some(fault) => ConnectFault::Http { server: name, url: url.clone(), fault },
                None => refused(server, &error.to_string()),
            }),
            Err(_) => Err(silent(server, &has_responded, None)),
        }
    }

    async fn greeted(
        service: RunningService<RoleClient, Client>,
        output: ServerLog,
    ) -> Result<Self, ListFault> {
        let info = service.peer_info();
        let about = info.as_ref().map(|info| about(info)).unwrap_or_default();
        let instructions = info.and_then(|info| info.instructions.clone());
        let ToolList { tools, on_first_page } = list_tools(service.peer()).await?;
        Ok(Self { service, tools, on_first_page, about, instructions, output, process: None })
    }

    /// Sends requests to the server.
    pub(super) fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }

    /// What is known of the requests to it.
    pub(super) fn requests(&self) -> &Arc<Requests> {
        &self.service.service().requests
    }

    /// Whether no requests can be sent to it any more.
    pub(super) fn is_closed(&self) -> bool {
        self.service.is_closed() || self.service.peer().is_transport_closed()
    }

    /// How it ended, if it has, and the last lines that it wrote.
    pub(super) async fn end_of(&self) -> (Option<String>, Option<String>) {
        let Some(process) = &self.process else { return (None, None) };
        let mut ended = process.ended.clone();
        let status = tokio::time::timeout(SHUTDOWN_TIMEOUT, ended.wait_for(Option::is_some)).await;
        let status = match status {
            Ok(Ok(status)) => status.clone(),
            _ => None,
        };
        (status, self.output.last_lines())
    }

    /// Closes the connection, then ends the server's process.
    pub(super) async fn close(mut self) {
        if let Some(process) = &self.process {
            process.killer.note_escaped().await;
        }
        let closing = self.service.close_with_timeout(SHUTDOWN_TIMEOUT);
        if let Err(error) = closing.await {
            tracing::debug!("a connection to an MCP server did not end well: {error}");
        }
        if let Some(process) = &self.process {
            let mut ended = process.ended.clone();
            let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, ended.wait_for(Option::is_some)).await;
            process.killer.kill();
            let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, ended.wait_for(Option::is_some)).await;
        }
    }
}

/// Why the handshake, or the first `tools/list`, failed.
#[derive(Debug, thiserror::Error)]
enum HandshakeError {
    #[error("{}", initialize_error(.0))]
    Refused(Box<ClientInitializeError>),
    #[error("its tools cannot be listed: {0}")]
    Unlisted(ListFault),
    #[error("{0}")]
    Http(HttpFault),
}

impl HandshakeError {
    /// The HTTP error, if there was one.
    fn over_http(&self) -> Option<HttpFault> {
        match self {
            Self::Refused(error) => HttpFault::of_initialize(error),
            Self::Unlisted(ListFault::Service(error)) => HttpFault::of_request(error),
            Self::Unlisted(_) => None,
            Self::Http(fault) => Some(fault.clone()),
        }
    }

    /// Whether the connection broke. Then the exit status of the process explains more.
    fn is_broken_off(&self) -> bool {
        match self {
            Self::Refused(error) => matches!(
                **error,
                ClientInitializeError::ConnectionClosed(_)
                    | ClientInitializeError::TransportError { .. }
            ),
            Self::Unlisted(ListFault::Service(error)) => {
                matches!(error, ServiceError::TransportClosed | ServiceError::TransportSend(_))
            }
            Self::Unlisted(_) | Self::Http(_) => false,
        }
    }
}

/// The message for people. The library shows some of these errors as code.
fn initialize_error(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ExpectedInitResponse(_)
        | ClientInitializeError::ExpectedInitResult(_) => "its response to `initialize` is \
             invalid: it must contain `protocolVersion`, `capabilities` and `serverInfo`"
            .to_owned(),
        ClientInitializeError::JsonRpcError(error) => {
            format!("{} (code {})", error.message, error.code.0)
        }
        other => other.to_string(),
    }
}

fn refused(server: &McpServer, error: &str) -> ConnectFault {
    ConnectFault::Refused { server: server.name.clone(), error: error.to_owned(), output: None }
}

/// The fault of a server whose time is up.
fn silent(server: &McpServer, has_responded: &AtomicBool, output: Option<String>) -> ConnectFault {
    let (server, patience) = (server.name.clone(), server.patience);
    match has_responded.load(Ordering::Relaxed) {
        true => ConnectFault::ToolsNotListed { server, patience, output },
        false => ConnectFault::Silent { server, patience, output },
    }
}

fn about(info: &rmcp::model::ServerPeerInfo) -> String {
    match &info.server_info {
        Some(server) => format!("{} {}", server.name, server.version).trim_end().to_owned(),
        None => String::new(),
    }
}

fn spawn(
    server: &McpServer,
    output: &ServerLog,
) -> Result<(StdioMessages<ChildStdout>, ChildStdin, Process), ConnectFault> {
    let McpTransport::Stdio { command: program, args, env, pass_env, cwd } = &server.transport
    else {
        return Err(refused(server, "its transport is not a program"));
    };
    let mut command = Command::new(program);
    command
        .args(args)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for variable in INHERITED.iter().copied().chain(pass_env.iter().map(String::as_str)) {
        if let Some(value) = std::env::var_os(variable) {
            command.env(variable, value);
        }
    }
    command.envs(env);
    if let Some(cwd) = cwd {
        if !Path::is_dir(cwd) {
            let cwd = cwd.display().to_string();
            return Err(ConnectFault::NoFolder { server: server.name.clone(), cwd });
        }
        command.current_dir(cwd);
    }
    let mut tree = child::start(&mut command).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            ConnectFault::NoProgram { server: server.name.clone(), command: program.clone() }
        }
        _ => ConnectFault::NotStarted { server: server.name.clone(), error },
    })?;
    let child = tree.child();
    let (Some(input), Some(messages), Some(errors)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        let error = std::io::Error::other("a pipe to it is missing");
        return Err(ConnectFault::NotStarted { server: server.name.clone(), error });
    };
    let reading = tokio::spawn(output.clone().read_errors(errors));
    let (report, ended) = watch::channel(None);
    let killer = tree.killer();
    tokio::spawn(async move {
        let status = tree.wait().await;
        // After the end, callers ask for what the server wrote.
        let _ = tokio::time::timeout(STDERR_TIMEOUT, reading).await;
        report.send_replace(Some(status));
    });
    Ok((StdioMessages::new(messages, output.clone()), input, Process { ended, killer }))
}

fn checked_headers(
    server: &McpServer,
    headers: &std::collections::BTreeMap<String, String>,
) -> Result<HashMap<HeaderName, HeaderValue>, ConnectFault> {
    headers
        .iter()
        .map(|(name, value)| {
            let bad =
                || ConnectFault::BadHeader { server: server.name.clone(), header: name.clone() };
            let key = HeaderName::try_from(name.as_str()).map_err(|_| bad())?;
            Ok((key, HeaderValue::try_from(value.as_str()).map_err(|_| bad())?))
        })
        .collect()
}

/// rustls needs one provider of cryptography for the process.
fn use_ring() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Other code in the process may have installed one, which works too.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}
