//! `/rehearse/:agent`: the stage. Instructions on the left, history in the middle, acting on the
//! right.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;
use session::{AgentId, SessionState};

use crate::api::{AgentFault, AgentStatus, AgentSummary, ApiError};
use crate::components::agent_card::Fault;
use crate::components::bars::FootBar;
use crate::components::facts::{AgentFold, StateFold, Warnings};
use crate::components::history::History;
use crate::components::instructions::Instructions;
use crate::components::notices::Notices;
use crate::components::right_panel::RightPanel;
use crate::components::stage_head::StageHead;
use crate::components::stage_keys::{listen_to_keys, offer_commands};
use crate::components::start_over::StartOver;
use crate::components::tool_catalogue::FILTER;
use crate::state::stage::use_stage;
use crate::state::{Page, Rehearsal, browser, use_page};

/// The rehearsal of the agent that the address names.
#[component]
pub fn RehearsePage() -> impl IntoView {
    let agents = use_page().agents;
    let params = use_params_map();
    let id = Memo::new(move |_| params.with(|params| params.get("agent").unwrap_or_default()));
    let runtime = move || {
        let id = AgentId::parse(&id.get()).ok()?;
        agents.find(&id)?.ok()?.runtime
    };
    view! {
        <Transition fallback=|| view! { <main class="sheet"><p class="quiet">"Fetching the agent…"</p></main> }>
            <Found id/>
        </Transition>
        <FootBar runtime=Signal::derive(runtime) remark="session lives in this tab only"/>
    }
    .into_any()
}

/// What the address leads to.
#[derive(Debug, Clone, PartialEq)]
enum Shown {
    /// The stage. Of the agent only what stays as it is: news of it must not set the stage anew.
    Stage(AgentSummary),
    /// The reason why the agent cannot be rehearsed.
    Fault(AgentSummary, AgentFault),
    /// Nothing.
    Nothing(ApiError),
}

/// The stage of the agent, or why there is none.
#[component]
fn Found(
    /// The agent's id in the address.
    #[prop(into)]
    id: Signal<String>,
) -> impl IntoView {
    let Page { agents, rehearsals, .. } = use_page();
    let shown = Memo::new(move |_| {
        let found = match AgentId::parse(&id.read()) {
            Ok(id) => agents.find(&id)?,
            Err(_) => Err(agents.unknown(AgentId::from_display_name(&id.read()))?),
        };
        Some(match found {
            Err(error) => Shown::Nothing(error),
            Ok(agent) => match agent.status.clone() {
                // A session that is under way stays on stage when its agent fails.
                AgentStatus::Faulted(fault) if rehearsals.state_of(&agent.id).is_none() => {
                    Shown::Fault(agent, fault)
                }
                _ => Shown::Stage(AgentSummary {
                    status: AgentStatus::Ready,
                    runtime: None,
                    ..agent
                }),
            },
        })
    });
    move || {
        shown.get().map(|shown| match shown {
            Shown::Stage(agent) => view! { <Curtain agent/> }.into_any(),
            Shown::Fault(agent, fault) => view! {
                <main class="stage">
                    <StageHead agent=agent.clone() stage=None/>
                    <div class="sheet"><Fault agent fault/></div>
                </main>
            }
            .into_any(),
            Shown::Nothing(error) => view! {
                <Title text="Rehearse"/>
                <main class="sheet">
                    <h1>"This rehearsal cannot be opened"</h1>
                    <p role="alert">{error.to_string()}</p>
                    <p><a class="link" href="/">"See the agents"</a></p>
                </main>
            }
            .into_any(),
        })
    }
}

/// Waits until there is a rehearsal: it begins in the browser, never on the host.
#[component]
fn Curtain(
    /// The agent.
    agent: AgentSummary,
) -> impl IntoView {
    let rehearsals = use_page().rehearsals;
    let rehearsal = RwSignal::new(None::<Rehearsal>);
    let id = agent.id.clone();
    Effect::new(move |_| rehearsal.set(Some(rehearsals.of(&id))));
    let title = agent.name.clone();
    let scene = move || match rehearsal.get() {
        Some(rehearsal) => view! { <Scene agent=agent.clone() rehearsal/> }.into_any(),
        None => view! { <StageHead agent=agent.clone() stage=None/> <Waiting/> }.into_any(),
    };
    view! { <Title text=title/> <main class="stage">{scene}</main> }
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

/// The three columns.
#[component]
fn Scene(
    /// The agent.
    agent: AgentSummary,
    /// Its rehearsal.
    rehearsal: Rehearsal,
) -> impl IntoView {
    let stage = use_stage(rehearsal);
    provide_context(stage);
    listen_to_keys(stage);
    offer_commands(stage);
    follow_with_focus(rehearsal);
    let path = agent.eval_set_path.clone();
    view! {
        <StageHead agent stage=Some(stage)/>
        <div class="columns">
            <section class="left" aria-label="What the model sees">
                <Warnings/>
                <Instructions/>
                <StateFold/>
                <AgentFold eval_set_path=path.clone()/>
            </section>
            <History/>
            <RightPanel eval_set_path=path/>
        </div>
        <Notices/>
        <StartOver/>
        <p class="unseen" role="status" aria-live="polite">{move || rehearsal.announcement.get()}</p>
    }
}

/// The focus goes where the next step is: to the query at first, then to the tools.
fn follow_with_focus(rehearsal: Rehearsal) {
    let state = Memo::new(move |_| {
        rehearsal.view.read().is_some().then(|| rehearsal.session.read().state())
    });
    Effect::new(move |before: Option<Option<SessionState>>| {
        let now = state.get();
        let moved = before.flatten() != now;
        if moved {
            browser::after_drawing(move || match now {
                Some(SessionState::AwaitingQuery) if !browser::is_typing() => {
                    browser::focus_form("query");
                }
                Some(SessionState::Active) if before.is_some() => {
                    let _ = browser::focus(FILTER) || browser::focus_form("response");
                }
                Some(SessionState::Completed) if before.is_some() => {
                    browser::focus("export");
                }
                _ => {}
            });
        }
        now
    });
}
