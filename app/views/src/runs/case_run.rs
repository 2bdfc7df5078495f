//! A result: the verdict, the metrics with their evidence, and what happened, with a panel to fork it.

use std::sync::Arc;
use std::time::Duration;

use api::{CaseRun, CaseRunId, CaseRunSummary, RecordedKind};
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_navigate, use_query_map};

use super::fork_panel::{ForkPanel, PANEL};
use super::head::{
    Verdict, cost_text, duration_text, fork_line, recorded_chip, running, tokens_text,
};
use super::keep::{KeepButton, Kept, use_keeping};
use super::ledger::{Timeline, step_id, use_ledger};
use super::metrics::Metrics;
use super::state::fetched::{Fetched, use_fetched};
use super::state::ledger::Ledger;
use super::under_way::TakeOver;
use super::verdict::VerdictFields;
use crate::shared::keys::{command, listen, offer};
use crate::shared::run_address::{case_address, run_address};
use crate::shared::shortcuts::{Group, Shortcuts};
use crate::shared::value::{ValueBody, ValueTools};
use api::host::read_case_run;
use app::components::loading::Loading;
use app::state::base_path::unresolved;
use app::state::browser;
use app::state::case_address::unescaped;
use app::state::excerpt::{visible_name, visible_text};
use app::state::reading::use_reading;
use app::state::times::counted;

/// How often the result is read while a fork of it is running.
const PERIOD: Duration = Duration::from_secs(2);

/// The keys of a result.
const SHORTCUTS: &[Group] = &[(
    "Result",
    &[
        ("↓ J", "Next step"),
        ("↑ K", "Previous step"),
        ("Home", "First step"),
        ("End", "Last step"),
        ("B", "Fork from the step"),
        ("E", "Keep the result as a case"),
        ("Esc", "Close the fork panel"),
        ("Ctrl ↵", "Run the fork"),
        ("T", "While it runs: take over the agent, or hand it back"),
        ("R", "While it runs: respond to the request that waits"),
    ],
)];

/// Which result the address names.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Named {
    case: String,
    repeat: Option<u32>,
    suite: Option<String>,
}

/// The result that the address names.
#[component]
pub(super) fn CaseRunReader(
    /// The run.
    run: i64,
    /// The case in the address.
    case: Memo<Option<String>>,
) -> impl IntoView {
    let query = use_query_map();
    let named = move |name: &'static str| query.with(|query| query.get(name));
    let wanted = Memo::new(move |_| Named {
        case: case.get().unwrap_or_default(),
        repeat: named("repeat").and_then(|repeat| repeat.parse().ok()),
        suite: named("suite").map(|suite| unescaped(&suite)),
    });
    let fork = Memo::new(move |_| named("fork").and_then(|step| step.parse::<usize>().ok()));
    move || view! { <ResultPage run wanted=wanted.get() fork/> }
}

#[component]
fn ResultPage(
    /// The run.
    run: i64,
    /// The result.
    wanted: Named,
    /// The step at which the fork panel is open.
    fork: Memo<Option<usize>>,
) -> impl IntoView {
    let name = visible_name(&wanted.case);
    let Named { case, repeat, suite } = wanted;
    // Where the run has several suites, links to the result name its suite.
    let has_suites = suite.is_some();
    let result = use_fetched(
        move || read_case_run(run, case.clone(), repeat, suite.clone()),
        PERIOD,
        |result: &CaseRun| {
            result.under_way.is_some() || result.forks.iter().any(|fork| fork.is_running)
        },
    );
    // While the case is running, it is drawn again with its events.
    let events = Memo::new(move |_| result.get()?.under_way.as_ref().map(|it| it.events));
    let arrived = Memo::new(move |_| result.arrived());
    let head = move || result.get().map(|result| head(&result, has_suites));
    view! {
        <header class="page-head">
            <h1>
                <a class="runs-up" href=run_address(run)>"Run " {run}</a>
                <span class="quiet">" / "</span>
                {name}
            </h1>
            {head}
        </header>
        <div class="report-body">
            <TakeOver result/>
            <Loading
                arrived=move || arrived.get()
                meanwhile="Loading the result…"
                draw=move |()| {
                    (move || {
                        // A memo that is only tracked is not computed.
                        events.get();
                        view! { <Sheet result fork has_suites/> }
                    })
                    .into_any()
                }
                retry=move |()| result.again()
            />
        </div>
    }
}

