//! Results of runs as cases of a report.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use case_trace::CaseTrace;
use eval::metric::{Metric, MetricResult};
use eval::result::{EvalResult, RunError, Status, TerminationReason};
use eval::store::StoredResults;
use eval::{CaseRun, EvalCase};
use indexmap::IndexMap;
use json_text::JsonText;
use score_report::{Baseline, Heading, ScoredCase};
use scoring::report::{CriterionResult, EvalCaseResult, EvalRun, Sources};
use serde::Serialize;

use super::EvalArguments;
use crate::cli::score::commit;

/// Why nothing of a case has been measured that was not run.
const SKIPPED: &str = "skipped: the case was not run";

/// What all cases of a report have in common.
pub(super) struct Columns<'c> {
    cases: HashMap<(&'c str, &'c str), &'c EvalCase>,
    /// The metrics of all cases with their thresholds, in the order in which they first occur.
    metrics: IndexMap<&'c str, f64>,
    names: Arc<[String]>,
    /// Names of cases that several suites have.
    ambiguous: HashSet<&'c str>,
}

impl<'c> Columns<'c> {
    pub(super) fn of(cases: &'c [EvalCase]) -> Self {
        let mut metrics = IndexMap::new();
        let (mut names, mut ambiguous) = (HashSet::new(), HashSet::new());
        for case in cases {
            for metric in &case.metrics {
                metrics.entry(metric.name()).or_insert(metric.threshold().unwrap_or(1.0));
            }
            if !names.insert(case.name.as_str()) {
                ambiguous.insert(case.name.as_str());
            }
        }
        let columns = metrics.keys().map(|name| (*name).to_owned()).collect();
        let keyed =
            cases.iter().map(|case| ((case.source.suite.as_str(), case.name.as_str()), case));
        Self { cases: keyed.collect(), metrics, names: columns, ambiguous }
    }

    /// The data at the beginning of the report.
    pub(super) fn heading(
        &self,
        arguments: &EvalArguments,
        suites: &[String],
        run: i64,
    ) -> Heading {
        let stem = |suite: &String| {
            let file = Path::new(suite).file_name().unwrap_or_default().to_string_lossy();
            file.split('.').next().unwrap_or_default().to_owned()
        };
        let config = arguments.config.as_ref().map(|path| path.display().to_string());
        Heading {
            command: "rehearsal eval",
            report_id: uuid::Uuid::new_v4().to_string(),
            eval_set_id: suites.iter().map(stem).collect::<Vec<_>>().join(", "),
            eval_set_name: None,
            expected: suites.join(", "),
            actual: format!("run {run}"),
            config_used: JsonText::from_value(&serde_json::json!({})),
            sources: Sources {
                expected: suites.to_vec(),
                actual: vec![format!("run {run} of {}", arguments.store.display())],
                config,
                commit: arguments.suites.first().and_then(|path| commit(path)),
            },
            criteria: self.metrics.iter().map(|(name, at)| ((*name).to_owned(), *at)).collect(),
            created_at: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        }
    }

    /// A result as a case of the report; `repeats` is how often the case is run.
    pub(super) fn scored_case(
        &self,
        run: &CaseRun<'_>,
        repeats: u32,
        result: &EvalResult,
    ) -> ScoredCase {
        let case = run.case;
        let id = self.id(&case.source.suite, &case.name);
        let trace = eval::trace::trace(&result.events);
        let of_case = |trace| CaseTrace {
            eval_id: id.clone(),
            tags: case.tags.clone(),
            trace,
            ..CaseTrace::default()
        };
        let expected = case.metrics.iter().find_map(|metric| metric.expected());
        let metrics = result.metrics.iter();
        let figures = case.informational.iter();
        let informational = figures.map(|it| (it.name().to_owned(), it.per_turn(&trace))).collect();
        ScoredCase {
            expected: expected.cloned().map(of_case),
            actual: Some(of_case(trace)),
            whys: metrics.clone().map(|(_, metric)| why(metric)).collect(),
            measurements: metrics
                .map(|(name, metric)| {
                    let threshold = metric_of(Some(case), name).and_then(Metric::threshold);
                    threshold.is_none() && matches!(metric.score, None | Some(0.0 | 1.0))
                })
                .collect(),
            result: EvalCaseResult {
                informational,
                ..case_result(id.clone(), Some(case), repeats, result)
            },
            columns: Some(Arc::clone(&self.names)),
        }
    }

    /// A case that was not run: nothing of it has been measured.
    pub(super) fn skipped_case(&self, run: &CaseRun<'_>, repeats: u32) -> ScoredCase {
        let reason = || Some(SKIPPED.to_owned());
        let skipped = |metric: &Arc<dyn Metric>| CriterionResult {
            criterion: metric.name().to_owned(),
            score: None,
            passed: None,
            threshold: metric.threshold().unwrap_or(1.0),
            details: JsonText::serialize(&Details::Unscored { reason: reason() })
                .unwrap_or_else(|_| JsonText::null()),
        };
        let metrics = &run.case.metrics;
        let id = self.id(&run.case.source.suite, &run.case.name);
        let criteria = metrics.iter().map(skipped).collect();
        ScoredCase {
            expected: None,
            actual: None,
            whys: metrics.iter().map(|_| reason()).collect(),
            measurements: metrics.iter().map(|_| false).collect(),
            result: EvalCaseResult {
                skipped: reason(),
                run: (repeats > 1).then(|| format!("run {}", run.repeat)),
                ..EvalCaseResult::scored(id, None, criteria, 0.0)
            },
            columns: Some(Arc::clone(&self.names)),
        }
    }

