//! [`run_eval_suite`]: many cases, each in a world of its own.

use std::borrow::Cow;
use std::sync::Arc;

use futures::StreamExt as _;
use indexmap::IndexMap;
use serde::Serialize;

use crate::case::{CaseRun, EvalCase};
use crate::given_model::real_model;
use crate::mock::ToolUse;
use crate::name_check::check_names;
use crate::names::Names;
use crate::result::{EvalResult, Status};
use crate::run_failure::RunFailure;
use crate::store::{StoreError, StoredRun};

/// Cases that are run together.
#[derive(Clone)]
pub struct EvalSuite {
    /// The cases.
    pub cases: Vec<EvalCase>,
    /// How many run at the same time; 1 for one after the other.
    pub jobs: usize,
    /// Whether the first case that errs, fails or is terminated cancels the others.
    pub stop_on_first_failure: bool,
}

/// What a suite gave.
#[derive(Debug, Clone, Serialize)]
pub struct SuiteResult {
    /// Each case that ended, in the order of the suite.
    pub results: Vec<EvalResult>,
    /// How many ended in which way.
    pub summary: Summary,
    /// Cases that were not run.
    pub skipped: Vec<SkippedCase>,
}

/// A case that was not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedCase {
    /// The case.
    pub case: String,
    /// The suite.
    pub suite: String,
    /// The repeat, from 1.
    pub repeat: u32,
}

impl SkippedCase {
    /// The run that was not made.
    #[must_use]
    pub fn of(run: &CaseRun<'_>) -> Self {
        let CaseRun { case, repeat } = *run;
        Self { case: case.name.clone(), suite: case.source.suite.clone(), repeat }
    }
}

/// How many cases ended in which way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Cases that ended.
    pub total: usize,
    /// Every metric passed.
    pub passed: usize,
    /// A metric failed.
    pub failed: usize,
    /// The case could not be run to its end.
    pub errors: usize,
    /// Ended by `max_turns` or `max_duration`.
    pub terminated: usize,
    /// A metric has no result, and none failed.
    pub unscored: usize,
}

impl Summary {
    /// Counts results.
    #[must_use]
    pub fn of(results: &[EvalResult]) -> Self {
        let count = |status| results.iter().filter(|result| result.status == status).count();
        Self {
            total: results.len(),
            passed: count(Status::Passed),
            failed: count(Status::Failed),
            errors: count(Status::Error),
            terminated: count(Status::Terminated),
            unscored: count(Status::Unscored),
        }
    }
}

impl EvalSuite {
    /// Cases that run in parallel, one for each processor, and do not cancel each other.
    #[must_use]
    pub fn new(cases: Vec<EvalCase>) -> Self {
        Self { cases, jobs: processors(), stop_on_first_failure: false }
    }

    /// Sets whether cases run at the same time, as many as there are processors, or one after the other.
    #[must_use]
    pub fn parallel(self, is_parallel: bool) -> Self {
        let jobs = if is_parallel { processors() } else { 1 };
        Self { jobs, ..self }
    }

    /// Sets whether the first case that errs, fails or is terminated cancels the others.
    #[must_use]
    pub fn stop_on_first_failure(self, stop_on_first_failure: bool) -> Self {
        Self { stop_on_first_failure, ..self }
    }

    /// The runs of all cases, each as often as its `repeats` says.
    #[must_use]
    pub fn runs(&self) -> Vec<CaseRun<'_>> {
        let of_case = |case| (1..=case_repeats(case)).map(move |repeat| CaseRun { case, repeat });
        self.cases.iter().flat_map(of_case).collect()
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn case_repeats(case: &EvalCase) -> u32 {
    case.repeats.max(1)
}

/// Runs a case as this repeat of it.
async fn run_repeat(run: CaseRun<'_>) -> EvalResult {
    let mut case = Cow::Borrowed(run.case);
    if run.repeat > 1 {
        // Otherwise the same calls would go wrong in every repeat.
        case.to_mut().seed = run.case.seed.wrapping_add(u64::from(run.repeat - 1));
    }
    crate::run::run_repeat(&case, run.repeat).await
}

/// Loads the subjects of cases, as many at a time as `jobs` says, and checks that they have what the cases name, and that
/// their models can be asked. An agent that cannot be loaded is the fault of its runs.
///
/// # Errors
/// The first case that does not fit its subject, and why.
pub async fn check_cases<'c>(
    cases: impl Iterator<Item = &'c EvalCase>,
    jobs: usize,
) -> Result<(), (&'c EvalCase, RunFailure)> {
    // Those of an agent follow one another: where another one is loaded in between, it may have to be loaded again.
    let mut by_subject: IndexMap<_, Vec<(usize, &EvalCase)>> = IndexMap::new();
    for (at, case) in cases.enumerate() {
        let subject = Arc::as_ptr(&case.subject).cast::<()>().addr();
        let key = (subject, real_model(case.model.as_ref()), case.needs().allowed);
        by_subject.entry(key).or_default().push((at, case));
    }
    let by_subject: Vec<_> = by_subject.into_values().collect();
    let checks = futures::stream::iter(by_subject).map(check_together);
    let unfit: Vec<_> = checks.buffer_unordered(jobs.max(1)).collect().await;
    match unfit.into_iter().flatten().min_by_key(|(at, ..)| *at) {
        Some((_, case, failure)) => Err((case, failure)),
        None => Ok(()),
    }
}

