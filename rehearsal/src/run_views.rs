//! Stored runs, results and forks as the page gets them, and `rehearsal eval runs` prints them.

use std::collections::{BTreeSet, HashMap};

use api::{
    CaseRun, CaseRunId, CaseRunSummary, ForkSide, MetricSummary, RecordedKind, RunCounts,
    RunDetail, RunFork, RunSummary, StepView, StepViewKind,
};
use eval::continuations::{Continuations, changed, sentence};
use eval::fork::{ForkOf, Move, StepKind, steps};
use eval::ledger::{Event, Origin};
use eval::metric::MetricResult;
use eval::person_verdict::waits_for_verdict;
use eval::result::{EvalResult, ResultSummary, TerminationReason};
use eval::store::{ResultKey, RunInfo, RunStore, StatusTotals, StoreError, Summaries};
use json_text::JsonText;

/// What the results of each run add up to.
struct Totals(HashMap<i64, Total>);

#[derive(Clone, Copy, Default)]
struct Total {
    counts: RunCounts,
    duration_ms: u64,
    tokens: u64,
    cost: Option<f64>,
}

impl Totals {
    fn of(totals: Vec<StatusTotals>) -> Self {
        let mut by_run: HashMap<i64, Total> = HashMap::new();
        for StatusTotals { run, status, results, duration_ms, tokens, cost } in totals {
            let total = by_run.entry(run).or_default();
            total.counts.add(status, results);
            total.duration_ms += duration_ms;
            total.tokens += tokens;
            total.cost = sum(total.cost, cost);
        }
        Self(by_run)
    }
}

/// What both cost, as far as it is known.
pub(crate) fn sum(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one + other),
        (one, other) => one.or(other),
    }
}

fn run_summary(run: RunInfo, totals: &Totals, is_running: bool) -> RunSummary {
    let Total { counts, duration_ms, tokens, cost } =
        totals.0.get(&run.number).copied().unwrap_or_default();
    RunSummary {
        run: run.number,
        suites: run.suites,
        began: run.created_at,
        counts,
        duration_ms,
        tokens,
        cost,
        fork_of: run.fork_of.map(fork_view),
        recorded: run.recorded.map(|of| recorded_kind(of.kind)),
        is_running,
        planned: None,
    }
}

/// All runs, the newest first.
///
/// # Errors
/// [`StoreError`] if the store cannot be read.
pub(crate) async fn run_summaries(store: &RunStore) -> Result<Vec<RunSummary>, StoreError> {
    let totals = Totals::of(store.totals().await?);
    let runs = store.runs().await?;
    let summary = |run: RunInfo| {
        let is_running = store.is_claimed(run.number);
        run_summary(run, &totals, is_running)
    };
    Ok(runs.into_iter().rev().map(summary).collect())
}

/// A run with its results.
///
/// # Errors
/// [`StoreError`] if the store cannot be read or has no such run.
pub(crate) async fn run_detail(store: &RunStore, run: i64) -> Result<RunDetail, StoreError> {
    let info = store.run(run).await?;
    let compared_with = compared_with(&info, &store.runs().await?);
    let results = store.summaries(run).await?;
    let cases = results.into_iter().map(|(key, result)| case_summary(run, key, &result)).collect();
    let totals = Totals::of(store.totals().await?);
    let summary = run_summary(info, &totals, store.is_claimed(run));
    let mut forks = run_summaries(store).await?;
    forks.retain(|other| other.fork_of.as_ref().is_some_and(|of| of.of.run == run));
    Ok(RunDetail { summary, cases, under_way: Vec::new(), forks, compared_with })
}

/// The run to compare with unless another one is chosen: of the same suites, the one before it, or else the one after it.
pub(crate) fn compared_with(run: &RunInfo, runs: &[RunInfo]) -> Option<i64> {
    let of_suites = |other: &&RunInfo| {
        other.number != run.number && other.is_of_suites() && other.suites == run.suites
    };
    let same = || runs.iter().filter(of_suites).map(|other| other.number);
    let before = same().filter(|number| *number < run.number).max();
    before.or_else(|| same().min()).filter(|_| run.is_of_suites())
}

pub(crate) fn fork_view(of: ForkOf) -> RunFork {
    let ForkOf { run, suite, case, repeat, step, at, changes, then, tools, without, .. } = of;
    let tools = tools.into_iter().map(|(tool, mode)| (tool, mode.to_string())).collect();
    let changes = (!changes.is_empty()).then(|| JsonText::serialize(&changes).ok()).flatten();
    RunFork {
        of: CaseRunId { run, suite, case, repeat },
        step,
        edit: at,
        changes,
        then,
        tools,
        without,
    }
}

pub(crate) fn id_of(run: i64, key: ResultKey) -> CaseRunId {
    CaseRunId { run, suite: key.suite, case: key.name, repeat: key.repeat }
}

pub(crate) fn key_of(id: CaseRunId) -> ResultKey {
    ResultKey { suite: id.suite, name: id.case, repeat: id.repeat }
}

