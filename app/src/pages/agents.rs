//! `/`: the agents that can be rehearsed.

use leptos::prelude::*;

use crate::api::list_agents;

/// The list of agents.
#[component]
pub fn AgentsPage() -> impl IntoView {
    let agents = Resource::new(|| (), |()| list_agents());
    view! {
        <h1>"Agents"</h1>
        <Suspense>
            {move || {
                agents.get().map(|agents| match agents {
                    Ok(agents) => {
                        agents.into_iter().map(|agent| view! { <p>{agent.name}</p> }).collect_view().into_any()
                    }
                    Err(error) => view! { <p role="alert">{error.to_string()}</p> }.into_any(),
                })
            }}
        </Suspense>
    }
    .into_any()
}