/// The verdict, the repeats and the figures of a result.
fn head(result: &CaseRun, has_suites: bool) -> AnyView {
    let CaseRun { summary, repeats, recorded, is_fork, under_way, .. } = result;
    let CaseRunSummary { id, status, turns, duration_ms, tokens, cost, .. } = summary.clone();
    let repeat = |number: &u32| {
        let href = case_address(&CaseRunId { repeat: *number, ..id.clone() }, has_suites, None);
        let is_this = *number == id.repeat;
        view! { <a href=href aria-label=format!("Repeat {number}") aria-current=is_this.then_some("true")>{*number}</a> }
    };
    let several = (repeats.len() > 1).then(|| {
        view! {
            <span class="runs-repeats">
                <span class="quiet">"Repeat"</span>
                <span class="switch" role="group" aria-label="Repeats">
                    {repeats.iter().map(repeat).collect_view()}
                </span>
            </span>
        }
    });
    let turns = counted(usize::try_from(turns).unwrap_or(usize::MAX), "turn", "turns");
    view! {
        {match recorded {
            _ if under_way.is_some() => running(),
            Some(kind) if !is_fork => recorded_chip(*kind),
            _ => view! { <Verdict status/> }.into_any(),
        }}
        {several}
        <span class="grow"></span>
        <span class="chip">{turns}</span>
        <span class="chip">{duration_text(duration_ms)}</span>
        {tokens_text(tokens).map(|tokens| view! { <span class="chip">{tokens}</span> })}
        {cost_text(cost).map(|cost| view! { <span class="chip">{cost}</span> })}
        <span class="chip runs-suite" title="Suite">{visible_name(&id.suite)}</span>
    }
    .into_any()
}

#[component]
fn Sheet(
    /// The result.
    result: Fetched<CaseRun>,
    /// The step at which the fork panel is open.
    fork: Memo<Option<usize>>,
    /// Whether links to the result name its suite.
    has_suites: bool,
) -> impl IntoView {
    // Of a result, only the forks and the verdict of a person change.
    let Some(read) = untrack(|| result.get()) else { return ().into_any() };
    let id = StoredValue::new(read.summary.id.clone());
    let address = Callback::new(move |step| id.with_value(|id| case_address(id, has_suites, step)));
    // A fork needs a run that has ended.
    let is_under_way = read.under_way.is_some();
    let forked = if is_under_way { &[][..] } else { &read.steps[..] };
    let count = forked.len();
    let fork = Memo::new(move |_| fork.get().filter(|step| (1..=count).contains(step)));
    let state = use_ledger(Ledger::of(&read.events, forked), fork, address);
    let keeping = use_keeping();
    let go = StoredValue::new_local(use_navigate());
    let in_place = || NavigateOptions { scroll: false, ..unresolved() };
    let open = move |step: Option<usize>| {
        go.with_value(|go| go(&address.run(step), in_place()));
    };
    // The focus goes to the panel, and back to the step.
    Effect::new(move |before: Option<Option<usize>>| {
        let step = fork.get();
        match (step, before.flatten()) {
            (Some(step), _) => {
                state.show(step);
                browser::after_drawing(move || {
                    // The steps around it, too.
                    browser::reveal(&step_id(step + 1));
                    browser::reveal(&step_id(step));
                    browser::focus_first_in(PANEL)
                });
            }
            (None, Some(step)) => browser::after_drawing(move || state.go_to(step)),
            (None, None) => {}
        }
        step
    });
    listen(move |event| {
        if event.key() == "Escape" && fork.get_untracked().is_some() && !event.is_composing() {
            open(None);
            return true;
        }
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        if browser::is_typing() {
            return event.key() == "Escape" && browser::leave_field();
        }
        if event.key() == "e" && !is_under_way {
            id.with_value(|id| keeping.keep(id.clone()));
            return true;
        }
        let (here, last) = (state.current.get_untracked(), state.steps());
        if last == 0 {
            return false;
        }
        // The first press goes to the step, the next ones from it.
        let is_here = browser::focused_id() == step_id(here);
        let to = match event.key().as_str() {
            "ArrowDown" | "j" | "ArrowUp" | "k" if !is_here => here,
            "ArrowDown" | "j" => here + 1,
            "ArrowUp" | "k" => here - 1,
            "Home" => 1,
            "End" => last,
            "b" => {
                open(Some(here));
                return true;
            }
            _ => return false,
        };
        state.go_to(to.clamp(1, last));
        true
    });
    offer(move || {
        let fork = move || open(Some(state.current.get_untracked()));
        let keep = move || id.with_value(|id| keeping.keep(id.clone()));
        let fork = (count > 0).then(|| command("Fork from the step", Some("B"), fork));
        fork.into_iter().chain([command("Keep the result as a case", Some("E"), keep)]).collect()
    });
    let forks = Memo::new(move |_| result.get().map(|it| it.forks.clone()).unwrap_or_default());
    let steps = StoredValue::new(read.steps.clone());
    let drafts = StoredValue::new(std::collections::HashMap::new());
    let tools = StoredValue::new(read.tools.clone());
    // A session may have gone wrong, so that its own path says nothing about what passes.
    let by_person = read.recorded == Some(RecordedKind::AdkSession);
    let again = Callback::new(move |()| result.again());
    let verdict = move || {
        let result = result.get().filter(|it| it.summary.waits_for_verdict)?;
        let id = result.summary.id.clone();
        Some(view! { <p class="report-line"><VerdictFields id noted=again/></p> })
    };
    let panel = move || {
        let step = fork.get()?;
        let view = steps.with_value(|steps| steps.get(step - 1).cloned())?;
        let tools = tools.get_value();
        Some(
            view! { <ForkPanel id=id.get_value() step view drafts tools by_person close=address.run(None)/> },
        )
    };
    view! {
        <div class="case-run" class:forking=move || fork.read().is_some()>
            <div class="case-run-main" tabindex="-1">
                {move || result.get().map(|read| view! { <Outcome read/> })}
                {verdict}
                {(!is_under_way).then(|| view! {
                    <p class="report-line runs-keep">
                        <KeepButton keeping id=id.get_value() key="E"/> <Kept keeping/>
                    </p>
                })}
                {move || {
                    let forks = forks.get();
                    (!forks.is_empty()).then(|| fork_line(forks))
                }}
                <section class="case-run-ledger" class:forking=move || fork.read().is_some() aria-label="Timeline">
                    <LedgerHead read/>
                    <Timeline state/>
                </section>
            </div>
            {panel}
        </div>
        <Shortcuts groups=SHORTCUTS/>
    }
    .into_any()
}

