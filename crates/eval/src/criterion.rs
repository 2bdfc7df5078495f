//! [`CriterionMetric`]: a criterion of `scoring` on the trace of a run.

use async_trait::async_trait;
use json_text::JsonText;
use scoring::Trace;
use scoring::config::{Criterion, Tools};

use crate::ledger::Entry;
use crate::metric::{Metric, MetricResult};
use crate::trace::trace;

/// A criterion with the case that it compares a run with.
pub struct CriterionMetric {
    criterion: Criterion,
    expected: Trace,
}

impl CriterionMetric {
    /// The criterion on runs of this case.
    #[must_use]
    pub fn new(criterion: Criterion, expected: Trace) -> Self {
        Self { criterion, expected }
    }
}

#[async_trait]
impl Metric for CriterionMetric {
    fn name(&self) -> &str {
        &self.criterion.name
    }

    async fn evaluate(&self, events: &[Entry]) -> MetricResult {
        let outcome = self.criterion.score(&self.expected, &trace(events), &mut Tools::default());
        let threshold = self.criterion.threshold;
        match &outcome {
            scoring::Outcome::Scored { score, evidence } => MetricResult {
                passed: outcome.passed(threshold),
                score: Some(score.get()),
                value: JsonText::serialize(evidence).ok(),
                evidence: vec![format!("{} of {threshold}", score.get())],
            },
            scoring::Outcome::Unscored { reason } => MetricResult::unscored(reason.to_string()),
        }
    }
}
