//! The card of one agent in the list.

use api::{AgentFault, AgentStatus, AgentSummary, SourceKind};
use leptos::prelude::*;
use session::{AgentId, SessionState};

use app::components::code_text::with_code;
use app::components::icon::{Glyph, Icon};
use app::components::raw_text::RawText;
use app::state::agent_list::card_id;
use app::state::base_path::address;
use app::state::times::counted;
use app::state::{Agents, Page, browser, use_page};

/// The number of tools that a card names.
const NAMED: usize = 8;
/// The number of lines of a reason that are shown at first.
const LINES: usize = 3;
/// The approximate number of characters in a line of a card.
const LINE: usize = 60;

/// An agent, with a link to its rehearsal.
#[component]
pub fn AgentCard(
    /// The agent.
    agent: AgentSummary,
) -> impl IntoView {
    let Page { rehearsals, agents, .. } = use_page();
    let id = agent.id.clone();
    let card = card_id(&id);
    keep_focus(agents, agent.clone(), card.clone());
    let under_way = move || match rehearsals.state_of(&id)? {
        SessionState::Active => {
            Some(view! { <span class="chip live">"session in progress"</span> })
        }
        SessionState::Completed => {
            Some(view! { <span class="chip done">"session completed"</span> })
        }
        _ => None,
    };
    let address = address(&format!("/rehearse/{}", agent.id));
    let name = agent.name.clone();
    let name = match agent.status {
        AgentStatus::Ready => view! { <a href=address>{name}</a> }.into_any(),
        _ => name.into_any(),
    };
    let is_again = agent.loads > 0;
    let reload = {
        let agent = agent.clone();
        (agent.status == AgentStatus::Ready).then(|| view! {
            <button
                type="button"
                class="button"
                class:quiet=!agent.is_changed
                on:click=move |_| agents.reload(agent.clone())
            >
                {if agent.is_changed { "Agent changed: reload" } else { "Reload" }}<span class="unseen">" " {agent.name.clone()}</span>
            </button>
        })
    };
    let status = match &agent.status {
        AgentStatus::Ready => ().into_any(),
        AgentStatus::Starting => view! {
            <p class="starting">
                <span class="pulse" aria-hidden="true"></span>
                {if is_again { "Reloading…" } else { "Starting…" }}
            </p>
            {agent.is_slow.then(|| slow_load(agent.id.clone()))}
        }
        .into_any(),
        AgentStatus::Faulted(fault) => {
            view! { <Fault agent=agent.clone() fault=fault.clone() in_list=true/> }.into_any()
        }
    };
    let class = match agent.status {
        AgentStatus::Ready => "agent ready",
        AgentStatus::Starting => "agent",
        AgentStatus::Faulted(_) => "agent faulted",
    };
    let description = agent.description.trim().to_owned();
    view! {
        <article class=class id=card tabindex="-1">
            <header>
                <h2>{name}</h2>
                <span class="chip">{agent.source.label()}</span>
                {agent.model.clone().map(|model| view! { <span class="chip">{model}</span> })}
                {under_way}
                <span class="grow"></span>
                {reload}
            </header>
            {(!description.is_empty()).then(|| view! { <p class="agent-description">{description}</p> })}
            {status}
            <Tools names=agent.tools.clone() is_ready=agent.status == AgentStatus::Ready/>
            <dl class="facts">
                <dt>"eval set"</dt>
                <dd title=agent.eval_set_path.clone()>{agent.eval_set_path.clone()}</dd>
                {agent.runtime.map(|runtime| view! { <dt>"runs on"</dt><dd>{runtime}</dd> })}
            </dl>
        </article>
    }
}

/// Keeps the focus on a reloaded agent while its card is redrawn: on Retry, or on the link to its
/// rehearsal.
fn keep_focus(agents: Agents, agent: AgentSummary, id: String) {
    Effect::new(move |_| {
        if agents.was_reloaded(&agent) {
            let id = id.clone();
            browser::after_drawing(move || {
                let way_on = "h2 a, .choices > .button";
                browser::nothing_is_focused()
                    && (browser::focus_first(&id, way_on) || browser::focus(&id))
            });
        }
    });
}

#[component]
fn Tools(
    /// Their names.
    names: Vec<String>,
    /// Whether the agent is loaded; until then its tools are unknown.
    is_ready: bool,
) -> impl IntoView {
    if names.is_empty() {
        return is_ready.then(|| view! { <p class="quiet">"No tools"</p> }).into_any();
    }
    let more = names.len().saturating_sub(NAMED);
    let count = counted(names.len(), "tool", "tools");
    view! {
        <p class="tool-names">
            <span class="quiet">{count}</span>
            {names.into_iter().take(NAMED).map(|name| view! { <code>{name}</code> }).collect_view()}
            {(more > 0).then(|| view! { <span class="quiet">"and " {more} " more"</span> })}
        </p>
    }
    .into_any()
}

/// The last output of an agent that takes long to load, once the workspace's code is loaded.
fn slow_load(agent: AgentId) -> impl IntoView {
    let part = use_page().lazy.rehearse;
    Effect::new(move |_| part.fetch());
    move || Some((part.views()?.ok()?.slow_load)(agent.clone()))
}

/// Why the agent cannot be loaded, and Retry.
#[component]
pub fn Fault(
    /// The agent.
    agent: AgentSummary,
    /// The reason.
    fault: AgentFault,
    /// Whether it is on the agent's card, which is small and redrawn while the agent loads.
    #[prop(optional)]
    in_list: bool,
) -> impl IntoView {
    let agents = use_page().agents;
    let shown = RwSignal::new(false);
    let is_long = in_list
        && (fault.reason.lines().count() > LINES || fault.reason.chars().count() > LINES * LINE);
    let traceback = StoredValue::new(fault.traceback.clone());
    let has_traceback = fault.traceback.is_some();
    let (what, label) = match agent.source {
        SourceKind::Mcp => ("server output", "Server output"),
        SourceKind::Native | SourceKind::AdkPython => ("the traceback", "Traceback"),
    };
    let what = if has_traceback { what } else { "the full reason" };
    view! {
        <div class="fault">
            <p>
                <Icon glyph=Glyph::Error/>
                <span class:cut-short=move || is_long && !shown.get()>
                    {fault.error_type.map(|error_type| view! { <code>{error_type}</code> ": " })}
                    {with_code(&fault.reason)}
                </span>
            </p>
            <div class="choices">
                {(has_traceback || is_long).then(|| view! {
                    <button
                        type="button"
                        class="link"
                        aria-expanded=move || shown.get().to_string()
                        on:click=move |_| shown.update(|shown| *shown = !*shown)
                    >
                        {move || if shown.get() { "Hide " } else { "Show " }} {what}
                    </button>
                })}
                <button type="button" class="button" on:click=move |_| agents.reload(agent.clone())>
                    <Icon glyph=Glyph::Retry/>
                    "Retry"
                </button>
            </div>
            <Show when=move || has_traceback && shown.get()>
                <RawText text=traceback.get_value().unwrap_or_default() label=label/>
            </Show>
        </div>
    }
}
