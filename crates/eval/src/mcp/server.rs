//! [`LiveServer`]: one MCP server in one case, started when it is first needed.

use std::sync::Arc;

use agents::mcp::{McpAgent, McpServer, McpSource};
use agents::{
    AgentFault, AgentSource as _, Answer, CallProgress, CallReport, Reporter, SessionSeed,
    SourceError, SourceEvent, ToolFailure, ToolInvocation, ToolView,
};
use json_text::{JsonIndex, JsonText};
use session::{CallId, SessionId, ToolError};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use super::declarations::DeclaredTools;
use super::result;
use crate::run_failure::RunFailure;

/// The session of the source. Each case has a source of its own.
const SESSION: &str = "eval";

/// One MCP server in one case. Dropping it ends the server.
pub(super) struct LiveServer {
    name: String,
    source: Arc<McpSource>,
    started: OnceCell<DeclaredTools>,
}

impl Drop for LiveServer {
    fn drop(&mut self) {
        if self.started.initialized()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let source = Arc::clone(&self.source);
            runtime.spawn(async move { source.shut_down().await });
        }
    }
}

impl LiveServer {
    /// The server, which is not started yet.
    pub(super) fn new(server: &McpServer) -> Self {
        let agent = McpAgent::new(SESSION).server(server.clone());
        let source = Arc::new(McpSource::new(agent));
        let asked = Arc::downgrade(&source);
        source.report_to(Reporter::new(move |event| {
            let SourceEvent::Asked(question) = event else { return };
            let Some(source) = asked.upgrade() else { return };
            // Nobody is there to answer.
            tokio::spawn(async move {
                let answered = source.answer(&question.session, question.number, Answer::Decline);
                if let Err(error) = answered.await {
                    tracing::debug!("a question of an MCP server could not be declined: {error}");
                }
            });
        }));
        Self { name: server.name.clone(), source, started: OnceCell::new() }
    }

    /// The tools that it lists. Starts it.
    ///
    /// # Errors
    /// It cannot be used.
    pub(super) async fn listed(&self) -> Result<&DeclaredTools, RunFailure> {
        let start = || async {
            let session = id::<SessionId, _>(SessionId::parse(SESSION))?;
            let opened = self.source.open_session(&session, &SessionSeed::default()).await;
            let view = opened.map_err(|error| self.unusable(error))?;
            for warning in view.warnings {
                tracing::warn!("{warning}");
            }
            let included = view.server_instructions.into_iter().filter(|it| it.is_included);
            let instructions = included.map(|it| it.text).next();
            Ok(DeclaredTools { tools: view.tools, instructions })
        };
        self.started.get_or_try_init(start).await
    }

    /// What a call of one of its tools gives. Starts the server if it does not run.
    ///
    /// # Errors
    /// The server cannot be used, or ended while it ran the tool.
    pub(super) async fn call(
        &self,
        call_id: &str,
        tool: &ToolView,
        arguments: JsonText,
    ) -> Result<JsonText, RunFailure> {
        let listed = self.listed().await?;
        if !listed.tools.iter().any(|it| it.name == tool.name) {
            return Err(RunFailure::Infrastructure {
                message: format!(
                    "the MCP server {} has no tool {}, which its recorded declarations have. Record them again",
                    self.name, tool.name
                ),
            });
        }
        let call = ToolInvocation {
            session: id::<SessionId, _>(SessionId::parse(SESSION))?,
            call_id: id::<CallId, _>(CallId::parse(call_id))?,
            tool: tool.name.clone(),
            arguments,
        };
        let (session, call_id) = (call.session.clone(), call.call_id.clone());
        let mut report = self.source.call_tool(call, CancellationToken::new()).await;
        if matches!(report.progress, CallProgress::AsksConfirmation { .. }) {
            // The case allows the tool.
            let cancel = CancellationToken::new();
            report = self.source.confirm(&session, &call_id, true, None, cancel).await;
        }
        self.result(report)
    }

    fn result(&self, report: CallReport) -> Result<JsonText, RunFailure> {
        match report.progress {
            CallProgress::Returned(result) => Ok(result),
            CallProgress::Failed(failure) if is_servers(&failure) => {
                Err(RunFailure::Infrastructure { message: ended(&failure) })
            }
            CallProgress::Failed(failure) => Ok(reported(failure)),
            CallProgress::AsksConfirmation { .. }
            | CallProgress::AwaitsResult { .. }
            | CallProgress::Acting { .. } => Err(RunFailure::Infrastructure {
                message: format!("the MCP server {} gave no result", self.name),
            }),
        }
    }

    fn unusable(&self, error: SourceError) -> RunFailure {
        match error {
            SourceError::Faulted(fault) => unusable(&fault),
            error => RunFailure::Infrastructure {
                message: format!("the MCP server {} cannot be used: {error}", self.name),
            },
        }
    }
}

/// A server that does not start or list its tools.
pub(super) fn unusable(fault: &AgentFault) -> RunFailure {
    RunFailure::Infrastructure { message: with_output(&fault.reason, fault.traceback.as_deref()) }
}

fn id<T, E: std::fmt::Display>(parsed: Result<T, E>) -> Result<T, RunFailure> {
    parsed.map_err(|error| RunFailure::Infrastructure { message: error.to_string() })
}

/// Whether the server is at fault, and not its tool.
fn is_servers(failure: &ToolFailure) -> bool {
    [ToolError::SERVER_EXITED, ToolError::SERVER_UNUSABLE].contains(&failure.error_type.as_str())
}

/// How a server ended. In a run, nothing starts it again.
fn ended(failure: &ToolFailure) -> String {
    let message = failure.message.trim_end_matches(" The next call restarts it.");
    with_output(message, failure.traceback.as_deref())
}

fn with_output(message: &str, output: Option<&str>) -> String {
    match output {
        Some(output) => format!("{message} Its last output:\n{output}"),
        None => message.to_owned(),
    }
}

/// A failure as the model gets it: the whole result if the tool reported one.
fn reported(failure: ToolFailure) -> JsonText {
    let whole = failure.traceback.and_then(|text| JsonText::parse(&text).ok());
    let is_error = |result: &JsonText| {
        JsonIndex::of(result).root().member("isError").is_some_and(|it| it.is_true())
    };
    match whole.filter(is_error) {
        Some(result) => result.compact(),
        None => result::error(&failure.message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_with_more_than_a_text_reaches_the_model_as_a_whole() {
        let result = r#"{"content":[{"type":"image","data":"aGk="}],"isError":true}"#;
        let failure = ToolFailure {
            traceback: Some(JsonText::parse(result).expect("JSON").pretty()),
            ..ToolFailure::new("ToolError", "It sent an image.")
        };
        assert_eq!(reported(failure).as_str(), result);
        let plain = ToolFailure {
            traceback: Some("Traceback".to_owned()),
            ..ToolFailure::new("ToolError", "no tide")
        };
        assert_eq!(
            reported(plain).as_str(),
            r#"{"content":[{"type":"text","text":"no tide"}],"isError":true}"#
        );
    }
}
