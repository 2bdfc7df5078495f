//! The list of stored runs, with the suites that can be run and their trends.

use std::sync::Arc;
use std::time::Duration;

use api::{RunList, RunSummary, SuiteList};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::act::is_asked;
use super::head::{
    Began, Suites, duration_text, fork_text, number, passed_text, recorded_chip, running, share,
};
use super::sessions::Sessions;
use super::state::fetched::{Fetched, use_fetched};
use super::state::list::{Asked, Row, Show as Shown, rows, trends};
use super::state::suites::{Place, place_after};
use super::suites::{FoundSuites, SuiteTable};
use super::trend::Trends;
use crate::shared::keys::{listen, offer};
use crate::shared::run_address::run_address;
use crate::shared::shortcuts::{Group, Shortcuts};
use api::host::{list_runs, list_suites};
use app::components::filter_box::FilterBox;
use app::components::loading::{LazyView, Loading};
use app::state::browser;
use app::state::excerpt::visible_name;
use app::state::in_address::use_in_address;
use app::state::lazy_pages::ListViews;
use app::state::times::{counted, grouped};
use app::state::use_page;

/// How often the list is read while a run is running.
const PERIOD: Duration = Duration::from_secs(2);
/// So many rows are drawn at first, and more at each press of the button.
const BATCH: usize = 200;

/// The keys of the list.
const SHORTCUTS: &[Group] = &[(
    "Suites and runs",
    &[
        ("↓ J", "Next row"),
        ("↑ K", "Previous row"),
        ("Home", "First row"),
        ("End", "Last row"),
        ("↵", "Open the run, or run the suite"),
    ],
)];

/// The list.
#[component]
pub fn Runs() -> impl IntoView {
    let list =
        use_fetched(list_runs, PERIOD, |list: &RunList| list.runs.iter().any(|run| run.is_running));
    let suites = use_fetched(list_suites, PERIOD, |_: &SuiteList| false);
    let arrived = Memo::new(move |_| list.arrived());
    let is_empty = Memo::new(move |_| list.get().is_none_or(|list| list.runs.is_empty()));
    let draw = move |()| {
        (move || match is_empty.get() {
            true => view! { <NoRuns suites/> }.into_any(),
            false => view! { <Stored list suites/> }.into_any(),
        })
        .into_any()
    };
    offer(Vec::new);
    let query = use_query_map();
    let is_acting = Memo::new(move |_| is_asked(query));
    // Its code is in the part of a run.
    let act = move || {
        let draw = |views: ListViews| (views.page)(None, Memo::new(|_| None));
        is_acting.get().then(|| {
            view! { <LazyView part=use_page().lazy.run meanwhile="Loading the form…" draw/> }
        })
    };
    view! {
        <header class="sheet-head">
            <h1>"Runs"</h1>
            <p class="quiet">
                "Results of " <code>"rehearsal eval"</code>
                {move || list.get().map(|list| view! { ", stored in " <code>{visible_name(&list.store)}</code> })}
            </p>
        </header>
        {act}
        <Loading arrived=move || arrived.get() meanwhile="Loading runs…" draw retry=move |()| list.again()/>
        <Sessions/>
        <Shortcuts groups=SHORTCUTS/>
    }
}

/// Listens to the keys that move between `suites` and so many runs; `to_run` focuses the run of a place.
fn listen_to_rows(
    suites: FoundSuites,
    runs: impl Fn() -> usize + Copy + 'static,
    current: RwSignal<Place>,
    to_run: impl Fn(usize) + Copy + 'static,
) {
    listen(move |event| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        if browser::is_typing() {
            return event.key() == "Escape" && browser::leave_field();
        }
        let counts = (untrack(|| suites.count()), untrack(runs));
        let here = current.get_untracked().within(counts.0, counts.1);
        let Some(to) = place_after(&event.key(), here, counts.0, counts.1) else { return false };
        // The first press goes to the row, the next ones from it.
        let is_step = matches!(event.key().as_str(), "ArrowDown" | "j" | "ArrowUp" | "k");
        let is_here = browser::focused_id() == here.id();
        let to = if is_step && !is_here { here } else { to };
        current.set(to);
        match to {
            Place::Run(at) => to_run(at),
            Place::Suite(_) => focus_row(to),
        }
        true
    });
}

