//! Notices above the page: an agent that failed or was reloaded, a session that could not be opened, a
//! rejected request.

use api::{AgentStatus, AgentSummary, ApiError, CatalogChange, Workflow};
use leptos::prelude::*;

use crate::rehearse::slow_load::SlowLoad;
use crate::rehearse::state::workspace::use_this_workspace;
use app::components::icon::{Glyph, Icon};
use app::state::rehearsal::Keeping;
use app::state::use_page;

/// What went wrong with the session as a whole.
#[component]
pub fn Notices() -> impl IntoView {
    let workspace = use_this_workspace();
    let rehearsal = workspace.rehearsal;
    let agents = use_page().agents;
    let agent_fault = Memo::new(move |_| match agents.find_fetched(&rehearsal.agent())? {
        agent @ AgentSummary { status: AgentStatus::Faulted(_), .. } => Some(agent),
        _ => None,
    });
    let is_faulted = Memo::new(move |_| agent_fault.read().is_some());
    // Requests the session again once the agent is available again.
    Effect::new(move |before: Option<bool>| {
        let now = is_faulted.get();
        let waits = matches!(&*rehearsal.fault.read_untracked(), Some(ApiError::AgentFaulted(_)));
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
            let retry = move |()| agents.reload(agent.clone());
            notice_line(Kind::Fault, reason.into_any(), "Retry", retry)
        })
    };
    // Another host counts from the beginning, and loads the agent before it has the session again.
    let loads = Memo::new(move |_| {
        let agent = agents.find_fetched(&rehearsal.agent())?;
        (agent.status == AgentStatus::Ready).then_some(agent.loads)
    });
    // Which code the session runs.
    Effect::new(move |_| {
        let now = loads.get();
        let has_begun = rehearsal.session.read().query().is_some();
        if now.is_some() && has_begun && rehearsal.loads.get().is_none() {
            rehearsal.loads.set(now);
        }
    });
    let earlier = move || {
        let is_earlier = rehearsal.loads.get().is_some_and(|began| loads.get() > Some(began));
        let text = "The agent was reloaded. This session still uses the version it started with. \
                    Start over to use the reloaded agent.";
        is_earlier.then(|| {
            notice_line(Kind::News, text.into_any(), "Start over", move |()| workspace.start_over())
        })
    };
    let changed = Memo::new(move |_| {
        agents
            .find_fetched(&rehearsal.agent())
            .filter(|agent| agent.is_changed && agent.status == AgentStatus::Ready)
    });
    let offer = move || {
        let text = "The agent's files changed. Reload it to use them in new sessions.";
        changed.get().map(|agent| {
            let reload = move |()| agents.reload(agent.clone());
            notice_line(Kind::News, text.into_any(), "Reload", reload)
        })
    };
    let is_slow = Memo::new(move |_| {
        agents.find_fetched(&rehearsal.agent()).filter(|it| it.is_slow).map(drop)
    });
    let slow = move || {
        is_slow.get().map(|()| view! {
            <div class="notice"><Icon glyph=Glyph::Clock/> <SlowLoad agent=rehearsal.agent()/></div>
        })
    };
    let fault = move || {
        // An agent's fault is not shown twice.
        let is_shown =
            |fault: &ApiError| is_faulted.get() && matches!(fault, ApiError::AgentFaulted(_));
        rehearsal.fault.get().filter(|fault| !is_shown(fault)).map(|fault| {
            let text = fault.to_string().into_any();
            notice_line(Kind::Fault, text, "Retry", move |()| rehearsal.open())
        })
    };
    let notice = move || {
        // Nor is it when a step was refused for it.
        let is_shown = |notice: &String| match agent_fault.read().as_ref().map(|it| &it.status) {
            Some(AgentStatus::Faulted(fault)) => fault.reason == *notice,
            _ => false,
        };
        rehearsal.notice.get().filter(|notice| !is_shown(notice)).map(|notice| {
            let dismiss = move |()| rehearsal.notice.set(None);
            notice_line(Kind::Warning, notice.into_any(), DISMISS, dismiss)
        })
    };
    let unkept = move || {
        let text = "This session does not fit in the browser's storage, so a reload of the page ends it. \
                    Export it before you reload.";
        (rehearsal.keeping.get() == Keeping::NotKept).then(|| {
            let dismiss = move |()| rehearsal.keeping.set(Keeping::Dismissed);
            notice_line(Kind::Warning, text.into_any(), DISMISS, dismiss)
        })
    };
    let change = move || {
        rehearsal.catalog_change.get().map(|change| {
            let text = view! { "The tools changed. " <CatalogDiff change/> }.into_any();
            let dismiss = move |()| rehearsal.catalog_change.set(None);
            notice_line(Kind::Tools, text, DISMISS, dismiss)
        })
    };
    let workflow = Memo::new(move |_| {
        let view = rehearsal.view.read();
        let view = view.as_ref()?;
        view.workflow.as_ref().map(|workflow| part_of_workflow(&view.agent.name, workflow))
    });
    let part =
        move || {
            workflow.get().map(|text| view! {
            <div class="notice" role="status"><Icon glyph=Glyph::Warning/> <p>{text}</p></div>
        })
        };
    view! { <div class="notices">{part} {agent_notice} {slow} {offer} {earlier} {fault} {notice} {unkept} {change}</div> }
}

/// Which agent the person acts as, and of which workflow.
fn part_of_workflow(acted: &str, Workflow { name, kind, .. }: &Workflow) -> String {
    format!(
        "You act only as {acted} of the {kind} {name}: its other agents do not run, so the session cannot be \
         exported as a case of {name}. To act as all of its agents, act through the runner."
    )
}

/// The text of the button that only closes a notice.
const DISMISS: &str = "Dismiss";

/// What a notice is about.
#[derive(Clone, Copy)]
enum Kind {
    Fault,
    Warning,
    News,
    Tools,
}

/// One notice with its button. Only the callback is generic, so that the view is compiled once.
fn notice_line(
    kind: Kind,
    text: AnyView,
    button: &'static str,
    on_press: impl Fn(()) + Send + Sync + 'static,
) -> AnyView {
    draw_line(kind, text, button, Callback::new(on_press))
}

fn draw_line(kind: Kind, text: AnyView, button: &'static str, on_press: Callback<()>) -> AnyView {
    let (glyph, role) = match kind {
        Kind::Fault => (Glyph::Error, "alert"),
        Kind::Warning => (Glyph::Warning, "alert"),
        Kind::News => (Glyph::Retry, "status"),
        Kind::Tools => (Glyph::Tool, "status"),
    };
    let class = if matches!(kind, Kind::Fault) { "notice bad" } else { "notice" };
    let button_class = if button == DISMISS { "button quiet" } else { "button" };
    view! {
        <div class=class role=role>
            <Icon glyph/>
            <p>{text}</p>
            <button type="button" class=button_class on:click=move |_| on_press.run(())>{button}</button>
        </div>
    }
    .into_any()
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
