//! The cases of a report: scores by criterion, sorted and filtered, of which only those in sight are
//! drawn.

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use report_view::{CaseVerdict, Change, Column, EvalCaseResult, Report, Row, figure};

use super::spread::signed;
use crate::reports::state::report_state::{ROW, ReportDesk, Shared, window};
use app::components::icon::{Glyph, Icon};
use app::state::browser;
use app::state::times::grouped;

/// How high the view is taken to be until it has been measured, in pixels.
const VIEW: f64 = 600.0;
/// So much of why a case failed stands in its row, in characters.
const WHY: usize = 300;

/// How wide the columns are, in pixels.
struct Widths {
    verdict: usize,
    name: usize,
    change: usize,
    /// The least.
    score: usize,
    /// The least; nothing where why a case failed stands elsewhere.
    why: Option<usize>,
}

/// Across the whole page.
const ALONE: Widths = Widths { verdict: 92, name: 180, change: 124, score: 84, why: Some(240) };
/// Beside an open case, which says itself why it failed: three criteria and a baseline fit half of
/// 1280 pixels.
const BESIDE_A_CASE: Widths = Widths { verdict: 72, name: 108, change: 134, score: 56, why: None };
/// Between two columns.
const GAP: usize = 10;
/// Beside the first and the last column together.
const MARGINS: usize = 32;
/// A letter of a head, at most.
const LETTER: usize = 8;
/// The arrow of the column that orders.
const ARROW: usize = 14;
/// No head is wider.
const WIDEST: usize = 260;

impl Widths {
    fn of(is_open: bool) -> &'static Self {
        if is_open { &BESIDE_A_CASE } else { &ALONE }
    }

    /// As CSS has the columns of a grid.
    fn columns(&self, criteria: &[String], has_change: bool) -> String {
        let Self { verdict, name, change, score: least, why } = self;
        let change = if has_change { format!(" {change}px") } else { String::new() };
        // As wide as its head, where there is room.
        let scores = criteria.iter().map(|criterion| {
            let most = (criterion.chars().count() * LETTER + ARROW).clamp(*least, WIDEST);
            format!(" minmax({least}px, {most}px)")
        });
        let scores: String = scores.collect();
        let why = why.map(|why| format!(" minmax({why}px, 1.6fr)")).unwrap_or_default();
        format!("{verdict}px minmax({name}px, 1fr){change}{scores}{why}")
    }

    /// What a row needs at least.
    fn least(&self, criteria: usize, has_change: bool) -> usize {
        let change = if has_change { self.change } else { 0 };
        let columns = 2 + criteria + usize::from(has_change) + usize::from(self.why.is_some());
        let texts = self.verdict + self.name + change + self.why.unwrap_or_default();
        texts + self.score * criteria + GAP * (columns - 1) + MARGINS
    }
}

/// The places of the criteria: those first by which any case is scored.
fn in_order(report: &Report) -> Vec<usize> {
    let mut places: Vec<usize> = (0..report.criteria.len()).collect();
    places.sort_by_key(|place| !report.is_scored(*place));
    places
}

/// A name that may be broken behind its underscores.
pub(super) fn broken(name: &str) -> AnyView {
    let parts = name.split_inclusive('_').map(|part| view! { {part.to_owned()} <wbr/> });
    parts.collect_view().into_any()
}

