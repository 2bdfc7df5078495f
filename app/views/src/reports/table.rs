//! The cases of a report: scores by criterion, sorted and filtered, of which only those in sight are
//! drawn.

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use report_view::{CaseVerdict, Change, Column, EvalCaseResult, Report, Row, figure};

use super::distribution::signed;
use crate::reports::state::report_state::{ROW, ReportState, Shared, window};
use app::components::icon::{Glyph, Icon};
use app::state::browser;
use app::state::excerpt::{visible_name, visible_text};
use app::state::times::grouped;

/// The assumed height of the view until it is measured, in pixels.
const VIEW: f64 = 600.0;
/// How much of the reason for a failure a row shows, in characters.
const WHY: usize = 300;
/// How many rows PageDown and PageUp move by.
const PAGE: usize = 15;

/// How wide the columns are, in pixels.
struct Widths {
    verdict: usize,
    name: usize,
    change: usize,
    /// The least.
    score: usize,
    /// The least; none where the reason for a failure is shown elsewhere.
    why: Option<usize>,
}

/// Across the whole page.
const ALONE: Widths = Widths { verdict: 92, name: 180, change: 124, score: 84, why: Some(240) };
/// Beside an open case, which shows the reason itself: three criteria and a baseline fit half of 1280
/// pixels.
const BESIDE_A_CASE: Widths = Widths { verdict: 72, name: 108, change: 134, score: 56, why: None };
/// Between two columns.
const GAP: usize = 10;
/// Beside the first and the last column together.
const MARGINS: usize = 32;
/// A letter of a head, at most.
const LETTER: usize = 8;
/// The arrow of the column that orders.
const ARROW: usize = 14;
/// The column of the cases is not wider: the reason for a failure needs the room.
const WIDEST_NAME: &str = "32vw";

impl Widths {
    fn of(is_open: bool) -> &'static Self {
        if is_open { &BESIDE_A_CASE } else { &ALONE }
    }

    /// As CSS has the columns of a grid. The longest name of a case has so many characters.
    fn columns(&self, criteria: &[String], longest_name: usize, has_change: bool) -> String {
        let Self { verdict, name, change, score: least, why } = self;
        let change = if has_change { format!(" {change}px") } else { String::new() };
        // As wide as its head, where there is room.
        let scores = criteria.iter().map(|criterion| {
            let most = (criterion.chars().count() * LETTER + ARROW).max(*least);
            format!(" minmax({least}px, {most}px)")
        });
        let scores: String = scores.collect();
        match why {
            // The reason gets what the others leave.
            Some(why) => {
                let most = longest_name * LETTER;
                format!(
                    "{verdict}px minmax({name}px, min({most}px, {WIDEST_NAME})){change}{scores} \
                     minmax({why}px, 1fr)"
                )
            }
            None => format!("{verdict}px minmax({name}px, 1fr){change}{scores}"),
        }
    }

    /// What a row needs at least.
    fn least(&self, criteria: usize, has_change: bool) -> usize {
        let change = if has_change { self.change } else { 0 };
        let columns = 2 + criteria + usize::from(has_change) + usize::from(self.why.is_some());
        let texts = self.verdict + self.name + change + self.why.unwrap_or_default();
        texts + self.score * criteria + GAP * (columns - 1) + MARGINS
    }
}

/// The indexes of the criteria: first those with a score in any case.
fn in_order(report: &Report) -> Vec<usize> {
    let mut order: Vec<usize> = (0..report.criteria.len()).collect();
    order.sort_by_key(|criterion| !report.is_scored(*criterion));
    order
}

/// A name that may be broken after its underscores.
pub(super) fn broken(name: &str) -> AnyView {
    let name = visible_name(name);
    let parts = name.split_inclusive('_').map(|part| view! { {part.to_owned()} <wbr/> });
    parts.collect_view().into_any()
}

/// What the parts of the table share, as small as its handles.
#[derive(Clone, Copy)]
struct Table {
    report_state: ReportState,
    report: StoredValue<Shared<Report>>,
    /// The rows that pass the filter, in order.
    rows: Memo<Vec<Row>>,
    /// The id of the open case.
    case: Memo<Option<String>>,
    /// The indexes of the criteria, in the order of their columns.
    order: StoredValue<Vec<usize>>,
    /// The row in the tab order.
    current: RwSignal<usize>,
    list: NodeRef<html::Div>,
    /// How far the list is scrolled, in pixels.
    scrolled: RwSignal<f64>,
    /// The height of the list, in pixels.
    height: RwSignal<f64>,
}

impl Table {
    /// Tracked.
    fn count(self) -> usize {
        self.rows.read().len()
    }

