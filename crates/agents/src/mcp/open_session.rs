//! [`OpenSession`]: one rehearsal's own servers, what they offer, and what waits in it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{
    ActiveAgent, AgentFault, CatalogChange, ServerInstructions, SessionView, SourceEvent, ToolView,
};
use json_text::JsonText;
use rmcp::RoleClient;
use rmcp::service::Peer;
use serde_json::{Map, Value};
use session::{CallId, ToolError, ToolName};
use tokio::sync::Mutex as AsyncMutex;
use tokio::task::JoinHandle;

use super::agent::{McpAgent, McpTransport};
use super::client::{Requests, SessionLink};
use super::connection::Connection;
use super::listing::list_tools;
use super::model_response;
use super::tools::{Catalog, Listed};
use crate::native::resolved_instruction;
use crate::schemas;
use crate::{AgentLog, SessionSeed, ToolFailure, ToolInvocation};

/// A server that answers, for as long as its connection lasts.
pub(super) struct Reached {
    pub(super) peer: Peer<RoleClient>,
    pub(super) requests: Arc<Requests>,
}

impl Reached {
    fn through(connection: &Connection) -> Self {
        Self { peer: connection.peer().clone(), requests: Arc::clone(connection.requests()) }
    }
}

/// One open session.
pub(super) struct OpenSession {
    pub(super) agent: Arc<McpAgent>,
    pub(super) log: Arc<AgentLog>,
    pub(super) link: Arc<SessionLink>,
    user_id: String,
    state: Map<String, Value>,
    /// One for each server of the agent, in its order; `None` while there is none.
    pub(super) connections: Vec<AsyncMutex<Option<Connection>>>,
    catalog: Mutex<Catalog>,
    server_instructions: Vec<ServerInstructions>,
    /// The call that waits for the person.
    waiting: Mutex<Option<ToolInvocation>>,
    /// The tools that refused a plain call and run as tasks only.
    task_only: Mutex<HashSet<ToolName>>,
    /// Watches for changes of the servers' tools.
    follower: Mutex<Option<JoinHandle<()>>>,
}

