//! The results of a run as a table, of which only the rows in sight are drawn.

use std::sync::Arc;

use api::{CaseRunSummary, RunDetail};
use leptos::html;
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;

use super::head::{Verdict, duration_text, number, verdict_class};
use super::metrics::{metric_cell, metrics_cell};
use super::state::fetched::Fetched;
use super::state::results::{
    Asked, Column, Facet, GIVEN, METRIC_COLUMNS, VERDICTS, count, metric_names, metric_of, rows,
    verdict_named,
};
use super::state::row_keys::row_after;
use crate::live::state::window::{OpenRows, Window};
use crate::shared::keys::{listen, offer};
use crate::shared::run_address::case_address;
use crate::shared::shortcuts::{Group, Shortcuts};
use crate::shared::sort_head::{Order, SortHead, use_order};
use app::components::filter_box::FilterBox;
use app::state::base_path::unresolved;
use app::state::browser;
use app::state::excerpt::visible_name;
use app::state::in_address::{InAddress, use_in_address};
use app::state::times::grouped;

/// The assumed height of the view until it is measured, in pixels.
const VIEW: f64 = 600.0;
/// The height of the table's head, in pixels, as the stylesheet has it.
const HEAD: f64 = 30.0;

/// The keys of the table.
const SHORTCUTS: &[Group] = &[(
    "Results",
    &[
        ("↓ J", "Next result"),
        ("↑ K", "Previous result"),
        ("Home", "First result"),
        ("End", "Last result"),
        ("↵", "Open the result"),
    ],
)];

/// What the parts of the table share, as small as its handles.
#[derive(Clone, Copy)]
struct Table {
    cases: Memo<Arc<[CaseRunSummary]>>,
    metrics: Memo<Vec<String>>,
    rows: Memo<Vec<usize>>,
    has_repeats: Memo<bool>,
    has_suites: Memo<bool>,
    order: Order<Column>,
    /// The row that the arrow keys are at.
    current: RwSignal<usize>,
    frame: NodeRef<html::Div>,
    scrolled: RwSignal<f64>,
    height: RwSignal<f64>,
    window: Memo<Window>,
}

impl Table {
    /// Takes over how far the table is scrolled and how high it is.
    fn measure(self) {
        if let Some(frame) = self.frame.try_get_untracked().flatten() {
            let seen = f64::from(frame.client_height());
            self.scrolled.set(f64::from(frame.scroll_top()));
            self.height.set(if seen > 0.0 { seen } else { VIEW });
        }
    }

    fn press(self, event: &leptos::ev::KeyboardEvent) -> bool {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        if browser::is_typing() {
            return event.key() == "Escape" && browser::leave_field();
        }
        let here = self.current.get_untracked();
        let count = self.rows.read_untracked().len();
        let Some(to) = row_after(&event.key(), here, count) else { return false };
        // The first press goes to the row, the next ones from it.
        let is_step = matches!(event.key().as_str(), "ArrowDown" | "j" | "ArrowUp" | "k");
        let is_here = browser::focused_id() == row_id(here);
        self.go_to(if is_step && !is_here { here.min(count - 1) } else { to });
        true
    }

    fn go_to(self, row: usize) {
        self.current.set(row);
        if let Some(frame) = self.frame.get_untracked() {
            let rows = OpenRows::default();
            let (top, bottom) = (rows.top(row as u64 + 1), rows.top(row as u64 + 2));
            let (from, seen) = (f64::from(frame.scroll_top()), f64::from(frame.client_height()));
            if top < from {
                frame.set_scroll_top(pixels(top));
            } else if bottom + HEAD > from + seen {
                frame.set_scroll_top(pixels(bottom + HEAD - seen));
            }
            self.measure();
        }
        // Immediately where the row is drawn, so that the next key press reaches it.
        if !browser::focus(&row_id(row)) {
            browser::after_drawing(move || browser::focus(&row_id(row)));
        }
    }

