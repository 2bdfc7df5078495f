//! A report: its totals, its cases, and what changed since a baseline.

use leptos::ev;
use leptos::prelude::*;
use report_view::{CaseVerdict, Change, PairedDifference, Report};

use super::detail::CaseDetail;
use super::distribution::ScoreDistributions;
use super::open_file::{DropPlace, OpenFile, Opened};
use super::table::{CaseTable, count_text};
use crate::reports::state::report_state::{ReportState, Shared, Shown, Unread, use_report_state};
use crate::shared::value::{ValueBody, ValueTools};
use api::host::list_reports;
use app::components::filter_box::FilterBox;
use app::components::icon::{Glyph, Icon};
use app::state::base_path::address;
use app::state::browser;
use app::state::excerpt::{visible_name, visible_text};
use app::state::reading::use_reading;
use app::state::times::{counted, grouped, took};
use app::state::use_page;

/// The report that the address names.
#[component]
pub fn ReportReader(
    /// Its id.
    report: String,
    /// The id of the case, once one is chosen.
    case: Memo<Option<String>>,
) -> impl IntoView {
    let opened = use_page().opened_reports;
    let report_state = use_report_state(report, opened);
    let unreadable = RwSignal::new(None::<String>);
    let take = Callback::new(move |file: Opened| match file {
        Ok((name, text)) => {
            opened.take_in(Some(report_state.id.get_value()), name, text);
        }
        Err(unread) => unreadable.set(Some(unread.to_string())),
    });
    move || match report_state.found.get() {
        None => view! {
            <header class="page-head"><h1>"Report"</h1></header>
            <p class="quiet veil">"Loading the report…"</p>
        }
        .into_any(),
        Some(Ok(report)) => view! { <Sheet report_state report case/> }.into_any(),
        Some(Err(unread)) => {
            let (title, name, reason) = match unread {
                Unread::Forgotten => (
                    "Report opened in another tab",
                    String::new(),
                    "The report was read from a file in that tab only. Open the file here to use this address."
                        .to_owned(),
                ),
                Unread::Fault { name, reason } => ("Report cannot be opened", name, reason),
            };
            view! {
                <header class="page-head"><h1>"Report"</h1></header>
                <DropPlace class="empty centred" on_open=take>
                    <h2>{title}</h2>
                    {(!name.is_empty()).then(|| view! { <p><code>{visible_name(&name)}</code></p> })}
                    <p role="alert" class="report-fault">{visible_text(&reason)}</p>
                    {move || unreadable.get().map(|fault| view! { <p class="field-fault" role="alert">{fault}</p> })}
                    <p class="report-remedies">
                        <OpenFile label="Open a report…" is_primary=true on_open=take/>
                        <a class="button" href=address("/reports")>"View reports"</a>
                    </p>
                </DropPlace>
            }
            .into_any()
        }
    }
}

