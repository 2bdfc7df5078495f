//! A call on its way to the server that has the tool, and what comes back.

use schema_check::Violation;
use std::time::Instant;

use crate::{Answer, Asks};
use json_text::JsonText;
use rmcp::ServiceError;
use rmcp::model::{CallToolRequestParams, ClientRequest, Request, ServerResult};
use rmcp::service::PeerRequestOptions;
use serde_json::{Map, Value};
use session::{ToolError, ToolName};
use tokio_util::sync::CancellationToken;

use super::agent::McpTransport;
use super::exact_numbers::marked;
use super::fault::CallFault;
use super::http_fault::{HttpFault, innermost};
use super::open_session::{OpenSession, Reached};
use super::output_schema::schema_violations;
use super::results;
use super::tasks;
use super::tools::Listed;
use crate::schemas;
use crate::{CallProgress, CallReport, ToolFailure, ToolInvocation};

/// What a server does during a call, in the message about its end.
const RUNNING: &str = "ran the tool";

impl OpenSession {
    /// Runs the call, takes its time, and looks whether the tool kept its promise.
    pub(super) async fn timed(
        &self,
        call: &ToolInvocation,
        cancel: &CancellationToken,
    ) -> CallReport {
        let began = Instant::now();
        let progress = self.run(call, cancel).await;
        let duration_ms = began.elapsed().as_secs_f64() * 1_000.0;
        let broken = match &progress {
            CallProgress::Returned(returned) => self.schema_violations(&call.tool, returned).await,
            _ => Vec::new(),
        };
        CallReport { broken, ..CallReport::of(progress, duration_ms) }
    }

    /// Where what the tool returned breaks its output schema.
    async fn schema_violations(&self, tool: &ToolName, returned: &JsonText) -> Vec<Violation> {
        let listed = self.catalog().find(tool).and_then(|it| it.view.response_schema.clone());
        let Some(schema) = listed else { return Vec::new() };
        let returned = returned.clone();
        schemas::run_blocking(move || schema_violations(&schema, &returned)).await
    }

    async fn run(&self, call: &ToolInvocation, cancel: &CancellationToken) -> CallProgress {
        let catalog = self.catalog();
        let Some(listed) = catalog.find(&call.tool) else {
            return CallProgress::Failed(no_such_tool(&call.tool));
        };
        if let Some(reason) = &listed.unusable {
            let failure = ToolFailure::new(ToolError::SERVER_UNUSABLE, reason.clone());
            return CallProgress::Failed(failure);
        }
        let invalid = |message: &str| {
            CallProgress::Failed(ToolFailure::new(ToolError::INVALID_ARGUMENTS, message))
        };
        let arguments = match marked(&call.arguments) {
            Ok(Value::Object(arguments)) => arguments,
            Ok(_) => return invalid("Arguments must be an object."),
            Err(error) => return invalid(&error.to_string()),
        };
        let server = tokio::select! {
            server = self.reached(listed) => match server {
                Ok(server) => server,
                Err(failure) => return CallProgress::Failed(failure),
            },
            () = cancel.cancelled() => return CallProgress::Failed(ToolFailure::cancelled()),
        };
        self.link.set_call(Some(call.call_id.clone()));
        let progress = self.ask(&server, listed, arguments, cancel).await;
        self.link.set_call(None);
        // A server that timed out or canceled its task does not withdraw its questions.
        self.link.questions.withdraw(&call.call_id);
        progress
    }

    /// Calls the tool, a second time if the server first wants the person to visit an address.
    async fn ask(
        &self,
        server: &Reached,
        listed: &Listed,
        arguments: Map<String, Value>,
        cancel: &CancellationToken,
    ) -> CallProgress {
        let fault = match self.request(server, listed, arguments.clone(), cancel).await {
            Ok(result) => return results::progress(result),
            Err(fault) => fault,
        };
        let Some(visits) = results::visits_required(&fault) else {
            return CallProgress::Failed(self.failure(listed, &fault, RUNNING).await);
        };
        for (message, url) in visits {
            let name = &self.agent.servers[listed.server].name;
            let asks = Asks::Visit { message, url };
            let answer = tokio::select! {
                answer = self.link.questions.ask(name, self.link.call(), asks) => answer,
                () = cancel.cancelled() => return CallProgress::Failed(ToolFailure::cancelled()),
            };
            if !matches!(answer, Answer::Accept(_)) {
                return CallProgress::Failed(results::failure(&fault));
            }
        }
        match self.request(server, listed, arguments, cancel).await {
            Ok(result) => results::progress(result),
            Err(fault) => CallProgress::Failed(self.failure(listed, &fault, RUNNING).await),
        }
    }

