//! [`CallContext`]: the context that a native tool runs with, and that placeholders of instructions are
//! filled from.

use std::sync::{Arc, Mutex, PoisonError};

use adk_core::{
    Agent, Artifacts, CallbackContext, Content, EventActions, EventStream, InvocationContext,
    Memory, MemoryEntry, ReadonlyContext, RunConfig, Session, State, ToolContext,
};
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::stored::{StateCopy, Stored, StoredArtifacts};

/// The context of a native tool.
pub(super) struct CallContext {
    pub(super) agent_name: String,
    pub(super) invocation_id: String,
    pub(super) call_id: String,
    pub(super) tool: Option<(String, serde_json::Value)>,
    pub(super) user_content: Content,
    pub(super) session: CallSession,
    pub(super) stored: Arc<Stored>,
    pub(super) actions: Mutex<EventActions>,
    pub(super) run_config: RunConfig,
    pub(super) cancel: CancellationToken,
}

/// The session as a tool sees it.
pub(super) struct CallSession {
    pub(super) id: String,
    pub(super) app_name: String,
    pub(super) user_id: String,
    pub(super) state: StateCopy,
    pub(super) history: Vec<Content>,
}

impl Session for CallSession {
    fn id(&self) -> &str {
        &self.id
    }
    fn app_name(&self) -> &str {
        &self.app_name
    }
    fn user_id(&self) -> &str {
        &self.user_id
    }
    fn state(&self) -> &dyn State {
        &self.state
    }
    fn conversation_history(&self) -> Vec<Content> {
        self.history.clone()
    }
}

#[async_trait]
impl ReadonlyContext for CallContext {
    fn invocation_id(&self) -> &str {
        &self.invocation_id
    }
    fn agent_name(&self) -> &str {
        &self.agent_name
    }
    fn user_id(&self) -> &str {
        &self.session.user_id
    }
    fn app_name(&self) -> &str {
        &self.session.app_name
    }
    fn session_id(&self) -> &str {
        &self.session.id
    }
    fn branch(&self) -> &str {
        ""
    }
    fn user_content(&self) -> &Content {
        &self.user_content
    }
    fn state(&self) -> Option<&dyn State> {
        Some(&self.session.state)
    }
}

#[async_trait]
impl CallbackContext for CallContext {
    fn artifacts(&self) -> Option<Arc<dyn Artifacts>> {
        Some(Arc::new(StoredArtifacts(Arc::clone(&self.stored))))
    }
    fn tool_name(&self) -> Option<&str> {
        self.tool.as_ref().map(|(name, _)| name.as_str())
    }
    fn tool_input(&self) -> Option<&serde_json::Value> {
        self.tool.as_ref().map(|(_, input)| input)
    }
}

#[async_trait]
impl ToolContext for CallContext {
    fn function_call_id(&self) -> &str {
        &self.call_id
    }
    fn actions(&self) -> EventActions {
        self.actions.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
    fn set_actions(&self, actions: EventActions) {
        *self.actions.lock().unwrap_or_else(PoisonError::into_inner) = actions;
    }
    async fn search_memory(&self, query: &str) -> adk_core::Result<Vec<MemoryEntry>> {
        self.search(query).await
    }
    fn memory(&self) -> Option<Arc<dyn Memory>> {
        Some(Arc::new(NoMemories))
    }
    fn session(&self) -> Option<&dyn Session> {
        Some(&self.session)
    }
    fn run_config(&self) -> Option<&RunConfig> {
        Some(&self.run_config)
    }
    fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

impl CallContext {
    async fn search(&self, query: &str) -> adk_core::Result<Vec<MemoryEntry>> {
        NoMemories.search(query).await
    }
}

/// A rehearsal starts with an empty memory.
struct NoMemories;

#[async_trait]
impl Memory for NoMemories {
    async fn search(&self, _query: &str) -> adk_core::Result<Vec<MemoryEntry>> {
        Ok(Vec::new())
    }
}

/// The agent while a person acts as it: it has a name, but cannot be run.
struct ActedAgent(String);

#[async_trait]
impl Agent for ActedAgent {
    fn name(&self) -> &str {
        &self.0
    }
    fn description(&self) -> &str {
        ""
    }
    fn sub_agents(&self) -> &[Arc<dyn Agent>] {
        &[]
    }
    async fn run(&self, _: Arc<dyn InvocationContext>) -> adk_core::Result<EventStream> {
        Err(adk_core::AdkError::tool("a person acts as this agent, so a tool cannot run it"))
    }
}

#[async_trait]
impl InvocationContext for CallContext {
    fn agent(&self) -> Arc<dyn Agent> {
        Arc::new(ActedAgent(self.agent_name.clone()))
    }
    fn memory(&self) -> Option<Arc<dyn Memory>> {
        Some(Arc::new(NoMemories))
    }
    fn session(&self) -> &dyn Session {
        &self.session
    }
    fn run_config(&self) -> &RunConfig {
        &self.run_config
    }
    fn end_invocation(&self) {}
    fn ended(&self) -> bool {
        false
    }
}
