//! [`run_eval_suite`]: many cases, each in a world of its own.

use futures::StreamExt as _;
use serde::Serialize;

use crate::case::EvalCase;
use crate::result::{EvalResult, Status};
use crate::run::run_eval;

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
    fn of(results: &[EvalResult]) -> Self {
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

/// Runs the cases. `ended` is told of each case as it ends.
pub async fn run_eval_suite(suite: &EvalSuite, mut ended: impl FnMut(&EvalResult)) -> SuiteResult {
    let runs =
        suite.cases.iter().enumerate().map(|(at, case)| async move { (at, run_eval(case).await) });
    let mut running = futures::stream::iter(runs).buffer_unordered(suite.jobs.max(1));
    let mut results = Vec::new();
    while let Some((at, result)) = running.next().await {
        ended(&result);
        let is_failure =
            matches!(result.status, Status::Error | Status::Failed | Status::Terminated);
        results.push((at, result));
        if suite.stop_on_first_failure && is_failure {
            break;
        }
    }
    drop(running);
    results.sort_by_key(|(at, _)| *at);
    let results: Vec<EvalResult> = results.into_iter().map(|(_, result)| result).collect();
    SuiteResult { summary: Summary::of(&results), results }
}
