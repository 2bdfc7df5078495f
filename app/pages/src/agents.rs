//! `/`: the list of agents.

use api::AgentSummary;
use leptos::prelude::*;
use leptos_meta::Title;

use crate::agent_card::AgentCard;
use crate::bars::FootBar;
use app::state::agent_list::{card_id, use_agent_list};
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
    let rehearse = use_page().lazy.rehearse;
    let fetch = StoredValue::new(Some(rehearse));
    let fetch_workspace = move || {
        // A failure is reported when the workspace is opened.
        if let Some(part) = fetch.try_update_value(Option::take).flatten() {
            part.fetch();
        }
    };
    // Only a page in a browser has a focus, and sends requests to the host.
    let is_drawn = StoredValue::new(false);
    Effect::new(move |_| {
        is_drawn.set_value(true);
        if list.has_filter.get() {
            rehearse.fetch();
        }
    });
    let filter = move || {
        let views = rehearse.views().filter(|_| list.has_filter.get())?.ok()?;
        Some((views.agent_filters)(list))
    };
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
        {filter}
        <ul class="agents" on:pointerover=move |_| fetch_workspace() on:focusin=move |_| fetch_workspace()>
            {cards}
        </ul>
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
