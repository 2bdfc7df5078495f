//! [`EvalResult`]: what a run gave.

use indexmap::IndexMap;
use json_text::JsonText;
pub use scoring::report::RunStatus as Status;
use serde::{Deserialize, Serialize};

pub use crate::ledger::TerminationReason;
use crate::ledger::{Entry, Event, Role};
use crate::metric::MetricResult;
use crate::names::Names;
use crate::run_failure::{AtFault, Phase, RunFailure};

/// What the run of one case gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvalResult {
    /// The case's name.
    pub name: String,
    /// Which of the case's repeats it is, from 1.
    pub repeat: u32,
    /// See [`EvalCase::one_of_models`](crate::EvalCase::one_of_models).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The labels of the case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The verdict.
    pub status: Status,
    /// Each metric's result, by its name.
    pub metrics: IndexMap<String, MetricResult>,
    /// What of the case had no effect, such as a mock that was never used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Everything that happened.
    pub events: Vec<Entry>,
    /// The names that the subject showed, for metrics that are evaluated later; `None` if the run did not begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<Names>,
    /// How long the run took.
    pub duration_ms: u64,
    /// How often the subject waited for the user and was resumed.
    pub turns: u32,
    /// Tokens that the subject's models used.
    pub token_usage: TokenUsage,
    /// Why the case could not be run to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<RunError>,
    /// The condition that ended the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub termination_reason: Option<TerminationReason>,
}

impl EvalResult {
    /// Panics unless the run passed, for tests. The message has the error, or each metric that did not pass with
    /// its evidence, and the events.
    #[track_caller]
    pub fn assert_passed(&self) {
        assert!(self.status == Status::Passed, "{}", self.explanation());
    }

    fn explanation(&self) -> String {
        let mut lines = vec![format!("the case {} is {}", self.name, self.status.label())];
        lines.extend(self.termination_reason.map(|reason| format!("ended by {}", reason.name())));
        lines.extend(self.error.as_ref().map(|error| error.message.clone()));
        for (name, metric) in self.metrics.iter().filter(|(_, metric)| metric.passed != Some(true))
        {
            let verdict = if metric.passed.is_none() { "is unscored" } else { "failed" };
            lines.push(format!("{name} {verdict}: {}", metric.evidence.join("; ")));
        }
        lines.push("events:".to_owned());
        let shown =
            |entry| JsonText::serialize(entry).map_or_else(|_| String::new(), |it| it.to_string());
        lines.extend(self.events.iter().map(|entry| format!("  {}", shown(entry))));
        lines.join("\n")
    }
}

/// At most so many characters of what a subject said are in a summary.
const MOST_SAID: usize = 200;

/// A result without its ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultSummary {
    /// See [`EvalResult::model`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// See [`EvalResult::tags`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// See [`EvalResult::status`].
    pub status: Status,
    /// See [`EvalResult::metrics`].
    pub metrics: IndexMap<String, MetricResult>,
    /// The beginning of what the subject said last; empty if it said nothing, and in results that were stored without it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub said: String,
    /// See [`EvalResult::duration_ms`].
    pub duration_ms: u64,
    /// See [`EvalResult::turns`].
    pub turns: u32,
    /// See [`EvalResult::token_usage`].
    pub token_usage: TokenUsage,
    /// What all its models cost, in the currency of the case's prices; `None` without prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// See [`EvalResult::error`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<RunError>,
    /// See [`EvalResult::termination_reason`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub termination_reason: Option<TerminationReason>,
}

impl ResultSummary {
    /// Of a result, without what it cost.
    #[must_use]
    pub fn of(result: &EvalResult) -> Self {
        Self {
            model: result.model.clone(),
            tags: result.tags.clone(),
            status: result.status,
            metrics: result.metrics.clone(),
            said: said_last(&result.events),
            duration_ms: result.duration_ms,
            turns: result.turns,
            token_usage: result.token_usage,
            cost: None,
            error: result.error.clone(),
            termination_reason: result.termination_reason,
        }
    }

