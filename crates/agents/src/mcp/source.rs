//! [`McpSource`]: rehearses an [`McpAgent`].

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::{AgentFault, Answer, Question, SessionView, SourceKind};
use async_trait::async_trait;
use json_text::JsonText;
use session::{CallId, SET_MODEL_RESPONSE, SessionId, ToolError, ToolName};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use super::agent::McpAgent;
use super::client::SessionLink;
use super::connection::Connection;
use super::model_response;
use super::open_session::OpenSession;
use super::tools::Catalog;
use super::unseen_by_adk::unseen_by_adk;
use crate::{
    AgentFacts, AgentLog, AgentSource, AnswerError, CallProgress, CallReport, Reporter,
    ResourceContent, ResourceError, SessionSeed, SourceError, ToolFailure, ToolInvocation,
};

/// The source of one MCP agent.
pub struct McpSource {
    agent: Mutex<Arc<McpAgent>>,
    reporter: OnceLock<Reporter>,
    log: Mutex<Arc<AgentLog>>,
    sessions: Mutex<HashMap<SessionId, Arc<Opening>>>,
}

/// A session that may still be starting. Two tabs of one session share it, so that its servers start once, and
/// a slow start does not delay other sessions.
type Opening = OnceCell<Arc<OpenSession>>;

impl McpSource {
    /// A source for this agent.
    #[must_use]
    pub fn new(agent: McpAgent) -> Self {
        Self {
            agent: Mutex::new(Arc::new(agent)),
            reporter: OnceLock::new(),
            log: Mutex::default(),
            sessions: Mutex::default(),
        }
    }

    /// The tools that the agent has here and that ADK does not see or cannot call, a clause each.
    ///
    /// # Errors
    /// A server cannot be used.
    pub async fn unseen_by_adk(&self) -> Result<Vec<String>, AgentFault> {
        let agent = self.agent();
        let connections = self.connect(&agent, None).await?;
        let with_servers = agent.servers.iter().zip(&connections);
        let unseen = with_servers.flat_map(|(server, it)| unseen_by_adk(server, it)).collect();
        futures::future::join_all(connections.into_iter().map(Connection::close)).await;
        Ok(unseen)
    }

