//! [`Metric`]: what is measured on the ledger of a run.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use json_text::{JsonIndex, JsonText};
use scoring::Trace;
use scoring::state::Query;
use serde::{Deserialize, Serialize};

use crate::event_filter;
use crate::function_error::FunctionError;
use crate::ledger::{Entry, Event, Ledger};
use crate::names::{Names, UnknownName};
use crate::scopes::SESSION;
use crate::value_path::along;

/// A measurement on the ledger of a run. It sees nothing else, so it also applies to recorded traces.
#[async_trait]
pub trait Metric: Send + Sync {
    /// The name, unique in its case.
    fn name(&self) -> &str;

    /// The score from which on it passes; `None` if it passes or fails as a whole.
    fn threshold(&self) -> Option<f64> {
        None
    }

    /// The trace that it compares a run with, if there is one.
    fn expected(&self) -> Option<&Trace> {
        None
    }

    /// Checks that a subject with these names can have what the metric looks for.
    ///
    /// # Errors
    /// The first name that it does not have.
    fn check_names(&self, _: &Names) -> Result<(), UnknownName> {
        Ok(())
    }

    /// The names that the metric looks for, which a run did not have, and of which nothing says whether they are right.
    fn unlisted_names(&self, _: &[Entry]) -> Vec<String> {
        Vec::new()
    }

    /// Measures a run.
    async fn evaluate(&self, events: &[Entry]) -> MetricResult;

    /// Measures a run as [`Metric::evaluate`] does, and notes in its ledger what that took, such as the tokens of a
    /// model. The engine calls this.
    ///
    /// # Errors
    /// Why the metric itself failed, which is an error of the run. A run that cannot be measured is
    /// [`MetricResult::unscored`] instead.
    async fn evaluate_noting(
        &self,
        events: &[Entry],
        _: &Ledger,
    ) -> Result<MetricResult, FunctionError> {
        Ok(self.evaluate(events).await)
    }
}

/// What a metric gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricResult {
    /// Whether it passed; `None` if it could not be measured, which the evidence explains.
    pub passed: Option<bool>,
    /// From 0, not met at all, to 1, met entirely.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The value that was judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<JsonText>,
    /// The reasons, for people.
    pub evidence: Vec<String>,
}

impl MetricResult {
    /// No result, and why.
    #[must_use]
    pub fn unscored(reason: impl Into<String>) -> Self {
        Self { passed: None, score: None, value: None, evidence: vec![reason.into()] }
    }
}

/// What a value must be.
#[derive(Clone)]
pub enum Assertion {
    /// A document that holds the value as `value` must meet this query.
    Query(Query, JsonText),
    /// A function decides.
    Function(Arc<dyn Fn(&JsonText) -> bool + Send + Sync>),
}

/// The document in which the query of an assertion finds the value.
fn holder(value: Option<&JsonText>) -> JsonText {
    let members: BTreeMap<&str, &JsonText> =
        value.map(|value| ("value", value)).into_iter().collect();
    JsonText::serialize(&members).unwrap_or_else(|_| JsonText::null())
}

impl Assertion {
    /// Reads conditions on one value in the query language of `scoring::state`: an object of operators, or
    /// a value to be equal to.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn parse(conditions: &JsonText) -> Result<Self, scoring::ConfigFault> {
        let query = Query::parse(&holder(Some(conditions))).map_err(|fault| {
            let place = fault.place.strip_prefix("/value").unwrap_or(&fault.place);
            scoring::ConfigFault::new(place, fault.message)
        })?;
        Ok(Self::Query(query, conditions.clone()))
    }

    /// Whether the value is as it must be; `None` stands for no value.
    fn holds(&self, value: Option<&JsonText>) -> bool {
        match self {
            Self::Query(query, _) => query.holds(&holder(value)),
            Self::Function(function) => function(value.unwrap_or(&JsonText::null())),
        }
    }

    fn wanted(&self) -> String {
        match self {
            Self::Query(_, conditions) => conditions.compact().to_string(),
            Self::Function(_) => "the assertion".to_owned(),
        }
    }
}

/// Measures the final state.
#[derive(Clone)]
pub struct StateMetric {
    /// The metric's name.
    pub name: String,
    /// The scope: `session` for the state itself, else the name of an object in it.
    pub scope: String,
    /// The key in the scope, or a path such as `escalation.reason`.
    pub key: String,
    /// What the value must be.
    pub assertion: Assertion,
}

#[async_trait]
impl Metric for StateMetric {
    fn name(&self) -> &str {
        &self.name
    }

    async fn evaluate(&self, events: &[Entry]) -> MetricResult {
        let state = events.iter().rev().find_map(|entry| match &entry.event {
            Event::Termination { state, .. } | Event::InitialState { state } => Some(state),
            _ => None,
        });
        let Some(state) = state else {
            return MetricResult::unscored("the trace records no state");
        };
        let document = JsonIndex::of(state);
        let scope = match self.scope.as_str() {
            SESSION => Some(document.root()),
            scope => along(document.root(), scope),
        };
        let value = scope.and_then(|scope| along(scope, &self.key));
        let value = value.map(|value| value.to_json());
        let passed = self.assertion.holds(value.as_ref());
        let shown =
            value.as_ref().map_or_else(|| "missing".to_owned(), |it| it.compact().to_string());
        let place = match self.scope.as_str() {
            SESSION => self.key.clone(),
            scope => format!("{scope}.{}", self.key),
        };
        let wanted = self.assertion.wanted();
        let evidence = vec![format!("{place} is {shown}; wanted: {wanted}")];
        MetricResult {
            passed: Some(passed),
            score: Some(f64::from(u8::from(passed))),
            value,
            evidence,
        }
    }
}

