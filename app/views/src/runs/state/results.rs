//! [`rows`]: the results of a run that pass a filter, in order.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use api::{CaseRunSummary, MetricSummary, RunCounts};
use report_view::RunStatus;

use crate::shared::sort_head::{self, Sorting};

/// As many metrics have a column each; more are listed in one column.
pub const METRIC_COLUMNS: usize = 6;

/// A column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// The verdict: what did not pass comes first.
    Verdict,
    /// The name of the case.
    Case,
    /// The repeat.
    Repeat,
    /// The score of a metric, by its place among the columns.
    Metric(usize),
    /// How often the agent was resumed.
    Turns,
    /// The duration.
    Duration,
    /// The tokens.
    Tokens,
}

impl sort_head::Column for Column {
    const NAMED: &'static [(&'static str, Self)] = &[
        ("verdict", Self::Verdict),
        ("case", Self::Case),
        ("repeat", Self::Repeat),
        ("metric-1", Self::Metric(0)),
        ("metric-2", Self::Metric(1)),
        ("metric-3", Self::Metric(2)),
        ("metric-4", Self::Metric(3)),
        ("metric-5", Self::Metric(4)),
        ("metric-6", Self::Metric(5)),
        ("turns", Self::Turns),
        ("duration", Self::Duration),
        ("tokens", Self::Tokens),
    ];
}

/// The order unless the address has another: what did not pass first.
pub const GIVEN: Sorting<Column> = Sorting { by: Column::Verdict, is_down: false };

/// The verdicts, each with its name in the address, in the order of their filters.
pub const VERDICTS: [(RunStatus, &str); 5] = [
    (RunStatus::Passed, "passed"),
    (RunStatus::Failed, "failed"),
    (RunStatus::Error, "error"),
    (RunStatus::Terminated, "terminated"),
    (RunStatus::Unscored, "unscored"),
];

/// The verdict with this name in the address.
#[must_use]
pub fn verdict_named(name: Option<&str>) -> Option<RunStatus> {
    let found = VERDICTS.iter().find(|(_, known)| Some(*known) == name);
    found.map(|(status, _)| *status)
}

/// The results of a verdict.
#[must_use]
pub fn count(counts: RunCounts, status: RunStatus) -> u64 {
    match status {
        RunStatus::Passed => counts.passed,
        RunStatus::Failed => counts.failed,
        RunStatus::Error => counts.errors,
        RunStatus::Terminated => counts.terminated,
        RunStatus::Unscored => counts.unscored,
    }
}

/// What results can be filtered by besides their verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Facet {
    /// A metric that did not pass.
    Metric,
    /// A label of the case.
    Tag,
    /// The model, of cases that run with several.
    Model,
    /// The code of an error.
    Error,
}

impl Facet {
    /// In order.
    pub const EACH: [Self; 4] = [Self::Metric, Self::Tag, Self::Model, Self::Error];

    /// Its name in the address.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Metric => "metric",
            Self::Tag => "tag",
            Self::Model => "model",
            Self::Error => "error",
        }
    }

    /// Its name for people.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Metric => "Metric not passed",
            Self::Tag => "Tag",
            Self::Model => "Model",
            Self::Error => "Error",
        }
    }

    /// What a result has of it.
    fn values(self, case: &CaseRunSummary) -> Vec<&str> {
        match self {
            Self::Metric => {
                let open = case.metrics.iter().filter(|metric| metric.passed != Some(true));
                open.map(|metric| metric.name.as_str()).collect()
            }
            Self::Tag => case.tags.iter().map(String::as_str).collect(),
            Self::Model => case.model.as_deref().into_iter().collect(),
            Self::Error => case.code.as_deref().into_iter().collect(),
        }
    }

    /// All values that results have of it, by name; with the one that is chosen, which they may lack.
    #[must_use]
    pub fn options(self, cases: &[CaseRunSummary], chosen: Option<&str>) -> Vec<String> {
        let values = cases.iter().flat_map(|case| self.values(case)).chain(chosen);
        let values: BTreeSet<&str> = values.collect();
        values.into_iter().map(str::to_owned).collect()
    }
}

/// Which results are shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asked {
    /// Those with this verdict only.
    pub verdict: Option<RunStatus>,
    /// Those with this value of each [`Facet`] only, in the order of [`Facet::EACH`].
    pub facets: [Option<String>; 4],
    /// A part of the name, of the reason or of a metric that failed.
    pub searched: String,
}

impl Asked {
    fn fits(&self, case: &CaseRunSummary) -> bool {
        let searched = self.searched.trim().to_lowercase();
        let has = |text: &str| text.to_lowercase().contains(&searched);
        let failed = |metric: &MetricSummary| metric.passed != Some(true) && has(&metric.name);
        let mut facets = Facet::EACH.iter().zip(&self.facets);
        self.verdict.is_none_or(|verdict| verdict == case.status)
            && facets.all(|(facet, chosen)| {
                chosen.as_deref().is_none_or(|value| facet.values(case).contains(&value))
            })
            && (searched.is_empty()
                || has(&case.id.case)
                || case.why.as_deref().is_some_and(has)
                || case.metrics.iter().any(failed))
    }
}

