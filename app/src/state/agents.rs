//! The registered agents: as the host listed them, kept up to date by its events.

use api::{AgentStatus, AgentSummary, ApiError};
use leptos::prelude::*;
use leptos::task::spawn_local;
use session::AgentId;

use crate::state::json_bytes::JsonBytes;
use api::host::{list_agents, reload_agent, stop_loading};

/// The agents, in the order of the configuration.
#[derive(Clone, Copy)]
pub struct Agents {
    listed: Resource<Result<Vec<AgentSummary>, ApiError>, JsonBytes>,
    /// The list as it was fetched last, for readers outside of a `Suspense`.
    fetched: RwSignal<Option<Result<Vec<AgentSummary>, ApiError>>>,
    changed: RwSignal<Vec<AgentSummary>>,
    /// The agent that the person reloads, whose card gets the focus again after it is redrawn.
    reloaded: RwSignal<Option<AgentId>>,
}

/// The fetched list with the later news applied.
fn merge(listed: Vec<AgentSummary>, changed: &[AgentSummary]) -> Vec<AgentSummary> {
    let mut agents = listed;
    for news in changed {
        match agents.iter_mut().find(|agent| agent.id == news.id) {
            Some(agent) => agent.clone_from(news),
            None => agents.push(news.clone()),
        }
    }
    agents
}

fn without_removed(mut agents: Vec<AgentSummary>) -> Vec<AgentSummary> {
    agents.retain(|agent| !agent.is_removed);
    agents
}

/// Fetches the agents.
#[must_use]
pub fn use_agents() -> Agents {
    let listed = Resource::new_with_options(|| (), |()| list_agents(), false);
    let fetched = RwSignal::new(None);
    Effect::new(move |_| fetched.set(listed.get()));
    Agents { listed, fetched, changed: RwSignal::new(Vec::new()), reloaded: RwSignal::new(None) }
}

impl Agents {
    /// The agents now; `None` while they are fetched. Tracked: read it inside a `Suspense`.
    #[must_use]
    pub fn list(self) -> Option<Result<Vec<AgentSummary>, ApiError>> {
        Some(self.all()?.map(without_removed))
    }

    /// The agents, those that were removed included.
    fn all(self) -> Option<Result<Vec<AgentSummary>, ApiError>> {
        let changed = self.changed.get();
        self.listed.get().map(|listed| listed.map(|listed| merge(listed, &changed)))
    }

    /// The agent whose id is in an address, which may have been removed. Tracked, as [`Self::list`].
    #[must_use]
    pub fn find(self, written: &str) -> Option<Result<AgentSummary, ApiError>> {
        let agents = match self.all()? {
            Ok(agents) => agents,
            Err(error) => return Some(Err(error)),
        };
        let found = agents.into_iter().find(|agent| agent.id.as_str() == written);
        Some(found.ok_or_else(|| self.unknown(written)))
    }

    /// The agents now, read outside of a `Suspense`; `None` while they are fetched, and while the
    /// host renders the page. Tracked.
    #[must_use]
    pub fn list_fetched(self) -> Option<Vec<AgentSummary>> {
        Some(without_removed(self.all_fetched()?))
    }

    fn all_fetched(self) -> Option<Vec<AgentSummary>> {
        let listed = self.fetched.get()?.ok()?;
        Some(merge(listed, &self.changed.read()))
    }

    /// One agent, which may have been removed, read outside of a `Suspense`. Tracked, as [`Self::list_fetched`].
    #[must_use]
    pub fn find_fetched(self, id: &AgentId) -> Option<AgentSummary> {
        self.all_fetched()?.into_iter().find(|agent| agent.id == *id)
    }

    /// The error for an agent that does not exist.
    fn unknown(self, written: &str) -> ApiError {
        let id = AgentId::parse(written).unwrap_or_else(|_| AgentId::from_display_name(written));
        match self.list() {
            Some(Err(error)) => error,
            listed => {
                let known = listed.and_then(Result::ok).unwrap_or_default();
                ApiError::UnknownAgent {
                    id,
                    known: known.into_iter().map(|agent| agent.id).collect(),
                }
            }
        }
    }

