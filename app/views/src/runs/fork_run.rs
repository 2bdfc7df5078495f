//! A fork: what it shows, what was changed, and its continuations with and without the change.

use std::sync::Arc;
use std::time::Duration;

use api::{ApiError, CaseRunId, CaseRunSummary, ForkSide, ForkView, RunFork};
use json_text::JsonText;
use leptos::prelude::*;
use leptos::task::spawn_local;
use report_view::RunStatus;

use super::head::{Verdict, duration_text};
use super::keep::{KeepButton, Keeping, Kept, use_keeping};
use super::state::fetched::{Fetched, use_fetched};
use super::verdict::VerdictFields;
use crate::shared::keys::{command, listen, offer};
use crate::shared::run_address::{case_address, run_address};
use crate::shared::shortcuts::{Group, Shortcuts};
use crate::shared::value::{ValueBody, ValueTools};
use api::host::{continue_fork, read_fork, stop_fork};
use app::components::loading::Loading;
use app::state::browser;
use app::state::excerpt::{visible_name, visible_text};
use app::state::reading::use_reading;
use app::state::times::counted;

/// How often the fork is read while it is running.
const PERIOD: Duration = Duration::from_secs(1);
/// The id of the fork in the document.
const FORK: &str = "fork-run";
/// The ids of the lists of continuations in the document.
const LISTS: [&str; 2] = ["fork-with", "fork-without"];
/// The keys of a fork.
const SHORTCUTS: &[Group] =
    &[("Fork", &[("E", "Keep the first continuation that passed as a case")])];
/// So many continuations more are run by the button.
const MORE: u32 = 5;

/// The fork of a run.
#[component]
pub(super) fn ForkRun(
    /// The number of one of its runs.
    run: i64,
) -> impl IntoView {
    let fork = use_fetched(move || read_fork(run), PERIOD, |fork: &ForkView| fork.is_running);
    let arrived = Memo::new(move |_| fork.arrived());
    view! {
        <Loading
            arrived=move || arrived.get()
            meanwhile="Loading the fork…"
            draw=move |()| view! { <Fork run fork/> }.into_any()
            retry=move |()| fork.again()
        />
    }
}

#[component]
fn Fork(
    /// The number of one of its runs.
    run: i64,
    /// The fork.
    fork: Fetched<ForkView>,
) -> impl IntoView {
    let sentence = Memo::new(move |_| fork.get().and_then(|fork| fork.sentence.clone()));
    let is_running = Memo::new(move |_| fork.get().is_some_and(|fork| fork.is_running));
    let fault = Memo::new(move |_| fork.get().and_then(|fork| fork.fault.clone()));
    // What was forked does not change.
    let of = untrack(|| fork.get()).map(|fork| view! { <Forked fork=fork.fork.clone()/> });
    let with = Memo::new(move |_| fork.get().map(|fork| fork.with.clone()));
    let without = Memo::new(move |_| fork.get().and_then(|fork| fork.without.clone()));
    let keeping = use_keeping();
    // The form that began it is gone, and with it the field that had the focus. Keys are those of this page now.
    browser::after_drawing(|| browser::focus(FORK));
    // The first one that is right, if the person does not choose another one.
    let right = move || -> Option<CaseRunId> {
        let with = with.get_untracked()?;
        Some(with.results.into_iter().find(|result| result.status == RunStatus::Passed)?.id)
    };
    let keep = move || right().inspect(|id| keeping.keep(id.clone())).is_some();
    listen(move |event| {
        let is_plain = !event.ctrl_key() && !event.meta_key() && !event.alt_key();
        event.key() == "e" && is_plain && !browser::is_typing() && keep()
    });
    offer(move || match right() {
        Some(_) => vec![command(
            "Keep the first continuation that passed as a case",
            Some("E"),
            move || {
                keep();
            },
        )],
        None => Vec::new(),
    });
    let again = Callback::new(move |()| fork.again());
    let has_edit = untrack(|| fork.get()).is_some_and(|fork| fork.fork.edit.is_some());
    // The sides are drawn once, and their rows as they change: a note that is being written stays.
    let is_read = Memo::new(move |_| (with.read().is_some(), without.read().is_some()));
    let sides = move || {
        let (has_with, compares) = is_read.get();
        let label = match (compares, has_edit) {
            (false, _) => "Continuations",
            (true, true) => "With the edit",
            (true, false) => "With the changes",
        };
        let other = compares
            .then(|| view! { <Side side=without label="Without it" list=LISTS[1] keeping again/> });
        has_with.then(|| view! { <Side side=with label list=LISTS[0] keeping again/> {other} })
    };
    let headline = move || match (sentence.get(), is_running.get()) {
        (Some(sentence), _) => visible_text(&sentence),
        (None, true) => {
            "The result appears when each side has a continuation that ended.".to_owned()
        }
        (None, false) => "No result: a side has no continuation that ended.".to_owned(),
    };
    view! {
        <div class="fork-run" id=FORK tabindex="-1">
            <header class="fork-head">
                <p class="fork-sentence" class:quiet=move || sentence.read().is_none() role="status">{headline}</p>
                {of}
                <Actions run fork/>
                <Kept keeping/>
                {move || fault.get().map(|fault| view! { <p class="case-faults" role="alert">{visible_text(&fault)}</p> })}
            </header>
            <div class="fork-sides">{sides}</div>
        </div>
        <Shortcuts groups=SHORTCUTS/>
    }
}

