//! [`AgentList`]: which agents the list shows, and in which order.

use api::{AgentStatus, AgentSummary};
use leptos::prelude::*;
use leptos_router::hooks::use_location;
use session::AgentId;

use crate::state::times::counted;
use crate::state::use_page;

/// Longer lists have a filter.
const FEW: usize = 6;

/// What the query of the address has while only agents that work are shown.
pub const WORKING: &str = "show=working";

/// The id of an agent's card in the document.
#[must_use]
pub fn card_id(agent: &AgentId) -> String {
    format!("agent-{agent}")
}

/// The agents that failed to load. One that is being loaded again is where it was `before`, so that its card stays in
/// its place.
fn failed(agents: &[AgentSummary], before: &[AgentId]) -> Vec<AgentId> {
    let has_failed = |agent: &&AgentSummary| match agent.status {
        AgentStatus::Ready => false,
        AgentStatus::Starting => before.contains(&agent.id),
        AgentStatus::Faulted(_) => true,
    };
    agents.iter().filter(has_failed).map(|agent| agent.id.clone()).collect()
}

/// The agents that are shown for what is typed: one with exactly this name, those that work, and those that do not.
fn arranged(
    agents: &[AgentSummary],
    failed: &[AgentId],
    shows_all: bool,
    typed: &str,
) -> Vec<AgentSummary> {
    let typed = typed.trim().to_lowercase();
    let is_shown = |agent: &&AgentSummary| {
        let matches = |text: &str| text.to_lowercase().contains(&typed);
        (shows_all || !failed.contains(&agent.id))
            && (matches(&agent.name) || matches(agent.id.as_str()))
    };
    let is_exact =
        |agent: &&AgentSummary| agent.name.to_lowercase() == typed || agent.id.as_str() == typed;
    // Without a sort, whose code would be a part of the first page.
    let places = [(true, false), (true, true), (false, false), (false, true)];
    let at = |agent: &&AgentSummary| (is_exact(agent), failed.contains(&agent.id));
    let shown = places
        .into_iter()
        .flat_map(|place| agents.iter().filter(is_shown).filter(move |agent| at(agent) == place));
    shown.cloned().collect()
}

/// The list of agents and its filter.
#[derive(Debug, Clone, Copy)]
pub struct AgentList {
    /// The text of the filter.
    pub searched: RwSignal<String>,
    /// Whether those that failed to load are shown too.
    pub shows_all: Memo<bool>,
    /// The agents, and which of them failed to load.
    listed: Memo<(Vec<AgentSummary>, Vec<AgentId>)>,
    /// Whether there is a filter. It stays while the page is open, even if agents go.
    pub has_filter: Memo<bool>,
}

/// The list, filtered by the text `searched`. Call it inside a `Suspense`.
#[must_use]
pub fn use_agent_list(searched: RwSignal<String>) -> AgentList {
    let (agents, search) = (use_page().agents, use_location().search);
    let shows_all = Memo::new(move |_| !search.read().contains(WORKING));
    let listed = Memo::new(move |before: Option<&(Vec<AgentSummary>, Vec<AgentId>)>| {
        let agents = agents.list().and_then(Result::ok).unwrap_or_default();
        let failed = failed(&agents, before.map_or(&[], |before| &before.1));
        (agents, failed)
    });
    let has_filter = Memo::new(move |before: Option<&bool>| {
        before == Some(&true)
            || listed.read().0.len() > FEW
            || !shows_all.get()
            || !searched.read().is_empty()
    });
    AgentList { searched, shows_all, listed, has_filter }
}

impl AgentList {
    /// The agents that are shown, in order. Tracked.
    #[must_use]
    pub fn rows(self) -> Vec<AgentSummary> {
        let listed = self.listed.read();
        arranged(&listed.0, &listed.1, self.shows_all.get(), &self.searched.read())
    }

    /// How many agents there are, and how many work. Tracked.
    #[must_use]
    pub fn counts(self) -> (usize, usize) {
        let listed = self.listed.read();
        (listed.0.len(), listed.0.len() - listed.1.len())
    }

    /// How many agents can be rehearsed, such as `3 of 7 agents`. Tracked.
    #[must_use]
    pub fn ready(self) -> String {
        let agents = &self.listed.read().0;
        let ready = agents.iter().filter(|agent| agent.status == AgentStatus::Ready).count();
        match agents.len() {
            all if all == ready => counted(all, "agent", "agents"),
            all => format!("{ready} of {}", counted(all, "agent", "agents")),
        }
    }

    /// How many agents are shown. Tracked.
    #[must_use]
    pub fn shown(self) -> String {
        match (self.rows().len(), self.counts().0) {
            (shown, all) if shown == all => counted(all, "agent", "agents"),
            (shown, all) => format!("{shown} of {all}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use api::AgentFault;

    use super::*;
    use crate::state::agents::tests::agent;

    fn faulted() -> AgentStatus {
        let reason = "no module".to_owned();
        AgentStatus::Faulted(AgentFault { reason, error_type: None, traceback: None })
    }

    fn shown(agents: &[AgentSummary], shows_all: bool, typed: &str) -> Vec<String> {
        let failed = failed(agents, &[]);
        let ids = arranged(agents, &failed, shows_all, typed);
        ids.into_iter().map(|agent| agent.id.to_string()).collect()
    }

    #[test]
    fn agents_that_work_come_first_each_in_the_order_of_the_host() {
        let agents = [
            agent("broken", faulted()),
            agent("weather", AgentStatus::Ready),
            agent("odd", faulted()),
            agent("late", AgentStatus::Starting),
        ];
        assert_eq!(shown(&agents, true, ""), ["weather", "late", "broken", "odd"]);
        assert_eq!(shown(&agents, false, ""), ["weather", "late"]);
        assert_eq!(shown(&agents, false, "od"), [""; 0]);
        assert_eq!(shown(&agents, true, " OD "), ["odd"]);
    }

    #[test]
    fn an_agent_that_is_loaded_again_stays_where_it_was() {
        let broken = [agent("broken", faulted()), agent("weather", AgentStatus::Ready)];
        let before = failed(&broken, &[]);
        let again =
            [agent("broken", AgentStatus::Starting), agent("weather", AgentStatus::Starting)];
        let now = failed(&again, &before);
        assert_eq!(now, before);
        let loaded = [agent("broken", AgentStatus::Ready), agent("weather", AgentStatus::Ready)];
        assert!(failed(&loaded, &now).is_empty());
    }

    #[test]
    fn an_exact_name_is_first() {
        let agents = [
            agent("mathematics_tutor", AgentStatus::Ready),
            agent("aftermath", AgentStatus::Ready),
            agent("Math", faulted()),
        ];
        assert_eq!(shown(&agents, true, "math"), ["math", "mathematics_tutor", "aftermath"]);
        assert_eq!(shown(&agents, true, "mat"), ["mathematics_tutor", "aftermath", "math"]);
    }
}
