//! `/`: the agents that can be rehearsed.

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_meta::Title;

use super::scene;
use crate::api::{AgentStatus, AgentSummary};
use crate::components::agent_card::AgentCard;
use crate::components::bars::FootBar;
use crate::state::times::counted;
use crate::state::use_page;

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
        <main class="sheet">
            <Transition fallback=|| view! { <p class="quiet">"Fetching the agents…"</p> }>{listed}</Transition>
        </main>
        <FootBar remark="sessions live in this tab only"/>
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
    let fetched = StoredValue::new(false);
    // Whoever points at the list is about to choose: the code of the stage comes meanwhile.
    let fetch_scene = move || {
        if !fetched.get_value() {
            fetched.set_value(true);
            spawn_local(async {
                // A failure is told where the stage is wanted.
                let _ = scene::load().await;
            });
        }
    };
    view! {
        <header class="sheet-head">
            <h1>"Which part do you play?"</h1>
            <p class="quiet">{count} " can be rehearsed: read what the model would read, call its tools, and keep the trace."</p>
        </header>
        <ul class="agents" on:pointerover=move |_| fetch_scene() on:focusin=move |_| fetch_scene()>
            {agents.into_iter().map(|agent| view! { <li><AgentCard agent/></li> }).collect_view()}
        </ul>
    }
}

#[component]
fn NoAgents() -> impl IntoView {
    view! {
        <div class="empty centred">
            <h1>"No agents yet"</h1>
            <p>"Name an ADK folder when you start the host, or write a configuration:"</p>
            <pre class="raw">"rehearsal serve path/to/agent\nrehearsal init"</pre>
        </div>
    }
}
