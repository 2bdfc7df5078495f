//! [`McpSource`]: rehearses an [`McpAgent`].

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use app::api::{
    AgentFault, AgentInCharge, Answer, Asks, HostEvent, Question, SessionView, SourceKind,
};
use async_trait::async_trait;
use json_text::JsonText;
use rmcp::model::{CallToolRequestParams, ClientRequest, Request, ServerResult};
use rmcp::service::{Peer, PeerRequestOptions};
use rmcp::{RoleClient, ServiceError};
use serde_json::{Map, Value};
use session::{CallId, SessionId, ToolError, ToolName};
use tokio::sync::Mutex as AsyncMutex;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::agent::McpAgent;
use super::client::Link;
use super::connection::Connection;
use super::results;
use super::tasks::{self, TaskFault};
use super::tools::{self, Catalogue, Listed};
use crate::agents::arguments::exact_value;
use crate::agents::instruction::resolved_instruction;
use crate::agents::{
    AgentFacts, AgentLog, AgentSource, AnswerError, CallProgress, CallReport, Reporter,
    SessionSeed, SourceError, ToolFailure, ToolInvocation,
};

/// The source of one MCP agent.
pub struct McpSource {
    agent: Arc<McpAgent>,
    reporter: OnceLock<Reporter>,
    log: Mutex<Arc<AgentLog>>,
    sessions: AsyncMutex<HashMap<SessionId, Arc<Open>>>,
}

/// One open session.
struct Open {
    agent: Arc<McpAgent>,
    log: Arc<AgentLog>,
    link: Arc<Link>,
    user_id: String,
    state: Map<String, Value>,
    /// One for each server of the agent, in its order; `None` while there is none.
    connections: Vec<AsyncMutex<Option<Connection>>>,
    catalogue: Mutex<Catalogue>,
    /// The call that waits for the person.
    waiting: Mutex<Option<ToolInvocation>>,
    /// The tools that refused a plain call and run as tasks only.
    task_only: Mutex<HashSet<ToolName>>,
    /// Follows what the servers say of their tools.
    follower: Mutex<Option<JoinHandle<()>>>,
}

impl McpSource {
    /// A source for this agent.
    #[must_use]
    pub fn new(agent: McpAgent) -> Self {
        Self {
            agent: Arc::new(agent),
            reporter: OnceLock::new(),
            log: Mutex::default(),
            sessions: AsyncMutex::default(),
        }
    }

    async fn open(&self, session: &SessionId) -> Result<Arc<Open>, SourceError> {
        let sessions = self.sessions.lock().await;
        sessions.get(session).cloned().ok_or_else(|| SourceError::UnknownSession(session.clone()))
    }