/// Focuses a row, immediately where it is drawn.
fn focus_row(place: Place) {
    if !browser::focus(&place.id()) {
        browser::after_drawing(move || browser::focus(&place.id()));
    }
}

/// Without runs, a suite is run first; without suites, one is written first.
#[component]
fn NoRuns(
    /// The suites.
    suites: Fetched<SuiteList>,
) -> impl IntoView {
    let current = RwSignal::new(Place::Suite(0));
    let no_runs = Memo::new(|_| Arc::from([]));
    let found = FoundSuites::new(suites, no_runs, Signal::stored(String::new()), current);
    listen_to_rows(found, || 0, current, |_| ());
    let has_suites = Memo::new(move |_| suites.get().map(|list| !list.suites.is_empty()));
    let next = move || {
        match has_suites.get() {
        None => view! { <p>"Looking for suites…"</p> }.into_any(),
        Some(true) => view! { <p>"Run a suite to see its results here."</p> }.into_any(),
        Some(false) => view! {
            <p>"No suite is in the folders of this host. Write one from a case of an eval set:"</p>
            <pre class="connect">"rehearsal eval init EVALSET --case ID --output NAME.eval.yaml"</pre>
        }
        .into_any(),
    }
    };
    view! {
        <div class=move || if has_suites.get() == Some(true) { "runs-none" } else { "empty centred" }>
            <h2>"No stored runs yet"</h2>
            {next}
        </div>
        <SuiteTable suites=found/>
    }
}

