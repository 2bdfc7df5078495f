//! [`AgentList`]: which agents the list shows, and in which order.

use api::{AgentStatus, AgentSummary};
use leptos::prelude::*;
use session::AgentId;

use app::state::in_address::{InAddress, use_in_address};
use app::state::times::counted;
use app::state::use_page;

/// Longer lists have a filter.
const FEW: usize = 6;

/// Which agents the list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Show {
    /// All agents.
    All,
    /// Those that did not fail to load.
    Working,
}

impl Show {
    /// All of them, in the order of their buttons.
    pub(crate) const EACH: [Self; 2] = [Self::All, Self::Working];

    /// The name in the address, which the default does not have.
    fn name(self) -> Option<&'static str> {
        match self {
            Self::All => None,
            Self::Working => Some("working"),
        }
    }

    /// The choice with this name in the address.
    fn of_name(name: Option<&str>) -> Self {
        Self::EACH.into_iter().find(|it| it.name() == name).unwrap_or(Self::All)
    }

    /// The label of its button.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::All => "All",
            Self::Working => "Working",
        }
    }
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
    show: Show,
    typed: &str,
) -> Vec<AgentSummary> {
    let typed = typed.trim().to_lowercase();
    let is_shown = |agent: &&AgentSummary| {
        let matches = |text: &str| text.to_lowercase().contains(&typed);
        (show == Show::All || !failed.contains(&agent.id))
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
#[derive(Clone, Copy)]
pub(crate) struct AgentList {
    /// The text of the filter.
    pub(crate) searched: RwSignal<String>,
    in_address: InAddress,
    /// Which agents are shown.
    pub(crate) show: Memo<Show>,
    agents: Memo<Vec<AgentSummary>>,
    failed: Memo<Vec<AgentId>>,
    /// The agents that are shown, in order.
    pub(crate) rows: Memo<Vec<AgentSummary>>,
    /// Whether there is a filter. It stays while the page is open, even if agents go.
    pub(crate) has_filter: Memo<bool>,
}

/// The list, filtered by the text `searched`. Call it inside a `Suspense`.
pub(crate) fn use_agent_list(searched: RwSignal<String>) -> AgentList {
    let listed = use_page().agents;
    let in_address = use_in_address("show");
    let show = Memo::new(move |_| Show::of_name(in_address.get().as_deref()));
    let agents = Memo::new(move |_| listed.list().and_then(Result::ok).unwrap_or_default());
    let failed = Memo::new(move |before: Option<&Vec<AgentId>>| {
        failed(&agents.read(), before.map_or(&[], |before| before))
    });
    let rows =
        Memo::new(move |_| arranged(&agents.read(), &failed.read(), show.get(), &searched.read()));
    let has_filter = Memo::new(move |before: Option<&bool>| {
        before == Some(&true)
            || agents.read().len() > FEW
            || show.get() != Show::All
            || !searched.read().is_empty()
    });
    AgentList { searched, in_address, show, agents, failed, rows, has_filter }
}

impl AgentList {
    /// How many agents `show` has. Tracked.
    pub(crate) fn count(self, show: Show) -> usize {
        let all = self.agents.read().len();
        match show {
            Show::All => all,
            Show::Working => all - self.failed.read().len(),
        }
    }

    /// How many agents can be rehearsed, such as `3 of 7 agents`. Tracked.
    pub(crate) fn ready(self) -> String {
        let agents = self.agents.read();
        let ready = agents.iter().filter(|agent| agent.status == AgentStatus::Ready).count();
        match agents.len() {
            all if all == ready => counted(all, "agent", "agents"),
            all => format!("{ready} of {}", counted(all, "agent", "agents")),
        }
    }

    /// How many agents are shown. Tracked.
    pub(crate) fn shown(self) -> String {
        match (self.rows.read().len(), self.agents.read().len()) {
            (shown, all) if shown == all => counted(all, "agent", "agents"),
            (shown, all) => format!("{shown} of {all}"),
        }
    }

    /// Shows other agents.
    pub(crate) fn choose(self, show: Show) {
        self.in_address.set(show.name().map(str::to_owned));
    }
}

#[cfg(test)]
mod tests {
    use api::{AgentFault, SourceKind};

    use super::*;

    fn agent(name: &str, status: AgentStatus) -> AgentSummary {
        AgentSummary {
            id: AgentId::from_display_name(name),
            name: name.to_owned(),
            source: SourceKind::AdkPython,
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

    fn faulted() -> AgentStatus {
        let reason = "no module".to_owned();
        AgentStatus::Faulted(AgentFault { reason, error_type: None, traceback: None })
    }

    fn shown(agents: &[AgentSummary], show: Show, typed: &str) -> Vec<String> {
        let failed = failed(agents, &[]);
        let ids = arranged(agents, &failed, show, typed);
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
        assert_eq!(shown(&agents, Show::All, ""), ["weather", "late", "broken", "odd"]);
        assert_eq!(shown(&agents, Show::Working, ""), ["weather", "late"]);
        assert_eq!(shown(&agents, Show::Working, "od"), [""; 0]);
        assert_eq!(shown(&agents, Show::All, " OD "), ["odd"]);
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
        assert_eq!(shown(&agents, Show::All, "math"), ["math", "mathematics_tutor", "aftermath"]);
        assert_eq!(shown(&agents, Show::All, "mat"), ["mathematics_tutor", "aftermath", "math"]);
    }

    #[test]
    fn the_address_has_the_choice_unless_it_is_the_default() {
        for show in Show::EACH {
            assert_eq!(Show::of_name(show.name()), show);
        }
        assert_eq!(Show::of_name(Some("other")), Show::All);
        assert_eq!(Show::All.name(), None);
    }
}