    async fn connect(&self, link: Option<&Arc<Link>>) -> Result<Vec<Connection>, AgentFault> {
        let log = Arc::clone(&self.log.lock().unwrap_or_else(PoisonError::into_inner));
        let opening = self
            .agent
            .servers
            .iter()
            .map(|server| Connection::open(server, &log, link.map(Arc::clone)));
        let mut connections = Vec::with_capacity(self.agent.servers.len());
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

    fn catalogue(&self, connections: &[Connection]) -> Catalogue {
        let tools = connections.iter().map(|connection| connection.tools.as_slice());
        Catalogue::of(self.agent.servers.iter().zip(tools))
    }
}

impl Open {
    fn catalogue(&self) -> Catalogue {
        self.catalogue.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Option<ToolInvocation>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn task_only(&self) -> std::sync::MutexGuard<'_, HashSet<ToolName>> {
        self.task_only.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_waiting(&self, call_id: &CallId) -> Option<ToolInvocation> {
        self.waiting().take_if(|call| call.call_id == *call_id)
    }

    async fn view(&self) -> SessionView {
        let agent = &self.agent;
        let Catalogue { tools, mut warnings } = self.catalogue();
        let session = self.link.session.as_str();
        let (user, state) = (&self.user_id, &self.state);
        let written = &agent.instruction;
        let instruction =
            match resolved_instruction(&agent.name, session, user, state, written).await {
                Ok(instruction) => instruction,
                Err(warning) => {
                    warnings.push(warning);
                    written.clone()
                }
            };
        SessionView {
            app_name: agent.name.clone(),
            agent: AgentInCharge {
                name: agent.name.clone(),
                description: agent.description.clone(),
                kind: "McpAgent".to_owned(),
                model: agent.model.clone(),
            },
            instruction,
            instruction_template: Some(written.clone()),
            tools: tools.into_iter().map(|listed| listed.view).collect(),
            model_side_tools: Vec::new(),
            input_schema: agent.input_schema.clone(),
            output_schema: agent.output_schema.clone(),
            sub_agents: Vec::new(),
            state: JsonText::from_value(&Value::Object(self.state.clone())),
            warnings,
        }
    }

    /// The server that has the tool, started again if it ended.
    async fn peer(&self, listed: &Listed) -> Result<Peer<RoleClient>, ToolFailure> {
        let server = &self.agent.servers[listed.server];
        let mut slot = self.connections[listed.server].lock().await;
        if let Some(connection) = slot.take_if(|connection| connection.is_closed()) {
            connection.close().await;
        }
        if let Some(connection) = slot.as_ref() {
            return Ok(connection.peer().clone());
        }
        self.log.push(&format!("[{}] is started again", server.name));
        let link = Some(Arc::clone(&self.link));
        let connection = Connection::open(server, &self.log, link).await.map_err(|fault| {
            let fault = AgentFault::from(fault);
            ToolFailure {
                error_type: ToolError::SERVER_EXITED.to_owned(),
                message: fault.reason,
                traceback: fault.traceback,
            }
        })?;
        let peer = connection.peer().clone();
        *slot = Some(connection);
        drop(slot);
        self.link.tools_changed.notify_one();
        Ok(peer)
    }

    async fn run(&self, call: &ToolInvocation, cancel: &CancellationToken) -> CallProgress {
        let catalogue = self.catalogue();
        let Some(listed) = catalogue.find(&call.tool) else {
            return CallProgress::Failed(no_such_tool(&call.tool));
        };
        let arguments = match exact_value(&call.arguments) {
            Ok(Value::Object(arguments)) => arguments,
            Ok(_) => {
                let message = "A tool takes an object.";
                let failure = ToolFailure::new(ToolError::INVALID_ARGUMENTS, message);
                return CallProgress::Failed(failure);
            }
            Err(failure) => return CallProgress::Failed(failure),
        };
        let peer = tokio::select! {
            peer = self.peer(listed) => match peer {
                Ok(peer) => peer,
                Err(failure) => return CallProgress::Failed(failure),
            },
            () = cancel.cancelled() => return CallProgress::Failed(ToolFailure::cancelled()),
        };
        self.link.set_call(Some(call.call_id.clone()));
        let progress = self.ask(&peer, listed, arguments, cancel).await;
        self.link.set_call(None);
        if cancel.is_cancelled() {
            // A server that called its task off does not take back what it asked for it.
            self.link.questions.withdraw(&call.call_id);
        }
        progress
    }

    /// Asks the server; where it first wants the person to visit an address, asks a second time.
    async fn ask(
        &self,
        peer: &Peer<RoleClient>,
        listed: &Listed,
        arguments: Map<String, Value>,
        cancel: &CancellationToken,
    ) -> CallProgress {
        let fault = match self.request(peer, listed, arguments.clone(), cancel).await {
            Ok(result) => return results::progress(result),
            Err(fault) => fault,
        };
        let Some(visits) = results::visits_required(&fault) else {
            return CallProgress::Failed(self.failure(listed, &fault).await);
        };
        for (message, url) in visits {
            let server = &self.agent.servers[listed.server].name;
            let asks = Asks::Visit { message, url };
            let answer = tokio::select! {
                answer = self.link.questions.ask(server, self.link.call(), asks) => answer,
                () = cancel.cancelled() => return CallProgress::Failed(ToolFailure::cancelled()),
            };
            if !matches!(answer, Answer::Accept(_)) {
                return CallProgress::Failed(results::failure(&fault));
            }
        }
        match self.request(peer, listed, arguments, cancel).await {
            Ok(result) => results::progress(result),
            Err(fault) => CallProgress::Failed(self.failure(listed, &fault).await),
        }
    }

    /// Calls the tool, as a task where the server takes it no other way.
    async fn request(
        &self,
        peer: &Peer<RoleClient>,
        listed: &Listed,
        arguments: Map<String, Value>,
        cancel: &CancellationToken,
    ) -> Result<ServerResult, TaskFault> {
        let (name, tool) = (&listed.remote_name, &listed.view.name);
        let is_task_only = self.task_only().contains(tool);
        if !is_task_only {
            let answer = request(peer, name, arguments.clone(), cancel).await;
            if !tasks::is_wanted(&answer) {
                return Ok(answer?);
            }
            self.task_only().insert(tool.clone());
        }
        let told = |message| self.link.progressed(None, None, Some(message));
        tasks::run(peer, name, arguments, cancel, told).await
    }

    async fn failure(&self, listed: &Listed, fault: &TaskFault) -> ToolFailure {
        match fault {
            TaskFault::Service(
                error @ (ServiceError::TransportClosed | ServiceError::TransportSend(_)),
            ) => self.exited(listed, error).await,
            fault => results::failure(fault),
        }
    }

    /// The server is gone: who it was, how it ended, what it wrote last.
    async fn exited(&self, listed: &Listed, error: &ServiceError) -> ToolFailure {
        let name = &self.agent.servers[listed.server].name;
        let slot = self.connections[listed.server].lock().await;
        let (status, last_lines) = match slot.as_ref() {
            Some(connection) => connection.end_of().await,
            None => (None, None),
        };
        drop(slot);
        let message = match status {
            Some(status) => format!(
                "The MCP server {name} ended with {status} while the tool ran. The next call starts \
                 it again."
            ),
            None => format!(
                "The connection to the MCP server {name} was lost ({error}). The next call connects \
                 again."
            ),
        };
        let error_type = ToolError::SERVER_EXITED.to_owned();
        ToolFailure { error_type, message, traceback: last_lines }
    }

    /// Lists all tools anew and tells the page what changed.
    async fn refresh(&self) {
        for (server, slot) in self.agent.servers.iter().zip(&self.connections) {
            let mut slot = slot.lock().await;
            if let Some(connection) = slot.as_mut()
                && let Err(error) = connection.list_tools().await
            {
                self.log.push(&format!("[{}] its tools cannot be listed: {error}", server.name));
            }
        }
        let mut listed = Vec::with_capacity(self.connections.len());
        for slot in &self.connections {
            let slot = slot.lock().await;
            listed.push(slot.as_ref().map(|it| it.tools.clone()).unwrap_or_default());
        }
        let servers = self.agent.servers.iter().zip(listed.iter().map(Vec::as_slice));
        let now = Catalogue::of(servers);
        let before = {
            let mut catalogue = self.catalogue.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *catalogue, now)
        };
        let before: Vec<_> = before.tools.into_iter().map(|listed| listed.view).collect();
        if let Some(change) = tools::change(&self.link.session, &before, self.view().await) {
            self.link.reporter.tell(HostEvent::CatalogueChanged(Box::new(change)));
        }
    }

