//! Agents: the list, the log of one, and reloading a faulted one.

use api::{AgentSummary, ApiError, LogLine};
use leptos::prelude::*;
use server_fn::codec::Json;
use session::AgentId;

/// Every registered agent, in the order of the configuration.
#[server(prefix = "/api", endpoint = "list_agents", input = Json, output = Json)]
pub async fn list_agents() -> Result<Vec<AgentSummary>, ApiError> {
    Ok(crate::host::agents()?.list_agents().await)
}

/// Loads a faulted agent again.
#[server(prefix = "/api", endpoint = "retry_agent", input = Json, output = Json)]
pub async fn retry_agent(agent: AgentId) -> Result<AgentSummary, ApiError> {
    crate::host::agents()?.retry_agent(agent).await
}

/// The last lines of an agent's log, oldest first.
#[server(prefix = "/api", endpoint = "read_agent_log", input = Json, output = Json)]
pub async fn read_agent_log(agent: AgentId) -> Result<Vec<LogLine>, ApiError> {
    crate::host::agents()?.read_agent_log(agent).await
}