    /// The agent as it was loaded last.
    fn agent(&self) -> Arc<McpAgent> {
        Arc::clone(&self.agent.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the instruction again, if it is from a file. Open sessions keep theirs.
    async fn reload(&self) -> Result<Arc<McpAgent>, AgentFault> {
        let agent = self.agent();
        let Some(file) = &agent.instruction_file else { return Ok(agent) };
        let instruction = tokio::fs::read_to_string(file).await.map_err(|error| AgentFault {
            reason: format!("The instruction {} cannot be read: {error}.", file.display()),
            error_type: None,
            traceback: None,
        })?;
        let agent = Arc::new(McpAgent { instruction, ..(*agent).clone() });
        *self.agent.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&agent);
        Ok(agent)
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Opening>>> {
        // Plain data: a panic elsewhere leaves it complete.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self, session: &SessionId) -> Result<Arc<OpenSession>, SourceError> {
        let open = self.sessions().get(session).and_then(|opening| opening.get().cloned());
        open.ok_or_else(|| SourceError::UnknownSession(session.clone()))
    }

    /// Starts the servers of a session.
    async fn start(
        &self,
        session: &SessionId,
        seed: &SessionSeed,
    ) -> Result<Arc<OpenSession>, SourceError> {
        let reporter = self.reporter.get().cloned().unwrap_or_else(Reporter::silent);
        let link = Arc::new(SessionLink::new(session.clone(), reporter));
        let agent = self.agent();
        let connections = self.connect(&agent, Some(&link)).await.map_err(SourceError::Faulted)?;
        let log = Arc::clone(&self.log.lock().unwrap_or_else(PoisonError::into_inner));
        let catalog = catalog(&agent, &connections).await;
        Ok(OpenSession::new(agent, log, link, seed, connections, catalog))
    }

    /// Whether the session was not closed meanwhile.
    fn is_wanted(&self, session: &SessionId, opening: &Arc<Opening>) -> bool {
        self.sessions().get(session).is_some_and(|now| Arc::ptr_eq(now, opening))
    }

    async fn connect(
        &self,
        agent: &McpAgent,
        link: Option<&Arc<SessionLink>>,
    ) -> Result<Vec<Connection>, AgentFault> {
        let log = Arc::clone(&self.log.lock().unwrap_or_else(PoisonError::into_inner));
        let opening =
            agent.servers.iter().map(|server| Connection::open(server, &log, link.map(Arc::clone)));
        let mut connections = Vec::with_capacity(agent.servers.len());
        let mut fault = None;
        for opened in futures::future::join_all(opening).await {
            match opened {
                Ok(connection) => connections.push(connection),
                Err(error) => {
                    fault.get_or_insert(error);
                }
            }
        }
        match fault {
            None => Ok(connections),
            Some(fault) => {
                futures::future::join_all(connections.into_iter().map(Connection::close)).await;
                Err(fault.into())
            }
        }
    }
}

async fn catalog(agent: &Arc<McpAgent>, connections: &[Connection]) -> Catalog {
    let tools = connections.iter().map(|connection| connection.tools.clone()).collect();
    Catalog::of(agent, tools).await
}

fn nothing_waits(call_id: &CallId) -> CallReport {
    let message = format!("the call {call_id} is not waiting for a confirmation or a result");
    CallReport::failed(ToolFailure::new("UnknownCall", message), 0.0)
}

#[async_trait]
impl AgentSource for McpSource {
    fn kind(&self) -> SourceKind {
        SourceKind::Mcp
    }

    fn report_to(&self, reporter: Reporter) {
        // Called once. A second reporter would be ignored.
        let _ = self.reporter.set(reporter);
    }

    fn fingerprint(&self, _eval_set: &Path) -> Option<u64> {
        let agent = self.agent();
        let mut hasher = DefaultHasher::new();
        std::fs::read(agent.instruction_file.as_ref()?).ok().hash(&mut hasher);
        Some(hasher.finish())
    }

    async fn load(
        &self,
        _seed: &SessionSeed,
        log: Arc<AgentLog>,
    ) -> Result<AgentFacts, AgentFault> {
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) = log;
        let agent = self.reload().await?;
        let connections = self.connect(&agent, None).await?;
        let catalog = catalog(&agent, &connections).await;
        let about: Vec<String> = connections
            .iter()
            .map(|connection| connection.about.clone())
            .filter(|about| !about.is_empty())
            .collect();
        futures::future::join_all(connections.into_iter().map(Connection::close)).await;
        Ok(AgentFacts {
            app_name: agent.name.clone(),
            description: agent.description.clone(),
            model: agent.model.clone(),
            tools: catalog.tools.iter().map(|listed| listed.view.name.to_string()).collect(),
            runtime: (!about.is_empty()).then(|| about.join(" · ")),
        })
    }

    async fn open_session(
        &self,
        session: &SessionId,
        seed: &SessionSeed,
    ) -> Result<SessionView, SourceError> {
        let opening = Arc::clone(self.sessions().entry(session.clone()).or_default());
        let started = opening.get_or_try_init(|| self.start(session, seed)).await;
        let open = match started {
            Ok(open) => Arc::clone(open),
            Err(error) => {
                if !opening.initialized() && self.is_wanted(session, &opening) {
                    self.sessions().remove(session);
                }
                return Err(error);
            }
        };
        if !self.is_wanted(session, &opening) {
            open.close().await;
            return Err(SourceError::UnknownSession(session.clone()));
        }
        Ok(open.view().await)
    }

    async fn begin_invocation(
        &self,
        session: &SessionId,
        _content: &str,
    ) -> Result<SessionView, SourceError> {
        Ok(self.open(session)?.view().await)
    }

    async fn call_tool(&self, call: ToolInvocation, cancel: CancellationToken) -> CallReport {
        let open = match self.open(&call.session) {
            Ok(open) => open,
            Err(error) => {
                let failure = ToolFailure::new("UnknownSession", error.to_string());
                return CallReport::failed(failure, 0.0);
            }
        };
        if let Some(schema) = model_response::schema(&open.agent)
            && call.tool.as_str() == SET_MODEL_RESPONSE
        {
            return model_response::call(schema, &call.arguments).await;
        }
        let catalog = open.catalog();
        let listed = catalog.find(&call.tool);
        if listed.is_some_and(|listed| listed.view.needs_confirmation) {
            let hint = format!("{} is marked as destructive. Call it?", call.tool);
            *open.waiting() = Some(call);
            let progress = CallProgress::AsksConfirmation { hint, payload: None };
            return CallReport::of(progress, 0.0);
        }
        open.timed(&call, &cancel).await
    }

    async fn confirm(
        &self,
        session: &SessionId,
        call_id: &CallId,
        confirmed: bool,
        _payload: Option<JsonText>,
        cancel: CancellationToken,
    ) -> CallReport {
        let Ok(open) = self.open(session) else { return nothing_waits(call_id) };
        let Some(call) = open.take_waiting(call_id) else { return nothing_waits(call_id) };
        if confirmed {
            return open.timed(&call, &cancel).await;
        }
        let message = format!("The person denied {}.", call.tool);
        CallReport::failed(ToolFailure::new(ToolError::CONFIRMATION_DENIED, message), 0.0)
    }

    async fn supply_result(
        &self,
        _session: &SessionId,
        call_id: &CallId,
        _result: JsonText,
        _cancel: CancellationToken,
    ) -> CallReport {
        nothing_waits(call_id)
    }

    async fn questions(&self, session: &SessionId) -> Vec<Question> {
        match self.open(session) {
            Ok(open) => open.link.questions.waiting(),
            Err(_) => Vec::new(),
        }
    }

    async fn answer(
        &self,
        session: &SessionId,
        number: u64,
        answer: Answer,
    ) -> Result<(), AnswerError> {
        let open = self.open(session).map_err(|_| AnswerError::NotWaiting)?;
        open.link.questions.answer(number, answer).await
    }

    async fn read_resource(
        &self,
        session: &SessionId,
        tool: &ToolName,
        uri: &str,
    ) -> Result<Vec<ResourceContent>, ResourceError> {
        let open =
            self.open(session).map_err(|error| ResourceError::Unreachable(error.to_string()))?;
        open.read_resource(tool, uri).await
    }

    async fn close_session(&self, session: &SessionId) {
        let opening = self.sessions().remove(session);
        // A session that is still starting is closed by the task that starts it.
        if let Some(open) = opening.as_ref().and_then(|opening| opening.get()) {
            open.close().await;
        }
    }

    async fn shut_down(&self) {
        let all: Vec<Arc<Opening>> = self.sessions().drain().map(|(_, opening)| opening).collect();
        let open: Vec<&Arc<OpenSession>> = all.iter().filter_map(|opening| opening.get()).collect();
        futures::future::join_all(open.iter().map(|open| open.close())).await;
    }
}