    async fn close(&self) {
        let follower = self.follower.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(follower) = follower {
            follower.abort();
        }
        for slot in &self.connections {
            if let Some(connection) = slot.lock().await.take() {
                connection.close().await;
            }
        }
    }
}

/// Calls a tool and waits; when `cancel` fires the server is told so.
async fn request(
    peer: &Peer<RoleClient>,
    name: &str,
    arguments: Map<String, Value>,
    cancel: &CancellationToken,
) -> Result<ServerResult, ServiceError> {
    let params = CallToolRequestParams::new(name.to_owned()).with_arguments(arguments);
    let request = ClientRequest::CallToolRequest(Request::new(params));
    let mut handle =
        peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await?;
    tokio::select! {
        answer = &mut handle.rx => answer.unwrap_or(Err(ServiceError::TransportClosed)),
        () = cancel.cancelled() => {
            let reason = "The person cancelled the call.".to_owned();
            // A server that cannot be told is gone already.
            let _ = handle.cancel(Some(reason.clone())).await;
            Err(ServiceError::Cancelled { reason: Some(reason) })
        }
    }
}

fn no_such_tool(tool: &ToolName) -> ToolFailure {
    let message = format!("The agent has no tool {tool} any more.");
    ToolFailure::new(ToolError::INVALID_ARGUMENTS, message)
}

fn nothing_waits(call_id: &CallId) -> CallReport {
    let message = format!("call {call_id} does not wait for the person");
    CallReport::failed(ToolFailure::new("UnknownCall", message), 0.0)
}

async fn timed(open: &Open, call: &ToolInvocation, cancel: &CancellationToken) -> CallReport {
    let began = Instant::now();
    let progress = open.run(call, cancel).await;
    let duration_ms = began.elapsed().as_secs_f64() * 1_000.0;
    CallReport { progress, duration_ms, state: None, view: None }
}

#[async_trait]
impl AgentSource for McpSource {
    fn kind(&self) -> SourceKind {
        SourceKind::Mcp
    }

    fn report_to(&self, reporter: Reporter) {
        // Called once; a second listener would take the news from the first.
        let _ = self.reporter.set(reporter);
    }

