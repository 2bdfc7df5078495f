//! [`Comparison`]: the cases of a report beside those of an earlier one, its baseline. Every form of
//! a report and the page count with it.

use std::cmp::Ordering;
use std::collections::HashMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::case::{CaseVerdict, EvalCaseResult};
use crate::statistics::{CaseRuns, PairedDifference, paired_difference};

/// Scores nearer to each other than this are the same.
const SAME: f64 = 1e-9;

/// The change of a case since the baseline, in the order in which a reader should see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It fails where it passed, or scores less.
    Regressed,
    /// A criterion is scored in one of the two reports only, and nothing else changed: neither
    /// better nor worse.
    Unclear,
    /// It passes where it failed, or scores more.
    Improved,
    /// The baseline does not have it.
    New,
    /// Only the baseline has it.
    Gone,
    /// None.
    Same,
}

impl Change {
    /// All there are, in their order.
    pub const ALL: [Self; 6] =
        [Self::Regressed, Self::Unclear, Self::Improved, Self::New, Self::Gone, Self::Same];

    /// The word for people.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Regressed => "regressed",
            Self::Unclear => "unscored in one report",
            Self::Improved => "improved",
            Self::New => "new",
            Self::Gone => "removed",
            Self::Same => "unchanged",
        }
    }
}

/// A case beside its baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CaseChange {
    /// The change.
    pub change: Change,
    /// Its place in the baseline.
    pub before: Option<usize>,
    /// Whether its verdict is another.
    pub is_other_verdict: bool,
    /// The score now less the score then, in the mean of the criteria that are scored in both.
    pub by: f64,
}

/// The cases with each change, and what they say together.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    counts: [usize; Change::ALL.len()],
    /// The places of the baseline's cases that the report lacks.
    pub gone: Vec<usize>,
    /// The pass rates over the cases that are passed or failed in both; `None` without such a case.
    pub difference: Option<PairedDifference>,
}

impl Compared {
    /// The number of cases, or of their runs, with this change.
    #[must_use]
    pub fn count(&self, change: Change) -> usize {
        self.counts[change as usize]
    }

    /// All numbers in a phrase: `1 regressed, 0 unscored in one report, 2 improved, 0 new, 0 removed,
    /// 3 unchanged`.
    #[must_use]
    pub fn phrase(&self) -> String {
        let each = Change::ALL.map(|change| format!("{} {}", self.count(change), change.word()));
        each.join(", ")
    }
}

/// Compares the results of a report with those of a baseline, one by one.
///
/// Cases are paired by id and criteria by name. Runs of one case are paired in their order, and
/// further ones with the last one of the baseline.
#[derive(Debug)]
pub struct Comparison {
    /// The places in the baseline by id.
    baseline: HashMap<String, Vec<usize>>,
    /// How many runs of a case were compared.
    seen: HashMap<String, usize>,
    counts: [usize; Change::ALL.len()],
    /// The passed runs of each case in both reports.
    runs: IndexMap<String, (CaseRuns, CaseRuns)>,
}

impl Comparison {
    /// A comparison with these results.
    #[must_use]
    pub fn with(baseline: &[EvalCaseResult]) -> Self {
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        let mut runs: IndexMap<String, (CaseRuns, CaseRuns)> = IndexMap::new();
        for (place, result) in baseline.iter().enumerate() {
            places.entry(result.eval_id.clone()).or_default().push(place);
            add(&mut runs.entry(result.eval_id.clone()).or_default().0, result);
        }
        Self { baseline: places, seen: HashMap::new(), counts: Default::default(), runs }
    }

    /// The change of the next result. `baseline` holds what the comparison began with.
    pub fn take(&mut self, baseline: &[EvalCaseResult], after: &EvalCaseResult) -> CaseChange {
        let seen = self.seen.entry(after.eval_id.clone()).or_default();
        let run = *seen;
        *seen += 1;
        if let Some((_, runs)) = self.runs.get_mut(&after.eval_id) {
            add(runs, after);
        }
        let places = self.baseline.get(&after.eval_id);
        let before = places.and_then(|places| places.get(run).or(places.last()).copied());
        let found = before.and_then(|place| Some((place, baseline.get(place)?)));
        let change = match found {
            Some((place, before)) => change(before, place, after),
            None => {
                CaseChange { change: Change::New, before: None, is_other_verdict: false, by: 0.0 }
            }
        };
        self.counts[change.change as usize] += 1;
        change
    }

    /// The comparison of all results that were taken.
    #[must_use]
    pub fn finish(mut self, baseline: &[EvalCaseResult]) -> Compared {
        let is_gone = |place: &usize| !self.seen.contains_key(&baseline[*place].eval_id);
        let gone: Vec<usize> = (0..baseline.len()).filter(is_gone).collect();
        self.counts[Change::Gone as usize] = gone.len();
        let pairs: Vec<(CaseRuns, CaseRuns)> = self.runs.into_values().collect();
        Compared { counts: self.counts, gone, difference: paired_difference(&pairs) }
    }
}

fn add(runs: &mut CaseRuns, result: &EvalCaseResult) {
    let verdict = result.verdict();
    runs.passed += usize::from(verdict == CaseVerdict::Passed);
    runs.runs += usize::from(verdict != CaseVerdict::Unscored);
}

fn change(before: &EvalCaseResult, place: usize, after: &EvalCaseResult) -> CaseChange {
    let (was, is) = (before.verdict(), after.verdict());
    let shared = Shared::of(before, after);
    let change = if [was, is].contains(&CaseVerdict::Error) {
        by_order(&was, &is)
    } else {
        // Criteria that are not scored in both reports are not compared.
        match by_order(&shared.passed_then, &shared.passed_now) {
            Change::Same if shared.by < -SAME => Change::Regressed,
            Change::Same if shared.by > SAME => Change::Improved,
            Change::Same if shared.is_half_scored => Change::Unclear,
            Change::Same if [was, is].contains(&CaseVerdict::Unscored) && was != is => {
                Change::Unclear
            }
            Change::Same => by_order(&was, &is),
            moved => moved,
        }
    };
    CaseChange { change, before: Some(place), is_other_verdict: was != is, by: shared.by }
}

/// The less, the worse.
fn by_order<T: Ord>(then: &T, now: &T) -> Change {
    match now.cmp(then) {
        Ordering::Less => Change::Regressed,
        Ordering::Equal => Change::Same,
        Ordering::Greater => Change::Improved,
    }
}

/// The criteria that both results have.
struct Shared {
    /// Whether all that both score passed in the baseline.
    passed_then: bool,
    /// The same in the report.
    passed_now: bool,
    /// Whether there are others that one alone has scored.
    is_half_scored: bool,
    /// The mean change of their scores.
    by: f64,
}

impl Shared {
    fn of(before: &EvalCaseResult, after: &EvalCaseResult) -> Self {
        let mut shared =
            Self { passed_then: true, passed_now: true, is_half_scored: false, by: 0.0 };
        let (mut moved, mut scored) = (0.0, 0_u32);
        for now in &after.criterion_results {
            let mut results = before.criterion_results.iter();
            let Some(then) = results.find(|then| then.criterion == now.criterion) else { continue };
            if let (Some(then), Some(now)) = (then.score, now.score) {
                moved += now - then;
                scored += 1;
            }
            match (then.passed, now.passed) {
                (Some(passed_then), Some(passed_now)) => {
                    shared.passed_then &= passed_then;
                    shared.passed_now &= passed_now;
                }
                (then, now) => shared.is_half_scored |= then != now,
            }
        }
        shared.by = moved / f64::from(scored.max(1));
        shared
    }
}
