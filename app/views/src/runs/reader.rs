//! A run: its results, what it shows if it is a fork, or one of its results.

use std::time::Duration;

use api::{RunDetail, RunSummary};
use leptos::prelude::*;

use super::case_run::CaseRunReader;
use super::compare::{Compare, OPENS};
use super::fork_run::ForkRun;
use super::head::{Began, Forks, Suites, cost_text, duration_text, running, tokens_text};
use super::models::Models;
use super::rerun::Rerun;
use super::results::Results;
use super::state::fetched::{Fetched, use_fetched};
use super::under_way::UnderWay;
use crate::shared::run_address::run_address;
use api::host::read_run;
use app::components::loading::Loading;
use app::state::base_path::address;
use app::state::in_address::{InAddress, use_in_address};

/// How often a run is read while it is running.
const PERIOD: Duration = Duration::from_secs(2);

/// The run that the address names, or a result of it.
#[component]
pub fn RunReader(
    /// Its number.
    run: i64,
    /// The case in the address.
    case: Memo<Option<String>>,
) -> impl IntoView {
    let is_case = Memo::new(move |_| case.read().is_some());
    move || match is_case.get() {
        true => view! { <CaseRunReader run case/> }.into_any(),
        false => view! { <RunSheet run/> }.into_any(),
    }
}

/// Says that the address names no run.
#[component]
pub fn NoSuchRun() -> impl IntoView {
    view! {
        <div class="sheet">
            <h1>"Run not found"</h1>
            <p><a class="link" href=address("/runs")>"View runs"</a></p>
        </div>
    }
}

#[component]
fn RunSheet(
    /// Its number.
    run: i64,
) -> impl IntoView {
    let detail =
        use_fetched(move || read_run(run), PERIOD, |detail: &RunDetail| detail.summary.is_running);
    let summary = Memo::new(move |_| detail.get().map(|detail| detail.summary.clone()));
    let is_fork =
        Memo::new(move |_| summary.read().as_ref().is_some_and(|it| it.fork_of.is_some()));
    let arrived = Memo::new(move |_| detail.arrived());
    let chosen = use_in_address("compare");
    let compared_with = Memo::new(move |_| detail.get().and_then(|detail| detail.compared_with));
    let compare = move || {
        let with = compared_with.get().filter(|_| chosen.get().is_none())?;
        let href = format!("{}?compare={with}", run_address(run));
        Some(view! { <a class="button quiet" id=OPENS href=href>"Compare with…"</a> })
    };
    let draw = move |()| {
        let runs = move || match is_fork.get() {
            true => view! { <ForkRun run/> }.into_any(),
            false => view! { <Plain run detail chosen/> }.into_any(),
        };
        view! { <UnderWay detail/> {runs} }.into_any()
    };
    view! {
        <header class="page-head">
            <h1>"Run " {run}</h1>
            {move || summary.get().map(chips)}
            <span class="grow"></span>
            {compare}
            <a class="button quiet" href=address("/runs")>"All runs"</a>
        </header>
        <div class="report-body">
            <Loading arrived=move || arrived.get() meanwhile="Loading the run…" draw retry=move |()| detail.again()/>
        </div>
    }
}

/// What the head of a run says.
fn chips(summary: RunSummary) -> AnyView {
    let RunSummary { suites, began, duration_ms, tokens, cost, is_running, .. } = summary;
    view! {
        {is_running.then(running)}
        <span class="chip runs-suites"><Suites suites/></span>
        <span class="chip"><Began began/></span>
        <span class="chip" title="Duration of all cases">{duration_text(duration_ms)}</span>
        {tokens_text(tokens).map(|tokens| view! { <span class="chip">{tokens}</span> })}
        {cost_text(cost).map(|cost| view! { <span class="chip">{cost}</span> })}
    }
    .into_any()
}

/// A run that is not a fork: its results, or the comparison with another run.
#[component]
fn Plain(
    /// Its number.
    run: i64,
    /// The run.
    detail: Fetched<RunDetail>,
    /// The run that it is compared with.
    chosen: InAddress,
) -> impl IntoView {
    let is_compared = Memo::new(move |_| chosen.get().is_some());
    move || match is_compared.get() {
        true => view! { <Compare run chosen/> }.into_any(),
        false => view! { <Uncompared detail/> }.into_any(),
    }
}

#[component]
fn Uncompared(
    /// The run.
    detail: Fetched<RunDetail>,
) -> impl IntoView {
    let forks = Memo::new(move |_| detail.get().map(|it| it.forks.clone()).unwrap_or_default());
    view! {
        <Rerun detail/>
        <Models detail/>
        <Results detail/>
        {move || {
            let forks = forks.get();
            (!forks.is_empty()).then(|| view! { <Forks forks/> })
        }}
    }
}
