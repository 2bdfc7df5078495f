//! Agents: the list, the log of one, and reloading one.

use api::{AgentSummary, ApiError, LogLine};
use leptos::prelude::*;
use server_fn::codec::Json;
use session::AgentId;

/// Every registered agent, in the order of the configuration.
#[server(prefix = "/api", endpoint = "list_agents", input = Json, output = Json)]
pub async fn list_agents() -> Result<Vec<AgentSummary>, ApiError> {
    Ok(crate::host::agents()?.list_agents().await)
}

/// Loads an agent again. Sessions that have begun keep the agent that they began with.
#[server(prefix = "/api", endpoint = "reload_agent", input = Json, output = Json)]
pub async fn reload_agent(agent: AgentId) -> Result<AgentSummary, ApiError> {
    crate::host::agents()?.reload_agent(agent).await
}

/// Stops loading an agent. It then has a fault.
#[server(prefix = "/api", endpoint = "stop_loading", input = Json, output = Json)]
pub async fn stop_loading(agent: AgentId) -> Result<(), ApiError> {
    crate::host::agents()?.stop_loading(agent).await
}

/// The last lines of an agent's log, oldest first.
#[server(prefix = "/api", endpoint = "read_agent_log", input = Json, output = Json)]
pub async fn read_agent_log(agent: AgentId) -> Result<Vec<LogLine>, ApiError> {
    crate::host::agents()?.read_agent_log(agent).await
}
