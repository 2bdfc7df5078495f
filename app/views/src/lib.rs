//! The lazily loaded parts of the page, by area: their views and their state.
//!
//! The client loads a part when its area is opened, through [`app::state::lazy_pages`]. The host is built
//! without this crate.

#![recursion_limit = "256"]
#![allow(
    unreachable_pub,
    reason = "#[component] makes its function pub; views and parts of components are not"
)]
#![allow(
    clippy::needless_pass_by_value,
    reason = "a component's props are values, whether it consumes them or only looks"
)]

mod evalsets;
mod live;
mod rehearse;
mod reports;
mod runs;
mod shared;

use leptos::prelude::{AnyView, Get as _, IntoAny as _, Memo};
use leptos::view;

use crate::evalsets::{EvalSetReader, EvalSets};
use crate::live::{LiveSession, LiveSessions};
use crate::reports::{ReportReader, Reports};
use crate::runs::{NoSuchRun, RunReader, Runs, open_form};
use api::{LiveId, LiveTurnId, SetId};
use app::state::lazy_pages::{ListViews, RehearseViews, SessionViews};

/// The workspace of an agent.
pub const REHEARSE: RehearseViews = RehearseViews {
    workspace: rehearse::workspace::workspace,
    slow_load: rehearse::slow_load::slow_load,
    agent_filters: rehearse::agent_filters::agent_filters,
};

/// A session under way.
pub const SESSION: SessionViews = rehearse::session::VIEWS;

/// Live sessions.
pub const LIVE: ListViews = ListViews { page: show_live };

/// Eval sets.
pub const EVALSETS: ListViews = ListViews { page: show_eval_sets };

/// The list of stored eval runs.
pub const RUNS: ListViews = ListViews { page: |_, _| view! { <Runs/> }.into_any() };

/// A stored eval run.
pub const RUN: ListViews = ListViews { page: show_run };

/// Reports.
pub const REPORTS: ListViews = ListViews { page: show_reports };

fn show_live(session: Option<String>, turn: Memo<Option<String>>) -> AnyView {
    let turn = Memo::new(move |_| turn.get().map(LiveTurnId::new));
    match session.map(LiveId::new) {
        Some(session) => view! { <LiveSession session turn/> }.into_any(),
        None => view! { <LiveSessions/> }.into_any(),
    }
}

fn show_eval_sets(set: Option<String>, case: Memo<Option<String>>) -> AnyView {
    match set.map(SetId::new) {
        Some(set) => view! { <EvalSetReader set case/> }.into_any(),
        None => view! { <EvalSets/> }.into_any(),
    }
}

fn show_run(run: Option<String>, case: Memo<Option<String>>) -> AnyView {
    match run.and_then(|run| run.parse().ok()) {
        Some(run) => view! { <RunReader run case/> }.into_any(),
        None => open_form().unwrap_or_else(|| view! { <NoSuchRun/> }.into_any()),
    }
}

fn show_reports(report: Option<String>, case: Memo<Option<String>>) -> AnyView {
    match report {
        Some(report) => view! { <ReportReader report case/> }.into_any(),
        None => view! { <Reports/> }.into_any(),
    }
}
