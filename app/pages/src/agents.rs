//! `/`: the list of agents.

use api::{AgentStatus, AgentSummary};
use leptos::prelude::*;
use leptos_meta::Title;

use crate::agent_card::AgentCard;
use crate::bars::FootBar;
use app::state::times::counted;
use app::state::use_page;

/// The list of agents.
#[component]
pub fn AgentsPage() -> impl IntoView {
    let agents = use_page().agents;
    let listed = move || {
        agents.list().map(|agents| match agents {
            Ok(agents) if agents.is_empty() => view! { <NoAgents/> }.into_any(),
            Ok(agents) => view! { <AgentList agents/> }.into_any(),
            Err(error) => view! {
                <div class="empty centred" role="alert">
                    <p>{error.to_string()}</p>
                </div>
            }
            .into_any(),
        })
    };
    view! {
        <Title text="Agents"/>
        <main class="sheet" tabindex="-1">
            <Transition fallback=|| view! { <p class="quiet">"Loading agents…"</p> }>{listed}</Transition>
        </main>
        <FootBar remark="sessions end when this tab is closed"/>
    }
    .into_any()
}

#[component]
fn AgentList(
    /// The agents, in the order of the configuration.
    agents: Vec<AgentSummary>,
) -> impl IntoView {
    let ready = agents.iter().filter(|agent| agent.status == AgentStatus::Ready).count();
    let count = match agents.len() {
        all if all == ready => counted(all, "agent", "agents"),
        all => format!("{ready} of {}", counted(all, "agent", "agents")),
    };
    // A person who points at the list is about to choose an agent, so the workspace's code is
    // loaded.
    let fetch = StoredValue::new(Some(use_page().lazy.rehearse));
    let fetch_workspace = move || {
        // A failure is reported when the workspace is opened.
        if let Some(part) = fetch.try_update_value(Option::take).flatten() {
            part.fetch();
        }
    };
    view! {
        <header class="sheet-head">
            <h1>"Agents"</h1>
            <p class="quiet">{count} " ready. Choose an agent to rehearse. You read its instructions, call its real tools, and export the trace."</p>
        </header>
        <ul class="agents" on:pointerover=move |_| fetch_workspace() on:focusin=move |_| fetch_workspace()>
            {agents.into_iter().map(|agent| view! { <li><AgentCard agent/></li> }).collect_view()}
        </ul>
    }
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
