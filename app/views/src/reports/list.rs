//! The list of reports in the configured folders, and the button to open a local file.

use std::cmp::Ordering;

use api::{ReportCounts, ReportList, ReportSummary};
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;

use super::open_file::{DropPlace, OpenFile, Opened};
use crate::shared::folder_list::FolderList;
use crate::shared::sort_head::{self, SortHead, Sorting, use_order};
use api::host::list_reports;
use app::components::loading::Loading;
use app::state::base_path::{address, unresolved};
use app::state::browser;
use app::state::excerpt::visible_name;
use app::state::times::{ago, size};
use app::state::use_page;

/// The list of reports.
#[component]
pub fn Reports() -> impl IntoView {
    let opened = use_page().opened_reports;
    let navigate = StoredValue::new_local(use_navigate());
    let fault = RwSignal::new(None::<String>);
    let open = Callback::new(move |file: Opened| match file {
        Ok((name, text)) => {
            let id = opened.take_in(None, name, text);
            navigate.with_value(|go| go(&address(&format!("/reports/{id}")), unresolved()));
        }
        Err(unread) => fault.set(Some(unread.to_string())),
    });
    let list = LocalResource::new(list_reports);
    let folders = |list| view! { <Folders list/> }.into_any();
    let recent = move || {
        let opened = opened.all();
        (!opened.is_empty()).then(|| {
            view! {
                <h2 class="report-title">"Opened in this tab"</h2>
                <ul class="report-opened">
                    {opened.into_iter().rev().map(|report| view! {
                        <li>
                            <a class="link" href=address(&format!("/reports/{}", report.id))>{visible_name(&report.name)}</a>
                            " "
                            <span class="quiet">{size(report.text.len() as u64)}</span>
                        </li>
                    }).collect_view()}
                </ul>
            }
        })
    };
    view! {
        <DropPlace class="report-sheet" on_open=open>
            <header class="sheet-head">
                <h1>"Reports"</h1>
                <p class="quiet">"Scores of runs against expected cases, and changes between two reports."</p>
            </header>
            <section class="report-drop" aria-label="Open a report">
                <OpenFile label="Open a report…" is_primary=true on_open=open/>
                <p>
                    "Or drop a file written by "
                    <code>"rehearsal score --format json --output FILE"</code>
                    " here. It is read in this tab and not uploaded."
                </p>
                {move || fault.get().map(|fault| view! { <p class="field-fault" role="alert">{fault}</p> })}
            </section>
            {recent}
            <Loading arrived=move || list.get() meanwhile="Loading reports…" draw=folders/>
        </DropPlace>
    }
}

/// A column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Name,
    Set,
    Passed,
    Size,
    Written,
}

impl sort_head::Column for Column {
    const NAMED: &'static [(&'static str, Self)] = &[
        ("name", Self::Name),
        ("set", Self::Set),
        ("passed", Self::Passed),
        ("size", Self::Size),
        ("written", Self::Written),
    ];
}

#[component]
fn Folders(
    /// The reports and their folders.
    list: ReportList,
) -> impl IntoView {
    let ReportList { reports, folders } = list;
    let now = browser::now().as_millisecond();
    let is_empty = reports.is_empty();
    let order = use_order(Sorting { by: Column::Written, is_down: true });
    let reports = StoredValue::new(reports);
    let sorted = Memo::new(move |_| {
        let mut sorted = reports.get_value();
        let Sorting { by, is_down } = order.get();
        sorted.sort_by(|one, other| {
            let order = compare(by, one, other);
            if is_down { order.reverse() } else { order }
        });
        sorted
    });
    let table = (!is_empty).then(|| {
        view! {
            <h2 class="report-title">"In the configured folders"</h2>
            <table class="sets">
                <thead>
                    <tr>
                        <SortHead column=Column::Name label="Report" order/>
                        <SortHead column=Column::Set label="Eval set" order/>
                        <SortHead column=Column::Passed label="Passed" order is_figure=true/>
                        <SortHead column=Column::Size label="Size" order is_figure=true/>
                        <SortHead column=Column::Written label="Modified" order is_figure=true/>
                    </tr>
                </thead>
                <tbody>
                    <For each=move || sorted.get() key=|report| report.report.clone() let(report)>
                        <Listed report now/>
                    </For>
                </tbody>
            </table>
        }
    });
    let hint = folders.is_empty().then(|| {
        view! {
            <section class="report-hint">
                <p class="quiet">"To list reports from a folder, add the folder to rehearsal.toml:"</p>
                <pre class="raw">"[folders]\nreports = [\"reports\"]"</pre>
            </section>
        }
    });
    view! {
        {table}
        <FolderList folders nothing="No reports"/>
        {hint}
    }
}

fn compare(by: Column, one: &ReportSummary, other: &ReportSummary) -> Ordering {
    let set =
        |report: &ReportSummary| report.counts.as_ref().map(|counts| counts.set.to_lowercase());
    let share = |report: &ReportSummary| report.counts.as_ref().map(passed);
    match by {
        Column::Name => one.name.to_lowercase().cmp(&other.name.to_lowercase()),
        Column::Set => set(one).cmp(&set(other)),
        Column::Passed => share(one).partial_cmp(&share(other)).unwrap_or(Ordering::Equal),
        Column::Size => one.bytes.cmp(&other.bytes),
        Column::Written => one.changed.cmp(&other.changed),
    }
}

/// The pass rate, without unscored cases.
#[expect(clippy::cast_precision_loss, reason = "no report has 2^53 cases")]
fn passed(counts: &ReportCounts) -> f64 {
    counts.passed as f64 / (counts.passed + counts.failed).max(1) as f64
}

#[component]
fn Listed(
    /// The report.
    report: ReportSummary,
    /// The time, in milliseconds since 1970.
    now: i64,
) -> impl IntoView {
    let ReportSummary { report, name, bytes, changed, counts, is_broken } = report;
    let address = address(&format!("/reports/{}", browser::in_address(report.as_str())));
    let (set, share) = match counts {
        None if is_broken => {
            let title = "Open it to see the error.";
            (None, view! { <span class="report-broken" title=title>"Unreadable"</span> }.into_any())
        }
        None => (None, view! { <span class="quiet">"—"</span> }.into_any()),
        Some(counts) => {
            let ReportCounts { passed, failed, unscored, .. } = counts;
            let text = match unscored {
                0 => format!("{passed} of {}", passed + failed),
                _ => format!("{passed} of {}, {unscored} unscored", passed + failed),
            };
            let part =
                |of: u64, class| view! { <i class=class style:flex-grow=of.to_string()></i> };
            let bar = view! {
                <span class="share" aria-hidden="true">
                    {part(passed, "ok")} {part(failed, "bad")} {part(unscored, "none")}
                </span>
            };
            (Some(visible_name(&counts.set)), view! { {text} {bar} }.into_any())
        }
    };
    view! {
        <tr>
            <th scope="row"><a href=address>{visible_name(&name)}</a></th>
            <td>{set}</td>
            <td class="figure">{share}</td>
            <td class="figure">{size(bytes)}</td>
            <td class="figure">{changed.map(|changed| ago(now - changed))}</td>
        </tr>
    }
}