    /// The rows to draw: the place in the table, the columns and the result. Tracked.
    fn drawn(self) -> Vec<(usize, (usize, bool), CaseRunSummary)> {
        let window = self.window.get();
        // A result of a run that is running may bring another column.
        let columns = (self.metrics.read().len(), self.has_repeats.get());
        let (rows, cases) = (self.rows.read(), self.cases.read());
        let row = |at: u64| {
            let at = usize::try_from(at).ok()?.checked_sub(1)?;
            Some((at, columns, cases.get(*rows.get(at)?)?.clone()))
        };
        (window.first..=window.last).filter_map(row).collect()
    }
}

/// The results, with their filters.
#[component]
pub(super) fn Results(
    /// The run.
    detail: Fetched<RunDetail>,
) -> impl IntoView {
    let (show, text) = (use_in_address("show"), use_in_address("text"));
    let facets = Facet::EACH.map(|facet| use_in_address(facet.name()));
    let order = use_order(GIVEN);
    let searched = RwSignal::new(untrack(|| text.get()).unwrap_or_default());
    // The address follows the field.
    Effect::new(move |before: Option<()>| {
        let typed = searched.get();
        if before.is_some() {
            text.set((!typed.is_empty()).then_some(typed));
        }
    });
    let cases = Memo::new(move |_| {
        detail
            .get()
            .map_or_else(|| Arc::from([]), |detail| Arc::<[_]>::from(detail.cases.as_slice()))
    });
    let metrics = Memo::new(move |_| metric_names(&cases.read()));
    let asked = Memo::new(move |_| Asked {
        verdict: verdict_named(show.get().as_deref()),
        facets: facets.map(InAddress::get),
        searched: searched.get(),
    });
    let rows = Memo::new(move |_| rows(&cases.read(), &metrics.read(), &asked.read(), order.get()));
    let (scrolled, height) = (RwSignal::new(0.0), RwSignal::new(VIEW));
    let table = Table {
        cases,
        metrics,
        rows,
        has_repeats: Memo::new(move |_| cases.read().iter().any(|case| case.id.repeat > 1)),
        has_suites: Memo::new(move |_| detail.get().is_some_and(|it| it.summary.suites.len() > 1)),
        order,
        current: RwSignal::new(0),
        frame: NodeRef::new(),
        scrolled,
        height,
        window: Memo::new(move |_| {
            let count = rows.read().len() as u64;
            OpenRows::default().window(count, scrolled.get(), height.get())
        }),
    };
    // Another filter begins at its top.
    Effect::new(move |before: Option<()>| {
        asked.track();
        let _ = order.get();
        if before.is_some() {
            table.current.set(0);
            if let Some(frame) = table.frame.get_untracked() {
                frame.set_scroll_top(0);
            }
            browser::after_drawing(move || table.measure());
        }
    });
    Effect::new(move |_| {
        if let Some(frame) = table.frame.get() {
            browser::watch_height(&frame, move |_| table.measure());
        }
    });
    listen(move |event| table.press(event));
    offer(Vec::new);
    let counts = Memo::new(move |_| detail.get().map(|it| it.summary.counts).unwrap_or_default());
    let chip = move |(status, name): (report_view::RunStatus, &'static str)| {
        let results = Memo::new(move |_| count(counts.get(), status));
        let is_shown = Memo::new(move |_| asked.read().verdict == Some(status));
        let word = match name {
            "error" => "errors",
            other => other,
        };
        let button = move || {
            let choose = move |_| show.set((!is_shown.get_untracked()).then(|| name.to_owned()));
            view! {
                <button
                    type="button"
                    class=format!("report-count {}", verdict_class(status))
                    class:none=move || results.get() == 0
                    aria-pressed=move || is_shown.get().to_string()
                    on:click=choose
                >
                    <b>{move || number(results.get())}</b>
                    <span>{word}</span>
                </button>
            }
        };
        // Few runs are ended by a limit.
        let is_drawn =
            Memo::new(move |_| name != "terminated" || results.get() > 0 || is_shown.get());
        view! { <Show when=move || is_drawn.get()>{button}</Show> }
    };
    let count = Signal::derive(move || {
        let (shown, all) = (rows.read().len(), cases.read().len());
        match shown == all {
            true if all == 1 => "1 result".to_owned(),
            true => format!("{} results", grouped(all)),
            false => format!("{} of {}", grouped(shown), grouped(all)),
        }
    });
    let open_first = Callback::new({
        let navigate = StoredValue::new_local(use_navigate());
        move |()| {
            let first = rows.read_untracked().first().copied();
            let id = first.and_then(|at| Some(cases.read_untracked().get(at)?.id.clone()));
            if let Some(id) = id {
                let path = case_address(&id, table.has_suites.get_untracked(), None);
                navigate.with_value(|go| go(&path, unresolved()));
            }
        }
    });
    view! {
        <div class="report-summary runs-summary">
            <div class="report-counts" role="group" aria-label="Show only">
                {VERDICTS.map(chip).into_iter().collect_view()}
            </div>
            <FilterBox
                searched
                placeholder="Filter results by case, reason or metric"
                label="Filter results"
                count
                to_list=Callback::new(move |()| table.go_to(0))
                open_first
            />
        </div>
        <Facets cases facets/>
        <Rows table/>
        <Shortcuts groups=SHORTCUTS/>
    }
}

