//! The reports of the configured folders, and the way to one on the reader's own disk.

use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;

use super::open_file::{DropPlace, OpenFile, Opened};
use crate::api::{FolderSummary, ReportList, ReportSummary, list_reports};
use crate::state::times::{ago, size};
use crate::state::{browser, use_page};

/// The list of reports.
#[component]
pub fn Reports() -> impl IntoView {
    let opened = use_page().opened_reports;
    let navigate = StoredValue::new_local(use_navigate());
    let fault = RwSignal::new(None::<String>);
    let open = Callback::new(move |file: Opened| match file {
        Ok((name, text)) => {
            let id = opened.take_in(None, name, text);
            navigate.with_value(|go| go(&format!("/reports/{id}"), NavigateOptions::default()));
        }
        Err(unread) => fault.set(Some(unread.to_string())),
    });
    let list = LocalResource::new(list_reports);
    let body = move || match list.get() {
        None => view! { <p class="quiet veil">"Looking for reports…"</p> }.into_any(),
        Some(Err(error)) => {
            view! { <p class="field-fault" role="alert">{error.to_string()}</p> }.into_any()
        }
        Some(Ok(list)) => view! { <Folders list/> }.into_any(),
    };
    let recent = move || {
        let opened = opened.all();
        (!opened.is_empty()).then(|| {
            view! {
                <h2 class="report-title">"Opened in this tab"</h2>
                <ul class="report-opened">
                    {opened.into_iter().rev().map(|report| view! {
                        <li>
                            <a class="link" href=format!("/reports/{}", report.id)>{report.name}</a>
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
                <p class="quiet">"How runs scored against what was expected, and what changed between two of them."</p>
            </header>
            <section class="report-drop" aria-label="Open a report">
                <OpenFile label="Open a report…" is_primary=true on_open=open/>
                <p>
                    "Or drop a file here: what "
                    <code>"rehearsal score --format json --output FILE"</code>
                    " writes. It is read in this tab and goes nowhere."
                </p>
                {move || fault.get().map(|fault| view! { <p class="field-fault" role="alert">{fault}</p> })}
            </section>
            {recent}
            {body}
        </DropPlace>
    }
}

#[component]
fn Folders(
    /// The reports and their folders.
    list: ReportList,
) -> impl IntoView {
    let ReportList { reports, folders } = list;
    let none = reports.is_empty();
    let now = browser::now().as_millisecond();
    let row = move |report: ReportSummary| {
        let address = format!("/reports/{}", browser::in_address(report.report.as_str()));
        let changed = report.changed.map(|changed| ago(now - changed));
        view! {
            <tr>
                <th scope="row"><a href=address>{report.name}</a></th>
                <td class="figure">{size(report.bytes)}</td>
                <td class="figure">{changed}</td>
            </tr>
        }
    };
    let table = (!none).then(|| {
        view! {
            <h2 class="report-title">"In the configured folders"</h2>
            <table class="sets">
                <thead>
                    <tr>
                        <th scope="col">"Report"</th>
                        <th scope="col" class="figure">"Size"</th>
                        <th scope="col" class="figure">"Written"</th>
                    </tr>
                </thead>
                <tbody>{reports.into_iter().map(row).collect_view()}</tbody>
            </table>
        }
    });
    let hint = folders.is_empty().then(|| {
        view! {
            <section class="report-hint">
                <p class="quiet">"Reports that lie in a folder are listed here once the host knows it, in rehearsal.toml:"</p>
                <pre class="raw">"[folders]\nreports = [\"reports\"]"</pre>
            </section>
        }
    });
    view! {
        {table}
        <FolderList folders nothing="No report in it yet."/>
        {hint}
    }
}

/// The folders, with what is wrong with them.
#[component]
pub(super) fn FolderList(
    /// The folders.
    folders: Vec<FolderSummary>,
    /// What is said of one that holds nothing.
    nothing: &'static str,
) -> impl IntoView {
    let one = move |folder: FolderSummary| {
        let is_sound = folder.faults.is_empty();
        view! {
            <li>
                <code>{folder.path}</code>
                {(is_sound && folder.found == 0).then(|| view! { " " <span class="quiet">{nothing}</span> })}
                {folder.faults.into_iter().map(|fault| view! { <p class="field-fault" role="alert">{fault}</p> }).collect_view()}
            </li>
        }
    };
    (!folders.is_empty()).then(|| {
        view! { <ul class="folders" aria-label="Folders">{folders.into_iter().map(one).collect_view()}</ul> }
    })
}