#[component]
fn Sheet(
    /// The report.
    report_state: ReportState,
    /// Read.
    report: Shared<Report>,
    /// The id of the case that is open.
    case: Memo<Option<String>>,
) -> impl IntoView {
    let rows = Memo::new(move |_| report_state.rows());
    let is_open = move || case.read().is_some();
    let escape = window_event_listener(ev::keydown, move |event| {
        let is_ours = event.key() == "Escape"
            && !event.default_prevented()
            && !browser::has_dialog()
            && !browser::is_typing();
        if is_ours && browser::press("report-close") {
            event.prevent_default();
        }
    });
    on_cleanup(move || escape.remove());
    let shows_config = RwSignal::new(false);
    let (whole, config) = (report.clone(), report.config_used.clone());
    let config = StoredValue::new(config);
    let config = move || {
        let config = config.get_value().filter(|_| shows_config.get())?;
        let reading = use_reading(&config);
        Some(view! {
            <div class="report-config">
                <ValueTools reading/>
                <ValueBody reading label="Scoring config"/>
            </div>
        })
    };
    let notes = {
        let own = report.notes.clone();
        move || {
            let since = report_state.since.get();
            let of_both = since.iter().flat_map(|since| since.changes.notes.clone());
            let notes: Vec<String> = own.iter().cloned().chain(of_both).collect();
            let fault = match report_state.baseline_found.get() {
                Some(Err(Unread::Forgotten)) => Some(
                    "The baseline was opened from a file in another tab. Open it here again."
                        .to_owned(),
                ),
                Some(Err(Unread::Fault { name, reason })) => {
                    Some(format!("The baseline {name} cannot be read. {reason}"))
                }
                _ => None,
            };
            let fault = fault.map(
                |fault| view! { <p class="case-faults" role="alert">{visible_text(&fault)}</p> },
            );
            let notes = (!notes.is_empty()).then(|| {
                view! { <ul class="report-notes">{notes.into_iter().map(|note| view! { <li>{note}</li> }).collect_view()}</ul> }
            });
            view! { {fault} {notes} }
        }
    };
    let detail = move || {
        let report = whole.clone();
        // The baseline may arrive after the case.
        report_state.since.track();
        case.get().map(|case| {
            view! {
                <section class="case report-case" aria-label="Case">
                    <CaseDetail report_state report rows case/>
                </section>
            }
        })
    };
    let all = report.cases.len();
    let count = move || {
        let gone = report_state
            .since
            .with(|since| since.as_ref().map_or(0, |it| it.changes.count(Change::Gone)));
        count_text(rows.read().len(), all + gone)
    };
    let table = report.clone();
    view! {
        <ReportHead report_state report=report.clone() shows_config/>
        <div class="report-body">
            {config}
            {notes}
            <div class="report-summary">
                <Counts report_state report=report.clone()/>
                <ScoreDistributions report_state report/>
            </div>
            <ChangeFilter report_state/>
            <div class="report-columns" class:open=is_open>
                <section class="report-cases" aria-label="Cases">
                    <FilterBox searched=report_state.searched placeholder="Filter cases by message, name or ID" label="Filter cases" count=Signal::derive(count)/>
                    <CaseTable report_state report=table rows case/>
                </section>
                {detail}
            </div>
        </div>
    }
}

#[component]
fn ReportHead(
    /// The report.
    report_state: ReportState,
    /// Read.
    report: Shared<Report>,
    /// Whether the config is shown.
    shows_config: RwSignal<bool>,
) -> impl IntoView {
    let name = match &report.eval_set_name {
        Some(name) if !name.trim().is_empty() => name.clone(),
        _ if report.eval_set_id.is_empty() => "Report".to_owned(),
        _ => report.eval_set_id.clone(),
    };
    let made = report.created_at.clone();
    let made = made.get(..16).map_or(made.clone(), |minute| minute.replace('T', " "));
    let duration = report.duration_seconds.map(|seconds| took(seconds * 1000.0));
    let count = match report.summary.repeats {
        Some(_) => counted(report.cases.len(), "run", "runs"),
        None => counted(report.cases.len(), "case", "cases"),
    };
    let has_config = report.config_used.is_some();
    let opened = use_page().opened_reports;
    let listed = LocalResource::new(list_reports);
    let fault = RwSignal::new(None::<String>);
    let choose = Callback::new(move |file: Opened| match file {
        Ok((name, text)) => {
            fault.set(None);
            let id = opened.take_in(None, name, text);
            report_state.hold_against(Some(id));
        }
        Err(unread) => fault.set(Some(unread.to_string())),
    });
    let options = move || {
        let own = report_state.id.get_value();
        let here = opened.all().into_iter().map(|it| (it.id, it.name));
        let there = listed.get().and_then(Result::ok).map(|list| list.reports);
        let there = there.into_iter().flatten().map(|it| (it.report.to_string(), it.name));
        let others: Vec<(String, String)> =
            here.chain(there).filter(|(id, _)| *id != own).collect();
        (!others.is_empty()).then(|| {
            let options = others.into_iter().map(|(id, name)| {
                let value = id.clone();
                view! { <option value=value prop:selected=move || report_state.baseline.read().as_deref() == Some(id.as_str())>{visible_name(&name)}</option> }
            });
            view! {
                <select
                    class="button quiet against"
                    aria-label="Baseline"
                    on:change=move |event| {
                        let chosen = event_target_value(&event);
                        report_state.hold_against((!chosen.is_empty()).then_some(chosen));
                    }
                >
                    <option value="">"Baseline…"</option>
                    {options.collect_view()}
                </select>
            }
        })
    };
    let leave = move || {
        report_state.baseline.read().is_some().then(|| {
            view! {
                <button type="button" class="button quiet" on:click=move |_| report_state.hold_against(None)>
                    <Icon glyph=Glyph::Close/> "No baseline"
                </button>
            }
        })
    };
    view! {
        <header class="page-head">
            <h1>{visible_name(&name)}</h1>
            <span class="chip">{count}</span>
            {(!made.is_empty()).then(|| view! { <span class="chip" title=report.created_at.clone()>{made}</span> })}
            {duration.map(|duration| view! { <span class="chip">{duration}</span> })}
            <span class="grow"></span>
            {move || fault.get().map(|fault| view! { <span class="field-fault" role="alert">{fault}</span> })}
            {has_config.then(|| view! {
                <button
                    type="button"
                    class="button quiet"
                    aria-pressed=move || shows_config.get().to_string()
                    on:click=move |_| shows_config.update(|shows| *shows = !*shows)
                >
                    "Config"
                </button>
            })}
            {leave}
            {options}
            <OpenFile label="Open a baseline…" on_open=choose/>
        </header>
    }
}

