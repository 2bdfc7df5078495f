//! [`EvalCaseResult`]: the result of one case.

use std::borrow::Cow;

use indexmap::IndexMap;
use json_text::JsonText;
use serde::{Deserialize, Serialize};

use super::eval_run::EvalRun;
use super::exact_number::{number, number_or_null};
use crate::criterion::Criterion;
use crate::outcome::Outcome;

/// The result of one criterion for a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CriterionResult {
    /// The name that the config gave the criterion.
    pub criterion: String,
    /// The score, 0 to 1; `None` when unscored.
    #[serde(with = "number_or_null")]
    pub score: Option<f64>,
    /// Whether the score reaches the threshold; `None` when unscored.
    pub passed: Option<bool>,
    /// The score from which on the criterion is met.
    #[serde(with = "number")]
    pub threshold: f64,
    /// An object: the evidence of the score, or a `reason` why there is none.
    pub details: JsonText,
}

impl CriterionResult {
    /// Compares an outcome with the criterion's threshold.
    #[must_use]
    pub fn of(criterion: &Criterion, outcome: &Outcome) -> Self {
        let details = match outcome {
            Outcome::Scored { evidence, .. } => details(evidence),
            Outcome::Unscored { reason } => {
                details(&serde_json::json!({ "reason": reason.to_string() }))
            }
        };
        Self {
            criterion: criterion.name.clone(),
            score: outcome.score().map(crate::Score::get),
            passed: outcome.passed(criterion.threshold),
            threshold: criterion.threshold,
            details,
        }
    }
}

/// The details of a result: an object, whatever happens.
fn details(value: &impl serde::Serialize) -> JsonText {
    JsonText::serialize(value).unwrap_or_else(|_| JsonText::from_value(&serde_json::json!({})))
}

/// The result of one case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvalCaseResult {
    /// The case.
    pub eval_id: String,
    /// Its name, where it has one.
    pub name: Option<String>,
    /// The beginning of the user's first message, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Whether it passed; `None` when it is unscored.
    pub passed: Option<bool>,
    /// In the order of the config.
    pub criterion_results: Vec<CriterionResult>,
    /// What kept the case from being scored at all.
    pub error: Option<String>,
    /// Why it was not run, of a case that is unscored for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// How long it took to score.
    #[serde(with = "number")]
    pub duration_seconds: f64,
    /// The tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Which run it is, if the case was run more than once: the file, or `run 2`.
    #[serde(default)]
    pub run: Option<String>,
    /// How long the run took, if it is recorded for every turn.
    #[serde(default, with = "number_or_null")]
    pub run_seconds: Option<f64>,
    /// The tokens of the run, if they are recorded for every turn.
    #[serde(default)]
    pub tokens: Option<u64>,
    /// The models of the run.
    #[serde(default)]
    pub models: Vec<String>,
    /// ADK's informational metrics that the config names, each per turn; null where the run does not record it.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub informational: IndexMap<String, Option<f64>>,
    /// The run, of a case that was run and not only scored. Its status is the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eval_run: Option<EvalRun>,
}

/// The verdict of a case: the first of these that applies. The worst is the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CaseVerdict {
    /// It could not be scored at all.
    Error,
    /// Its run was ended by a limit.
    Terminated,
    /// A criterion is not met.
    Failed,
    /// A criterion is unscored, or there is none.
    Unscored,
    /// All criteria are met.
    Passed,
}

impl CaseVerdict {
    /// Whether the case passed; `None` if it is unscored.
    #[must_use]
    pub fn passed(self) -> Option<bool> {
        match self {
            Self::Error | Self::Terminated | Self::Failed => Some(false),
            Self::Unscored => None,
            Self::Passed => Some(true),
        }
    }

    /// The verdict as people read it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Terminated => "terminated",
            Self::Failed => "failed",
            Self::Unscored => "unscored",
            Self::Passed => "passed",
        }
    }
}

impl EvalCaseResult {
    /// A case that was scored.
    #[must_use]
    pub fn scored(
        eval_id: impl Into<String>,
        name: Option<String>,
        criterion_results: Vec<CriterionResult>,
        duration_seconds: f64,
    ) -> Self {
        let mut result = Self {
            eval_id: eval_id.into(),
            name,
            query: None,
            passed: None,
            criterion_results,
            error: None,
            skipped: None,
            duration_seconds,
            tags: Vec::new(),
            run: None,
            run_seconds: None,
            tokens: None,
            models: Vec::new(),
            informational: IndexMap::new(),
            eval_run: None,
        };
        result.passed = result.verdict().passed();
        result
    }

    /// A case that could not be scored, and why.
    #[must_use]
    pub fn error(
        eval_id: impl Into<String>,
        name: Option<String>,
        error: impl Into<String>,
    ) -> Self {
        Self {
            eval_id: eval_id.into(),
            name,
            query: None,
            passed: Some(false),
            criterion_results: Vec::new(),
            error: Some(error.into()),
            skipped: None,
            duration_seconds: 0.0,
            tags: Vec::new(),
            run: None,
            run_seconds: None,
            tokens: None,
            models: Vec::new(),
            informational: IndexMap::new(),
            eval_run: None,
        }
    }

    /// What people know the case by: its name, else the user's first message, else its id.
    #[must_use]
    pub fn title(&self) -> &str {
        let given = [self.name.as_deref(), self.query.as_deref()].into_iter().flatten();
        let mut given = given.map(str::trim).filter(|it| !it.is_empty());
        given.next().unwrap_or(&self.eval_id)
    }

    /// The id, with the run of a case that was run more than once: `office (run2.json)`.
    ///
    /// ```
    /// use scoring::report::EvalCaseResult;
    /// let mut result = EvalCaseResult::error("office", None, "no such case");
    /// assert_eq!(result.label(), "office");
    /// result.run = Some("run2.json".to_owned());
    /// assert_eq!(result.label(), "office (run2.json)");
    /// ```
    #[must_use]
    pub fn label(&self) -> Cow<'_, str> {
        match &self.run {
            Some(run) => Cow::Owned(format!("{} ({run})", self.eval_id)),
            None => Cow::Borrowed(&self.eval_id),
        }
    }

    /// The verdict.
    #[must_use]
    pub fn verdict(&self) -> CaseVerdict {
        if let Some(run) = &self.eval_run {
            return run.status.verdict();
        }
        let results = &self.criterion_results;
        if self.error.is_some() {
            CaseVerdict::Error
        } else if results.iter().any(|result| result.passed == Some(false)) {
            CaseVerdict::Failed
        } else if results.is_empty() || results.iter().any(|result| result.passed.is_none()) {
            CaseVerdict::Unscored
        } else {
            CaseVerdict::Passed
        }
    }
}
