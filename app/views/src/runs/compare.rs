//! A run beside another one of its suites: what got worse, what got better, and whether the pass rates differ.

use std::sync::Arc;
use std::time::Duration;

use api::host::compare_runs;
use api::{CaseRunSummary, ComparedResult, RunComparison, RunSummary};
use leptos::prelude::*;
use report_view::{Change, figure};

use super::head::{Verdict, passed_text};
use super::state::compare::{Group, groups};
use super::state::fetched::{Fetched, use_fetched};
use super::state::row_keys::row_after;
use crate::shared::keys::{listen, offer};
use crate::shared::run_address::case_address;
use crate::shared::shortcuts::{self, Shortcuts};
use app::components::loading::Loading;
use app::state::browser;
use app::state::excerpt::{visible_name, visible_text};
use app::state::in_address::InAddress;

/// How often both are read while one of them runs.
const PERIOD: Duration = Duration::from_secs(2);
/// So many results of a group are drawn until the others are asked for.
const FEW: usize = 200;
/// Changes of scores below this are not shown.
const SAME: f64 = 5e-4;

/// The keys of the comparison.
const SHORTCUTS: &[shortcuts::Group] = &[(
    "Comparison",
    &[
        ("↓ J", "Next result"),
        ("↑ K", "Previous result"),
        ("Home", "First result"),
        ("End", "Last result"),
        ("↵", "Open the result"),
        ("Esc", "Close the comparison"),
    ],
)];

/// The comparison with the run in the address.
#[component]
pub(super) fn Compare(
    /// The run.
    run: i64,
    /// The other run.
    chosen: InAddress,
) -> impl IntoView {
    let with = Memo::new(move |_| chosen.get().and_then(|with| with.parse().ok()));
    move || view! { <Compared run with=with.get() chosen/> }
}

#[component]
fn Compared(
    /// The run.
    run: i64,
    /// The other run; `None` for the one before it.
    with: Option<i64>,
    /// The choice of the other run.
    chosen: InAddress,
) -> impl IntoView {
    let comparison = use_fetched(
        move || compare_runs(run, with),
        PERIOD,
        |comparison: &RunComparison| comparison.is_running,
    );
    let arrived = Memo::new(move |_| comparison.arrived());
    view! {
        <section class="runs-compare" aria-label="Comparison">
            <Loading
                arrived=move || arrived.get()
                meanwhile="Comparing the runs…"
                draw=move |()| view! { <Sides comparison chosen/> }.into_any()
                retry=move |()| comparison.again()
            />
        </section>
    }
}

#[component]
fn Sides(
    /// Both runs.
    comparison: Fetched<RunComparison>,
    /// The choice of the other run.
    chosen: InAddress,
) -> impl IntoView {
    let current = RwSignal::new(0_usize);
    let shown = Memo::new(move |_| {
        let groups = comparison.get().map(|it| groups(&it.results)).unwrap_or_default();
        groups.changed.len()
    });
    listen(move |event| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        if event.key() == "Escape" {
            close(chosen);
            return true;
        }
        if browser::is_typing() {
            return false;
        }
        let (here, count) = (current.get_untracked(), shown.get_untracked().min(FEW));
        let Some(to) = row_after(&event.key(), here, count) else { return false };
        // The first press goes to the row, the next ones from it.
        let is_step = matches!(event.key().as_str(), "ArrowDown" | "j" | "ArrowUp" | "k");
        let is_here = browser::focused_id() == row_id(here);
        let to = if is_step && !is_here { here.min(count - 1) } else { to };
        current.set(to);
        browser::focus(&row_id(to))
    });
    offer(Vec::new);
    let draw = move || comparison.get().map(|comparison| drawn(&comparison, chosen, current));
    view! {
        {draw}
        <Shortcuts groups=SHORTCUTS/>
    }
}

/// The id of the link that opens a comparison.
pub(super) const OPENS: &str = "compare-runs";

/// Shows the results of the run again.
fn close(chosen: InAddress) {
    chosen.set(None);
    browser::after_drawing(|| browser::focus(OPENS));
}

/// The id of the link of a changed result.
fn row_id(row: usize) -> String {
    format!("compared-row-{row}")
}

