//! [`PersonVerdict`]: the metric of a continuation on which a person decides.

use async_trait::async_trait;

use crate::ledger::Entry;
use crate::metric::{Metric, MetricResult};
use crate::result::{EvalResult, ResultSummary, Status, status};

/// The name of the metric.
pub const VERDICT: &str = "verdict";

/// A person says whether the continuation passes.
pub(crate) struct PersonVerdict;

#[async_trait]
impl Metric for PersonVerdict {
    fn name(&self) -> &str {
        VERDICT
    }

    async fn evaluate(&self, _: &[Entry]) -> MetricResult {
        MetricResult::unscored("it waits for your verdict")
    }
}

/// Whether a continuation has ended and a person is to say whether it passes.
#[must_use]
pub fn waits_for_verdict(result: &ResultSummary) -> bool {
    result.status == Status::Unscored
        && result.error.is_none()
        && result.metrics.get(VERDICT).is_some_and(|verdict| verdict.passed.is_none())
}

/// Sets what a person says of a continuation, with a note, which may be empty. Returns whether one is asked for.
pub fn set_verdict(result: &mut EvalResult, passed: bool, note: &str) -> bool {
    let Some(verdict) = result.metrics.get_mut(VERDICT) else { return false };
    verdict.passed = Some(passed);
    verdict.evidence = match note.trim() {
        "" => Vec::new(),
        note => vec![note.to_owned()],
    };
    if result.error.is_none() {
        result.status = status(result.termination_reason, &result.metrics);
    }
    true
}
