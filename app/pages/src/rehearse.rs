//! `/rehearse/:agent`: the rehearsal of one agent. The workspace is loaded on demand.

use api::{AgentFault, AgentStatus, AgentSummary, ApiError};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;
use session::AgentId;

use crate::agent_card::Fault;
use crate::bars::FootBar;
use app::components::icon::{Glyph, Icon};
use app::components::workspace_title::WorkspaceTitle;
use app::state::base_path::address;
use app::state::{Page, Rehearsal, browser, typed_ahead, use_page};

/// The rehearsal of the agent in the address.
#[component]
pub fn RehearsePage() -> impl IntoView {
    let agents = use_page().agents;
    let params = use_params_map();
    let id = Memo::new(move |_| params.with(|params| params.get("agent").unwrap_or_default()));
    let runtime = move || {
        let id = AgentId::parse(&id.get()).ok()?;
        agents.find_fetched(&id)?.runtime
    };
    view! {
        <Transition fallback=|| view! { <main class="sheet" tabindex="-1"><p class="quiet">"Loading the agent…"</p></main> }>
            <AgentPage id/>
        </Transition>
        <FootBar runtime=Signal::derive(runtime) remark="the session ends when this tab is closed"/>
    }
    .into_any()
}

/// What the page shows for the address.
#[derive(Debug, Clone, PartialEq)]
enum Shown {
    /// The workspace. Changing parts of the agent are left out, so that they do not rebuild the
    /// workspace.
    Workspace(AgentSummary),
    /// The reason why the agent cannot be rehearsed.
    Fault(AgentSummary, AgentFault),
    /// The agent is being loaded again after a fault.
    Reloading(AgentSummary),
    /// The reason why there is no such agent.
    Error(ApiError),
}

/// The workspace of the agent, or why there is none.
#[component]
fn AgentPage(
    /// The agent's id in the address.
    #[prop(into)]
    id: Signal<String>,
) -> impl IntoView {
    let Page { agents, rehearsals, .. } = use_page();
    let shown = Memo::new(move |_| {
        let written = id.read();
        Some(match agents.find(&written)? {
            Err(error) => Shown::Error(error),
            Ok(agent) => match agent.status.clone() {
                // A session in progress stays visible when its agent fails.
                AgentStatus::Faulted(fault) if !rehearsals.has_content(&agent.id) => {
                    Shown::Fault(agent, fault)
                }
                AgentStatus::Starting
                    if agents.is_reloading(&agent.id) && !rehearsals.has_content(&agent.id) =>
                {
                    Shown::Reloading(agent)
                }
                _ => Shown::Workspace(AgentSummary {
                    status: AgentStatus::Ready,
                    description: String::new(),
                    tools: Vec::new(),
                    runtime: None,
                    loads: 0,
                    is_changed: false,
                    is_slow: false,
                    is_removed: false,
                    ..agent
                }),
            },
        })
    });
    // Only a workspace has a field for what is typed.
    Effect::new(move |_| {
        if !matches!(*shown.read(), None | Some(Shown::Workspace(_))) {
            typed_ahead::pause();
        }
    });
    move || {
        shown.get().map(|shown| match shown {
            Shown::Workspace(agent) => view! { <Workspace agent/> }.into_any(),
            Shown::Reloading(agent) => view! {
                <Title text=agent.name.clone()/>
                <main class="with-head" tabindex="-1">
                    <WorkspaceTitle agent/>
                    <div class="sheet"><p class="quiet" role="status">"Reloading the agent…"</p></div>
                </main>
            }
            .into_any(),
            Shown::Fault(agent, fault) => {
                if agents.was_reloaded(&agent) {
                    browser::after_drawing(|| {
                        browser::nothing_is_focused() && browser::focus_first("fault", ".choices > .button")
                    });
                }
                view! {
                    <Title text=agent.name.clone()/>
                    <main class="with-head" tabindex="-1">
                        <WorkspaceTitle agent=agent.clone()/>
                        <div class="sheet">
                            <div class="sheet-head">
                                <h2>"This agent cannot be loaded"</h2>
                                <p class="quiet">"Fix the problem, then retry. Other agents are not affected."</p>
                            </div>
                            <div id="fault"><Fault agent fault/></div>
                            <p class="back-link"><a class="link" href=address("/")>"View agents"</a></p>
                        </div>
                    </main>
                }
                .into_any()
            }
            Shown::Error(error) => view! {
                <Title text="Rehearse"/>
                <main class="sheet" tabindex="-1">
                    <h1>"Rehearsal cannot be opened"</h1>
                    <p role="alert">{error.to_string()}</p>
                    <p><a class="link" href=address("/")>"View agents"</a></p>
                </main>
            }
            .into_any(),
        })
    }
}

/// The workspace, once the rehearsal has begun and the code is loaded, which happens only in the
/// browser.
#[component]
fn Workspace(
    /// The agent.
    agent: AgentSummary,
) -> impl IntoView {
    let Page { rehearsals, lazy, .. } = use_page();
    let rehearsal = RwSignal::new(None::<Rehearsal>);
    let id = agent.id.clone();
    // Requests to the host, which only the browser sends. The session opens while the code loads.
    let begin = move || {
        rehearsals.with(&id, move |begun| {
            rehearsal.try_set(Some(begun));
        });
        lazy.rehearse.fetch();
    };
    let retry = begin.clone();
    Effect::new(move |_| {
        // The field for the user message is not there yet.
        typed_ahead::begin();
        begin();
        on_cleanup(typed_ahead::end);
    });
    // A session that this tab keeps needs its code to be shown. A memo: the workspace must not be drawn again
    // when that code is loaded later.
    let missing = Memo::new(move |_| match (rehearsal.get(), lazy.session.views()) {
        (None, Some(Err(error))) => Some(error),
        _ => lazy.rehearse.views()?.err(),
    });
    let title = agent.name.clone();
    let body = move || {
        let retry = retry.clone();
        match (rehearsal.get(), lazy.rehearse.views(), missing.get()) {
        (Some(rehearsal), Some(Ok(views)), _) => (views.workspace)(agent.clone(), rehearsal),
        (_, _, Some(error)) => view! {
            <WorkspaceTitle agent=agent.clone()/>
            <div class="notices">
                <div class="notice bad" role="alert">
                    <Icon glyph=Glyph::Error/>
                    <p>{error.to_string()}</p>
                    <button type="button" class="button" on:click=move |_| retry()>"Retry"</button>
                </div>
            </div>
        }
        .into_any(),
        _ => view! { <WorkspaceTitle agent=agent.clone()/> <Waiting/> }.into_any(),
    }
    };
    view! { <Title text=title/> <main class="with-head" tabindex="-1">{body}</main> }
}

#[component]
fn Waiting() -> impl IntoView {
    view! {
        <div class="columns" aria-busy="true">
            <div class="left"><p class="veil">"Opening the session…"</p></div>
            <div class="middle"></div>
            <div class="right"></div>
        </div>
    }
}