pub(crate) fn case_summary(run: i64, key: ResultKey, result: &ResultSummary) -> CaseRunSummary {
    let metric = |(name, metric): (&String, &MetricResult)| MetricSummary {
        name: name.clone(),
        passed: metric.passed,
        score: metric.score,
        evidence: metric.evidence.clone(),
    };
    CaseRunSummary {
        id: id_of(run, key),
        model: result.model.clone(),
        tags: result.tags.clone(),
        code: result.error.as_ref().map(|error| error.code.clone()).filter(|it| !it.is_empty()),
        status: result.status,
        why: result.why(),
        metrics: result.metrics.iter().map(metric).collect(),
        turns: result.turns,
        duration_ms: result.duration_ms,
        tokens: result.token_usage.input + result.token_usage.output,
        cost: result.cost,
        said: result.said.clone(),
        waits_for_verdict: waits_for_verdict(result),
    }
}

pub(crate) fn recorded_kind(kind: eval::recorded_source::RecordedKind) -> RecordedKind {
    use eval::recorded_source::RecordedKind as Kind;
    match kind {
        Kind::Case => RecordedKind::Case,
        Kind::AdkSession => RecordedKind::AdkSession,
        Kind::Rehearsal => RecordedKind::Rehearsal,
    }
}

pub(crate) fn case_run(
    id: CaseRunId,
    result: EvalResult,
    repeats: Vec<u32>,
    forks: Vec<RunSummary>,
    recorded: Option<RecordedKind>,
    is_fork: bool,
) -> CaseRun {
    let (run, key) = (id.run, key_of(id));
    CaseRun {
        summary: case_summary(run, key, &ResultSummary::of(&result)),
        tools: tools_of(&result),
        recorded,
        is_fork,
        // Events have string keys and finite numbers.
        events: JsonText::serialize(&result.events).unwrap_or_else(|_| JsonText::null()),
        steps: steps(&result.events)
            .into_iter()
            .map(|step| StepView {
                event: step.at,
                kind: kind_of(&step.kind),
                who: step.kind.who().to_owned(),
                edit: step.kind.as_move().json(),
            })
            .collect(),
        notes: result.notes,
        termination_reason: result
            .termination_reason
            .map(TerminationReason::name)
            .map(str::to_owned),
        repeats,
        forks,
        under_way: None,
    }
}

/// The tools that the agent showed and those that it called, without those of the framework.
fn tools_of(result: &EvalResult) -> Vec<String> {
    let called = result.events.iter().filter_map(|entry| match &entry.event {
        Event::ToolResult { name, from, .. } if !matches!(from, Origin::Framework) => Some(name),
        _ => None,
    });
    let names = result.names.iter();
    let shown = names.flat_map(|names| names.tools.iter().flatten().chain(&names.shown_tools));
    let tools: BTreeSet<&String> = called.chain(shown).collect();
    tools.into_iter().cloned().collect()
}

fn kind_of(kind: &StepKind) -> StepViewKind {
    match kind {
        StepKind::Message { .. } => StepViewKind::Message,
        StepKind::Answer { .. } => StepViewKind::Answer,
        StepKind::Response { .. } => StepViewKind::Response,
        StepKind::Result { .. } => StepViewKind::Result,
    }
}

pub(crate) fn fork_side(run: i64, times: Option<u32>, results: Summaries) -> ForkSide {
    let counted = continuations(&results).counted();
    let ended = u32::try_from(results.len()).unwrap_or(u32::MAX);
    ForkSide {
        run,
        times: times.unwrap_or(ended).max(ended),
        passed: counted.passed as u64,
        counted: counted.runs as u64,
        results: results.into_iter().map(|(key, it)| case_summary(run, key, &it)).collect(),
    }
}

/// What a fork shows so far; `None` while a side has no continuation that has ended.
pub(crate) fn said_of(
    of: &ForkOf,
    with: &Summaries,
    without: Option<&Summaries>,
) -> Option<String> {
    if with.is_empty() || without.is_some_and(Vec::is_empty) {
        return None;
    }
    // What was stored was read before.
    let at = of.at.as_ref().and_then(|at| Move::read(at.as_str()).ok());
    let without = without.map(continuations);
    let changed = changed(of.step, at.as_ref(), &of.changes);
    Some(sentence(of.step, changed.as_ref(), &continuations(with), without.as_ref()))
}

fn continuations(results: &Summaries) -> Continuations {
    Continuations { results: results.iter().map(|(_, result)| Some(result.clone())).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_compared_with_the_one_before_it() {
        let run = |number, suite: &str| RunInfo {
            number,
            created_at: 0,
            suites: vec![suite.to_owned()],
            fork_of: None,
            recorded: None,
        };
        let runs = [run(1, "a"), run(2, "b"), run(3, "a"), run(4, "a")];
        let with = |number: usize| compared_with(&runs[number - 1], &runs);
        assert_eq!([with(1), with(2), with(3), with(4)], [Some(3), None, Some(1), Some(3)]);
    }
}
