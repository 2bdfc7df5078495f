//! Which agent a rehearsal is of: all that its header shows before the workspace is loaded.

use api::AgentSummary;
use leptos::prelude::*;

/// The agent's name and chips, and after them the children.
#[component]
pub fn WorkspaceTitle(
    /// The agent.
    agent: AgentSummary,
    /// What follows in the same line.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let source = agent.source.label();
    view! {
        <header class="stage-head">
            <h1>{agent.name}</h1>
            <span class="chip">{source} " · " {agent.id.to_string()}</span>
            {agent.model.map(|model| view! { <span class="chip">{model}</span> })}
            {children.map(|children| children())}
        </header>
    }
}