/// A choice for each facet that results have values of.
#[component]
fn Facets(
    /// The results.
    cases: Memo<Arc<[CaseRunSummary]>>,
    /// What is chosen.
    facets: [InAddress; 4],
) -> impl IntoView {
    let choice = move |(facet, chosen): (Facet, InAddress)| {
        let options = Memo::new(move |_| facet.options(&cases.read(), chosen.get().as_deref()));
        let option = move |value: String| {
            let is_chosen = chosen.get().as_ref() == Some(&value);
            let shown = visible_name(&value);
            view! { <option value=value selected=is_chosen>{shown}</option> }
        };
        let choose = move |event: leptos::ev::Event| {
            let value = event_target_value(&event);
            chosen.set((!value.is_empty()).then_some(value));
        };
        let select = move || {
            view! {
                <label class="runs-facet">
                    {facet.label()}
                    <select class="input" on:change=choose>
                        <option value="">"any"</option>
                        {move || options.get().into_iter().map(option).collect_view()}
                    </select>
                </label>
            }
        };
        view! { <Show when=move || !options.read().is_empty()>{select}</Show> }
    };
    view! {
        <div class="runs-facets" role="group" aria-label="Filter by">
            {Facet::EACH.into_iter().zip(facets).map(choice).collect_view()}
        </div>
    }
}