/// What the reader asks of the list, in the address.
#[component]
fn Stored(
    /// The list.
    list: Fetched<RunList>,
    /// The suites.
    suites: Fetched<SuiteList>,
) -> impl IntoView {
    let (show, forks, suite) =
        (use_in_address("show"), use_in_address("forks"), use_in_address("suite"));
    let searched = RwSignal::new(untrack(|| suite.get()).unwrap_or_default());
    // The address follows the field.
    Effect::new(move |before: Option<()>| {
        let typed = searched.get();
        if before.is_some() {
            suite.set((!typed.is_empty()).then_some(typed));
        }
    });
    let asked = Memo::new(move |_| Asked {
        show: Shown::of_name(show.get().as_deref()),
        hides_forks: forks.get().is_some(),
        searched: searched.get(),
    });
    let runs = move || {
        list.get()
            .map_or_else(|| Arc::from([]), |list| Arc::<[RunSummary]>::from(list.runs.as_slice()))
    };
    let runs = Memo::new(move |_| runs());
    let rows = Memo::new(move |_| rows(&runs.read(), &asked.read()));
    let shown = RwSignal::new(BATCH);
    let current = RwSignal::new(Place::Run(0));
    let found = FoundSuites::new(suites, runs, searched.into(), current);
    let to_run = move |row: usize| {
        if row >= shown.get_untracked() {
            shown.set(row + BATCH);
        }
        focus_row(Place::Run(row));
    };
    let go_to = move |row: usize| {
        current.set(Place::Run(row));
        to_run(row);
    };
    listen_to_rows(found, move || rows.read().len(), current, to_run);
    let filter = move |kind: Shown| {
        let count = Memo::new(move |_| asked.read().count(kind, &runs.read()));
        view! {
            <button
                type="button"
                aria-pressed=move || (asked.read().show == kind).to_string()
                on:click=move |_| show.set(kind.name().map(str::to_owned))
            >
                {kind.label()} " " <span class="ink-count">{count}</span>
            </button>
        }
    };
    let has_forks = Memo::new(move |_| runs.read().iter().any(|run| run.fork_of.is_some()));
    let count = Signal::derive(move || counted(rows.read().len(), "run", "runs"));
    let drawn = move || {
        let rows = rows.read();
        rows.iter().take(shown.get()).cloned().enumerate().collect::<Vec<_>>()
    };
    let trends = Memo::new(move |_| trends(&runs.read(), &searched.read()));
    let trends = move || {
        let trends = trends.get();
        (!trends.is_empty()).then(|| view! { <Trends trends/> })
    };
    view! {
        <div class="live-filters runs-filters">
            <FilterBox
                searched
                placeholder="Filter suites"
                count
                to_list=Callback::new(move |()| go_to(0))
            />
            <span class="switch" role="group" aria-label="Show">
                {Shown::EACH.into_iter().map(filter).collect_view()}
            </span>
            <span class="grow"></span>
            <Show when=move || has_forks.get()>
                <label class="runs-check">
                    <input
                        type="checkbox"
                        prop:checked=move || !asked.read().hides_forks
                        on:change=move |event| forks.set((!event_target_checked(&event)).then(|| "hidden".to_owned()))
                    />
                    "Show forks"
                </label>
            </Show>
        </div>
        <SuiteTable suites=found/>
        {trends}
        <table class="sets runs-list" aria-label="Runs">
            <thead>
                <tr>
                    <th scope="col">"Run"</th>
                    <th scope="col">"Suites"</th>
                    <th scope="col" class="figure">"Passed"</th>
                    <th scope="col" class="figure">"Duration"</th>
                    <th scope="col" class="figure">"Tokens"</th>
                    <th scope="col" class="figure">"Began"</th>
                </tr>
            </thead>
            <tbody>
                <For each=drawn key=|(at, row)| (*at, changing(row)) let((at, row))>
                    <RunRow at row current/>
                </For>
            </tbody>
        </table>
        <Show when=move || rows.read().is_empty()>
            <p class="empty">"No matching runs"</p>
        </Show>
        <Show when=move || { rows.read().len() > shown.get() }>
            <p class="report-line">
                <button type="button" class="link" on:click=move |_| shown.update(|shown| *shown += BATCH)>
                    {move || format!("Show more of {} runs", grouped(rows.read().len()))}
                </button>
            </p>
        </Show>
    }
}

/// What of a row can change.
fn changing(row: &Row) -> (i64, bool, bool, [u64; 5]) {
    let RunSummary { run, counts, duration_ms, tokens, is_running, .. } = &row.run;
    let figures = [counts.passed, counts.all(), counts.unscored, *duration_ms, *tokens];
    (*run, row.is_below, *is_running, figures)
}

#[component]
fn RunRow(
    /// Its place, from 0.
    at: usize,
    /// The run.
    row: Row,
    /// The row that the arrow keys are at.
    current: RwSignal<Place>,
) -> impl IntoView {
    let Row { run, is_below } = row;
    let RunSummary {
        run,
        suites,
        began,
        counts,
        duration_ms,
        tokens,
        fork_of,
        recorded,
        is_running,
        ..
    } = run;
    let fork = fork_of.map(|fork| view! { <span class="chip">{fork_text(&fork)}</span> });
    view! {
        <tr class:runs-below=is_below>
            <th scope="row">
                <a
                    id=Place::Run(at).id()
                    href=run_address(run)
                    on:focus=move |_| current.set(Place::Run(at))
                >
                    "Run " {run}
                </a>
                {fork}
                {recorded.map(recorded_chip)}
                {is_running.then(running)}
            </th>
            <td class="runs-suites"><Suites suites/></td>
            <td class="figure">{recorded.is_none().then(|| view! { {passed_text(counts)} " " {share(counts)} })}</td>
            <td class="figure">{duration_text(duration_ms)}</td>
            <td class="figure">{(tokens > 0).then(|| number(tokens))}</td>
            <td class="figure"><Began began/></td>
        </tr>
    }
}
