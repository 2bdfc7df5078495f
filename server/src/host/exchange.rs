//! Takes up another list of agents while the host runs.

use std::sync::Arc;

use agents::SimulatedAgentConfig;
use agents::registry::{Exchanged, RegisteredAgent};
use futures::future::join_all;
use tokio_util::sync::CancellationToken;

use super::Host;

impl Host {
    /// Takes up another list of agents. Returns at once: agents are loaded and shut down in the background, and
    /// loading ends with `stop`.
    pub(crate) fn exchange_agents(
        self: &Arc<Self>,
        agents: Vec<SimulatedAgentConfig>,
        stop: &CancellationToken,
    ) {
        let Exchanged { new, gone } = self.registry.exchange(agents);
        let is_in = |list: &[Arc<RegisteredAgent>], agent: &RegisteredAgent| {
            list.iter().any(|other| other.id == agent.id)
        };
        for agent in &new {
            let done = if is_in(&gone, agent) { "replaced" } else { "added" };
            tracing::info!(agent = %agent.id, "{done} the agent {}", agent.name);
        }
        for agent in gone.iter().filter(|agent| !is_in(&new, agent)) {
            tracing::info!(agent = %agent.id, "removed the agent {}", agent.name);
        }
        let (host, stop) = (Arc::clone(self), stop.clone());
        self.exchanges().spawn(async move {
            // An agent and the one that replaces it may need the same files and ports.
            join_all(gone.iter().map(|agent| host.leave(agent))).await;
            tokio::select! {
                () = host.load(&new) => {}
                () = stop.cancelled() => {}
            }
        });
    }

    /// Closes the sessions of an agent that is gone, and ends what runs of it.
    async fn leave(&self, agent: &Arc<RegisteredAgent>) {
        for session in self.sessions.of(agent) {
            // The page then ends its calls with the reason.
            agent.report_closed(&session.id);
            if let Some(call) = session.call() {
                call.cancel.cancel();
            }
        }
        agent.shut_down().await;
    }
}
