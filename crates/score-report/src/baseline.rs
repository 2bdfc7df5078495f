//! [`Baseline`]: an earlier report, and what has changed since: verdicts first, then scores.

use std::collections::HashMap;

use scoring::report::{CaseVerdict, EvalCaseResult, short_figure};
use serde::Serialize;

/// Scores nearer to each other than this are the same.
const SAME: f64 = 1e-9;

/// The cases of an earlier report.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Baseline {
    /// What the report is called: its file.
    name: String,
    /// The cases by id; repeated runs of one case in their order.
    cases: HashMap<String, Vec<EvalCaseResult>>,
    /// The ids, in the order of the report.
    ids: Vec<String>,
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
pub(crate) struct CaseChange {
    eval_id: String,
    /// The file of the run, if the case was run more than once.
    run: Option<String>,
    /// Both.
    #[serde(skip)]
    pub(crate) label: String,
    /// `regressed` or `improved` for another verdict, else `scores`.
    pub(crate) change: &'static str,
    before: &'static str,
    after: &'static str,
    scores: Vec<ScoreChange>,
    #[serde(skip)]
    rank: (u8, f64),
}

impl CaseChange {
    /// `passed → failed (words 0.9 → 0.2)`.
    pub(crate) fn line(&self) -> String {
        let score = |score: Option<f64>| score.map_or("unscored".to_owned(), short_figure);
        let scores: Vec<String> = self
            .scores
            .iter()
            .map(|it| format!("{} {} → {}", it.criterion, score(it.before), score(it.after)))
            .collect();
        let scores = scores.join(", ");
        match (self.change, scores.as_str()) {
            ("scores", scores) => scores.to_owned(),
            (_, "") => format!("{} → {}", self.before, self.after),
            (_, scores) => format!("{} → {} ({scores})", self.before, self.after),
        }
    }
}

/// What has changed since a baseline.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Changes {
    /// The baseline.
    pub(crate) report: String,
    /// Regressions, then improvements, then other scores, the largest losses first.
    pub(crate) changes: Vec<CaseChange>,
    /// The ids of cases that the baseline does not have.
    pub(crate) new: Vec<String>,
    /// The ids of cases that only the baseline has.
    pub(crate) gone: Vec<String>,
}

impl Changes {
    pub(crate) fn count(&self, change: &str) -> usize {
        self.changes.iter().filter(|it| it.change == change).count()
    }

    /// `Since base.json: 1 regressed, 0 improved, 2 with other scores, 0 new, 0 gone`.
    pub(crate) fn counts(&self) -> String {
        format!(
            "Since {}: {} regressed, {} improved, {} with other scores, {} new, {} gone",
            self.report,
            self.count("regressed"),
            self.count("improved"),
            self.count("scores"),
            self.new.len(),
            self.gone.len()
        )
    }
}

impl Baseline {
    /// The cases whose ids are selected, so that the others do not count as gone.
    #[must_use]
    pub fn only(mut self, is_selected: impl Fn(&str) -> bool) -> Self {
        self.ids.retain(|id| is_selected(id));
        self.cases.retain(|id, _| is_selected(id));
        self
    }

    /// An earlier report of this name, with these cases.
    #[must_use]
    pub fn new(name: impl Into<String>, results: Vec<EvalCaseResult>) -> Self {
        let mut baseline = Self { name: name.into(), ..Self::default() };
        for result in results {
            let runs = baseline.cases.entry(result.eval_id.clone()).or_default();
            if runs.is_empty() {
                baseline.ids.push(result.eval_id.clone());
            }
            runs.push(result);
        }
        baseline
    }
}

/// Compares the cases of a report one by one.
#[derive(Debug)]
pub(crate) struct Comparison {
    baseline: Baseline,
    /// How many runs of a case were compared.
    seen: HashMap<String, usize>,
    changes: Vec<CaseChange>,
    new: Vec<String>,
}

impl Comparison {
    pub(crate) fn with(baseline: Baseline) -> Self {
        Self { baseline, seen: HashMap::new(), changes: Vec::new(), new: Vec::new() }
    }

    pub(crate) fn take(&mut self, result: &EvalCaseResult) {
        let seen = self.seen.entry(result.eval_id.clone()).or_default();
        let place = *seen;
        *seen += 1;
        let Some(runs) = self.baseline.cases.get(&result.eval_id) else {
            if place == 0 {
                self.new.push(result.eval_id.clone());
            }
            return;
        };
        // Further runs are compared with the last one of the baseline.
        if let Some(before) = runs.get(place).or(runs.last()) {
            self.changes.extend(change(before, result));
        }
    }

    pub(crate) fn finish(self) -> Changes {
        let Self { baseline, seen, mut changes, new } = self;
        changes.sort_by(|one, other| {
            let by_rank = one.rank.0.cmp(&other.rank.0);
            by_rank.then(one.rank.1.total_cmp(&other.rank.1))
        });
        let gone = baseline.ids.into_iter().filter(|id| !seen.contains_key(id)).collect();
        Changes { report: baseline.name, changes, new, gone }
    }
}

/// `None` if nothing has changed.
fn change(before: &EvalCaseResult, after: &EvalCaseResult) -> Option<CaseChange> {
    let mut by = 0.0;
    let scores = after.criterion_results.iter().filter_map(|now| {
        let mut then = before.criterion_results.iter();
        let then = then.find(|then| then.criterion == now.criterion)?;
        match (then.score, now.score) {
            (None, None) => return None,
            (Some(then), Some(now)) if (then - now).abs() < SAME => return None,
            (Some(then), Some(now)) => by += now - then,
            _ => {}
        }
        let (before, after) = (then.score, now.score);
        Some(ScoreChange { criterion: now.criterion.clone(), before, after })
    });
    let scores: Vec<ScoreChange> = scores.collect();
    let (was, is) = (before.verdict(), after.verdict());
    let (place, change) = match rank(is).cmp(&rank(was)) {
        std::cmp::Ordering::Less => (0, "regressed"),
        std::cmp::Ordering::Greater => (1, "improved"),
        std::cmp::Ordering::Equal if scores.is_empty() => return None,
        std::cmp::Ordering::Equal => (2, "scores"),
    };
    Some(CaseChange {
        eval_id: after.eval_id.clone(),
        run: after.run.clone(),
        label: after.label().into_owned(),
        change,
        before: word(was),
        after: word(is),
        scores,
        rank: (place, by),
    })
}

/// The worst first.
fn rank(verdict: CaseVerdict) -> u8 {
    match verdict {
        CaseVerdict::Error => 0,
        CaseVerdict::Failed => 1,
        CaseVerdict::Unscored => 2,
        CaseVerdict::Passed => 3,
    }
}

fn word(verdict: CaseVerdict) -> &'static str {
    match verdict {
        CaseVerdict::Error => "error",
        CaseVerdict::Failed => "failed",
        CaseVerdict::Unscored => "unscored",
        CaseVerdict::Passed => "passed",
    }
}
