//! [`ScoredCase`]: an expected case, the actual one, and the result.

use std::sync::Arc;

use case_trace::CaseTrace;
use json_text::JsonText;
use scoring::Invocation;
use scoring::config::{Config, Tools};
use scoring::report::{CriterionResult, EvalCaseResult, figures_apart, why};

use crate::excerpt::{cut, in_line};

/// How much of the user's first message a report has, in characters.
const LONGEST_QUERY: usize = 160;

/// An expected case, the actual one, and the result.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredCase {
    /// The expected case; `None` if it is on the actual side only, or cannot be read.
    pub expected: Option<CaseTrace>,
    /// The actual case; `None` if it is on the expected side only, or cannot be read.
    pub actual: Option<CaseTrace>,
    /// The result.
    pub result: EvalCaseResult,
    /// For each criterion's result, a sentence: why it was not met, or not scored.
    pub whys: Vec<Option<String>>,
    /// For each criterion's result: whether it compares a measurement with bounds.
    pub measurements: Vec<bool>,
    /// The criteria of the whole report, if cases have criteria of their own; else all cases have the same.
    pub columns: Option<Arc<[String]>>,
}

/// Why a criterion was not met, or not scored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FailedCriterion<'c> {
    /// The criterion's result.
    pub result: &'c CriterionResult,
    /// Why, in a sentence without its full stop.
    pub why: &'c str,
    /// Whether it compares a measurement with bounds.
    pub is_measurement: bool,
}

impl FailedCriterion<'_> {
    /// `words 0.5, needs 0.8: the response scores 0.500`, `quick failed: 3 seconds, more than 2`,
    /// `judged is unscored: no judge`.
    #[must_use]
    pub fn line(&self) -> String {
        let CriterionResult { criterion, score, threshold, .. } = self.result;
        let (scored, needs) = figures_apart(score.unwrap_or_default(), *threshold);
        let standing = match score {
            None => "is unscored".to_owned(),
            Some(_) if !self.is_measurement => format!("{scored}, needs {needs}"),
            Some(0.0) => "failed".to_owned(),
            Some(_) => format!("passes in {scored} of the turns, needs {needs}"),
        };
        format!("{criterion} {standing}: {}", self.why)
    }
}

impl ScoredCase {
    /// Scores a case by every criterion; `clock` returns seconds since any fixed time.
    #[must_use]
    pub fn of(
        config: &Config,
        expected: CaseTrace,
        actual: CaseTrace,
        tools: &mut Tools<'_>,
        clock: impl Fn() -> f64,
    ) -> Self {
        let begin = clock();
        let mut results = Vec::with_capacity(config.criteria.len());
        let mut whys = Vec::with_capacity(config.criteria.len());
        for criterion in &config.criteria {
            let outcome = criterion.score(&expected.trace, &actual.trace, tools);
            whys.push(why(criterion, &outcome));
            results.push(CriterionResult::of(criterion, &outcome));
        }
        let (eval_id, name) = (&expected.eval_id, expected.name.clone());
        let measurements = config.criteria.iter().map(|it| it.metric.is_measurement()).collect();
        let mut result = EvalCaseResult::scored(eval_id, name, results, clock() - begin);
        if !config.informational.is_empty() {
            let figures = config.informational.iter();
            result.informational =
                figures.map(|it| (it.name().to_owned(), it.per_turn(&actual.trace))).collect();
        }
        Self {
            expected: Some(expected),
            actual: Some(actual),
            result,
            whys,
            measurements,
            columns: None,
        }
    }

    /// An expected case without an actual one: an error. `partner` is what was looked for, such as
    /// `with this id`.
    #[must_use]
    pub fn expected_only(expected: CaseTrace, partner: &str) -> Self {
        let error = format!("the actual side has no case {partner}");
        let result = EvalCaseResult::error(&expected.eval_id, expected.name.clone(), error);
        Self {
            expected: Some(expected),
            actual: None,
            result,
            whys: Vec::new(),
            measurements: Vec::new(),
            columns: None,
        }
    }

