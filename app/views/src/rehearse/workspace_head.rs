//! The head of a rehearsal: the agent, the state of the session, and the actions.

use api::{AgentStatus, AgentSummary};
use leptos::prelude::*;
use session::{AgentId, SessionState};

use crate::rehearse::state::workspace::Workspace;
use app::components::icon::{Glyph, Icon};
use app::components::workspace_title::WorkspaceTitle;
use app::state::rehearsal::{Export, last_part};
use app::state::times::{self, counted};
use app::state::use_page;

/// The agent's name and chips, and on the right the actions.
#[component]
pub fn WorkspaceHead(
    /// The agent.
    agent: AgentSummary,
    /// The workspace.
    workspace: Workspace,
) -> impl IntoView {
    let file = last_part(&agent.eval_set_path).to_owned();
    let id = agent.id.clone();
    view! {
        <WorkspaceTitle agent>
            <ActiveAgent workspace/>
            <Progress workspace/>
            <span class="grow"></span>
            <Reload id/>
            <Actions workspace file/>
        </WorkspaceTitle>
    }
}

/// The active agent, after a transfer to another one or while the person acts as another one.
#[component]
fn ActiveAgent(
    /// The workspace.
    workspace: Workspace,
) -> impl IntoView {
    let handed_to = Memo::new(move |_| workspace.rehearsal.handed_to());
    move || {
        let is_acting = workspace.acted_as.read().is_some();
        handed_to.get().map(|name| {
            let (title, before, after) = match is_acting {
                true => ("You act as this agent, which was called as a tool", "Acting as ", ""),
                false => ("Active agent since the last transfer", "→ ", " is active"),
            };
            view! {
                <span class="chip" class:live=is_acting title=title>
                    {before} {name} <span class="unseen">{after}</span>
                </span>
            }
        })
    }
}

#[component]
fn Progress(
    /// The workspace.
    workspace: Workspace,
) -> impl IntoView {
    let clock = use_page().clock;
    let session = workspace.rehearsal.session;
    let state = Memo::new(move |_| session.read().state());
    let text = move || {
        let started = session.read().started_at();
        match (state.get(), started) {
            (SessionState::Active, Some(at)) => {
                format!("active · {}", times::elapsed(clock.since(at)))
            }
            (SessionState::Active, None) => "active".to_owned(),
            (SessionState::Completed, _) => "completed".to_owned(),
            _ => "waiting for the user message".to_owned(),
        }
    };
    view! {
        <span
            class="chip"
            class:live=move || state.get() == SessionState::Active
            class:done=move || state.get() == SessionState::Completed
        >
            {text}
        </span>
    }
}

/// Reloads the agent.
#[component]
fn Reload(
    /// The agent.
    id: AgentId,
) -> impl IntoView {
    let agents = use_page().agents;
    let agent = Memo::new(move |_| agents.find_fetched(&id));
    let is_loading =
        move || agent.read().as_ref().is_some_and(|agent| agent.status == AgentStatus::Starting);
    let reload = move |_| {
        if let Some(agent) = agent.get_untracked() {
            agents.reload(agent);
        }
    };
    view! {
        <button type="button" class="button quiet" disabled=is_loading on:click=reload>
            {move || if is_loading() { "Reloading…" } else { "Reload" }}
        </button>
    }
}

#[component]
fn Actions(
    /// The workspace.
    workspace: Workspace,
    /// The name of the eval-set file.
    file: String,
) -> impl IntoView {
    let rehearsal = workspace.rehearsal;
    let logs = use_page().logs;
    let agent = rehearsal.agent();
    // Requests what the agent wrote before this page listened.
    Effect::new({
        let agent = agent.clone();
        move |_| logs.read(agent.clone())
    });
    let lines = Memo::new(move |_| logs.count(&agent));
    let is_completed = move || rehearsal.session.read().state() == SessionState::Completed;
    let is_written = move || matches!(&*rehearsal.export.read(), Export::Written(_));
    let label = move || {
        if is_written() { format!("Exported to {file}") } else { format!("Export to {file}") }
    };
    view! {
        <button
            type="button"
            class="button quiet"
            title=move || counted(lines.get(), "line", "lines")
            aria-pressed=move || workspace.shows_log.get().to_string()
            on:click=move |_| workspace.shows_log.update(|shown| *shown = !*shown)
        >
            "Log"
            <Show when=move || { lines.get() != 0 }>
                <span class="ink-count" aria-hidden="true">{move || lines.get()}</span>
            </Show>
        </button>
        <button type="button" class="button quiet" on:click=move |_| workspace.start_over()>"Start over"</button>
        // Once it is due, the export is in the right panel.
        <Show when=move || !is_completed() || is_written()>
            <button
                type="button"
                class="button"
                disabled
                title=move || (!is_completed()).then_some("Send the final response first")
            >
                {move || is_written().then(|| view! { <Icon glyph=Glyph::Check/> })}
                {label.clone()}
            </button>
        </Show>
    }
}