/// What was forked, and the edit.
#[component]
fn Forked(
    /// The fork.
    fork: RunFork,
) -> impl IntoView {
    let RunFork { of, step, edit, changes, then, tools, .. } = fork;
    let result = case_address(&of, true, None);
    let at_step = case_address(&of, true, Some(step));
    let name = format!("{}, repeat {}", visible_name(&of.case), of.repeat);
    let shown = |label: &'static str, value: JsonText| {
        let reading = use_reading(&value);
        view! {
            <section class="fork-edit" aria-label=label>
                <header><h2 class="report-title">{label}</h2> <span class="grow"></span> <ValueTools reading/></header>
                <ValueBody reading label/>
            </section>
        }
    };
    let edit = edit.map(|edit| shown("Edit", edit));
    let changes = changes.map(|changes| shown("Changes of requests", changes));
    let then = then.map(|then| {
        view! { " The model " <code>{visible_name(&then)}</code> " goes on." }
    });
    view! {
        <p class="fork-of">
            "Fork of " <a class="link" href=run_address(of.run)>"run " {of.run}</a>
            ", " <a class="link" href=result>{name}</a>
            ", at " <a class="link" href=at_step>"step " {step}</a> "."
            {then}
            {tools.into_iter().map(|(tool, mode)| view! {
                " " <span class="chip">{visible_name(&tool)} ": " {visible_name(&mode)}</span>
            }).collect_view()}
        </p>
        {edit}
        {changes}
    }
}

/// The buttons that stop the fork and continue it.
#[component]
fn Actions(
    /// The number of one of its runs.
    run: i64,
    /// The fork.
    fork: Fetched<ForkView>,
) -> impl IntoView {
    let is_running = Memo::new(move |_| fork.get().is_some_and(|fork| fork.is_running));
    let is_sent = RwSignal::new(false);
    let error = RwSignal::new(None::<ApiError>);
    let take = move |response: Result<ForkView, ApiError>| {
        if is_sent.try_set(false).is_some() {
            return;
        }
        error.set(response.as_ref().err().cloned());
        if response.is_ok() {
            fork.take(response);
        }
    };
    let begin = move || {
        let is_first = !is_sent.get_untracked();
        is_sent.set(true);
        is_first
    };
    let stop = move |_| {
        if begin() {
            spawn_local(async move { take(stop_fork(run).await) });
        }
    };
    let more = move |_| {
        let times = untrack(|| fork.get()).map(|fork: Arc<ForkView>| fork.with.times);
        if let Some(times) = times.filter(|_| begin()) {
            spawn_local(async move { take(continue_fork(run, times + MORE).await) });
        }
    };
    view! {
        <div class="fork-actions">
            {move || match is_running.get() {
                true => view! {
                    <span class="chip live">"running"</span>
                    <button type="button" class="button" aria-disabled=move || is_sent.get().to_string() on:click=stop>"Stop"</button>
                }.into_any(),
                false => view! {
                    <button type="button" class="button" aria-disabled=move || is_sent.get().to_string() on:click=more>{MORE} " more"</button>
                }.into_any(),
            }}
            <span class="field-fault" role="alert">{move || error.get().map(|error| error.to_string())}</span>
        </div>
    }
}

/// One side of the fork.
#[component]
fn Side(
    /// The side.
    side: Memo<Option<ForkSide>>,
    /// Its name.
    label: &'static str,
    /// The id of its list in the document.
    list: &'static str,
    /// What the page keeps.
    keeping: Keeping,
    /// Reads the fork again.
    again: Callback<()>,
) -> impl IntoView {
    let results = Memo::new(move |_| side.get().map(|side| side.results).unwrap_or_default());
    let head = move || {
        let ForkSide { run, times, passed, counted: all, results } = side.get()?;
        let ended = results.len();
        let progress = match usize::try_from(times).is_ok_and(|times| ended < times) {
            true => format!("{ended} of {times}"),
            false => counted(ended, "continuation", "continuations"),
        };
        let waiting = results.iter().filter(|result| result.waits_for_verdict).count();
        Some(view! {
            <h2>{label}</h2>
            {(all > 0 || waiting == 0).then(|| view! { <span class="fork-passed">{passed} " of " {all} " passed"</span> })}
            {(waiting > 0).then(|| view! { <span class="quiet">{waiting} " to decide"</span> })}
            <span class="grow"></span>
            <span class="quiet">{progress}</span>
            <a class="link" href=run_address(run)>"Run " {run}</a>
        })
    };
    view! {
        <section class="fork-side" aria-label=label>
            <header>{head}</header>
            <ol id=list>
                <For
                    each=move || results.get()
                    key=|result| (result.id.repeat, result.status, result.duration_ms)
                    let(result)
                >
                    {continuation(result, keeping, again)}
                </For>
            </ol>
            <Show when=move || results.read().is_empty()>
                <p class="empty">"None has ended yet"</p>
            </Show>
        </section>
    }
}

/// A continuation, with a link to its result.
fn continuation(result: CaseRunSummary, keeping: Keeping, again: Callback<()>) -> AnyView {
    let CaseRunSummary { id, status, why, said, duration_ms, waits_for_verdict, .. } = result;
    let href = case_address(&id, false, None);
    let is_right = status == RunStatus::Passed;
    let keep = is_right.then(|| view! { <KeepButton keeping id=id.clone()/> });
    let repeat = id.repeat;
    let verdict = match waits_for_verdict {
        true => view! { <span class="report-verdict unscored">"waits"</span> }.into_any(),
        false => view! { <Verdict status/> }.into_any(),
    };
    // A person decides on what the agent said, and reads elsewhere why something failed.
    let text = if waits_for_verdict || is_right { said } else { why.unwrap_or(said) };
    view! {
        <li>
            {verdict}
            <a class="link" href=href>"Repeat " {repeat}</a>
            <span class="fork-why">{visible_text(&text)}</span>
            {keep}
            <span class="figure">{duration_text(duration_ms)}</span>
            {waits_for_verdict.then(|| view! { <VerdictFields id noted=again next=&LISTS/> })}
        </li>
    }
    .into_any()
}