/// The number of cases by verdict; each count filters by it.
#[component]
fn Counts(
    /// The report.
    report_state: ReportState,
    /// Read.
    report: Shared<Report>,
) -> impl IntoView {
    let one = |verdict: CaseVerdict, class: &'static str, word: &'static str| {
        let count = report.count(verdict);
        let shown = Shown::Verdict(verdict);
        view! {
            <button
                type="button"
                class=format!("report-count {class}")
                class:none={count == 0}
                aria-pressed=move || (report_state.shown() == shown).to_string()
                on:click=move |_| report_state.show(shown)
            >
                <b>{grouped(count)}</b>
                <span>{word}</span>
            </button>
        }
    };
    let has_terminated = report.count(CaseVerdict::Terminated) > 0;
    // Errors count as not passed, as in every report. Only unscored cases are left out.
    let left_out = if report.summary.unscored_cases > 0 { ", without unscored cases" } else { "" };
    let rate = report.summary.pass_rate_phrase().map(|rate| format!("{rate}{left_out}"));
    view! {
        <div class="report-counts" role="group" aria-label="Show only">
            {one(CaseVerdict::Passed, "passed", "passed")}
            {one(CaseVerdict::Failed, "failed", "failed")}
            {one(CaseVerdict::Error, "error", "errors")}
            {has_terminated.then(|| one(CaseVerdict::Terminated, "failed", "terminated"))}
            {one(CaseVerdict::Unscored, "unscored", "unscored")}
            {rate.map(|rate| view! { <p class="quiet">{rate}</p> })}
        </div>
    }
}

/// The number of cases by change since the baseline.
#[component]
fn ChangeFilter(
    /// The report.
    report_state: ReportState,
) -> impl IntoView {
    let one = move |change: Change, count: usize| {
        let shown = Shown::Change(change);
        view! {
            <button
                type="button"
                class="button quiet"
                class:report-regressed={change == Change::Regressed && count > 0}
                aria-pressed=move || (report_state.shown() == shown).to_string()
                on:click=move |_| report_state.show(shown)
            >
                <b>{grouped(count)}</b> {change.word()}
            </button>
        }
    };
    move || {
        report_state.since.get().map(|since| {
            let each = Change::ALL.map(|change| one(change, since.changes.count(change)));
            let difference = since.changes.compared.difference.as_ref().map(PairedDifference::sentence);
            view! {
                <div class="report-changes" role="group" aria-label="Show changes only">
                    <span class="quiet">"Since the baseline:"</span>
                    {each.into_iter().collect_view()}
                </div>
                {difference.map(|difference| view! { <p class="report-difference">{difference}"."</p> })}
            }
        })
    }
}
