//! The scenes: the stage, with instructions on the left, history in the middle, acting on the right;
//! an eval set, with its cases on the left and one of them beside it; the list of live sessions; and
//! a live session, which looks like the stage.
//!
//! Everything that only a scene needs is reached from here and from nowhere else. With the
//! feature `split` it is a module of its own, which the browser fetches at [`load`]; see
//! docs/design/client-size.md.

use leptos::prelude::*;
use leptos::wasm_split::SplitLoaderError;
use session::SessionState;

use crate::api::{AgentSummary, LiveId, LiveTurnId, SetId};
use crate::components::evalset::EvalSetReader;
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

/// What draws the scenes. Pointers, so that who holds them need not hold the code.
#[derive(Debug, Clone, Copy)]
pub struct Scenes {
    /// The stage of an agent's rehearsal.
    pub play: fn(AgentSummary, Rehearsal) -> AnyView,
    /// An eval set, and the case of it that the address names.
    pub read_eval_set: fn(SetId, Memo<Option<String>>) -> AnyView,
    /// The reports of the host, and what opens one from the reader's disk.
    pub list_reports: fn() -> AnyView,
    /// A report, and the case of it that the address names.
    pub show_report: fn(String, Memo<Option<String>>) -> AnyView,
    /// The live sessions.
    pub list_live: fn() -> AnyView,
    /// A live session, and the turn of it that the address names.
    pub show_live: fn(LiveId, Memo<Option<LiveTurnId>>) -> AnyView,
}

/// Why there is no scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "The rest of this page could not be fetched from the host. If the host runs, reload the page: \
     it may be another version by now"
)]
pub struct NotLoaded;

impl From<SplitLoaderError> for NotLoaded {
    fn from(_: SplitLoaderError) -> Self {
        Self
    }
}

/// Fetches the code of the scenes, once; afterwards the answer is there at once.
///
/// # Errors
///
/// [`NotLoaded`] when the host does not answer or serves another version. The next call tries anew.
pub async fn load() -> Result<Scenes, NotLoaded> {
    #[cfg(feature = "split")]
    let scenes = entrance().await;
    #[cfg(not(feature = "split"))]
    let scenes = entrance();
    scenes
}

/// Where the client is split: only what `main` reaches without this call stays in the first module.
#[cfg_attr(
    feature = "split",
    leptos::wasm_split::wasm_split(scene, wasm_split_path = ::leptos::wasm_split, fallible)
)]
#[cfg_attr(
    not(feature = "split"),
    expect(clippy::unnecessary_wraps, reason = "it fails where it is fetched")
)]
fn entrance() -> Result<Scenes, NotLoaded> {
    Ok(Scenes { play, read_eval_set, list_reports, show_report, list_live, show_live })
}

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
        <Notices/>
        <StartOver/>
        <p class="unseen" role="status" aria-live="polite">{move || rehearsal.announcement.get()}</p>
    }
    .into_any()
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