fn drawn(comparison: &Arc<RunComparison>, chosen: InAddress, current: RwSignal<usize>) -> AnyView {
    let RunComparison { run, with, others, results, difference, .. } = &**comparison;
    let (run, with) = (*run, *with);
    let has_suites = others.iter().any(|other| other.suites.len() > 1);
    let option = |other: &RunSummary| {
        let RunSummary { run, counts, .. } = other;
        view! {
            <option value=run.to_string() selected={*run == with}>
                {format!("Run {run}, {} passed", passed_text(*counts))}
            </option>
        }
    };
    let sentence = match difference {
        Some(sentence) => {
            view! { <p class="fork-sentence" role="status">{visible_text(sentence)} "."</p> }
        }
        None => {
            view! { <p class="fork-sentence quiet" role="status">"No case has a verdict in both runs, so the pass rates are not compared."</p> }
        }
    };
    let Group { changed, gone, same } = groups(results);
    let rows = move |results: Vec<ComparedResult>, focusable: bool| {
        table(results, run, with, has_suites, focusable.then_some(current))
    };
    let count = changed.len();
    let changed = match count {
        0 => view! { <p class="runs-unchanged">"No result is better or worse."</p> }.into_any(),
        _ => rows(changed, true),
    };
    let folded = move |results: Vec<ComparedResult>, label: String| {
        (!results.is_empty()).then(|| {
            let is_open = RwSignal::new(false);
            let results = StoredValue::new(results);
            view! {
                <details class="runs-folded" on:toggle=move |_| is_open.update(|it| *it = !*it)>
                    <summary>{label}</summary>
                    {move || is_open.get().then(|| rows(results.get_value(), false))}
                </details>
            }
        })
    };
    let gone = folded(gone.clone(), format!("{} only in run {with}", gone.len()));
    let same = folded(same.clone(), format!("{} unchanged", same.len()));
    view! {
        <div class="runs-compare-head">
            <label class="runs-compared-with">
                "Compared with"
                <select class="input" on:change=move |event| chosen.set(Some(event_target_value(&event)))>
                    {others.iter().map(option).collect_view()}
                </select>
            </label>
            <button type="button" class="button quiet" on:click=move |_| close(chosen)>"Close comparison"</button>
        </div>
        {sentence}
        {changed}
        {gone}
        {same}
    }
    .into_any()
}

/// Results as a table. `current` is the row that the arrow keys are at.
fn table(
    results: Vec<ComparedResult>,
    run: i64,
    with: i64,
    has_suites: bool,
    current: Option<RwSignal<usize>>,
) -> AnyView {
    let is_whole = RwSignal::new(false);
    let count = results.len();
    let shown = move || if is_whole.get() { count } else { count.min(FEW) };
    let row = move |(at, result)| row(at, result, has_suites, current);
    let more = move || {
        let show = move |_| is_whole.set(true);
        (shown() < count).then(|| {
            view! {
                <p class="report-line">
                    <button type="button" class="link" on:click=show>{format!("Show all {count} results")}</button>
                </p>
            }
        })
    };
    view! {
        <table class="sets runs-compared">
            <thead>
                <tr>
                    <th scope="col">"Change"</th>
                    <th scope="col">"Case"</th>
                    <th scope="col">"Run " {with}</th>
                    <th scope="col">"Run " {run}</th>
                    <th scope="col">"Reason"</th>
                </tr>
            </thead>
            <tbody>
                {move || results.iter().take(shown()).cloned().enumerate().map(row).collect_view()}
            </tbody>
        </table>
        {more}
    }
    .into_any()
}

fn row(
    at: usize,
    result: ComparedResult,
    has_suites: bool,
    current: Option<RwSignal<usize>>,
) -> AnyView {
    let ComparedResult { change, by, before, after } = result;
    let class = match change {
        Change::Regressed => "report-worse",
        Change::Improved => "report-better",
        Change::Unclear | Change::New | Change::Gone | Change::Same => "quiet",
    };
    let by = (by.abs() >= SAME).then(|| {
        let sign = if by < 0.0 { "−" } else { "+" };
        format!(" {sign}{}", figure(by.abs()))
    });
    let side = |result: &Option<CaseRunSummary>| match result {
        None => view! { <td class="quiet">"–"</td> }.into_any(),
        Some(CaseRunSummary { id, status, .. }) => {
            let href = case_address(id, has_suites, None);
            view! { <td><a href=href><Verdict status=*status/></a></td> }.into_any()
        }
    };
    let (then, now) = (side(&before), side(&after));
    // What does not pass now says more than what did not pass then.
    let why = after
        .as_ref()
        .map_or_else(|| before.as_ref().and_then(|it| it.why.clone()), |after| after.why.clone());
    let before_why = before.as_ref().and_then(|it| it.why.clone());
    let why = why.or(before_why.filter(|_| change == Change::Improved));
    let Some(CaseRunSummary { id, .. }) = after.or(before) else { return ().into_any() };
    let repeat = (id.repeat > 1)
        .then(|| view! { <span class="quiet">{format!(" repeat {}", id.repeat)}</span> });
    let link_id = current.map(|_| row_id(at));
    view! {
        <tr>
            <td class=class>{change.word()} {by}</td>
            <th scope="row">
                <a
                    href=case_address(&id, has_suites, None)
                    id=link_id
                    on:focus=move |_| if let Some(current) = current { current.set(at) }
                >
                    {visible_name(&id.case)}
                </a>
                {repeat}
            </th>
            {then}
            {now}
            <td class="runs-reason">{why.map(|why| visible_name(&why))}</td>
        </tr>
    }
    .into_any()
}