    /// Tracked.
    fn is_case_open(self) -> bool {
        self.case.read().is_some()
    }

    /// Takes over the list's height and scroll position.
    fn measure(self) {
        if let Some(list) = self.list.try_get_untracked().flatten() {
            let seen = f64::from(list.client_height());
            self.scrolled.set(f64::from(list.scroll_top()));
            self.height.set(if seen > 0.0 { seen } else { VIEW });
        }
    }

    fn scroll_to_top(self) {
        if let Some(list) = self.list.try_get_untracked().flatten() {
            list.set_scroll_top(0);
        }
        self.measure();
    }

    /// Scrolls just far enough to show a row.
    fn reveal(self, row: usize) {
        let Some(list) = self.list.try_get_untracked().flatten() else { return };
        #[expect(clippy::cast_precision_loss, reason = "no report has 2^53 cases")]
        let top = row as f64 * ROW;
        let (from, seen) = (f64::from(list.scroll_top()), f64::from(list.client_height()));
        if top < from {
            list.set_scroll_top(pixels(top));
        } else if top + 2.0 * ROW > from + seen {
            // The head covers the first row.
            list.set_scroll_top(pixels(top + 2.0 * ROW - seen));
        }
        self.measure();
    }

    /// The row of the open case, if it passes the filter.
    fn row_of_case(self) -> Option<usize> {
        let case = self.case.get_untracked()?;
        let wanted = self.report.with_value(|report| report.find(&case))?;
        self.rows.read_untracked().iter().position(|row| *row == Row::Case(wanted))
    }

    /// Moves to the row of the case that is opened, and shows it where a link opened it.
    fn follow_case(self) {
        Effect::new(move |before: Option<()>| {
            self.case.track();
            let Some(row) = self.row_of_case() else { return };
            self.current.set(row);
            if before.is_none() {
                browser::after_drawing(move || self.reveal(row));
            }
        });
    }

    /// Scrolls to the top, or to the open case, after another order or filter.
    fn follow_rows(self) {
        Effect::new(move |before: Option<()>| {
            self.rows.track();
            if before.is_none() {
                return;
            }
            let open = self.row_of_case();
            self.current.set(open.unwrap_or_default());
            browser::after_drawing(move || match open {
                Some(row) => self.reveal(row),
                None => self.scroll_to_top(),
            });
        });
    }

    fn press(self, event: &ev::KeyboardEvent) {
        if browser::is_typing() {
            return;
        }
        let count = self.rows.read_untracked().len();
        let Some(row) = row_after(&event.key(), self.current.get_untracked(), count) else {
            return;
        };
        event.prevent_default();
        self.current.set(row);
        self.reveal(row);
        // Immediately where the row is drawn, so that the next key press reaches it.
        if !browser::focus(&row_id(row)) {
            browser::after_drawing(move || browser::focus(&row_id(row)));
        }
    }

    /// The first row that is drawn and the one after the last. Tracked.
    fn drawn(self) -> (usize, usize) {
        let (range, ..) = window(self.count(), self.scrolled.get(), self.height.get());
        (range.start, range.end)
    }

    /// The heights of the rows above and below those that are drawn, in pixels. Tracked.
    fn spaces(self) -> (f64, f64) {
        let (_, above, below) = window(self.count(), self.scrolled.get(), self.height.get());
        (above, below)
    }

    /// The length of the longest title with its id, in characters.
    fn longest_name(self) -> usize {
        let names = |report: &Shared<Report>| {
            let length = |case: &EvalCaseResult| {
                let id = id_beside_title(case).map_or(0, |id| id.chars().count() + 1);
                label(case).chars().count() + id
            };
            let lengths = report.cases.iter().map(length);
            lengths.max().unwrap_or_default()
        };
        self.report.with_value(names)
    }

    /// The names of the criteria, in the order of their columns.
    fn criteria(self) -> Vec<String> {
        let names = self.report.with_value(|report| report.criteria.clone());
        self.order
            .with_value(|order| order.iter().filter_map(|it| names.get(*it).cloned()).collect())
    }
}

/// The row of `count` that `key` moves to from row `current`; none for other keys.
fn row_after(key: &str, current: usize, count: usize) -> Option<usize> {
    let last = count.saturating_sub(1);
    match key {
        "ArrowDown" | "j" => Some((current + 1).min(last)),
        "ArrowUp" | "k" => Some(current.saturating_sub(1)),
        "PageDown" => Some((current + PAGE).min(last)),
        "PageUp" => Some(current.saturating_sub(PAGE)),
        "Home" => Some(0),
        "End" => Some(last),
        _ => None,
    }
}

/// The id of a row's link in the document.
fn row_id(row: usize) -> String {
    format!("report-row-{row}")
}

