//! The title of a workspace, which is shown before the workspace is loaded.

use api::AgentSummary;
use leptos::prelude::*;

/// The agent's name and chips, followed by the children.
#[component]
pub fn WorkspaceTitle(
    /// The agent.
    agent: AgentSummary,
    /// The rest of the line.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let source = agent.source.label();
    view! {
        <header class="page-head">
            <h1>{agent.name}</h1>
            <span class="chip">{source} " · " {agent.id.to_string()}</span>
            {agent.model.map(|model| view! { <span class="chip">{model}</span> })}
            {children.map(|children| children())}
        </header>
    }
}
