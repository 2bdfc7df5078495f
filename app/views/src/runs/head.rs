//! What the heads of runs have in common: verdicts, times, links to forks.

use api::{RecordedKind, RunCounts, RunFork, RunSummary};
use jiff::Timestamp;
use leptos::prelude::*;
use report_view::RunStatus;

use super::state::list::folder_and_name;
use crate::shared::run_address::{case_address, run_address};
use app::state::excerpt::visible_name;
use app::state::times::{ago, grouped, took};
use app::state::use_page;

/// The verdict's class in the stylesheet.
pub(super) fn verdict_class(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Error => "error",
        RunStatus::Terminated | RunStatus::Failed => "failed",
        RunStatus::Unscored => "unscored",
        RunStatus::Passed => "passed",
    }
}

/// The verdict of a result.
#[component]
pub(super) fn Verdict(
    /// The verdict.
    status: RunStatus,
) -> impl IntoView {
    view! { <span class=format!("report-verdict {}", verdict_class(status))>{status.label()}</span> }
}

/// How long ago a run began, with the time as its title.
#[component]
pub(super) fn Began(
    /// Milliseconds since 1970.
    began: i64,
) -> impl IntoView {
    let clock = use_page().clock;
    let began = Timestamp::from_millisecond(began).ok();
    let title = began.map(|began| {
        let text = began.to_string();
        format!("{} UTC", text.get(..16).unwrap_or(&text).replace('T', " "))
    });
    // Changes with its text, not each second.
    let text = Memo::new(move |_| began.map(|began| ago(clock.since(began))));
    view! { <time title=title>{move || text.get()}</time> }
}

/// How long all cases took together.
pub(super) fn duration_text(milliseconds: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "no run takes 2^53 milliseconds")]
    took(milliseconds as f64)
}

/// `1,200 tokens`; nothing where none are counted.
pub(super) fn tokens_text(tokens: u64) -> Option<String> {
    (tokens > 0).then(|| format!("{} tokens", number(tokens)))
}

/// `cost 0.0123`; nothing where the suite has no prices.
pub(super) fn cost_text(cost: Option<f64>) -> Option<String> {
    cost.map(|cost| format!("cost {cost:.4}"))
}

/// A number with its thousands apart.
pub(super) fn number(count: u64) -> String {
    grouped(usize::try_from(count).unwrap_or(usize::MAX))
}

/// The shares of passed, failed and unscored results, as a bar.
pub(super) fn share(counts: RunCounts) -> AnyView {
    let RunCounts { passed, failed, terminated, errors, unscored } = counts;
    let part = |of: u64, class| view! { <i class=class style:flex-grow=of.to_string()></i> };
    view! {
        <span class="share" aria-hidden="true">
            {part(passed, "ok")} {part(failed + terminated + errors, "bad")} {part(unscored, "none")}
        </span>
    }
    .into_any()
}

/// `3 of 4, 1 unscored`.
pub(super) fn passed_text(counts: RunCounts) -> String {
    let scored = number(counts.all() - counts.unscored);
    let passed = number(counts.passed);
    match counts.unscored {
        _ if counts.all() == 0 => "no results".to_owned(),
        0 => format!("{passed} of {scored}"),
        unscored => format!("{passed} of {scored}, {} unscored", number(unscored)),
    }
}

/// The names of suites, with their folders in a quiet color.
#[component]
pub(super) fn Suites(
    /// The files.
    suites: Vec<String>,
) -> impl IntoView {
    let suite = |path: String| {
        let (folder, name) = folder_and_name(&path);
        let (folder, name) = (visible_name(folder), visible_name(name));
        view! {
            <span class="runs-suite" title=visible_name(&path)>
                {(!folder.is_empty()).then(|| view! { <span class="quiet">{folder}</span> })}
                <span>{name}</span>
            </span>
        }
    };
    suites.into_iter().map(suite).collect_view()
}

/// What a run is a fork of, in words: `fork of run 3, step 4`.
pub(super) fn fork_text(fork: &RunFork) -> String {
    let side = match (&fork.edit, fork.without) {
        (Some(_), _) => ", with an edit",
        (None, _) => "",
    };
    format!("fork of run {}, step {}{side}", fork.of.run, fork.step)
}

/// `step 4, with an edit`.
fn step_text(fork: &RunFork) -> String {
    let edit = if fork.edit.is_some() { "with an edit" } else { "without an edit" };
    format!("step {}, {edit}", fork.step)
}

/// The forks of a result, in a line.
pub(super) fn fork_line(forks: Vec<RunSummary>) -> AnyView {
    let fork = |run: RunSummary| {
        let RunSummary { run, counts, fork_of, is_running, .. } = run;
        let step = fork_of.map(|fork| format!(", {}", step_text(&fork)));
        view! {
            <span>
                <a class="link" href=run_address(run)>"Run " {run} {step}</a>
                {passed_text(counts)} {share(counts)}
                {is_running.then(running)}
            </span>
        }
    };
    view! {
        <section class="case-run-forks" aria-label="Forks">
            <b>"Forks"</b>
            {forks.into_iter().map(fork).collect_view()}
        </section>
    }
    .into_any()
}

/// The forks of a run.
#[component]
pub(super) fn Forks(
    /// The forks, the newest first.
    forks: Vec<RunSummary>,
) -> impl IntoView {
    let fork = move |run: RunSummary| {
        let RunSummary { run, began, counts, fork_of, is_running, .. } = run;
        let of = fork_of.map(|fork| {
            let href = case_address(&fork.of, true, None);
            let case = view! { <a class="link" href=href>{visible_name(&fork.of.case)}</a> };
            view! { <td>{case}</td> <td>{step_text(&fork)}</td> }
        });
        view! {
            <tr>
                <th scope="row"><a href=run_address(run)>"Run " {run}</a> {is_running.then(running)}</th>
                {of}
                <td class="figure">{passed_text(counts)} {share(counts)}</td>
                <td class="figure"><Began began/></td>
            </tr>
        }
    };
    view! {
        <section class="runs-forks" aria-label="Forks">
            <h2 class="report-title">"Forks"</h2>
            <table class="sets">
                <thead>
                    <tr>
                        <th scope="col">"Run"</th>
                        <th scope="col">"Case"</th>
                        <th scope="col">"Fork"</th>
                        <th scope="col" class="figure">"Passed"</th>
                        <th scope="col" class="figure">"Began"</th>
                    </tr>
                </thead>
                <tbody>{forks.into_iter().map(fork).collect_view()}</tbody>
            </table>
        </section>
    }
}

/// The mark of a run that gives a recorded case again.
pub(super) fn recorded_chip(kind: RecordedKind) -> AnyView {
    let label = match kind {
        RecordedKind::Case => "recorded case",
        RecordedKind::AdkSession => "session of adk web",
        RecordedKind::Rehearsal => "rehearsal",
    };
    let title = "Given again as recorded: no model was asked, and no tool ran";
    view! { <span class="chip" title=title>{label}</span> }.into_any()
}

/// The mark of a run that is running.
pub(super) fn running() -> AnyView {
    view! { <span class="chip live">"running"</span> }.into_any()
}
