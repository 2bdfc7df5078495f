//! [`AgentHost`]: the registered agents.

use api::{AgentSummary, ApiError, LogLine};
use async_trait::async_trait;
use session::AgentId;

/// The registered agents. Each method is the server function of the same name.
#[async_trait]
#[expect(missing_docs, reason = "each method is documented at its server function")]
pub trait AgentHost: Send + Sync + 'static {
    async fn list_agents(&self) -> Vec<AgentSummary>;
    async fn reload_agent(&self, agent: AgentId) -> Result<AgentSummary, ApiError>;
    async fn stop_loading(&self, agent: AgentId) -> Result<(), ApiError>;
    async fn read_agent_log(&self, agent: AgentId) -> Result<Vec<LogLine>, ApiError>;
}