    async fn load(&self, log: Arc<AgentLog>) -> Result<AgentFacts, AgentFault> {
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) = log;
        let connections = self.connect(None).await?;
        let catalogue = self.catalogue(&connections);
        let about: Vec<String> = connections
            .iter()
            .map(|connection| connection.about.clone())
            .filter(|about| !about.is_empty())
            .collect();
        futures::future::join_all(connections.into_iter().map(Connection::close)).await;
        Ok(AgentFacts {
            description: self.agent.description.clone(),
            model: self.agent.model.clone(),
            tools: catalogue.tools.iter().map(|listed| listed.view.name.to_string()).collect(),
            runtime: (!about.is_empty()).then(|| about.join(" · ")),
        })
    }

    async fn open_session(
        &self,
        session: &SessionId,
        seed: &SessionSeed,
    ) -> Result<SessionView, SourceError> {
        // Held while connecting: two tabs of one session must not start two sets of servers.
        let mut sessions = self.sessions.lock().await;
        if let Some(open) = sessions.get(session).cloned() {
            drop(sessions);
            return Ok(open.view().await);
        }
        let reporter = self.reporter.get().cloned().unwrap_or_else(Reporter::silent);
        let link = Arc::new(Link::new(session.clone(), reporter));
        let connections = self.connect(Some(&link)).await.map_err(SourceError::Faulted)?;
        let state = seed.state.iter();
        let state =
            state.map(|(key, value)| (key.clone(), value.to_value().unwrap_or(Value::Null)));
        let open = Arc::new(Open {
            agent: Arc::clone(&self.agent),
            log: Arc::clone(&self.log.lock().unwrap_or_else(PoisonError::into_inner)),
            link,
            user_id: seed.user_id.clone(),
            state: state.collect(),
            catalogue: Mutex::new(self.catalogue(&connections)),
            connections: connections.into_iter().map(|it| AsyncMutex::new(Some(it))).collect(),
            waiting: Mutex::default(),
            task_only: Mutex::default(),
            follower: Mutex::default(),
        });
        let followed = Arc::downgrade(&open);
        let link = Arc::clone(&open.link);
        let follower = tokio::spawn(async move {
            loop {
                link.tools_changed.notified().await;
                let Some(open) = followed.upgrade() else { return };
                open.refresh().await;
            }
        });
        *open.follower.lock().unwrap_or_else(PoisonError::into_inner) = Some(follower);
        sessions.insert(session.clone(), Arc::clone(&open));
        drop(sessions);
        Ok(open.view().await)
    }

    async fn begin_invocation(
        &self,
        session: &SessionId,
        _content: &str,
    ) -> Result<SessionView, SourceError> {
        Ok(self.open(session).await?.view().await)
    }

    async fn call_tool(&self, call: ToolInvocation, cancel: CancellationToken) -> CallReport {
        let open = match self.open(&call.session).await {
            Ok(open) => open,
            Err(error) => {
                let failure = ToolFailure::new("UnknownSession", error.to_string());
                return CallReport::failed(failure, 0.0);
            }
        };
        let catalogue = open.catalogue();
        let listed = catalogue.find(&call.tool);
        if listed.is_some_and(|listed| listed.view.needs_confirmation) {
            let hint = format!("{} says that it may destroy something. Call it?", call.tool);
            *open.waiting() = Some(call);
            let progress = CallProgress::AsksConfirmation { hint, payload: None };
            return CallReport { progress, duration_ms: 0.0, state: None, view: None };
        }
        timed(&open, &call, &cancel).await
    }

    async fn confirm(
        &self,
        session: &SessionId,
        call_id: &CallId,
        confirmed: bool,
        _payload: Option<JsonText>,
        cancel: CancellationToken,
    ) -> CallReport {
        let Ok(open) = self.open(session).await else { return nothing_waits(call_id) };
        let Some(call) = open.take_waiting(call_id) else { return nothing_waits(call_id) };
        if confirmed {
            return timed(&open, &call, &cancel).await;
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
        match self.open(session).await {
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
        let open = self.open(session).await.map_err(|_| AnswerError::NotWaiting)?;
        open.link.questions.answer(number, answer)
    }

    async fn close_session(&self, session: &SessionId) {
        let open = self.sessions.lock().await.remove(session);
        if let Some(open) = open {
            open.close().await;
        }
    }

    async fn shut_down(&self) {
        let open: Vec<Arc<Open>> =
            self.sessions.lock().await.drain().map(|(_, open)| open).collect();
        futures::future::join_all(open.iter().map(|open| open.close())).await;
    }
}