/// Counts events.
#[derive(Clone)]
pub struct EventCountMetric {
    /// The metric's name.
    pub name: String,
    /// The name of the events, see [`crate::ledger::EVENT_NAMES`].
    pub event: String,
    /// A condition on the event as it is serialized; every event without one.
    pub filter: Option<Query>,
    /// What the count must be.
    pub assertion: Assertion,
}

#[async_trait]
impl Metric for EventCountMetric {
    fn name(&self) -> &str {
        &self.name
    }

    fn check_names(&self, names: &Names) -> Result<(), UnknownName> {
        let filter = self.filter.as_ref();
        filter.map_or(Ok(()), |filter| event_filter::check_names(&self.event, filter, names))
    }

    fn unlisted_names(&self, events: &[Entry]) -> Vec<String> {
        let filter = self.filter.as_ref();
        filter.map_or_else(Vec::new, |filter| event_filter::unlisted(&self.event, filter, events))
    }

    async fn evaluate(&self, events: &[Entry]) -> MetricResult {
        let counts = |entry: &&Entry| {
            entry.event.name() == self.event
                && self.filter.as_ref().is_none_or(|filter| {
                    JsonText::serialize(&entry.event).is_ok_and(|event| filter.holds(&event))
                })
        };
        let count = events.iter().filter(counts).count();
        let value = JsonText::from_value(&count.into());
        let passed = self.assertion.holds(Some(&value));
        let evidence =
            vec![format!("{count} × {}; wanted: {}", self.event, self.assertion.wanted())];
        MetricResult {
            passed: Some(passed),
            score: Some(f64::from(u8::from(passed))),
            value: Some(value),
            evidence,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> JsonText {
        JsonText::parse(text).expect("valid")
    }

    fn at(event: Event) -> Entry {
        Entry { at_ms: 0, event }
    }

    async fn state_result(scope: &str, key: &str, conditions: &str) -> MetricResult {
        let state = json(r#"{"mode":"triage","patient":{"age":55,"pains":[{"in":"chest"}]}}"#);
        let metric = StateMetric {
            name: "it".to_owned(),
            scope: scope.to_owned(),
            key: key.to_owned(),
            assertion: Assertion::parse(&json(conditions)).expect("conditions"),
        };
        metric.evaluate(&[at(Event::InitialState { state })]).await
    }

    #[tokio::test]
    async fn states_are_measured_by_scope_and_key() {
        let result = state_result("patient", "age", r#"{"$gte":18}"#).await;
        assert_eq!(result.passed, Some(true));
        assert_eq!(result.evidence, [r#"patient.age is 55; wanted: {"$gte":18}"#]);
        assert_eq!(state_result("session", "mode", "\"triage\"").await.passed, Some(true));
        for (scope, key) in [("session", "patient.pains.0.in"), ("patient", "pains.0.in")] {
            assert_eq!(state_result(scope, key, "\"chest\"").await.passed, Some(true));
        }
        let missing = state_result("session", "escalation", r#"{"$exists":true}"#).await;
        assert_eq!(missing.passed, Some(false));
        assert_eq!(missing.evidence, [r#"escalation is missing; wanted: {"$exists":true}"#]);
        assert_eq!(state_result("practice", "x", r#"{"$exists":false}"#).await.passed, Some(true));
    }

    #[tokio::test]
    async fn events_are_counted_by_name_and_condition() {
        let call = |name: &str| {
            at(Event::ToolCall {
                call_id: "1".to_owned(),
                name: name.to_owned(),
                args: json("{}"),
                agent: "a".to_owned(),
                is_inner: false,
            })
        };
        let events = [call("ask"), call("read"), call("ask")];
        let metric = EventCountMetric {
            name: "few".to_owned(),
            event: "tool_call".to_owned(),
            filter: Some(Query::parse(&json(r#"{"name":"ask"}"#)).expect("a query")),
            assertion: Assertion::parse(&json(r#"{"$lte":1}"#)).expect("conditions"),
        };
        let result = metric.evaluate(&events).await;
        assert_eq!((result.passed, result.value), (Some(false), Some(json("2"))));
        assert_eq!(result.evidence, [r#"2 × tool_call; wanted: {"$lte":1}"#]);
    }

    #[test]
    fn an_operator_within_a_value_is_refused_with_the_form_that_works() {
        let fault = Assertion::parse(&json(r#"{"total":{"$gte":2}}"#)).err().expect("refused");
        expect_test::expect![[
            r"/total/$gte: $gte stands in an object that is compared as a whole; write the path to its value, which ends in .total, or $eq for the object as it is"
        ]]
        .assert_eq(&fault.to_string());
        let fault = Assertion::parse(&json(r#"{"$ne":{"total":{"$gte":2}}}"#));
        assert_eq!(fault.err().map(|fault| fault.place).as_deref(), Some("/$ne/total/$gte"));
    }

    #[test]
    fn every_event_has_its_name_in_the_list() {
        for name in crate::ledger::EVENT_NAMES {
            assert!(name.chars().all(|it| it.is_ascii_lowercase() || it == '_'));
        }
        let event = Event::UserMessage { text: String::new(), parts: None };
        let json = serde_json::to_value(&event).expect("serializes");
        assert_eq!(json["type"], event.name());
    }
}
