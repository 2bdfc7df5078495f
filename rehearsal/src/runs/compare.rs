//! [`compared`]: the results of two runs beside each other.

use std::collections::HashSet;

use api::{ComparedResult, RunSummary};
use eval::result::{ResultSummary, Status};
use eval::store::{ResultKey, Summaries};
use json_text::JsonText;
use report_view::{Change, CriterionResult, EvalCaseResult, EvalRun};
use scoring::report::Comparison;

use crate::run_views::case_summary;

/// Whether both runs have run a suite in common.
pub(super) fn is_comparable(run: &RunSummary, other: &RunSummary) -> bool {
    other.run != run.run
        && other.is_of_suites()
        && run.is_of_suites()
        && other.suites.iter().any(|suite| run.suites.contains(suite))
}

/// Results of a run, and its number.
pub(super) type Side = (i64, Summaries);

/// The results of suites that both runs have, regressions first, and the difference of the pass rates.
pub(super) fn compared(before: Side, after: Side) -> (Vec<ComparedResult>, Option<String>) {
    let suites = |side: &Side| -> HashSet<String> {
        side.1.iter().map(|(key, _)| key.suite.clone()).collect()
    };
    let shared: HashSet<String> = &suites(&before) & &suites(&after);
    let of_shared = |(run, results): Side| -> (i64, Summaries) {
        (run, results.into_iter().filter(|(key, _)| shared.contains(&key.suite)).collect())
    };
    let (before, after) = (of_shared(before), of_shared(after));
    let baseline: Vec<EvalCaseResult> = before.1.iter().map(result).collect();
    let mut comparison = Comparison::with(&baseline);
    let summary = |side: &Side, at: usize| {
        let (key, result) = side.1.get(at)?;
        Some(case_summary(side.0, key.clone(), result))
    };
    let mut results: Vec<ComparedResult> = Vec::with_capacity(after.1.len());
    for (at, stored) in after.1.iter().enumerate() {
        let change = comparison.take(&baseline, &result(stored));
        results.push(ComparedResult {
            change: change.change,
            by: change.by,
            before: change.before.and_then(|place| summary(&before, place)),
            after: summary(&after, at),
        });
    }
    let ended = comparison.finish(&baseline);
    results.extend(ended.gone.iter().map(|place| ComparedResult {
        change: Change::Gone,
        by: 0.0,
        before: summary(&before, *place),
        after: None,
    }));
    // A changed verdict says more than a changed score. Otherwise the order of the runs stays.
    let is_same_verdict = |it: &ComparedResult| {
        let status = |side: &Option<api::CaseRunSummary>| side.as_ref().map(|it| it.status);
        status(&it.before) == status(&it.after)
    };
    results.sort_by_key(|it| (it.change, is_same_verdict(it)));
    (results, ended.difference.map(|difference| difference.sentence()))
}

/// As the comparison of reports takes it.
fn result((key, result): &(ResultKey, ResultSummary)) -> EvalCaseResult {
    let criteria = result.metrics.iter().map(|(name, metric)| CriterionResult {
        criterion: name.clone(),
        score: metric.passed.map(|passed| metric.score.unwrap_or(f64::from(u8::from(passed)))),
        passed: metric.passed,
        threshold: 1.0,
        details: JsonText::null(),
    });
    let id = format!("{}\n{}", key.suite, key.name);
    EvalCaseResult {
        passed: match result.status {
            Status::Passed => Some(true),
            Status::Unscored => None,
            Status::Error | Status::Terminated | Status::Failed => Some(false),
        },
        eval_run: Some(EvalRun {
            status: result.status,
            termination_reason: None,
            turns: result.turns,
            at_fault: None,
            code: None,
            cost: None,
            notes: Vec::new(),
            events: JsonText::null(),
        }),
        ..EvalCaseResult::scored(id, None, criteria.collect(), 0.0)
    }
}

#[cfg(test)]
mod tests {
    use eval::metric::MetricResult;
    use eval::result::TokenUsage;

    use super::*;

    fn stored(
        name: &str,
        repeat: u32,
        passed: bool,
        score: Option<f64>,
    ) -> (ResultKey, ResultSummary) {
        let metric =
            MetricResult { passed: Some(passed), score, value: None, evidence: Vec::new() };
        let result = ResultSummary {
            model: None,
            tags: Vec::new(),
            status: if passed { Status::Passed } else { Status::Failed },
            metrics: [("m".to_owned(), metric)].into_iter().collect(),
            duration_ms: 1,
            turns: 1,
            token_usage: TokenUsage::default(),
            cost: None,
            error: None,
            termination_reason: None,
            said: String::new(),
        };
        let suite = if name == "elsewhere" { "b" } else { "a" };
        (ResultKey { suite: suite.to_owned(), name: name.to_owned(), repeat }, result)
    }

    #[test]
    fn regressions_come_first_and_what_only_one_run_has_last() {
        let before = vec![
            stored("better", 1, false, None),
            stored("elsewhere", 1, true, None),
            stored("gone", 1, true, None),
            stored("less", 1, true, Some(1.0)),
            stored("same", 1, true, None),
            stored("twice", 1, true, None),
            stored("twice", 2, true, None),
        ];
        let after = vec![
            stored("better", 1, true, None),
            stored("less", 1, true, Some(0.9)),
            stored("new", 1, true, None),
            stored("same", 1, true, None),
            stored("twice", 1, true, None),
            stored("twice", 2, false, None),
        ];
        let (results, difference) = compared((1, before), (2, after));
        let shown: Vec<_> = results
            .iter()
            .map(|it| {
                let id = &it.after.as_ref().or(it.before.as_ref()).expect("a side").id;
                (it.change, &*id.case, id.repeat)
            })
            .collect();
        use Change::{Gone, Improved, New, Regressed, Same};
        assert_eq!(
            shown,
            [
                (Regressed, "twice", 2),
                (Regressed, "less", 1),
                (Improved, "better", 1),
                (New, "new", 1),
                (Gone, "gone", 1),
                (Same, "same", 1),
                (Same, "twice", 1),
            ],
            "and nothing of a suite that one run lacks"
        );
        let first = &results[0];
        let runs =
            (first.before.as_ref().map(|it| it.id.run), first.after.as_ref().map(|it| it.id.run));
        assert_eq!(runs, (Some(1), Some(2)));
        let difference = difference.expect("cases in both");
        assert!(difference.contains("over 4 cases in both: no difference shown"), "{difference}");
    }
}
