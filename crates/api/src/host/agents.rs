//! [`AgentHost`]: the registered agents.

use session::AgentId;

use crate::{AgentSummary, LogLine};

super::host_functions! {
    /// The registered agents.
    trait AgentHost;

    /// Every registered agent, in the order of the configuration.
    "list_agents": fn list_agents() -> Vec<AgentSummary>;

    /// Loads an agent again. Sessions that have begun keep the agent that they began with.
    "reload_agent": fn reload_agent(agent: AgentId) -> AgentSummary;

    /// Stops loading an agent. It then has a fault.
    "stop_loading": fn stop_loading(agent: AgentId) -> ();

    /// The last lines of an agent's log, oldest first.
    "read_agent_log": fn read_agent_log(agent: AgentId) -> Vec<LogLine>;
}
