//! What of a case had no effect on a run: a reader would believe that it was tried.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use crate::case::EvalCase;
use crate::gate::Used;
use crate::ledger::{Entry, Event};
use crate::metric::MetricResult;
use crate::mock::ToolUse;
use crate::names::Names;
use crate::place::Place;
use crate::yields::YieldKind;

/// What a case without metrics says of itself.
const NO_METRIC: &str = "the case has no metric, so nothing is measured";

/// What a result says of an earlier run that did not keep what its subject showed.
const UNCHECKED: &str = "the run has not kept the names of the agent's tools and agents, so a metric may look for one that does \
                         not exist; run the case again to have its metrics checked";

/// How a note on the names of a metric begins.
const LOOKS_FOR: &str = "the metric";

/// What of the case had no effect on a run that ended without an error, in sentences for people.
pub(crate) fn of(case: &EvalCase, used: &Used) -> Vec<String> {
    let is_own_mock = |name: &&String| {
        matches!(case.tools[*name], ToolUse::Mock(_)) && !case.shared_tools.contains(*name)
    };
    let mocks: BTreeSet<&String> = case.tools.keys().filter(is_own_mock).collect();
    let mocks = mocks.into_iter().filter(|name| !used.mocks.contains(*name));
    let mut notes: Vec<String> =
        mocks.map(|tool| format!("the mock of {tool} was never used")).collect();
    for (at, fault) in case.faults.iter().enumerate() {
        if !used.faults.contains(&at) {
            notes.push(format!("the fault `faults[{at}]` met no call of {}", fault.tool));
        }
    }
    if case.user_agents.conversation.is_some() && !used.asked.contains(&YieldKind::Loop) {
        notes.push("the user agent of the conversation was never asked".to_owned());
    }
    for tool in case.user_agents.tools.keys().collect::<BTreeSet<_>>() {
        if !used.asked.contains(&YieldKind::Tool { tool_name: tool.clone() }) {
            notes.push(format!("the user agent of {tool} was never asked"));
        }
    }
    notes.extend(of_metrics(case));
    notes
}

/// What people have taken over.
pub(crate) fn of_people(events: &[Entry]) -> Option<String> {
    let places = events.iter().filter_map(|entry| match &entry.event {
        Event::TakenOver { place } => Some(match place {
            Place::Agent | Place::User => format!("the {place}"),
            Place::Tool(_) => place.to_string(),
        }),
        _ => None,
    });
    let places: BTreeSet<String> = places.collect();
    let places = places.into_iter().collect::<Vec<_>>().join(", ");
    (!places.is_empty()).then(|| format!("a person took over for a while: {places}"))
}

/// The metrics that passed and look for names that the run did not have.
pub(crate) fn of_names(
    case: &EvalCase,
    results: &IndexMap<String, MetricResult>,
    events: &[Entry],
) -> Vec<String> {
    let passed = |name: &str| results.get(name).is_some_and(|it| it.passed == Some(true));
    let metrics = case.metrics.iter().filter(|metric| passed(metric.name()));
    let unlisted = metrics.flat_map(|metric| {
        let names = metric.unlisted_names(events).into_iter();
        names.map(move |name| {
            format!(
                "{LOOKS_FOR} {} looks for {name}, which the run did not have; check the name",
                metric.name()
            )
        })
    });
    unlisted.collect()
}

/// What libraries of the subject tried, and did not get.
pub(crate) fn of_refusals(events: &[Entry]) -> BTreeSet<String> {
    let refused = events.iter().filter_map(|entry| match &entry.event {
        Event::EffectRefused { what, place } => {
            Some(format!("a library of the agent {what}, at {place}; it was refused"))
        }
        _ => None,
    });
    refused.collect()
}

/// The notes on a run whose metrics are evaluated again, perhaps of a changed case.
pub(crate) fn again(case: &EvalCase, notes: &[String]) -> Vec<String> {
    let of_metrics = |note: &&String| {
        [NO_METRIC, UNCHECKED].contains(&note.as_str()) || note.starts_with(LOOKS_FOR)
    };
    let of_run = notes.iter().filter(|note| !of_metrics(note));
    of_run.cloned().chain(self::of_metrics(case)).collect()
}

/// That the names for which metrics look were not checked.
pub(crate) fn of_unchecked(case: &EvalCase, names: Option<&Names>) -> Option<String> {
    (names.is_none() && !case.metrics.is_empty()).then(|| UNCHECKED.to_owned())
}

fn of_metrics(case: &EvalCase) -> Option<String> {
    case.metrics.is_empty().then(|| NO_METRIC.to_owned())
}
