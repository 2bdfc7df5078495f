//! What draws the scenes.

use leptos::prelude::*;
use session::SessionState;

use super::Scenes;
use crate::api::{AgentSummary, LiveId, LiveTurnId, SetId};
use crate::components::evalset::{EvalSetReader, EvalSets};
use crate::components::facts::{AgentFold, StateFold, Warnings};
use crate::components::history::History;
use crate::components::instructions::StageInstructions;
use crate::components::live::{LiveSession, LiveSessions};
use crate::components::notices::Notices;
use crate::components::report::{ReportReader, Reports};
use crate::components::right_panel::RightPanel;
use crate::components::stage_head::StageHead;
use crate::components::stage_keys::{listen_to_keys, offer_commands};
use crate::components::start_over::StartOver;
use crate::components::tool_catalogue::FILTER;
use crate::state::replay::use_replay;
use crate::state::stage::use_stage;
use crate::state::{Rehearsal, browser};

/// All of them.
pub(super) const SCENES: Scenes =
    Scenes { play, list_eval_sets, read_eval_set, list_reports, show_report, list_live, show_live };

/// The three columns.
fn play(agent: AgentSummary, rehearsal: Rehearsal) -> AnyView {
    let stage = use_stage(rehearsal);
    provide_context(stage);
    let replay = use_replay(stage);
    listen_to_keys(stage, replay);
    offer_commands(stage);
    follow_with_focus(rehearsal);
    let path = agent.eval_set_path.clone();
    view! {
        <StageHead agent stage/>
        <Notices/>
        <div class="columns">
            <section class="left" aria-label="What the model sees">
                <Warnings/>
                <StageInstructions/>
                <StateFold/>
                <AgentFold eval_set_path=path.clone()/>
            </section>
            <History replay/>
            <RightPanel eval_set_path=path/>
        </div>
        <StartOver/>
        <p class="unseen" role="status" aria-live="polite">{move || rehearsal.announcement.get()}</p>
    }
    .into_any()
}

/// The eval sets.
fn list_eval_sets() -> AnyView {
    view! { <EvalSets/> }.into_any()
}

/// The cases, and the one that is read.
fn read_eval_set(set: SetId, case: Memo<Option<String>>) -> AnyView {
    view! { <EvalSetReader set case/> }.into_any()
}

/// The reports.
fn list_reports() -> AnyView {
    view! { <Reports/> }.into_any()
}

/// A report.
fn show_report(report: String, case: Memo<Option<String>>) -> AnyView {
    view! { <ReportReader report case/> }.into_any()
}

/// The live sessions.
fn list_live() -> AnyView {
    view! { <LiveSessions/> }.into_any()
}

/// A live session.
fn show_live(session: LiveId, turn: Memo<Option<LiveTurnId>>) -> AnyView {
    view! { <LiveSession session turn/> }.into_any()
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