    /// The results of a run to compare with.
    pub(super) fn baseline(&self, number: i64, results: StoredResults) -> Baseline {
        let mut results: Vec<_> = results.into_iter().collect();
        let key = |it: &eval::store::ResultKey| (it.suite.clone(), it.name.clone(), it.repeat);
        results.sort_by_key(|(it, _)| key(it));
        let mut repeats: HashMap<(String, String), u32> = HashMap::new();
        for (key, _) in &results {
            *repeats.entry((key.suite.clone(), key.name.clone())).or_default() += 1;
        }
        let results = results.into_iter().map(|(key, stored)| {
            let case = self.cases.get(&(key.suite.as_str(), key.name.as_str())).copied();
            let id = self.id(&key.suite, &key.name);
            let repeats = repeats.get(&(key.suite, key.name)).copied().unwrap_or(1);
            case_result(id, case, repeats, &stored.result)
        });
        Baseline::new(format!("run {number}"), results.collect())
    }

    /// Whether one of the cases has this id in reports.
    pub(super) fn has(&self, id: &str) -> bool {
        self.cases.keys().any(|(suite, name)| self.id(suite, name) == id)
    }

    fn id(&self, suite: &str, name: &str) -> String {
        if self.ambiguous.contains(name) { format!("{suite}: {name}") } else { name.to_owned() }
    }
}

fn metric_of<'c>(case: Option<&'c EvalCase>, name: &str) -> Option<&'c dyn Metric> {
    case?.metrics.iter().find(|metric| metric.name() == name).map(|metric| &**metric)
}

fn why(metric: &MetricResult) -> Option<String> {
    (metric.passed != Some(true)).then(|| match metric.evidence.is_empty() {
        true => "it gives no reason".to_owned(),
        false => metric.evidence.join("; "),
    })
}

fn case_result(
    id: String,
    case: Option<&EvalCase>,
    repeats: u32,
    result: &EvalResult,
) -> EvalCaseResult {
    let criteria = result
        .metrics
        .iter()
        .map(|(name, measured)| criterion_result(name, metric_of(case, name), measured));
    let seconds = std::time::Duration::from_millis(result.duration_ms).as_secs_f64();
    let passed = match result.status {
        Status::Passed => Some(true),
        Status::Unscored => None,
        Status::Error | Status::Terminated | Status::Failed => Some(false),
    };
    EvalCaseResult {
        passed,
        error: result.error.as_ref().map(error),
        run: (repeats > 1).then(|| format!("run {}", result.repeat)),
        run_seconds: Some(seconds),
        eval_run: Some(EvalRun {
            status: result.status,
            termination_reason: result
                .termination_reason
                .map(TerminationReason::name)
                .map(str::to_owned),
            turns: result.turns,
            cost: cost_of(case, result),
            at_fault: result.error.as_ref().map(|error| error.at_fault.name().to_owned()),
            code: result.error.as_ref().map(|error| error.code.clone()).filter(|it| !it.is_empty()),
            notes: result.notes.clone(),
            // Events have string keys and finite numbers.
            events: JsonText::serialize(&result.events).unwrap_or_else(|_| JsonText::null()),
        }),
        ..EvalCaseResult::scored(id, None, criteria.collect(), seconds)
    }
}

/// What the models of a run cost; `None` without prices.
pub(super) fn cost_of(case: Option<&EvalCase>, result: &EvalResult) -> Option<f64> {
    Some(case?.prices.cost(&result.events)?.amount)
}

/// The message, where the subject failed, who was at fault, and the code.
fn error(error: &RunError) -> String {
    let traceback = error.traceback.trim_end();
    let traceback = if traceback.is_empty() { String::new() } else { format!("{traceback}\n") };
    let code = if error.code.is_empty() { String::new() } else { format!(" ({})", error.code) };
    format!("{}\n{traceback}At fault: {}{code}", error.message, error.at_fault.name())
}

/// The details of a result that is not a criterion's.
#[derive(Serialize)]
#[serde(untagged)]
enum Details<'r> {
    Unscored { reason: Option<String> },
    Scored { evidence: &'r [String], value: Option<&'r JsonText> },
}

fn criterion_result(
    name: &str,
    metric: Option<&dyn Metric>,
    measured: &MetricResult,
) -> CriterionResult {
    let MetricResult { passed, score, value, evidence } = measured;
    let details = match (passed, value) {
        (None, _) => JsonText::serialize(&Details::Unscored { reason: why(measured) }),
        // Of a criterion, the evidence as `rehearsal score` has it.
        (Some(_), Some(value)) if metric.is_some_and(|it| it.expected().is_some()) => {
            Ok(value.clone())
        }
        (Some(_), value) => {
            JsonText::serialize(&Details::Scored { evidence, value: value.as_ref() })
        }
    };
    CriterionResult {
        criterion: name.to_owned(),
        score: passed.map(|passed| score.unwrap_or_else(|| f64::from(u8::from(passed)))),
        passed: *passed,
        threshold: metric.and_then(Metric::threshold).unwrap_or(1.0),
        // Texts and JSON always serialize.
        details: details.unwrap_or_else(|_| JsonText::null()),
    }
}
