//! [`CriterionMetric`]: a criterion of `scoring` on the trace of a run.

use async_trait::async_trait;
use json_text::JsonText;
use scoring::config::{Criterion, Metric as Computed, Tools};
use scoring::judge::{JudgeCriterion, requests, verdict};
use scoring::measurements::EventKind;
use scoring::report::why;
use scoring::{Evidence, Outcome, Trace};

use crate::adk_judge::{AdkJudge, Asking};
use crate::function_error::FunctionError;
use crate::ledger::{Entry, Ledger};
use crate::metric::{Metric, MetricResult};
use crate::model::Models;
use crate::names::{Names, UnknownName};
use crate::trace::trace;

/// A criterion with the case that it compares a run with.
pub struct CriterionMetric {
    criterion: Criterion,
    expected: Trace,
    models: Option<Models>,
    judge: Option<AdkJudge>,
}

impl CriterionMetric {
    /// The criterion on runs of this case. A criterion that a model judges is unscored.
    #[must_use]
    pub fn new(criterion: Criterion, expected: Trace) -> Self {
        Self { criterion, expected, models: None, judge: None }
    }

    /// Gives it the models that judge, and how for a criterion that `scoring` does not compute.
    #[must_use]
    pub(crate) fn judged_by(mut self, models: Models, judge: Option<AdkJudge>) -> Self {
        self.models = Some(models);
        self.judge = judge;
        self
    }

    fn result(&self, outcome: &Outcome) -> MetricResult {
        let threshold = self.criterion.threshold;
        match outcome {
            Outcome::Scored { score, evidence } => {
                let mut reasons: Vec<String> = why(&self.criterion, outcome).into_iter().collect();
                reasons.extend(judgments(evidence));
                MetricResult {
                    passed: outcome.passed(threshold),
                    score: Some(score.get()),
                    value: JsonText::serialize(evidence).ok(),
                    evidence: reasons,
                }
            }
            Outcome::Unscored { reason } => MetricResult::unscored(reason.to_string()),
        }
    }
}

/// What a judge said, and why, for people.
fn judgments(evidence: &Evidence) -> Vec<String> {
    let Evidence::Judged { rubrics, .. } = evidence else { return Vec::new() };
    let judged = rubrics.iter().map(|rubric| {
        let said = rubric.samples.iter().find(|sample| sample.score == Some(rubric.score));
        let said = said.or(rubric.samples.first()).map_or("", |sample| sample.reasoning.as_str());
        format!("{}: {}: {said}", rubric.name, rubric.score)
    });
    judged.collect()
}

#[async_trait]
impl Metric for CriterionMetric {
    fn name(&self) -> &str {
        &self.criterion.name
    }

    fn threshold(&self) -> Option<f64> {
        (!self.criterion.metric.is_measurement()).then_some(self.criterion.threshold)
    }

    fn expected(&self) -> Option<&Trace> {
        Some(&self.expected)
    }

    fn check_names(&self, names: &Names) -> Result<(), UnknownName> {
        let Computed::Count { countable, .. } = &self.criterion.metric else { return Ok(()) };
        let tool = countable.name.as_deref().filter(|_| countable.kind == EventKind::ToolCall);
        let unknown = |name: Option<&str>, known: Option<Vec<&str>>, kind| {
            let (name, known) = name.zip(known)?;
            (!known.contains(&name)).then(|| UnknownName::new(kind, name, &known))
        };
        let unknown = unknown(tool, names.called_tools(), "tool")
            .or_else(|| unknown(countable.author.as_deref(), names.acting_agents(), "agent"));
        unknown.map_or(Ok(()), Err)
    }

    async fn evaluate(&self, events: &[Entry]) -> MetricResult {
        self.measure(events, &Ledger::begin()).await
    }

    async fn evaluate_noting(
        &self,
        events: &[Entry],
        ledger: &Ledger,
    ) -> Result<MetricResult, FunctionError> {
        Ok(self.measure(events, ledger).await)
    }
}

impl CriterionMetric {
    async fn measure(&self, events: &[Entry], ledger: &Ledger) -> MetricResult {
        let actual = trace(events);
        let Some(models) = &self.models else {
            let tools = &mut Tools::default();
            return self.result(&self.criterion.score(&self.expected, &actual, tools));
        };
        let asking = Asking { models, ledger, metric: &self.criterion.name };
        self.result(&match (&self.judge, &self.criterion.metric) {
            (Some(judge), _) => judge.outcome(&asking, &self.expected, &actual).await,
            (None, Computed::Judged(criterion)) => {
                let model = models.judge_name(&criterion.model).to_owned();
                let criterion = &JudgeCriterion { model, ..criterion.clone() };
                let asked = requests(criterion, &self.expected, &actual);
                verdict(criterion, &asking.replies(&asked).await)
            }
            _ => self.criterion.score(&self.expected, &actual, &mut Tools::default()),
        })
    }
}
