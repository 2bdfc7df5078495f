//! [`ScoredCase`]: a case, what was done, and what became of it.

use case_trace::LazyTrace;
use json_text::JsonText;
use scoring::adk::Conversation as _;
use scoring::config::{Config, Tools};
use scoring::report::{CriterionResult, EvalCaseResult};

use crate::why::why;

/// A case, what was done, and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredCase {
    /// What is expected; none of a case that stands on the actual side only, or cannot be read.
    pub expected: Option<LazyTrace>,
    /// What was done; none of a case that stands on the expected side only, or cannot be read.
    pub actual: Option<LazyTrace>,
    /// What became of it.
    pub result: EvalCaseResult,
    /// Beside each criterion's result, in a sentence: why it was not met, or not scored.
    pub whys: Vec<Option<String>>,
}

impl ScoredCase {
    /// Scores a case by every criterion; `clock` tells seconds from any moment on.
    #[must_use]
    pub fn of(
        config: &Config,
        expected: impl Into<LazyTrace>,
        actual: impl Into<LazyTrace>,
        tools: &mut Tools<'_>,
        clock: impl Fn() -> f64,
    ) -> Self {
        let begin = clock();
        let (mut expected, mut actual) = (expected.into(), actual.into());
        let mut results = Vec::with_capacity(config.criteria.len());
        let mut whys = Vec::with_capacity(config.criteria.len());
        for criterion in &config.criteria {
            let outcome = criterion.score_as_adk(&expected, &actual, tools).unwrap_or_else(|| {
                expected.make_trace();
                actual.make_trace();
                criterion.score(&expected.trace().trace, &actual.trace().trace, tools)
            });
            whys.push(why(criterion, &outcome));
            results.push(CriterionResult::of(criterion, &outcome));
        }
        let (eval_id, name) = (expected.eval_id(), expected.name().map(str::to_owned));
        let result = EvalCaseResult::scored(eval_id, name, results, clock() - begin);
        Self { expected: Some(expected), actual: Some(actual), result, whys }
    }

    /// A case that nothing was done for: an error, since what is expected did not happen. `partner` is
    /// what was looked for, such as `with this id`.
    #[must_use]
    pub fn expected_only(expected: impl Into<LazyTrace>, partner: &str) -> Self {
        let expected = expected.into();
        let error = format!("the actual side has no case {partner}");
        let name = expected.name().map(str::to_owned);
        let result = EvalCaseResult::error(expected.eval_id(), name, error);
        Self { expected: Some(expected), actual: None, result, whys: Vec::new() }
    }

    /// A case of which fewer turns were done than are expected: an error like a case that was not
    /// done at all, since the run ended early.
    #[must_use]
    pub fn ended_early(expected: LazyTrace, actual: LazyTrace) -> Self {
        let (wanted, done) = (expected.turns(), actual.turns());
        let are = if done == 1 { "is" } else { "are" };
        let error =
            format!("{done} of {wanted} expected invocations {are} recorded: the run ended early");
        let name = expected.name().map(str::to_owned);
        let result = EvalCaseResult::error(expected.eval_id(), name, error);
        Self { expected: Some(expected), actual: Some(actual), result, whys: Vec::new() }
    }

    /// A case that nothing is expected of: unscored by every criterion. `partner` as above.
    #[must_use]
    pub fn actual_only(config: &Config, actual: impl Into<LazyTrace>, partner: &str) -> Self {
        let actual = actual.into();
        let reason = format!("the expected side has no case {partner}");
        let details = JsonText::from_value(&serde_json::json!({ "reason": reason }));
        let unscored = config.criteria.iter().map(|criterion| CriterionResult {
            criterion: criterion.name.clone(),
            score: None,
            passed: None,
            threshold: criterion.threshold,
            details: details.clone(),
        });
        let (eval_id, name) = (actual.eval_id(), actual.name().map(str::to_owned));
        let result = EvalCaseResult::scored(eval_id, name, unscored.collect(), 0.0);
        let whys = vec![Some(reason); config.criteria.len()];
        Self { expected: None, actual: Some(actual), result, whys }
    }

    /// Each criterion that was not met with why, then each that is unscored with why.
    #[must_use]
    pub fn reasons(&self) -> Vec<(&CriterionResult, &str)> {
        let results = self.result.criterion_results.iter().zip(&self.whys);
        let mut reasons: Vec<_> =
            results.filter_map(|(result, why)| Some((result, why.as_deref()?))).collect();
        reasons.sort_by_key(|(result, _)| result.passed.is_none());
        reasons
    }

    /// A case that cannot be scored, and why.
    #[must_use]
    pub fn error(
        eval_id: &str,
        expected: Option<LazyTrace>,
        actual: Option<LazyTrace>,
        error: &str,
    ) -> Self {
        let name = expected.as_ref().and_then(LazyTrace::name).map(str::to_owned);
        let result = EvalCaseResult::error(eval_id, name, error);
        Self { expected, actual, result, whys: Vec::new() }
    }
}