/// Why a result has its verdict: the reason, the metrics and the notes.
#[component]
fn Outcome(
    /// The result.
    read: Arc<CaseRun>,
) -> impl IntoView {
    let CaseRun { summary, notes, termination_reason, .. } = &*read;
    let why = summary.why.as_ref().map(|why| {
        view! { <p class="why report-line"><b>"Reason: "</b> {visible_text(why)} "."</p> }
    });
    let ended = termination_reason.as_ref().map(|reason| {
        view! { <p class="report-line">"Ended by " <code>{visible_name(reason)}</code> "."</p> }
    });
    let notes = (!notes.is_empty()).then(|| {
        let notes = notes.iter().map(|note| view! { <li>{visible_text(note)}</li> });
        view! { <ul class="report-notes" aria-label="Notes">{notes.collect_view()}</ul> }
    });
    view! {
        <section class="case-run-outcome" aria-label="Outcome">
            {why}
            {ended}
            <Metrics metrics=summary.metrics.clone()/>
            {notes}
        </section>
    }
}

/// The title of the timeline, and the ledger as JSON.
#[component]
fn LedgerHead(
    /// The result.
    read: Arc<CaseRun>,
) -> impl IntoView {
    let shows_json = RwSignal::new(false);
    let steps = match read.under_way {
        Some(_) => "so far".to_owned(),
        None => counted(read.steps.len(), "step", "steps"),
    };
    let json = move || {
        shows_json.get().then(|| {
            let reading = use_reading(&read.events);
            view! {
                <div class="report-json">
                    <ValueTools reading/>
                    <ValueBody reading label="Ledger as JSON"/>
                </div>
            }
        })
    };
    view! {
        <header class="ledger-head">
            <h2 class="report-title">"Timeline"</h2>
            <span class="quiet">{steps}</span>
            <span class="grow"></span>
            <button
                type="button"
                class="link"
                aria-expanded=move || shows_json.get().to_string()
                on:click=move |_| shows_json.update(|shows| *shows = !*shows)
            >
                {move || if shows_json.get() { "Hide JSON" } else { "Show JSON" }}
            </button>
        </header>
        {json}
    }
}