#[component]
fn Rows(
    /// The table.
    table: Table,
) -> impl IntoView {
    let Table { order, metrics, has_repeats, .. } = table;
    let columns = Memo::new(move |_| metrics.read().len() <= METRIC_COLUMNS);
    let heads = move || match columns.get() {
        true => {
            let heads = metrics.get().into_iter().enumerate().map(|(at, name)| {
                view! { <SortHead column=Column::Metric(at) label=visible_name(&name) order is_figure=true/> }
            });
            heads.collect_view().into_any()
        }
        false => view! { <th scope="col">"Metrics"</th> }.into_any(),
    };
    let cols = move || {
        let metrics = match columns.get() {
            true => metrics
                .read()
                .iter()
                .map(|name| {
                    let width = metric_width(name, metrics.read().len());
                    view! { <col style:width=format!("{width}px")/> }
                })
                .collect_view()
                .into_any(),
            false => view! { <col class="runs-metrics"/> }.into_any(),
        };
        view! {
            <col class="runs-verdict"/>
            <col class="runs-case"/>
            {has_repeats.get().then(|| view! { <col class="runs-number"/> })}
            {metrics}
            <col class="runs-why"/>
            <col class="runs-number"/>
            <col class="runs-time"/>
            <col class="runs-time"/>
        }
    };
    view! {
        <div class="live-rows runs-results" node_ref=table.frame on:scroll=move |_| table.measure()>
            <table class="sets live-list" aria-label="Results" aria-rowcount=move || (table.rows.read().len() + 1).to_string()>
                <colgroup>{cols}</colgroup>
                <thead>
                    <tr>
                        <SortHead column=Column::Verdict label="Verdict" order/>
                        <SortHead column=Column::Case label="Case" order/>
                        {move || has_repeats.get().then(|| view! { <SortHead column=Column::Repeat label="Repeat" order is_figure=true/> })}
                        {heads}
                        <th scope="col">"Reason"</th>
                        <SortHead column=Column::Turns label="Turns" order is_figure=true/>
                        <SortHead column=Column::Duration label="Duration" order is_figure=true/>
                        <SortHead column=Column::Tokens label="Tokens" order is_figure=true/>
                    </tr>
                </thead>
                <tbody>
                    <tr role="none" class="space" style:height=move || format!("{}px", table.window.read().above)></tr>
                    <For each=move || table.drawn() key=|(at, columns, case)| (*at, *columns, case.id.clone()) let((at, _, case))>
                        <ResultRow table at case/>
                    </For>
                    <tr role="none" class="space" style:height=move || format!("{}px", table.window.read().below)></tr>
                </tbody>
            </table>
            <Show when=move || table.rows.read().is_empty()><p class="empty">
                {move || if table.cases.read().is_empty() { "No results yet" } else { "No matching results" }}
            </p></Show>
        </div>
    }
}

#[component]
fn ResultRow(
    /// The table.
    table: Table,
    /// Its place, from 0.
    at: usize,
    /// The result.
    case: CaseRunSummary,
) -> impl IntoView {
    let metrics = table.metrics.get_untracked();
    let metrics = match metrics.len() <= METRIC_COLUMNS {
        true => {
            metrics.iter().map(|name| metric_cell(metric_of(&case, name))).collect_view().into_any()
        }
        false => metrics_cell(&case.metrics),
    };
    let CaseRunSummary { id, status, why, turns, duration_ms, tokens, .. } = case;
    let href = case_address(&id, table.has_suites.get_untracked(), None);
    let name = visible_name(&id.case);
    let why = why.map(|why| visible_name(&why));
    let repeat =
        table.has_repeats.get_untracked().then(|| view! { <td class="figure">{id.repeat}</td> });
    view! {
        <tr aria-rowindex=(at + 2).to_string()>
            <td><Verdict status/></td>
            <th scope="row">
                <a
                    href=href
                    id=row_id(at)
                    title=name
                    tabindex=move || if table.current.get() == at { "0" } else { "-1" }
                    on:focus=move |_| table.current.set(at)
                >
                    {name.clone()}
                </a>
            </th>
            {repeat}
            {metrics}
            <td class="runs-reason" title=why>{why.clone()}</td>
            <td class="figure">{turns}</td>
            <td class="figure">{duration_text(duration_ms)}</td>
            <td class="figure">{(tokens > 0).then(|| number(tokens))}</td>
        </tr>
    }
}

/// How wide the column of a metric is, in pixels: as wide as its name where few share the room.
fn metric_width(name: &str, metrics: usize) -> usize {
    const LETTER: usize = 7;
    const SPACE: usize = 28;
    let most = if metrics > 3 { 92 } else { 160 };
    (name.chars().count() * LETTER + SPACE).clamp(84, most)
}

/// The id of a row's link in the document.
fn row_id(row: usize) -> String {
    format!("result-row-{row}")
}

/// Places on a screen are far from the ends of an `i32`.
#[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates")]
fn pixels(place: f64) -> i32 {
    place as i32
}
