//! [`ReportState`]: the shown report, its baseline, and the filter and order of its cases.

use std::ops::{Deref, Range};
use std::sync::Arc;

use api::{ApiError, ReportId};
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{query_signal_with_options, use_location};
use report_view::{Asked, CaseVerdict, Change, Changes, Column, Report, Row, Sorting, read, rows};

use app::state::base_path::{address, unresolved};
use app::state::browser;
use app::state::case_address::{below, is_case};
use app::state::latest_request::{self, use_latest_request};
use app::state::opened_reports::{OpenedReport, OpenedReports, is_opened};

/// The height of a row in pixels, as the stylesheet has it.
pub const ROW: f64 = 32.0;
/// How many rows are drawn beyond each edge of the visible part.
const BEYOND: usize = 12;

/// A large value that is compared by identity.
#[derive(Debug)]
pub struct Shared<T>(Arc<T>);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Why a report cannot be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unread {
    /// It was opened from a file, and the tab was reloaded since.
    Forgotten,
    /// The file cannot be read or loaded.
    Fault {
        /// The file; empty where only its id is known.
        name: String,
        /// What happened and what to do.
        reason: String,
    },
}

/// The report with an id; `None` while it loads.
type ReportSignal = RwSignal<Option<Result<Shared<Report>, Unread>>>;

/// A baseline and the changes since it.
#[derive(Debug)]
pub struct Since {
    /// The baseline.
    pub baseline: Shared<Report>,
    /// The change of each case.
    pub changes: Changes,
}

/// The shown report, as small as its handles.
#[derive(Clone, Copy)]
pub struct ReportState {
    /// Its id in the address.
    pub id: StoredValue<String>,
    /// The report.
    pub found: ReportSignal,
    /// The id of the baseline that the address names.
    pub baseline: Memo<Option<String>>,
    set_baseline: SignalSetter<Option<String>>,
    /// That baseline.
    pub baseline_found: ReportSignal,
    /// What changed since; `None` without a baseline.
    pub since: Memo<Option<Shared<Since>>>,
    /// The searched text.
    pub searched: RwSignal<String>,
    show: Memo<Option<String>>,
    set_show: SignalSetter<Option<String>>,
    sort: Memo<Option<String>>,
    set_sort: SignalSetter<Option<String>>,
    search: Memo<String>,
}

/// Loads the report with this id.
#[must_use]
pub fn use_report_state(id: String, opened: OpenedReports) -> ReportState {
    let in_place = || NavigateOptions { replace: true, scroll: false, ..unresolved() };
    let (baseline, set_baseline) = query_signal_with_options::<String>("baseline", in_place());
    let (show, set_show) = query_signal_with_options("show", in_place());
    let (sort, set_sort) = query_signal_with_options("sort", in_place());
    let found = RwSignal::new(None);
    let baseline_found: ReportSignal = RwSignal::new(None);
    let own = StoredValue::new(id);
    let (wanted, wanted_baseline) = (use_latest_request(), use_latest_request());
    // Follows the files with these ids, not every opened file.
    let local = Memo::new(move |_| own.with_value(|own| opened.find(own)));
    let local_baseline = Memo::new(move |_| opened.find(&baseline.get()?));
    // Requests the report and its baseline from the host.
    Effect::new(move |_| fetch(own.get_value(), local.get(), found, wanted.ask()));
    Effect::new(move |_| match baseline.get() {
        Some(id) => fetch(id, local_baseline.get(), baseline_found, wanted_baseline.ask()),
        None => {
            wanted_baseline.give_up();
            baseline_found.set(None);
        }
    });
    let since = Memo::new(move |_| {
        let (report, baseline) = (found.get()?.ok()?, baseline_found.get()?.ok()?);
        let changes = Changes::of(&baseline, &report);
        Some(Shared(Arc::new(Since { baseline, changes })))
    });
    ReportState {
        id: own,
        found,
        baseline,
        set_baseline,
        baseline_found,
        since,
        searched: RwSignal::new(String::new()),
        show,
        set_show,
        sort,
        set_sort,
        search: use_location().search,
    }
}