/// The cases that pass the filter.
#[component]
pub(super) fn CaseTable(
    /// The page of the report.
    report_state: ReportState,
    /// The report.
    report: Shared<Report>,
    /// The rows that pass the filter, in order.
    rows: Memo<Vec<Row>>,
    /// The id of the open case.
    case: Memo<Option<String>>,
) -> impl IntoView {
    let table = Table {
        report_state,
        order: StoredValue::new(in_order(&report)),
        report: StoredValue::new(report),
        rows,
        case,
        current: RwSignal::new(0),
        list: NodeRef::new(),
        scrolled: RwSignal::new(0.0),
        height: RwSignal::new(VIEW),
    };
    Effect::new(move |_| {
        if let Some(list) = table.list.get() {
            browser::watch_height(&list, move |_| table.measure());
        }
    });
    table.follow_case();
    table.follow_rows();
    let criteria = StoredValue::new(table.criteria());
    let has_since = Memo::new(move |_| report_state.since.read().is_some());
    let widths = move || Widths::of(table.is_case_open());
    let longest_name = table.longest_name();
    let columns = move || {
        criteria.with_value(|criteria| widths().columns(criteria, longest_name, has_since.get()))
    };
    let width =
        move || format!("{}px", widths().least(criteria.read_value().len(), has_since.get()));
    let drawn = Memo::new(move |_| table.drawn());
    let shown = move || {
        let (first, last) = drawn.get();
        let rows = rows.read();
        (first..last).filter_map(|at| Some((at, *rows.get(at)?))).collect::<Vec<_>>()
    };
    view! {
        <div
            class="report-table"
            role="table"
            aria-label="Cases"
            aria-rowcount=move || (table.count() + 1).to_string()
            node_ref=table.list
            style=("--report-columns", columns)
            style=("--report-width", width)
            on:scroll=move |_| table.measure()
            on:keydown=move |event| table.press(&event)
        >
            <Heads table has_since/>
            <div role="rowgroup">
                <div role="none" style:height=move || format!("{}px", table.spaces().0)></div>
                <For each=shown key=|(at, row)| (*at, *row) let((at, row))>
                    <CaseRow table at row/>
                </For>
                <div role="none" style:height=move || format!("{}px", table.spaces().1)></div>
            </div>
            <Show when=move || table.count() == 0>
                <p class="quiet report-none">"No matching cases"</p>
            </Show>
        </div>
    }
}

/// The heads of all columns.
#[component]
fn Heads(
    /// The table.
    table: Table,
    /// Whether the report is compared to a baseline.
    has_since: Memo<bool>,
) -> impl IntoView {
    let report_state = table.report_state;
    let scores = table.order.get_value().into_iter().zip(table.criteria());
    let scores = scores.map(|(criterion, name)| {
        view! { <Head report_state column=Column::Score(criterion) label=visible_name(&name) is_figure=true/> }
    });
    view! {
        <div role="rowgroup" class="report-heads">
            <div role="row" class="report-row" aria-rowindex="1">
                <Head report_state column=Column::Verdict label="Verdict".to_owned()/>
                <Head report_state column=Column::Name label="Case".to_owned()/>
                <Show when=move || has_since.get()>
                    <Head report_state column=Column::Change label="Change".to_owned()/>
                </Show>
                {scores.collect_view()}
                <Show when=move || !table.is_case_open()>
                    <span role="columnheader" class="report-head">"Reason"</span>
                </Show>
            </div>
        </div>
    }
}

/// The head of a column, which sorts by it.
#[component]
fn Head(
    /// The report.
    report_state: ReportState,
    /// The column.
    column: Column,
    /// Its name.
    label: String,
    /// Whether it contains numbers.
    #[prop(optional)]
    is_figure: bool,
) -> impl IntoView {
    let sorted = Memo::new(move |_| {
        report_state
            .sorting()
            .filter(|sorting| sorting.column == column)
            .map(|sorting| sorting.is_down)
    });
    let aria_sort = move || match sorted.get() {
        Some(false) => "ascending",
        Some(true) => "descending",
        None => "none",
    };
    view! {
        <span role="columnheader" class="report-head" class:figure=is_figure aria-sort=aria_sort>
            <button type="button" title=label on:click=move |_| report_state.sort_by(column)>
                <span>{label.clone()}</span>
                {move || sorted.get().map(|is_down| view! {
                    <span class="report-arrow" class:up=!is_down aria-hidden="true"><Icon glyph=Glyph::Down/></span>
                })}
            </button>
        </span>
    }
}

