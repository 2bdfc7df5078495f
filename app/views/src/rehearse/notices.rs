//! Notices above the page: an agent that failed or was reloaded, a session that could not be opened, a
//! rejected request.

use api::{AgentStatus, AgentSummary, ApiError, CatalogChange};
use leptos::prelude::*;

use crate::rehearse::slow_load::SlowLoad;
use crate::rehearse::state::workspace::use_this_workspace;
use app::components::icon::{Glyph, Icon};
use app::state::use_page;

/// What went wrong with the session as a whole.
#[component]
pub fn Notices() -> impl IntoView {
    let workspace = use_this_workspace();
    let rehearsal = workspace.rehearsal;
    let agents = use_page().agents;
    let agent_fault = Memo::new(move |_| match agents.find(&rehearsal.agent())?.ok()? {
        agent @ AgentSummary { status: AgentStatus::Faulted(_), .. } => Some(agent),
        _ => None,
    });
    let is_faulted = Memo::new(move |_| agent_fault.read().is_some());
    // Requests the session again once the agent is available again.
    Effect::new(move |before: Option<bool>| {
        let now = is_faulted.get();
        let waits =
            matches!(&*rehearsal.fault.read_untracked(), Some(ApiError::AgentFaulted { .. }));
        if before == Some(true) && !now && waits {
            rehearsal.open();
        }
        now
    });
    let agent_notice = move || {
        agent_fault.get().map(|agent| {
            let reason = match &agent.status {
                AgentStatus::Faulted(fault) => fault.reason.clone(),
                _ => String::new(),
            };
            view! {
                <div class="notice bad" role="alert">
                    <Icon glyph=Glyph::Error/>
                    <p>{reason}</p>
                    <button type="button" class="button" on:click=move |_| agents.reload(agent.clone())>"Retry"</button>
                </div>
            }
        })
    };
    let loads = Memo::new(move |_| Some(agents.find(&rehearsal.agent())?.ok()?.loads));
    // Which code the session runs.
    Effect::new(move |_| {
        if rehearsal.session.read().query().is_some() && rehearsal.loads.get().is_none() {
            rehearsal.loads.set(loads.get_untracked());
        }
    });
    let earlier = move || {
        let is_earlier = rehearsal.loads.get().is_some_and(|began| loads.get() > Some(began));
        is_earlier.then(|| view! {
            <div class="notice" role="status">
                <Icon glyph=Glyph::Retry/>
                <p>"The agent was reloaded. This session continues as it began. Start over to use the reloaded agent."</p>
                <button type="button" class="button" on:click=move |_| workspace.start_over()>"Start over"</button>
            </div>
        })
    };
    let changed = Memo::new(move |_| {
        agents
            .find(&rehearsal.agent())?
            .ok()
            .filter(|agent| agent.is_changed && agent.status == AgentStatus::Ready)
    });
    let offer = move || {
        changed.get().map(|agent| view! {
            <div class="notice" role="status">
                <Icon glyph=Glyph::File/>
                <p>"The agent's files changed. Reload it to use them in new sessions."</p>
                <button type="button" class="button" on:click=move |_| agents.reload(agent.clone())>"Reload"</button>
            </div>
        })
    };
    let is_slow =
        Memo::new(move |_| agents.find(&rehearsal.agent())?.ok().filter(|it| it.is_slow).map(drop));
    let slow = move || {
        is_slow.get().map(|()| view! {
            <div class="notice"><Icon glyph=Glyph::Clock/> <SlowLoad agent=rehearsal.agent()/></div>
        })
    };
    let fault = move || {
        // An agent's fault is not shown twice.
        let is_shown =
            |fault: &ApiError| is_faulted.get() && matches!(fault, ApiError::AgentFaulted { .. });
        rehearsal.fault.get().filter(|fault| !is_shown(fault)).map(|fault| view! {
            <div class="notice bad" role="alert">
                <Icon glyph=Glyph::Error/>
                <p>{fault.to_string()}</p>
                <button type="button" class="button" on:click=move |_| rehearsal.open()>"Retry"</button>
            </div>
        })
    };
    let notice = move || {
        rehearsal.notice.get().map(|notice| view! {
            <div class="notice" role="alert">
                <Icon glyph=Glyph::Warning/>
                <p>{notice}</p>
                <button type="button" class="button quiet" on:click=move |_| rehearsal.notice.set(None)>"Dismiss"</button>
            </div>
        })
    };
    let change = move || {
        rehearsal.catalog_change.get().map(|change| view! {
            <div class="notice" role="status">
                <Icon glyph=Glyph::Tool/>
                <p>"The tools changed. " <CatalogDiff change/></p>
                <button type="button" class="button quiet" on:click=move |_| rehearsal.catalog_change.set(None)>"Dismiss"</button>
            </div>
        })
    };
    view! { <div class="notices">{agent_notice} {slow} {offer} {earlier} {fault} {notice} {change}</div> }
}

/// The tools that were added, removed and changed, by name.
#[component]
fn CatalogDiff(
    /// What changed.
    change: CatalogChange,
) -> impl IntoView {
    let kinds = [
        ("added", "+", change.added),
        ("removed", "−", change.removed),
        ("changed", "~", change.changed),
    ];
    kinds
        .into_iter()
        .flat_map(|(what, sign, names)| names.into_iter().map(move |name| (what, sign, name)))
        .map(|(what, sign, name)| {
            view! {
                <span class="chip" data-change=what>
                    <span aria-hidden="true">{sign}</span>
                    <span class="unseen">{what} " "</span>
                    {name.to_string()}
                </span>
                " "
            }
        })
        .collect_view()
}