/// Loads the report with an id, from an opened file or from the host, into `found`, unless another one is
/// `asked` for meanwhile.
fn fetch(
    id: String,
    opened: Option<OpenedReport>,
    found: ReportSignal,
    asked: latest_request::Asked,
) {
    found.set(None);
    spawn_local(async move {
        // Draws the loading message first: parsing blocks the page's only thread.
        TimeoutFuture::new(0).await;
        let report = match opened {
            Some(OpenedReport { name, text, .. }) => understood(name, &text),
            None if is_opened(&id) => Err(Unread::Forgotten),
            None => match read_report(ReportId::new(id)).await {
                Ok(text) if asked.is_wanted() => understood(String::new(), &text),
                // Another report is shown meanwhile.
                Ok(_) => return,
                Err(error) => Err(Unread::Fault { name: String::new(), reason: error.to_string() }),
            },
        };
        if asked.is_wanted() {
            found.set(Some(report));
        }
    });
}

/// The text of a report on the host.
async fn read_report(report: ReportId) -> Result<String, ApiError> {
    let lost = |error: browser::NoResponse| ApiError::no_response(&error.0);
    let path = report.text_path(browser::in_address);
    let (status, body) = browser::fetched(&path).await.map_err(lost)?;
    text_of(status, body)
}

/// The text in the host's response, or its error.
fn text_of(status: u16, body: Vec<u8>) -> Result<String, ApiError> {
    if status != 200 {
        let refused = serde_json::from_slice(&body);
        let transport_error = || {
            ApiError::Transport(format!(
                "The host returned HTTP status {status}. See its log for the cause."
            ))
        };
        return Err(refused.unwrap_or_else(|_| transport_error()));
    }
    String::from_utf8(body).map_err(|error| {
        ApiError::Report(format!(
            "The report is not valid UTF-8 at byte {}. Create it again with `rehearsal score \
             --format json --output FILE`.",
            error.utf8_error().valid_up_to()
        ))
    })
}

fn understood(name: String, text: &str) -> Result<Shared<Report>, Unread> {
    match read(text) {
        Ok(report) => Ok(Shared(Arc::new(report))),
        Err(error) => Err(Unread::Fault { name, reason: error.to_string() }),
    }
}

/// A filter of the cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// All.
    All,
    /// Those with this verdict.
    Verdict(CaseVerdict),
    /// Those with this change since the baseline.
    Change(Change),
}

impl Shown {
    const NAMES: [(Self, &'static str); 11] = [
        (Self::Verdict(CaseVerdict::Error), "error"),
        (Self::Verdict(CaseVerdict::Terminated), "terminated"),
        (Self::Verdict(CaseVerdict::Failed), "failed"),
        (Self::Verdict(CaseVerdict::Unscored), "unscored"),
        (Self::Verdict(CaseVerdict::Passed), "passed"),
        (Self::Change(Change::Regressed), "regressed"),
        (Self::Change(Change::Unclear), "unclear"),
        (Self::Change(Change::Improved), "improved"),
        (Self::Change(Change::New), "new"),
        (Self::Change(Change::Gone), "gone"),
        (Self::Change(Change::Same), "same"),
    ];

    fn parse(name: Option<&str>) -> Self {
        let found = Self::NAMES.iter().find(|(_, known)| Some(*known) == name);
        found.map_or(Self::All, |(shown, _)| *shown)
    }

    fn name(self) -> Option<&'static str> {
        Self::NAMES.iter().find(|(shown, _)| *shown == self).map(|(_, name)| *name)
    }
}

impl ReportState {
    /// The report. Tracked.
    #[must_use]
    pub fn report(self) -> Option<Shared<Report>> {
        self.found.get()?.ok()
    }

    /// The current filter. Tracked.
    #[must_use]
    pub fn shown(self) -> Shown {
        Shown::parse(self.show.get().as_deref())
    }

    /// Applies a filter; the current one again shows all.
    pub fn show(self, shown: Shown) {
        let shown = if untrack(|| self.shown()) == shown { Shown::All } else { shown };
        self.set_show.set(shown.name().map(str::to_owned));
    }

    /// The current order. Tracked.
    #[must_use]
    pub fn sorting(self) -> Option<Sorting> {
        Sorting::parse(&self.sort.get()?, &*self.report()?)
    }

    /// Sorts by a column, then in reverse, then in the original order.
    pub fn sort_by(self, column: Column) {
        let Some(report) = untrack(|| self.report()) else { return };
        let next = match untrack(|| self.sorting()) {
            Some(Sorting { column: now, is_down: false }) if now == column => {
                Some(Sorting { column, is_down: true })
            }
            Some(Sorting { column: now, is_down: true }) if now == column => None,
            _ => Some(Sorting { column, is_down: false }),
        };
        self.set_sort.set(next.map(|sorting| sorting.to_text(&report)));
    }