    /// Calls the tool, as a task if the server requires one.
    async fn request(
        &self,
        server: &Reached,
        listed: &Listed,
        arguments: Map<String, Value>,
        cancel: &CancellationToken,
    ) -> Result<ServerResult, CallFault> {
        let (name, tool) = (&listed.remote_name, &listed.view.name);
        let is_task_only = listed.is_task_only || self.task_only().contains(tool);
        if !is_task_only {
            let answer = plain(server, name, arguments.clone(), cancel).await;
            if !tasks::needs_task(&answer) {
                return Ok(answer?);
            }
            self.task_only().insert(tool.clone());
        }
        let on_message = |message| self.link.progressed(None, None, Some(message));
        tasks::run(&server.peer, name, arguments, cancel, on_message).await
    }

    /// The failure of a request. `during` is what the server did, after "while it".
    pub(super) async fn failure(
        &self,
        listed: &Listed,
        fault: &CallFault,
        during: &str,
    ) -> ToolFailure {
        match fault {
            CallFault::Service(
                error @ (ServiceError::TransportClosed | ServiceError::TransportSend(_)),
            ) => match &self.agent.servers[listed.server].transport {
                McpTransport::Http { url, .. } => {
                    let server = &self.agent.servers[listed.server].name;
                    let fault = HttpFault::of_request(error).unwrap_or(HttpFault::Unfinished);
                    let message = format!("The MCP server {server} at {url} {fault}");
                    ToolFailure::new(ToolError::SERVER_UNUSABLE, message)
                }
                McpTransport::Stdio { .. } => self.exited(listed, error, during).await,
            },
            fault => results::failure(fault),
        }
    }

    /// The failure of a call whose server is gone, with its exit status and last output.
    async fn exited(&self, listed: &Listed, error: &ServiceError, during: &str) -> ToolFailure {
        let name = &self.agent.servers[listed.server].name;
        let slot = self.connections[listed.server].lock().await;
        let (ending, last_lines) = match slot.as_ref() {
            Some(connection) => connection.end_of().await,
            None => (None, None),
        };
        drop(slot);
        let message = match ending {
            Some(ending) => format!(
                "The MCP server {name} {ending} while it {during}. The next call restarts it."
            ),
            None => format!(
                "The connection to the MCP server {name} was lost: {}. The next call restarts it.",
                lost(error)
            ),
        };
        let error_type = ToolError::SERVER_EXITED.to_owned();
        ToolFailure { error_type, message, traceback: last_lines }
    }
}

/// Calls the tool and waits for its result.
async fn plain(
    server: &Reached,
    name: &str,
    arguments: Map<String, Value>,
    cancel: &CancellationToken,
) -> Result<ServerResult, ServiceError> {
    let params = CallToolRequestParams::new(name.to_owned()).with_arguments(arguments);
    let request = ClientRequest::CallToolRequest(Request::new(params));
    let options = PeerRequestOptions::no_options();
    let mut handle = server.peer.send_cancellable_request(request, options).await?;
    let token = handle.progress_token.clone();
    let answer = tokio::select! {
        answer = &mut handle.rx => answer.unwrap_or(Err(ServiceError::TransportClosed)),
        () = cancel.cancelled() => {
            let reason = "The person canceled the call.".to_owned();
            // If this fails, the server is gone.
            let _ = handle.cancel(Some(reason.clone())).await;
            Err(ServiceError::Cancelled { reason: Some(reason) })
        }
    };
    server.requests.has_ended(token);
    answer
}

/// Why a server can no longer be reached, without the names of the library's types.
fn lost(error: &ServiceError) -> String {
    match error {
        ServiceError::TransportSend(error) => innermost(error.error.as_ref()),
        error => innermost(error),
    }
}

pub(super) fn no_such_tool(tool: &ToolName) -> ToolFailure {
    let message = format!("The agent no longer has the tool {tool}.");
    ToolFailure::new(ToolError::INVALID_ARGUMENTS, message)
}
