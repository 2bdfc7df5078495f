//! Above a long list of agents: its filter.

use leptos::prelude::*;

use app::components::filter_box::FilterBox;
use app::state::agent_list::{AgentList, WORKING, card_id};
use app::state::base_path::address;
use app::state::browser;

/// The text of the filter, and which agents are shown.
pub fn agent_filters(list: AgentList) -> AnyView {
    let choice = move |all: bool, label: &'static str, path: String| {
        let count = move || if all { list.counts().0 } else { list.counts().1 };
        view! {
            <a href=path aria-current=move || (list.shows_all.get() == all).then_some("true")>
                {label} " " <span class="ink-count">{count}</span>
            </a>
        }
    };
    let open_first = move |()| {
        let first = untrack(|| list.rows()).first().map(|agent| card_id(&agent.id));
        if let Some(card) = first {
            // One that cannot be loaded has no link, and its card says why.
            let _ = browser::follow_link(&card) || browser::focus(&card);
        }
    };
    view! {
        <div class="agent-filters">
            <FilterBox
                searched=list.searched
                placeholder="Filter agents"
                count=Signal::derive(move || list.shown())
                open_first=Callback::new(open_first)
            />
            <span class="switch" role="group" aria-label="Show">
                {choice(true, "All", address("/"))}
                {choice(false, "Working", address(&format!("/?{WORKING}")))}
            </span>
        </div>
    }
    .into_any()
}
