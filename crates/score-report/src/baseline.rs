//! [`Baseline`]: an earlier report, and what has changed since.

use scoring::report::{
    CaseChange, CaseVerdict, Change, Compared, Comparison, EvalCaseResult, short_figure,
};
use scoring::statistics::PairedDifference;
use serde::Serialize;

/// Scores nearer to each other than this are the same.
const SAME: f64 = 1e-9;

/// The cases of an earlier report.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Baseline {
    /// What the report is called: its file.
    name: String,
    results: Vec<EvalCaseResult>,
}

impl Baseline {
    /// An earlier report of this name, with these cases.
    #[must_use]
    pub fn new(name: impl Into<String>, results: Vec<EvalCaseResult>) -> Self {
        Self { name: name.into(), results }
    }

    /// The cases whose ids are selected, so that the others do not count as removed.
    #[must_use]
    pub fn only(mut self, is_selected: impl Fn(&str) -> bool) -> Self {
        self.results.retain(|result| is_selected(&result.eval_id));
        self
    }
}

/// A score that has changed. `None` is unscored.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ScoreChange {
    criterion: String,
    before: Option<f64>,
    after: Option<f64>,
}

/// A case with another verdict or other scores.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ChangedCase {
    eval_id: String,
    /// The file of the run, if the case was run more than once.
    run: Option<String>,
    /// Both.
    #[serde(skip)]
    pub(crate) label: String,
    /// `regressed`, `unscored` in one of the reports, or `improved`.
    pub(crate) change: &'static str,
    before: &'static str,
    after: &'static str,
    scores: Vec<ScoreChange>,
    #[serde(skip)]
    case: CaseChange,
    #[serde(skip)]
    verdict: CaseVerdict,
}

impl ChangedCase {
    /// `passed → failed (words 0.9 → 0.2)`.
    pub(crate) fn line(&self) -> String {
        let score = |score: Option<f64>| score.map_or("unscored".to_owned(), short_figure);
        let scores: Vec<String> = self
            .scores
            .iter()
            .map(|it| format!("{} {} → {}", it.criterion, score(it.before), score(it.after)))
            .collect();
        let scores = scores.join(", ");
        match (self.case.is_other_verdict, scores.as_str()) {
            (false, scores) => scores.to_owned(),
            (true, "") => format!("{} → {}", self.before, self.after),
            (true, scores) => format!("{} → {} ({scores})", self.before, self.after),
        }
    }

    /// Regressions first, and of those the changed verdicts, the worst first, then the largest
    /// changes of scores.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let kept_or_verdict = |it: &Self| (!it.case.is_other_verdict, it.verdict);
        let by_change = self.case.change.cmp(&other.case.change);
        by_change
            .then(kept_or_verdict(self).cmp(&kept_or_verdict(other)))
            .then(other.case.by.abs().total_cmp(&self.case.by.abs()))
    }
}

/// What has changed since a baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Changes {
    /// The baseline.
    pub(crate) report: String,
    /// The pass rates over the cases that are passed or failed in both.
    difference: Option<Difference>,
    /// In the order of [`ChangedCase::order`].
    pub(crate) changes: Vec<ChangedCase>,
    /// The ids of cases that the baseline does not have; of each run, where it was run repeatedly.
    pub(crate) new: Vec<String>,
    /// The ids of cases that only the baseline has, likewise.
    pub(crate) gone: Vec<String>,
    #[serde(skip)]
    compared: Compared,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Difference {
    #[serde(flatten)]
    paired: PairedDifference,
    is_shown: bool,
}

impl Changes {
    /// `Since base.json: 1 regressed, 0 unscored in one report, 0 improved, …`.
    pub(crate) fn counts(&self) -> String {
        format!("Since {}: {}", self.report, self.compared.phrase())
    }

    /// Whether the pass rates differ, in a sentence; `None` if no case is scored in both reports.
    pub(crate) fn difference(&self) -> Option<String> {
        self.compared.difference.as_ref().map(PairedDifference::sentence)
    }
}

/// Compares the cases of a report one by one.
#[derive(Debug)]
pub(crate) struct BaselineComparison {
    baseline: Baseline,
    comparison: Comparison,
    changes: Vec<ChangedCase>,
    new: Vec<String>,
}

impl BaselineComparison {
    pub(crate) fn with(baseline: Baseline) -> Self {
        let comparison = Comparison::with(&baseline.results);
        Self { baseline, comparison, changes: Vec::new(), new: Vec::new() }
    }

    pub(crate) fn take(&mut self, result: &EvalCaseResult) {
        let case = self.comparison.take(&self.baseline.results, result);
        let before = case.before.and_then(|place| self.baseline.results.get(place));
        match (case.change, before) {
            (Change::New, _) | (_, None) => self.new.push(result.label().into_owned()),
            (Change::Same, Some(_)) => {}
            (_, Some(before)) => self.changes.push(changed(before, result, case)),
        }
    }

    pub(crate) fn finish(self) -> Changes {
        let Self { baseline, comparison, mut changes, new } = self;
        changes.sort_by(ChangedCase::order);
        let compared = comparison.finish(&baseline.results);
        let gone = compared.gone.iter().filter_map(|place| baseline.results.get(*place));
        let gone = gone.map(|result| result.label().into_owned()).collect();
        let difference = compared.difference.clone();
        let difference =
            difference.map(|paired| Difference { is_shown: paired.is_shown(), paired });
        Changes { report: baseline.name, difference, changes, new, gone, compared }
    }
}

fn changed(before: &EvalCaseResult, after: &EvalCaseResult, case: CaseChange) -> ChangedCase {
    let scores = after.criterion_results.iter().filter_map(|now| {
        let mut then = before.criterion_results.iter();
        let then = then.find(|then| then.criterion == now.criterion)?;
        let is_same = match (then.score, now.score) {
            (None, None) => true,
            (Some(then), Some(now)) => (then - now).abs() < SAME,
            _ => false,
        };
        let (before, after) = (then.score, now.score);
        (!is_same).then(|| ScoreChange { criterion: now.criterion.clone(), before, after })
    });
    ChangedCase {
        eval_id: after.eval_id.clone(),
        run: after.run.clone(),
        label: after.label().into_owned(),
        change: match case.change {
            Change::Unclear => "unscored",
            change => change.word(),
        },
        before: before.verdict().word(),
        after: after.verdict().word(),
        scores: scores.collect(),
        case,
        verdict: after.verdict(),
    }
}
