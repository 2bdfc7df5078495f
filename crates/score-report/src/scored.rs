//! [`ScoredCase`]: a case, what was done, and what became of it.

use case_trace::CaseTrace;
use json_text::JsonText;
use scoring::config::{Config, Tools};
use scoring::report::{CriterionResult, EvalCaseResult};

use crate::why::why;

/// A case, what was done, and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredCase {
    /// What is expected; none of a case that stands on the actual side only, or cannot be read.
    pub expected: Option<CaseTrace>,
    /// What was done; none of a case that stands on the expected side only, or cannot be read.
    pub actual: Option<CaseTrace>,
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
        let (eval_id, name) = (expected.eval_id.clone(), expected.name.clone());
        let result = EvalCaseResult::scored(eval_id, name, results, clock() - begin);
        Self { expected: Some(expected), actual: Some(actual), result, whys }
    }

    /// A case that nothing was done for: an error, since what is expected did not happen.
    #[must_use]
    pub fn expected_only(expected: CaseTrace) -> Self {
        let error = "the actual side has no case with this id";
        let result = EvalCaseResult::error(&expected.eval_id, expected.name.clone(), error);
        Self { expected: Some(expected), actual: None, result, whys: Vec::new() }
    }

    /// A case that nothing is expected of: unscored by every criterion.
    #[must_use]
    pub fn actual_only(config: &Config, actual: CaseTrace) -> Self {
        let reason = "the expected side has no case with this id";
        let details = JsonText::from_value(&serde_json::json!({ "reason": reason }));
        let unscored = config.criteria.iter().map(|criterion| CriterionResult {
            criterion: criterion.name.clone(),
            score: None,
            passed: None,
            threshold: criterion.threshold,
            details: details.clone(),
        });
        let (eval_id, name) = (actual.eval_id.clone(), actual.name.clone());
        let result = EvalCaseResult::scored(eval_id, name, unscored.collect(), 0.0);
        let whys = vec![Some(reason.to_owned()); config.criteria.len()];
        Self { expected: None, actual: Some(actual), result, whys }
    }

    /// A case that cannot be scored, and why.
    #[must_use]
    pub fn error(
        eval_id: &str,
        expected: Option<CaseTrace>,
        actual: Option<CaseTrace>,
        error: &str,
    ) -> Self {
        let name = expected.as_ref().and_then(|expected| expected.name.clone());
        let result = EvalCaseResult::error(eval_id, name, error);
        Self { expected, actual, result, whys: Vec::new() }
    }
}