/// The cases that are asked for.
#[component]
pub(super) fn CaseTable(
    /// The report.
    desk: ReportDesk,
    /// Read.
    report: Shared<Report>,
    /// The rows that are asked for.
    rows: Memo<Vec<Row>>,
    /// The id of the case that is open.
    case: Memo<Option<String>>,
) -> impl IntoView {
    let list = NodeRef::<html::Div>::new();
    let scrolled = RwSignal::new(0.0_f64);
    let height = RwSignal::new(VIEW);
    let current = RwSignal::new(0_usize);
    let count = Memo::new(move |_| rows.read().len());
    let look = move || {
        if let Some(list) = list.get_untracked() {
            let seen = f64::from(list.client_height());
            scrolled.set(f64::from(list.scroll_top()));
            height.set(if seen > 0.0 { seen } else { VIEW });
        }
    };
    let reveal = move |to: usize| {
        let Some(list) = list.get_untracked() else { return };
        #[expect(clippy::cast_precision_loss, reason = "no report has 2^53 cases")]
        let top = to as f64 * ROW;
        let (from, seen) = (f64::from(list.scroll_top()), f64::from(list.client_height()));
        if top < from {
            list.set_scroll_top(pixels(top));
        } else if top + 2.0 * ROW > from + seen {
            // The head lies over the first row.
            list.set_scroll_top(pixels(top + 2.0 * ROW - seen));
        }
        look();
    };
    Effect::new(move |_| {
        if let Some(list) = list.get() {
            browser::watch_height(&list, move |_| look());
        }
    });
    let place_of = {
        let report = report.clone();
        move |eval_id: &str| {
            let wanted = report.find(eval_id)?;
            rows.read_untracked().iter().position(|row| *row == Row::Case(wanted))
        }
    };
    let opened = place_of.clone();
    // A link to a case shows its row too.
    Effect::new(move |before: Option<bool>| {
        let is_first = before.is_none();
        if let Some(place) = case.get().as_deref().and_then(&place_of) {
            current.set(place);
            if is_first {
                browser::after_drawing(move || reveal(place));
            }
        }
        true
    });
    // Another order or filter begins at its top, or at the case that is open.
    Effect::new(move |before: Option<()>| {
        rows.track();
        if before.is_some() {
            let open = case.get_untracked().as_deref().and_then(&opened);
            current.set(open.unwrap_or_default());
            browser::after_drawing(move || match open {
                Some(place) => reveal(place),
                None => {
                    if let Some(list) = list.get_untracked() {
                        list.set_scroll_top(0);
                    }
                    look();
                }
            });
        }
    });
    let on_key = move |event: ev::KeyboardEvent| {
        let last = count.get_untracked().saturating_sub(1);
        let here = current.get_untracked();
        let to = match event.key().as_str() {
            _ if browser::is_typing() => return,
            "ArrowDown" | "j" => (here + 1).min(last),
            "ArrowUp" | "k" => here.saturating_sub(1),
            "PageDown" => (here + 15).min(last),
            "PageUp" => here.saturating_sub(15),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        current.set(to);
        reveal(to);
        // At once where it is drawn, so that a key pressed right after meets it.
        if !browser::focus(&format!("report-row-{to}")) {
            browser::after_drawing(move || browser::focus(&format!("report-row-{to}")));
        }
    };
    let seen = Memo::new(move |_| {
        let (range, ..) = window(count.get(), scrolled.get(), height.get());
        (range.start, range.end)
    });
    let space = move |is_above: bool| {
        let (_, above, below) = window(count.get(), scrolled.get(), height.get());
        format!("{}px", if is_above { above } else { below })
    };
    let drawn = move || {
        let (first, last) = seen.get();
        let rows = rows.read();
        (first..last).filter_map(|at| Some((at, *rows.get(at)?))).collect::<Vec<_>>()
    };
    let order = in_order(&report);
    let criteria: Vec<String> =
        order.iter().filter_map(|place| report.criteria.get(*place).cloned()).collect();
    let heads = order.iter().copied().zip(criteria.clone()).collect::<Vec<_>>();
    let criteria = StoredValue::new(criteria);
    let order = StoredValue::new(order);
    let has_since = Memo::new(move |_| desk.since.read().is_some());
    let is_open = Memo::new(move |_| case.read().is_some());
    let columns = move || {
        criteria.with_value(|criteria| Widths::of(is_open.get()).columns(criteria, has_since.get()))
    };
    let width = move || {
        let criteria = criteria.with_value(Vec::len);
        format!("{}px", Widths::of(is_open.get()).least(criteria, has_since.get()))
    };
    let stored = StoredValue::new(report);
    view! {
        <div
            class="report-table"
            role="table"
            aria-label="Cases"
            aria-rowcount=move || (count.get() + 1).to_string()
            node_ref=list
            style=("--report-columns", columns)
            style=("--report-width", width)
            on:scroll=move |_| look()
            on:keydown=on_key
        >
            <div role="rowgroup" class="report-heads">
                <div role="row" class="report-row" aria-rowindex="1">
                    <Head desk column=Column::Verdict label="Verdict".to_owned()/>
                    <Head desk column=Column::Name label="Case".to_owned()/>
                    <Show when=move || has_since.get()>
                        <Head desk column=Column::Change label="Change".to_owned()/>
                    </Show>
                    {heads.into_iter().map(|(place, name)| view! {
                        <Head desk column=Column::Score(place) label=name is_figure=true/>
                    }).collect_view()}
                    <Show when=move || !is_open.get()>
                        <span role="columnheader" class="report-head">"Why"</span>
                    </Show>
                </div>
            </div>
            <div role="rowgroup">
                <div role="none" style:height=move || space(true)></div>
                <For each=drawn key=|(at, row)| (*at, *row) let((at, row))>
                    <CaseRow desk report=stored.get_value() order at row current case/>
                </For>
                <div role="none" style:height=move || space(false)></div>
            </div>
            <Show when=move || count.get() == 0>
                <p class="quiet report-none">"No matching cases"</p>
            </Show>
        </div>
    }
}

/// The head of a column, which sorts by it.
#[component]
fn Head(
    /// The report.
    desk: ReportDesk,
    /// The column.
    column: Column,
    /// Its name.
    label: String,
    /// Whether numbers stand in it.
    #[prop(optional)]
    is_figure: bool,
) -> impl IntoView {
    let sorted = Memo::new(move |_| {
        desk.sorting().filter(|sorting| sorting.column == column).map(|sorting| sorting.is_down)
    });
    let told = move || match sorted.get() {
        Some(false) => "ascending",
        Some(true) => "descending",
        None => "none",
    };
    view! {
        <span role="columnheader" class="report-head" class:figure=is_figure aria-sort=told>
            <button type="button" title=label on:click=move |_| desk.sort_by(column)>
                <span>{label.clone()}</span>
                {move || sorted.get().map(|is_down| view! {
                    <span class="report-arrow" class:up=!is_down aria-hidden="true"><Icon glyph=Glyph::Down/></span>
                })}
            </button>
        </span>
    }
}

#[component]
fn CaseRow(
    /// The report.
    desk: ReportDesk,
    /// Read.
    report: Shared<Report>,
    /// The places of the criteria, as their columns stand.
    order: StoredValue<Vec<usize>>,
    /// Its place among the rows.
    at: usize,
    /// Which case it is.
    row: Row,
    /// The row at which the reader is.
    current: RwSignal<usize>,
    /// The id of the case that is open.
    case: Memo<Option<String>>,
) -> impl IntoView {
    let since = desk.since.get_untracked();
    let result = match (row, &since) {
        (Row::Gone(place), Some(since)) => since.baseline.cases.get(place),
        (Row::Gone(_), None) => None,
        (Row::Case(place), _) => report.cases.get(place),
    };
    let Some(result) = result else { return ().into_any() };
    let id = result.eval_id.clone();
    let shown = name(result).to_owned();
    let is_gone = matches!(row, Row::Gone(_));
    let (class, word) = if is_gone { ("gone", "gone") } else { verdict(result.verdict()) };
    let own = StoredValue::new(id.clone());
    let is_chosen =
        move || own.with_value(|own| case.with(|case| case.as_deref() == Some(own.as_str())));
    let address = move || desk.address(Some(&id));
    let scores = order.with_value(|order| {
        order.iter().map(|criterion| score(&report, row, *criterion)).collect_view()
    });
    let why = match row {
        Row::Case(place) => report.why(place),
        Row::Gone(_) => Some("only the baseline has this case".to_owned()),
    };
    let why = StoredValue::new(why.map(|why| why.chars().take(WHY).collect::<String>()));
    let change = move || {
        let since = desk.since.get()?;
        Some(match row {
            Row::Gone(_) => changed(Change::Gone, 0.0),
            Row::Case(place) => {
                let case = since.changes.cases.get(place)?;
                changed(case.change, case.by)
            }
        })
    };
    let is_open = Memo::new(move |_| case.read().is_some());
    view! {
        <div role="row" class="report-row" class:chosen=is_chosen aria-rowindex=(at + 2).to_string()>
            <span role="cell"><span class=format!("report-verdict {class}")>{word}</span></span>
            <span role="cell" class="report-name">
                <a
                    id=format!("report-row-{at}")
                    href=address
                    tabindex=move || if current.get() == at { "0" } else { "-1" }
                    aria-current=move || is_chosen().then_some("true")
                    on:focus=move |_| current.set(at)
                >
                    {shown}
                </a>
            </span>
            {change}
            {scores}
            <Show when=move || !is_open.get()>
                <span role="cell" class="report-why" title=why.get_value()>{why.get_value()}</span>
            </Show>
        </div>
    }
    .into_any()
}

fn score(report: &Report, row: Row, criterion: usize) -> AnyView {
    let result = match row {
        Row::Case(place) => report.result(place, criterion),
        Row::Gone(_) => None,
    };
    match result.map(|result| (result.score, result.passed)) {
        Some((Some(score), passed)) => {
            let class = if passed == Some(true) { "figure" } else { "figure bad" };
            view! { <span role="cell" class=class>{figure(score)}</span> }.into_any()
        }
        Some((None, _)) => {
            view! { <span role="cell" class="figure unscored">"unscored"</span> }.into_any()
        }
        None => view! { <span role="cell" class="figure quiet">"–"</span> }.into_any(),
    }
}

fn changed(change: Change, by: f64) -> AnyView {
    let (class, word) = match change {
        Change::Regressed => ("report-worse", "regressed"),
        Change::Unclear => ("quiet", "unclear"),
        Change::Improved => ("report-better", "improved"),
        Change::New => ("quiet", "new"),
        Change::Gone => ("quiet", "gone"),
        Change::Same => ("quiet", "same"),
    };
    let by = (by.abs() >= 5e-4).then(|| signed(by));
    view! { <span role="cell" class=class>{word} " " {by}</span> }.into_any()
}

/// What people call a case.
pub(super) fn name(result: &EvalCaseResult) -> &str {
    match result.name.as_deref() {
        Some(name) if !name.trim().is_empty() => name,
        _ if result.eval_id.is_empty() => "case without an ID",
        _ => &result.eval_id,
    }
}

/// A verdict's class and its word.
pub(super) fn verdict(verdict: CaseVerdict) -> (&'static str, &'static str) {
    match verdict {
        CaseVerdict::Error => ("error", "error"),
        CaseVerdict::Failed => ("failed", "failed"),
        CaseVerdict::Unscored => ("unscored", "unscored"),
        CaseVerdict::Passed => ("passed", "passed"),
    }
}

/// How many of all cases the rows are.
pub(super) fn told(rows: usize, all: usize) -> String {
    if rows == all {
        format!("{} {}", grouped(all), if all == 1 { "case" } else { "cases" })
    } else {
        format!("{} of {}", grouped(rows), grouped(all))
    }
}

/// Places on a screen are far from the ends of an `i32`.
#[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates")]
fn pixels(place: f64) -> i32 {
    place as i32
}