/// The names of all metrics, in the order in which they first come.
#[must_use]
pub fn metric_names(cases: &[CaseRunSummary]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for metric in cases.iter().flat_map(|case| &case.metrics) {
        if !names.contains(&metric.name) {
            names.push(metric.name.clone());
        }
    }
    names
}

/// The metric of a case with this name.
#[must_use]
pub fn metric_of<'c>(case: &'c CaseRunSummary, name: &str) -> Option<&'c MetricSummary> {
    case.metrics.iter().find(|metric| metric.name == name)
}

/// The places of the results that are shown, in order.
#[must_use]
pub fn rows(
    cases: &[CaseRunSummary],
    metrics: &[String],
    asked: &Asked,
    sorting: Sorting<Column>,
) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..cases.len()).filter(|at| asked.fits(&cases[*at])).collect();
    rows.sort_by(|one, other| {
        let order = compare(sorting.by, metrics, &cases[*one], &cases[*other]);
        if sorting.is_down { order.reverse() } else { order }
    });
    rows
}

fn compare(
    by: Column,
    metrics: &[String],
    one: &CaseRunSummary,
    other: &CaseRunSummary,
) -> Ordering {
    // Failed cases come first, then those that could not be run.
    let rank = |case: &CaseRunSummary| match case.status {
        RunStatus::Failed => 0,
        RunStatus::Error => 1,
        RunStatus::Terminated => 2,
        RunStatus::Unscored => 3,
        RunStatus::Passed => 4,
    };
    let score = |case: &CaseRunSummary, at: usize| {
        let metric = metric_of(case, metrics.get(at)?)?;
        metric.score.or_else(|| metric.passed.map(|passed| if passed { 1.0 } else { 0.0 }))
    };
    match by {
        Column::Verdict => rank(one).cmp(&rank(other)),
        Column::Case => one.id.case.to_lowercase().cmp(&other.id.case.to_lowercase()),
        Column::Repeat => one.id.repeat.cmp(&other.id.repeat),
        Column::Metric(at) => {
            score(one, at).partial_cmp(&score(other, at)).unwrap_or(Ordering::Equal)
        }
        Column::Turns => one.turns.cmp(&other.turns),
        Column::Duration => one.duration_ms.cmp(&other.duration_ms),
        Column::Tokens => one.tokens.cmp(&other.tokens),
    }
}

#[cfg(test)]
mod tests {
    use api::CaseRunId;

    use super::*;

    fn case(name: &str, status: RunStatus, score: Option<f64>) -> CaseRunSummary {
        CaseRunSummary {
            id: CaseRunId { run: 1, suite: "a".to_owned(), case: name.to_owned(), repeat: 1 },
            model: Some(format!("model of {name}")),
            tags: vec!["all".to_owned(), name.to_owned()],
            code: (status == RunStatus::Error).then(|| "timeout".to_owned()),
            status,
            why: (status == RunStatus::Failed).then(|| "it calls refund twice".to_owned()),
            metrics: vec![MetricSummary {
                name: "calls".to_owned(),
                passed: Some(status == RunStatus::Passed),
                score,
                evidence: Vec::new(),
            }],
            turns: 1,
            duration_ms: 1,
            tokens: 1,
            said: String::new(),
            waits_for_verdict: false,
            cost: None,
        }
    }

    #[test]
    fn what_failed_comes_first_and_the_order_of_the_run_stays() {
        let cases = [
            case("b", RunStatus::Passed, Some(1.0)),
            case("a", RunStatus::Passed, None),
            case("c", RunStatus::Failed, Some(0.5)),
        ];
        let metrics = metric_names(&cases);
        assert_eq!(metrics, ["calls"]);
        let of = |asked: Asked, sorting| rows(&cases, &metrics, &asked, sorting);
        assert_eq!(of(Asked::default(), GIVEN), [2, 0, 1]);
        let by_score = Sorting { by: Column::Metric(0), is_down: true };
        assert_eq!(of(Asked::default(), by_score), [0, 1, 2]);
        let searched = |text: &str| Asked { searched: text.to_owned(), ..Asked::default() };
        assert_eq!(of(searched(" REFUND"), GIVEN), [2]);
        assert_eq!(of(searched("calls"), GIVEN), [2], "a metric that failed, or the reason");
        let with = |facet: Facet, value: &str| {
            let mut asked = Asked::default();
            asked.facets[facet as usize] = Some(value.to_owned());
            of(asked, GIVEN)
        };
        assert_eq!(with(Facet::Metric, "calls"), [2], "only what did not pass");
        assert_eq!(with(Facet::Tag, "all"), [2, 0, 1]);
        assert_eq!(with(Facet::Tag, "a"), [1]);
        assert_eq!(with(Facet::Model, "model of b"), [0]);
        assert_eq!(with(Facet::Error, "timeout"), [0; 0]);
        assert_eq!(Facet::Tag.options(&cases, Some("gone")), ["a", "all", "b", "c", "gone"]);
        assert_eq!(Facet::Error.options(&cases, None), [""; 0]);
        let passed = Asked { verdict: verdict_named(Some("passed")), ..Asked::default() };
        assert_eq!(of(passed, GIVEN), [0, 1]);
    }
}