    /// Chooses the baseline, or none.
    pub fn hold_against(self, baseline: Option<String>) {
        // A filter by change needs a baseline.
        if baseline.is_none() && matches!(untrack(|| self.shown()), Shown::Change(_)) {
            self.set_show.set(None);
        }
        self.set_baseline.set(baseline);
    }

    /// The rows that pass the filter, in order. Tracked.
    #[must_use]
    pub fn rows(self) -> Vec<Row> {
        let Some(report) = self.report() else { return Vec::new() };
        let since = self.since.get();
        let since = since.as_ref().map(|since| (&*since.baseline, &since.changes));
        let (verdicts, change) = match self.shown() {
            Shown::All => (Vec::new(), None),
            Shown::Verdict(verdict) => (vec![verdict], None),
            Shown::Change(change) => (Vec::new(), since.map(|_| change)),
        };
        let searched = self.searched.get();
        let asked = Asked { verdicts, change, searched, sorting: self.sorting() };
        rows(&report, since, &asked)
    }

    /// The address of a case, or of none, with the filter and the order. Tracked.
    #[must_use]
    pub fn address(self, eval_id: Option<&str>) -> String {
        let report = self.id.with_value(|id| browser::in_address(id));
        let report = address(&format!("/reports/{report}"));
        let mut address = eval_id.map_or_else(|| report.clone(), |id| below(&report, id));
        let search = self.search.get();
        let asked = search.trim_start_matches('?').split('&');
        for asked in asked.filter(|asked| !asked.is_empty() && !is_case(asked)) {
            address.push(if address.contains('?') { '&' } else { '?' });
            address.push_str(asked);
        }
        address
    }
}

/// The rows to draw of `count` in a view that is scrolled, and the heights of the spaces above and below
/// them, in pixels.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "numbers of rows are small, and a cast of a float saturates"
)]
pub fn window(count: usize, scrolled: f64, view: f64) -> (Range<usize>, f64, f64) {
    let first = ((scrolled.max(0.0) / ROW) as usize).saturating_sub(BEYOND).min(count);
    let last = (((scrolled.max(0.0) + view) / ROW) as usize + 1 + BEYOND).min(count);
    (first..last, first as f64 * ROW, (count - last) as f64 * ROW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_visible_rows_are_drawn() {
        let (rows, above, below) = window(10_000, ROW * 5_000.0, ROW * 20.0);
        assert_eq!(rows, 5_000 - BEYOND..5_021 + BEYOND);
        #[expect(clippy::cast_precision_loss, reason = "few rows")]
        let all = above + below + rows.len() as f64 * ROW;
        assert!((all - ROW * 10_000.0).abs() < 0.5);
        assert_eq!(window(3, 0.0, 600.0).0, 0..3);
        assert_eq!(window(0, 900.0, 600.0).0, 0..0);
        assert_eq!(window(5, ROW * 900.0, 600.0).0, 5..5, "filtered while scrolled far down");
    }

    #[test]
    fn a_response_of_the_host_is_a_report_or_an_error() {
        assert_eq!(text_of(200, b"{}".to_vec()), Ok("{}".to_owned()));
        let unknown = ApiError::UnknownReport("run".to_owned());
        let body = serde_json::to_vec(&unknown).expect("an error is JSON");
        assert_eq!(text_of(404, body), Err(unknown));
        let Err(ApiError::Transport(reason)) = text_of(401, b"log in".to_vec()) else {
            panic!("no report");
        };
        assert_eq!(reason, "The host returned HTTP status 401. See its log for the cause.");
        let Err(ApiError::Report(reason)) = text_of(200, b"{\"\xff".to_vec()) else {
            panic!("no text");
        };
        assert!(reason.contains("not valid UTF-8 at byte 2"), "{reason}");
    }

    #[test]
    fn the_filter_is_in_the_address() {
        for (shown, name) in Shown::NAMES {
            assert_eq!(Shown::parse(Some(name)), shown);
            assert_eq!(shown.name(), Some(name));
        }
        assert_eq!(Shown::parse(Some("nonsense")), Shown::All);
        assert_eq!(Shown::All.name(), None);
    }
}