    /// Why it did not pass, in a sentence without a full stop; `None` if it passed.
    #[must_use]
    pub fn why(&self) -> Option<String> {
        if let Some(error) = &self.error {
            return Some(error.message.clone());
        }
        if self.status == Status::Terminated {
            let by = self.termination_reason.map_or("a limit", TerminationReason::name);
            return Some(format!("ended by {by}"));
        }
        let mut open = self.metrics.iter().filter(|(_, metric)| metric.passed != Some(true));
        // What failed says more than what has no result.
        let first = open.clone().find(|(_, metric)| metric.passed == Some(false));
        let (name, metric) = first.or_else(|| open.next())?;
        let evidence = metric.evidence.first().map(|it| format!(": {it}")).unwrap_or_default();
        Some(format!("{name}{evidence}"))
    }
}

/// The beginning of what the subject said last.
fn said_last(events: &[Entry]) -> String {
    let text = events.iter().rev().find_map(|entry| match &entry.event {
        Event::Message { text, .. } if !text.trim().is_empty() => Some(text),
        _ => None,
    });
    text.map(|text| text.chars().take(MOST_SAID).collect()).unwrap_or_default()
}

/// The verdict on a run without a failure.
pub(crate) fn status(
    reason: Option<TerminationReason>,
    metrics: &IndexMap<String, MetricResult>,
) -> Status {
    let any = |passed: Option<bool>| metrics.values().any(|metric| metric.passed == passed);
    match reason {
        Some(TerminationReason::MaxTurns | TerminationReason::MaxDuration) => Status::Terminated,
        _ if any(Some(false)) => Status::Failed,
        _ if any(None) => Status::Unscored,
        _ => Status::Passed,
    }
}

/// Tokens of models.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Of requests.
    pub input: u64,
    /// Of responses.
    pub output: u64,
}

impl TokenUsage {
    /// What the models of `role` used.
    #[must_use]
    pub fn of(role: Role, events: &[Entry]) -> Self {
        let mut usage = Self::default();
        for entry in events {
            if let Event::ModelUsage { role: by, input, output, .. } = &entry.event
                && *by == role
            {
                usage.input += input;
                usage.output += output;
            }
        }
        usage
    }
}

/// Why a case could not be run to its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunError {
    /// The part of the run.
    pub phase: Phase,
    /// Who was at fault.
    pub at_fault: AtFault,
    /// What went wrong, as one of [`CODES`](crate::run_failure::CODES); empty in results that were stored without one.
    #[serde(default)]
    pub code: String,
    /// What happened, and the remedy.
    pub message: String,
    /// The traceback of the subject's exception; empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub traceback: String,
}

impl From<&RunFailure> for RunError {
    fn from(failure: &RunFailure) -> Self {
        let traceback = match failure {
            RunFailure::Subject { traceback, .. } => traceback.clone(),
            _ => String::new(),
        };
        let at_fault = failure.at_fault();
        let (phase, code) = (at_fault.phase(), failure.code().to_owned());
        Self { phase, at_fault, code, message: failure.to_string(), traceback }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_goes_before_those_after_it() {
        let metric = |passed| MetricResult { passed, ..MetricResult::unscored("") };
        let of = |passed: &[Option<bool>], reason| {
            let named = |(at, passed): (usize, &Option<bool>)| (at.to_string(), metric(*passed));
            status(reason, &passed.iter().enumerate().map(named).collect())
        };
        let (failed, unscored, passed) = (Some(false), None, Some(true));
        for ended in [TerminationReason::MaxTurns, TerminationReason::MaxDuration] {
            assert_eq!(of(&[failed, unscored], Some(ended)), Status::Terminated);
            assert_eq!(of(&[passed], Some(ended)), Status::Terminated);
        }
        for ended in [None, Some(TerminationReason::StateMatches)] {
            assert_eq!(of(&[passed, unscored, failed], ended), Status::Failed);
            assert_eq!(of(&[passed, unscored], ended), Status::Unscored);
            assert_eq!(of(&[passed], ended), Status::Passed);
            assert_eq!(of(&[], ended), Status::Passed);
        }
    }
}