/// The first of these cases that does not fit the subject that all have, with its place, and why.
async fn check_together(cases: Vec<(usize, &EvalCase)>) -> Option<(usize, &EvalCase, RunFailure)> {
    let (first, case) = *cases.first()?;
    let names = match case.subject.prepare(&case.needs()).await {
        Ok(names) => names,
        Err(failure @ RunFailure::Declarations { .. }) => return Some((first, case, failure)),
        Err(_) => return None,
    };
    let unfit = cases.iter().find_map(|(at, case)| Some((*at, *case, misfit(case, &names)?)));
    if unfit.is_some() || real_model(case.model.as_ref()).is_none() {
        return unfit;
    }
    let gate = Arc::new(case.gate());
    case.subject.check_model(&gate).await.err().map(|failure| (first, case, failure))
}

/// Why a case does not fit its subject, which has these names.
fn misfit(case: &EvalCase, names: &Names) -> Option<RunFailure> {
    let checked = check_names(names, &case.named_tools, case.model.as_ref(), &case.metrics);
    if let Err(failure) = checked {
        return Some(failure);
    }
    let tool_with = |is_it: fn(&ToolUse) -> bool| {
        case.tools.iter().find(|(_, used)| is_it(used)).map(|(tool, _)| tool.clone())
    };
    if !case.subject.seals_tools()
        && let Some(tool) = tool_with(|used| matches!(used, ToolUse::Sealed))
    {
        return Some(RunFailure::Unsealable { tool });
    }
    let asks = |used: &ToolUse| matches!(used, ToolUse::Mock(mock) if mock.asks_confirmation());
    if !case.subject.asks_confirmations()
        && let Some(tool) = tool_with(asks)
    {
        return Some(RunFailure::Unconfirmable { tool });
    }
    let reason = unchangeable(case, names)?;
    Some(RunFailure::Unchangeable { reason })
}

/// Why the requests of the subject cannot be changed as the case says; `None` if they can.
fn unchangeable(case: &EvalCase, names: &Names) -> Option<String> {
    let changes = &case.request_changes;
    if changes.is_empty() {
        return None;
    }
    let reason = case.subject.unchangeable(changes);
    let agents = names.acting_agents();
    let tools = names.called_tools();
    let agent = || changes.unknown_agent(agents.as_deref()?);
    let tool = || changes.unknown_tool(tools.as_deref()?);
    reason.or_else(agent).or_else(tool)
}

/// Runs the cases. `ended` is called with each result as it ends.
pub async fn run_eval_suite(suite: &EvalSuite, mut ended: impl FnMut(&EvalResult)) -> SuiteResult {
    let mut results = Vec::new();
    let kept = |at, result: EvalResult| {
        ended(&result);
        results.push((at, result));
    };
    // Only a store can fail.
    let runs = suite.runs();
    let _ = run_cases(suite, &runs, None, kept).await;
    results.sort_by_key(|(at, _)| *at);
    let has_ended = |at: &usize| results.iter().any(|(ended, _)| ended == at);
    let skipped = runs.iter().enumerate().filter(|(at, _)| !has_ended(at));
    let skipped = skipped.map(|(_, run)| SkippedCase::of(run)).collect();
    let results: Vec<EvalResult> = results.into_iter().map(|(_, result)| result).collect();
    SuiteResult { summary: Summary::of(&results), results, skipped }
}

async fn run_kept(
    at: usize,
    run: CaseRun<'_>,
    stored: Option<&StoredRun<'_>>,
) -> Result<(usize, EvalResult), StoreError> {
    let result = run_repeat(run).await;
    if let Some(stored) = stored {
        stored.keep(run.case, &result).await?;
    }
    Ok((at, result))
}

/// Runs some of the runs of a suite. Each result is stored as it ends, and then given to `ended` with its place
/// in `runs`. Dropping the future cancels the cases that run.
///
/// # Errors
/// [`StoreError`] if a result cannot be stored. The remaining cases are canceled then.
pub async fn run_cases(
    suite: &EvalSuite,
    runs: &[CaseRun<'_>],
    stored: Option<&StoredRun<'_>>,
    mut ended: impl FnMut(usize, EvalResult),
) -> Result<(), StoreError> {
    // Boxed, so that the compiler sees that the whole can be sent to another thread.
    let all = runs.iter().copied().enumerate().map(|(at, run)| run_kept(at, run, stored));
    let mut running = futures::stream::iter(all).buffer_unordered(suite.jobs.max(1)).boxed();
    while let Some(run) = running.next().await {
        let (at, result) = run?;
        let is_failure =
            matches!(result.status, Status::Error | Status::Failed | Status::Terminated);
        ended(at, result);
        if suite.stop_on_first_failure && is_failure {
            break;
        }
    }
    Ok(())
}