    /// Applies the host's news of one agent.
    pub fn take_in(self, news: AgentSummary) {
        // The host sends every agent after each connection. An unchanged list is not redrawn.
        let changed = self.changed.read_untracked();
        let fetched = self.fetched.get_untracked();
        let known = fetched.and_then(Result::ok).map(|listed| merge(listed, &changed));
        drop(changed);
        if known.is_some_and(|known| known.contains(&news)) {
            return;
        }
        self.changed.update(|changed| {
            changed.retain(|agent| agent.id != news.id);
            changed.push(news);
        });
    }

    /// Fetches the list again, because the host was restarted.
    pub fn fetch_again(self) {
        self.changed.update(Vec::clear);
        self.listed.refetch();
    }

    /// Fetches the list again, because agents were added, removed or replaced. The host's news are at least as new.
    pub fn list_again(self) {
        self.listed.refetch();
    }

    /// Whether `agent`, which was just redrawn, is the reloaded one. This is reset once it is
    /// loaded or has failed again.
    #[must_use]
    pub fn was_reloaded(self, agent: &AgentSummary) -> bool {
        let was = self.reloaded.with_untracked(|reloaded| reloaded.as_ref() == Some(&agent.id));
        if was && agent.status != AgentStatus::Starting {
            self.reloaded.set(None);
        }
        was
    }

    /// Whether the person reloads `agent`. Tracked.
    #[must_use]
    pub fn is_reloading(self, agent: &AgentId) -> bool {
        self.reloaded.read().as_ref() == Some(agent)
    }

    /// Stops loading an agent. Its status shows the result.
    pub fn stop_loading(self, id: AgentId) {
        spawn_local(async move {
            // If the host cannot be reached, the page says so.
            let _ = stop_loading(id).await;
        });
    }

    /// Loads an agent again. Sessions that have begun keep the agent that they began with. Its status shows the result.
    pub fn reload(self, agent: AgentSummary) {
        let id = agent.id.clone();
        self.reloaded.set(Some(id.clone()));
        self.take_in(AgentSummary { status: AgentStatus::Starting, ..agent.clone() });
        spawn_local(async move {
            self.take_in(match reload_agent(id).await {
                Ok(agent) => agent,
                Err(ApiError::AgentFaulted(fault)) => {
                    AgentSummary { status: AgentStatus::Faulted(*fault), ..agent }
                }
                Err(_) => agent,
            });
        });
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use api::SourceKind;

    pub(crate) fn agent(name: &str, status: AgentStatus) -> AgentSummary {
        AgentSummary {
            id: AgentId::from_display_name(name),
            name: name.to_owned(),
            source: SourceKind::Native,
            status,
            description: String::new(),
            model: None,
            tools: Vec::new(),
            eval_set_path: String::new(),
            runtime: None,
            loads: 0,
            is_changed: false,
            is_slow: false,
            is_removed: false,
        }
    }

    #[test]
    fn news_replaces_the_listed_agent() {
        let listed = vec![agent("a", AgentStatus::Starting), agent("b", AgentStatus::Ready)];
        let merged =
            merge(listed, &[agent("a", AgentStatus::Ready), agent("c", AgentStatus::Ready)]);
        let seen: Vec<_> = merged.iter().map(|it| (it.name.as_str(), &it.status)).collect();
        assert_eq!(
            seen,
            [("a", &AgentStatus::Ready), ("b", &AgentStatus::Ready), ("c", &AgentStatus::Ready)]
        );
        let removed = AgentSummary { is_removed: true, ..agent("b", AgentStatus::Ready) };
        let listed = without_removed(merge(merged, &[removed]));
        assert_eq!(listed.iter().map(|it| &*it.name).collect::<Vec<_>>(), ["a", "c"]);
    }
}