/// One case, or one that only the baseline has.
#[component]
fn CaseRow(
    /// The table.
    table: Table,
    /// The row's position among those that pass the filter, from 0.
    at: usize,
    /// The case.
    row: Row,
) -> impl IntoView {
    let report_state = table.report_state;
    let report = table.report.get_value();
    let since = report_state.since.get_untracked();
    let result = match (row, &since) {
        (Row::Gone(index), Some(since)) => since.baseline.cases.get(index),
        (Row::Gone(_), None) => None,
        (Row::Case(index), _) => report.cases.get(index),
    };
    let Some(result) = result else { return ().into_any() };
    let id = StoredValue::new(result.label().into_owned());
    let name = label(result);
    let shown_id = id_beside_title(result);
    let is_gone = matches!(row, Row::Gone(_));
    let (class, word) = if is_gone { ("gone", "removed") } else { verdict(result.verdict()) };
    let is_chosen =
        Memo::new(move |_| id.with_value(|id| table.case.read().as_deref() == Some(id.as_str())));
    let address = move || id.with_value(|id| report_state.address(Some(id)));
    let scores = table.order.with_value(|order| {
        order.iter().map(|criterion| score(&report, row, *criterion)).collect_view()
    });
    let why = StoredValue::new(why(&report, row));
    let change = move || {
        let since = report_state.since.get()?;
        Some(match row {
            Row::Gone(_) => changed(Change::Gone, 0.0),
            Row::Case(index) => {
                let case = since.changes.cases.get(index)?;
                changed(case.change, case.by)
            }
        })
    };
    view! {
        <div
            role="row"
            class="report-row"
            class:chosen=is_chosen
            aria-rowindex=(at + 2).to_string()
        >
            <span role="cell"><span class=format!("report-verdict {class}")>{word}</span></span>
            <span role="cell" class="report-name">
                <a
                    id=row_id(at)
                    href=address
                    tabindex=move || if table.current.get() == at { "0" } else { "-1" }
                    aria-current=move || is_chosen.get().then_some("true")
                    on:focus=move |_| table.current.set(at)
                >
                    {name}
                </a>
                {shown_id.map(|id| view! { <span class="quiet report-id">{id}</span> })}
            </span>
            {change}
            {scores}
            <Show when=move || !table.is_case_open()>
                <span role="cell" class="report-why" title=why.get_value()>{why.get_value()}</span>
            </Show>
        </div>
    }
    .into_any()
}

/// Why the case of a row failed, shortened for the row.
fn why(report: &Report, row: Row) -> Option<String> {
    let why = match row {
        Row::Case(index) => report.why(index),
        Row::Gone(_) => Some("only the baseline has this case".to_owned()),
    };
    why.map(|why| why.chars().take(WHY).collect())
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
    let word = change.word();
    let class = match change {
        Change::Regressed => "report-worse",
        Change::Improved => "report-better",
        Change::Unclear | Change::New | Change::Gone | Change::Same => "quiet",
    };
    let by = signed(by);
    view! { <span role="cell" class=class title=word>{word} " " {by}</span> }.into_any()
}

/// The title of a case, with its run if it was run repeatedly.
pub(super) fn label(result: &EvalCaseResult) -> String {
    let title = match result.title() {
        "" => "case without an ID",
        title => title,
    };
    visible_text(&match &result.run {
        Some(run) => format!("{title} · {run}"),
        None => title.to_owned(),
    })
}

/// The id of a case whose title is another text.
pub(super) fn id_beside_title(result: &EvalCaseResult) -> Option<String> {
    (result.title() != result.eval_id).then(|| visible_name(&result.eval_id))
}

/// A verdict's class and its word.
pub(super) fn verdict(verdict: CaseVerdict) -> (&'static str, &'static str) {
    let class = match verdict {
        CaseVerdict::Error => "error",
        CaseVerdict::Terminated | CaseVerdict::Failed => "failed",
        CaseVerdict::Unscored => "unscored",
        CaseVerdict::Passed => "passed",
    };
    (class, verdict.word())
}

/// How many of all cases the rows are.
pub(super) fn count_text(rows: usize, all: usize) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_heads_and_the_longest_name() {
        let criteria = ["words".to_owned(), "a_criterion_with_a_name_of_forty_letters".to_owned()];
        let alone = ALONE.columns(&criteria, 40, true);
        let expected = "92px minmax(180px, min(320px, 32vw)) 124px minmax(84px, 84px) \
                        minmax(84px, 334px) minmax(240px, 1fr)";
        assert_eq!(alone, expected);
        let beside = BESIDE_A_CASE.columns(&criteria, 40, false);
        assert_eq!(beside, "72px minmax(108px, 1fr) minmax(56px, 56px) minmax(56px, 334px)");
    }
}