impl OpenSession {
    pub(super) fn new(
        agent: Arc<McpAgent>,
        log: Arc<AgentLog>,
        link: Arc<SessionLink>,
        seed: &SessionSeed,
        connections: Vec<Connection>,
        catalog: Catalog,
    ) -> Arc<Self> {
        let state = seed.state.iter();
        let state =
            state.map(|(key, value)| (key.clone(), value.to_value().unwrap_or(Value::Null)));
        let said = agent.servers.iter().zip(&connections).filter_map(|(server, connection)| {
            let text = connection.instructions.as_deref()?.trim();
            (!text.is_empty()).then(|| ServerInstructions {
                server: server.name.clone(),
                text: text.to_owned(),
                is_included: server.include_instructions,
            })
        });
        let server_instructions = said.collect();
        let open = Arc::new(Self {
            agent,
            log,
            link,
            user_id: seed.user_id.clone(),
            state: state.collect(),
            connections: connections.into_iter().map(|it| AsyncMutex::new(Some(it))).collect(),
            catalog: Mutex::new(catalog),
            server_instructions,
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
        open
    }

    pub(super) fn catalog(&self) -> Catalog {
        self.catalog.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The tools as the model would see them. A server's tool gives way to google-adk's of that name.
    fn tools(&self, catalog: Catalog) -> Vec<ToolView> {
        let responds = model_response::schema(&self.agent).and_then(model_response::tool);
        let listed = catalog.tools.into_iter().map(|listed| listed.view);
        let listed = listed.filter(|tool| responds.as_ref().is_none_or(|it| it.name != tool.name));
        responds.clone().into_iter().chain(listed).collect()
    }

    pub(super) fn waiting(&self) -> MutexGuard<'_, Option<ToolInvocation>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn task_only(&self) -> MutexGuard<'_, HashSet<ToolName>> {
        self.task_only.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn take_waiting(&self, call_id: &CallId) -> Option<ToolInvocation> {
        self.waiting().take_if(|call| call.call_id == *call_id)
    }

    pub(super) async fn view(&self) -> SessionView {
        let agent = &self.agent;
        let catalog = self.catalog();
        let mut warnings = catalog.warnings.clone();
        let session = self.link.session.as_str();
        let (user, state) = (&self.user_id, &self.state);
        let written = &agent.instruction;
        let mut instruction =
            match resolved_instruction(&agent.name, session, user, state, written).await {
                Ok(instruction) => instruction,
                Err(error) => {
                    warnings.push(error.to_string());
                    written.clone()
                }
            };
        // After the placeholders: a server's text is not a template.
        for included in self.server_instructions.iter().filter(|it| it.is_included) {
            instruction = format!("{}\n\n{}", instruction.trim_end(), included.text);
        }
        if model_response::schema(agent).is_some() {
            instruction = format!("{}\n\n{}", instruction.trim_end(), model_response::INSTRUCTION);
        }
        let ends = (agent.input_schema.clone(), agent.output_schema.clone());
        let unchecked = move || {
            let (input, output) = ends;
            schemas::left_unchecked_at_ends((input.as_ref(), output.as_ref()))
        };
        warnings.extend(schemas::run_blocking(unchecked).await);
        SessionView {
            app_name: agent.name.clone(),
            agent: ActiveAgent {
                name: agent.name.clone(),
                description: agent.description.clone(),
                kind: "McpAgent".to_owned(),
                model: agent.model.clone(),
            },
            instruction,
            instruction_template: Some(written.clone()),
            tools: self.tools(catalog),
            model_side_tools: Vec::new(),
            input_schema: agent.input_schema.clone(),
            output_schema: agent.output_schema.clone(),
            sub_agents: Vec::new(),
            workflow: None,
            runner_differences: Vec::new(),
            state: JsonText::from_value(&Value::Object(self.state.clone())),
            warnings,
            server_instructions: self.server_instructions.clone(),
            artifacts: Vec::new(),
        }
    }

    /// The server that has the tool, started again if it ended.
    pub(super) async fn reached(&self, listed: &Listed) -> Result<Reached, ToolFailure> {
        let server = &self.agent.servers[listed.server];
        let mut slot = self.connections[listed.server].lock().await;
        if let Some(connection) = slot.take_if(|connection| connection.is_closed()) {
            connection.close().await;
        }
        if let Some(connection) = slot.as_ref() {
            return Ok(Reached::through(connection));
        }
        self.log.push(&format!("[{}] is started again", server.name));
        let link = Some(Arc::clone(&self.link));
        let connection = Connection::open(server, &self.log, link).await.map_err(|fault| {
            let error_type = match &server.transport {
                McpTransport::Http { .. } => ToolError::SERVER_UNUSABLE,
                McpTransport::Stdio { .. } => ToolError::SERVER_EXITED,
            };
            let fault = AgentFault::from(fault);
            ToolFailure {
                error_type: error_type.to_owned(),
                message: fault.reason,
                traceback: fault.traceback,
            }
        })?;
        let reached = Reached::through(&connection);
        *slot = Some(connection);
        drop(slot);
        self.link.tools_changed.notify_one();
        Ok(reached)
    }

    /// Lists all tools again and reports what changed.
    async fn refresh(&self) {
        for (server, slot) in self.agent.servers.iter().zip(&self.connections) {
            // Not held while listing: a call must not wait for a server that announces tools and
            // does not list them.
            let peer = slot.lock().await.as_ref().map(|connection| connection.peer().clone());
            let Some(peer) = peer else { continue };
            match tokio::time::timeout(server.patience, list_tools(&peer)).await {
                Ok(Ok(list)) => {
                    if let Some(connection) = slot.lock().await.as_mut() {
                        connection.tools = list.tools;
                    }
                }
                Ok(Err(error)) => {
                    self.log
                        .push(&format!("[{}] its tools cannot be listed: {error}", server.name));
                }
                Err(_) => self.log.push(&format!(
                    "[{}] announced a change of its tools and did not list them within {} s: the \
                     catalog stays as it was",
                    server.name,
                    server.patience.as_secs()
                )),
            }
        }
        let mut listed = Vec::with_capacity(self.connections.len());
        for slot in &self.connections {
            let slot = slot.lock().await;
            listed.push(slot.as_ref().map(|it| it.tools.clone()).unwrap_or_default());
        }
        let now = Catalog::of(&self.agent, listed).await;
        let before = {
            let mut catalog = self.catalog.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *catalog, now)
        };
        let before = self.tools(before);
        let change = CatalogChange::between(&self.link.session, &before, self.view().await);
        if !change.is_empty() {
            self.link.reporter.report(SourceEvent::CatalogChanged(Box::new(change)));
        }
    }

    pub(super) async fn close(&self) {
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
