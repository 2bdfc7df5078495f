//! `/`: the list of agents.

use api::AgentSummary;
use leptos::prelude::*;
use leptos_meta::Title;

use crate::agent_card::{AgentCard, card_id};
use crate::agent_list::{AgentList, WORKING, use_agent_list};
use crate::bars::FootBar;
use app::components::filter_box::FilterBox;
use app::state::base_path::address;
use app::state::{browser, use_page};

/// The list of agents.
#[component]
pub fn AgentsPage() -> impl IntoView {
    let searched = RwSignal::new(String::new());
    view! {
        <Title text="Agents"/>
        <main class="sheet" tabindex="-1">
            <Transition fallback=|| view! { <p class="quiet">"Loading agents…"</p> }>
                <Listed searched/>
            </Transition>
        </main>
        <FootBar remark="sessions end when this tab is closed"/>
    }
    .into_any()
}

/// The agents, or why there are none.
#[component]
fn Listed(
    /// The text of the filter.
    searched: RwSignal<String>,
) -> impl IntoView {
    let agents = use_page().agents;
    // Whether there are any, once they are known, so that the list stays while agents come and go.
    let has_agents = Memo::new(move |_| {
        agents.list().map(|agents| agents.is_ok_and(|agents| !agents.is_empty()))
    });
    move || {
        Some(match (has_agents.get()?, untrack(|| agents.list())) {
            (true, _) => view! { <Agents searched/> }.into_any(),
            (false, Some(Err(error))) => view! {
                <div class="empty centred" role="alert">
                    <p>{error.to_string()}</p>
                </div>
            }
            .into_any(),
            (false, _) => view! { <NoAgents/> }.into_any(),
        })
    }
}

#[component]
fn Agents(
    /// The text of the filter.
    searched: RwSignal<String>,
) -> impl IntoView {
    let list = use_agent_list(searched);
    // A person who points at the list is about to choose an agent, so the workspace's code is
    // loaded.
    let fetch = StoredValue::new(Some(use_page().lazy.rehearse));
    let fetch_workspace = move || {
        // A failure is reported when the workspace is opened.
        if let Some(part) = fetch.try_update_value(Option::take).flatten() {
            part.fetch();
        }
    };
    // Only a page in a browser has a focus.
    let is_drawn = StoredValue::new(false);
    Effect::new(move |_| is_drawn.set_value(true));
    let cards = move || {
        let rows = list.rows();
        if is_drawn.get_value() {
            keep_focused_card(&rows);
        }
        let is_empty = rows.is_empty();
        let cards = rows.into_iter().map(|agent| view! { <li><AgentCard agent/></li> }.into_any());
        let none =
            is_empty.then(|| view! { <li class="quiet">"No matching agents"</li> }.into_any());
        cards.chain(none).collect_view()
    };
    view! {
        <header class="sheet-head">
            <h1>"Agents"</h1>
            <p class="quiet">{move || list.ready()} " ready. Choose an agent to rehearse. You read its instructions, call its real tools, and export the trace."</p>
        </header>
        {move || list.has_filter.get().then(|| view! { <Filters list/> }.into_any())}
        <ul class="agents" on:pointerover=move |_| fetch_workspace() on:focusin=move |_| fetch_workspace()>
            {cards}
        </ul>
    }
}

/// The text of the filter, and which agents are shown.
#[component]
fn Filters(
    /// The list.
    list: AgentList,
) -> impl IntoView {
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
}

/// Moves the focus back into the card that has it, once the cards are drawn again.
fn keep_focused_card(agents: &[AgentSummary]) {
    let mut cards = agents.iter().map(|agent| card_id(&agent.id));
    let Some(card) = cards.find(|card| browser::is_focus_within(&format!("#{card}"))) else {
        return;
    };
    browser::after_drawing(move || {
        if browser::nothing_is_focused() {
            browser::focus_first_in_place(&card, "h2 a, .choices > .button");
        }
    });
}

#[component]
fn NoAgents() -> impl IntoView {
    view! {
        <div class="empty centred">
            <h1>"No agents yet"</h1>
            <p>"Start the host with an ADK folder, or write a configuration:"</p>
            <pre class="raw">"rehearsal serve path/to/agent\nrehearsal init"</pre>
            <p class="quiet">"Agents that run elsewhere and ask for responses are in the live sessions."</p>
        </div>
    }
}