    /// A case with fewer turns than expected: an error like a missing case, since the run ended early.
    #[must_use]
    pub fn ended_early(expected: CaseTrace, actual: CaseTrace) -> Self {
        let turns = |case: &CaseTrace| case.trace.invocations.len();
        let (wanted, done) = (turns(&expected), turns(&actual));
        let are = if done == 1 { "is" } else { "are" };
        let error =
            format!("{done} of {wanted} expected invocations {are} recorded: the run ended early");
        let result = EvalCaseResult::error(&expected.eval_id, expected.name.clone(), error);
        Self {
            expected: Some(expected),
            actual: Some(actual),
            result,
            whys: Vec::new(),
            measurements: Vec::new(),
            columns: None,
        }
    }

    /// An actual case without an expected one: unscored by every criterion. `partner` as above.
    #[must_use]
    pub fn actual_only(config: &Config, actual: CaseTrace, partner: &str) -> Self {
        let reason = format!("the expected side has no case {partner}");
        let details = JsonText::from_value(&serde_json::json!({ "reason": reason }));
        let unscored = config.criteria.iter().map(|criterion| CriterionResult {
            criterion: criterion.name.clone(),
            score: None,
            passed: None,
            threshold: criterion.threshold,
            details: details.clone(),
        });
        let (eval_id, name) = (&actual.eval_id, actual.name.clone());
        let result = EvalCaseResult::scored(eval_id, name, unscored.collect(), 0.0);
        let whys = vec![Some(reason); config.criteria.len()];
        Self {
            expected: None,
            actual: Some(actual),
            result,
            whys,
            measurements: Vec::new(),
            columns: None,
        }
    }

    /// With the tags, the first message and what the actual run took, in the result.
    pub(crate) fn with_facts(mut self) -> Self {
        let either = self.expected.as_ref().or(self.actual.as_ref());
        self.result.tags = either.map(|case| case.tags.clone()).unwrap_or_default();
        let first = either.and_then(|case| case.trace.invocations.first());
        let message = first.map(Invocation::user_message).unwrap_or_default();
        self.result.query =
            (!message.trim().is_empty()).then(|| cut(&in_line(&message), LONGEST_QUERY));
        let Some(actual) = &self.actual else { return self };
        let turns = &actual.trace.invocations;
        let seconds: Option<f64> = turns.iter().map(|turn| turn.timing.total).sum();
        let seconds = seconds.filter(|_| !turns.is_empty());
        self.result.run_seconds = self.result.run_seconds.or(seconds);
        let calls = || turns.iter().map(|turn| turn.model_calls.as_ref());
        let tokens = calls().map(|calls| {
            let calls = calls?.iter();
            calls.map(|call| Some(call.input? + call.output?)).sum::<Option<u64>>()
        });
        let tokens: Option<u64> = tokens.sum();
        self.result.tokens = tokens.filter(|_| !turns.is_empty());
        for model in calls().flatten().flatten().filter_map(|call| call.model.as_ref()) {
            if !self.result.models.contains(model) {
                self.result.models.push(model.clone());
            }
        }
        self
    }

    /// The criteria that were not met, then the unscored ones.
    #[must_use]
    pub fn failed_criteria(&self) -> Vec<FailedCriterion<'_>> {
        let measurements = self.measurements.iter().copied().chain(std::iter::repeat(false));
        let results = self.result.criterion_results.iter().zip(&self.whys).zip(measurements);
        let failed_criteria = results.filter_map(|((result, why), is_measurement)| {
            Some(FailedCriterion { result, why: why.as_deref()?, is_measurement })
        });
        let mut failed_criteria: Vec<_> = failed_criteria.collect();
        failed_criteria.sort_by_key(|miss| miss.result.passed.is_none());
        failed_criteria
    }

    /// What kept the case from an end of its own: the error, the limit that ended its run, or, where no criterion says it,
    /// why it was not run.
    #[must_use]
    pub fn ended_by(&self) -> Option<String> {
        let run = self.result.eval_run.as_ref();
        let skipped = self.result.skipped.clone();
        let skipped = skipped.filter(|_| self.result.criterion_results.is_empty());
        self.result.error.clone().or_else(|| run?.limit()).or(skipped)
    }

    /// A case that cannot be scored, and why.
    #[must_use]
    pub fn error(
        eval_id: &str,
        expected: Option<CaseTrace>,
        actual: Option<CaseTrace>,
        error: &str,
    ) -> Self {
        let name = expected.as_ref().and_then(|case| case.name.clone());
        let result = EvalCaseResult::error(eval_id, name, error);
        Self { expected, actual, result, whys: Vec::new(), measurements: Vec::new(), columns: None }
    }
}
