//! [`Changes`]: the change of each case since a baseline.

use std::cmp::Ordering;
use std::collections::HashMap;

use scoring::report::CaseVerdict;

use crate::report::Report;

/// Scores nearer to each other than this are the same.
const SAME: f64 = 1e-9;

/// What became of a case, in the order in which a reader should see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// It fails where it passed, or scores less.
    Regressed,
    /// A criterion is unscored now and was not, or the other way round, and nothing else moved:
    /// neither better nor worse.
    Unclear,
    /// It passes where it failed, or scores more.
    Improved,
    /// The baseline does not have it.
    New,
    /// Only the baseline has it.
    Gone,
    /// Nothing.
    Same,
}

impl Change {
    /// All there are, in their order.
    pub const ALL: [Self; 6] =
        [Self::Regressed, Self::Unclear, Self::Improved, Self::New, Self::Gone, Self::Same];
}

/// A case beside its baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CaseChange {
    /// What became of it.
    pub change: Change,
    /// Its place in the baseline.
    pub before: Option<usize>,
    /// Whether its verdict is another.
    pub is_other_verdict: bool,
    /// The score now less the score then, in the mean of the criteria that are scored in both.
    pub by: f64,
}

/// Each case beside its baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// In the order of the candidate's cases.
    pub cases: Vec<CaseChange>,
    /// The places of the baseline's cases that the candidate lacks.
    pub gone: Vec<usize>,
    /// What a reader should know before trusting the comparison.
    pub notes: Vec<String>,
}

impl Changes {
    /// Holds `candidate` against `baseline`: cases by their ids, criteria by their names. Runs of one case are
    /// paired in their order, and further ones with the last one of the baseline, as `rehearsal score` does.
    #[must_use]
    pub fn of(baseline: &Report, candidate: &Report) -> Self {
        let place = |name: &String| baseline.criteria.iter().position(|other| other == name);
        // The place of each criterion of the candidate in the baseline.
        let criteria: Vec<Option<usize>> = candidate.criteria.iter().map(place).collect();
        let mut runs: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, case) in baseline.cases.iter().enumerate() {
            runs.entry(&case.eval_id).or_default().push(place);
        }
        let mut seen: HashMap<&str, usize> = HashMap::new();
        let cases = (0..candidate.cases.len())
            .map(|now| {
                let eval_id = candidate.cases[now].eval_id.as_str();
                let run = seen.entry(eval_id).or_default();
                let before =
                    runs.get(eval_id).and_then(|runs| runs.get(*run).or(runs.last()).copied());
                *run += 1;
                match before {
                    Some(before) => beside(baseline, before, candidate, now, &criteria),
                    None => CaseChange {
                        change: Change::New,
                        before: None,
                        is_other_verdict: false,
                        by: 0.0,
                    },
                }
            })
            .collect();
        let gone = (0..baseline.cases.len())
            .filter(|before| candidate.find(&baseline.cases[*before].eval_id).is_none())
            .collect();
        Self { cases, gone, notes: notes(baseline, candidate, &criteria) }
    }

    /// How many cases became this.
    #[must_use]
    pub fn count(&self, change: Change) -> usize {
        match change {
            Change::Gone => self.gone.len(),
            change => self.cases.iter().filter(|case| case.change == change).count(),
        }
    }
}

fn beside(
    baseline: &Report,
    before: usize,
    candidate: &Report,
    now: usize,
    criteria: &[Option<usize>],
) -> CaseChange {
    let (was, is) = (baseline.cases[before].verdict(), candidate.cases[now].verdict());
    let score = |report: &Report, case, criterion| report.result(case, criterion)?.score;
    let moved: Vec<f64> = criteria
        .iter()
        .enumerate()
        .filter_map(|(place, then)| {
            Some(score(candidate, now, place)? - score(baseline, before, (*then)?)?)
        })
        .collect();
    #[expect(clippy::cast_precision_loss, reason = "no config has 2^53 criteria")]
    let by = moved.iter().sum::<f64>() / moved.len().max(1) as f64;
    let change = if [was, is].contains(&CaseVerdict::Error) {
        by_order(&rank(was), &rank(is))
    } else {
        let shared = shared(baseline, before, candidate, now, criteria);
        // Criteria that are not scored in both reports are not compared.
        match by_order(&shared.passed_then, &shared.passed_now) {
            Change::Same if by < -SAME => Change::Regressed,
            Change::Same if by > SAME => Change::Improved,
            Change::Same if shared.is_half_scored => Change::Unclear,
            Change::Same if [was, is].contains(&CaseVerdict::Unscored) && was != is => {
                Change::Unclear
            }
            Change::Same => by_order(&rank(was), &rank(is)),
            moved => moved,
        }
    };
    CaseChange { change, before: Some(before), is_other_verdict: was != is, by }
}

/// The less, the worse.
fn by_order<T: Ord>(then: &T, now: &T) -> Change {
    match now.cmp(then) {
        Ordering::Less => Change::Regressed,
        Ordering::Equal => Change::Same,
        Ordering::Greater => Change::Improved,
    }
}

/// The change of a case that both reports score.
struct Shared {
    /// Whether all of them passed in the baseline.
    passed_then: bool,
    /// The same in the candidate.
    passed_now: bool,
    /// Whether there are others that both know and one alone has scored.
    is_half_scored: bool,
}

fn shared(
    baseline: &Report,
    before: usize,
    candidate: &Report,
    now: usize,
    criteria: &[Option<usize>],
) -> Shared {
    let mut shared = Shared { passed_then: true, passed_now: true, is_half_scored: false };
    for (place, then) in criteria.iter().enumerate() {
        let Some(then) = then.and_then(|then| baseline.result(before, then)) else { continue };
        let Some(now) = candidate.result(now, place) else { continue };
        match (then.passed, now.passed) {
            (Some(passed_then), Some(passed_now)) => {
                shared.passed_then &= passed_then;
                shared.passed_now &= passed_now;
            }
            (then, now) => shared.is_half_scored |= then != now,
        }
    }
    shared
}

/// The rank of a verdict, the worst first, for sorting and for regressions.
pub(crate) fn rank(verdict: CaseVerdict) -> u8 {
    match verdict {
        CaseVerdict::Error => 0,
        CaseVerdict::Failed => 1,
        CaseVerdict::Unscored => 2,
        CaseVerdict::Passed => 3,
    }
}

/// Differences in how the two reports were scored.
fn notes(baseline: &Report, candidate: &Report, criteria: &[Option<usize>]) -> Vec<String> {
    let mut notes = Vec::new();
    if baseline.eval_set_id != candidate.eval_set_id {
        notes.push(format!(
            "The baseline belongs to another eval set: {}.",
            if baseline.eval_set_id.is_empty() { "unnamed" } else { &baseline.eval_set_id }
        ));
    }
    let threshold = |report: &Report, criterion| {
        let mut cases = 0..report.cases.len();
        cases.find_map(|case| Some(report.result(case, criterion)?.threshold))
    };
    for (place, name) in candidate.criteria.iter().enumerate() {
        match criteria[place] {
            None => notes.push(format!("The baseline has no criterion {name}.")),
            Some(then) => {
                let (was, is) = (threshold(baseline, then), threshold(candidate, place));
                if let (Some(was), Some(is)) = (was, is)
                    && (was - is).abs() > SAME
                {
                    notes.push(format!(
                        "The threshold of {name} is {is}, and was {was} in the baseline."
                    ));
                }
            }
        }
    }
    for name in &baseline.criteria {
        if !candidate.criteria.contains(name) {
            notes.push(format!("Only the baseline has the criterion {name}."));
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::report;

    #[test]
    fn each_case_beside_its_baseline() {
        let baseline = report(&[
            ("fails now", &[("m", Some(1.0), 0.8)]),
            ("less", &[("m", Some(1.0), 0.8)]),
            ("unclear", &[("m", Some(1.0), 0.8)]),
            ("more", &[("m", Some(0.1), 0.8)]),
            ("gone", &[("m", Some(0.1), 0.8)]),
            ("same", &[("m", None, 0.8)]),
        ]);
        let candidate = report(&[
            ("same", &[("m", None, 0.8)]),
            ("new", &[("m", Some(0.1), 0.8)]),
            ("more", &[("m", Some(0.9), 0.8)]),
            ("unclear", &[("m", None, 0.8)]),
            ("less", &[("m", Some(0.9), 0.8)]),
            ("fails now", &[("m", Some(0.9), 0.95)]),
        ]);
        let changes = Changes::of(&baseline, &candidate);
        let verdicts: Vec<Change> = changes.cases.iter().map(|case| case.change).collect();
        use Change::{Gone, Improved, New, Regressed, Same, Unclear};
        assert_eq!(verdicts, [Same, New, Improved, Unclear, Regressed, Regressed]);
        assert_eq!(changes.gone, [4]);
        assert_eq!(changes.count(Gone), 1);
        assert!(changes.cases[5].is_other_verdict && !changes.cases[4].is_other_verdict);
        assert!((changes.cases[4].by + 0.1).abs() < 1e-6);
    }

    #[test]
    fn repeated_runs_are_paired_in_order() {
        let scores = |scores: &[f64]| {
            let cases: Vec<_> = scores.iter().map(|score| [("m", Some(*score), 0.5)]).collect();
            let cases: Vec<_> = cases.iter().map(|case| ("a", case.as_slice())).collect();
            report(&cases)
        };
        let changes = Changes::of(&scores(&[1.0, 0.0]), &scores(&[1.0, 0.0, 1.0]));
        let verdicts: Vec<Change> = changes.cases.iter().map(|case| case.change).collect();
        assert_eq!(verdicts, [Change::Same, Change::Same, Change::Improved]);
        let before: Vec<_> = changes.cases.iter().map(|case| case.before).collect();
        assert_eq!(before, [Some(0), Some(1), Some(1)]);
        assert_eq!(changes.gone, [0; 0]);
    }

    #[test]
    fn unscored_criterion_does_not_hide_others() {
        let baseline = report(&[
            ("fell", &[("m", Some(1.0), 0.8), ("gate", None, 1.0)]),
            ("rose", &[("m", Some(0.0), 0.8), ("gate", None, 1.0)]),
            ("same", &[("m", Some(1.0), 0.8), ("gate", None, 1.0)]),
            ("now scored", &[("m", Some(1.0), 0.8), ("gate", None, 1.0)]),
            ("fell and scored", &[("m", Some(1.0), 0.8), ("gate", None, 1.0)]),
        ]);
        let candidate = report(&[
            ("fell", &[("m", Some(0.0), 0.8), ("gate", None, 1.0)]),
            ("rose", &[("m", Some(1.0), 0.8), ("gate", None, 1.0)]),
            ("same", &[("m", Some(1.0), 0.8), ("gate", None, 1.0)]),
            ("now scored", &[("m", Some(1.0), 0.8), ("gate", Some(1.0), 1.0)]),
            ("fell and scored", &[("m", Some(0.0), 0.8), ("gate", Some(1.0), 1.0)]),
        ]);
        let changes = Changes::of(&baseline, &candidate);
        let verdicts: Vec<Change> = changes.cases.iter().map(|case| case.change).collect();
        use Change::{Improved, Regressed, Same, Unclear};
        assert_eq!(verdicts, [Regressed, Improved, Same, Unclear, Regressed]);
    }

    #[test]
    fn changed_criterion_is_reported() {
        let baseline = report(&[("a", &[("m", Some(1.0), 0.8), ("old", Some(1.0), 0.5)])]);
        let candidate = report(&[("a", &[("m", Some(1.0), 0.9), ("new", Some(0.0), 0.0)])]);
        let changes = Changes::of(&baseline, &candidate);
        assert_eq!(
            changes.notes,
            [
                "The threshold of m is 0.9, and was 0.8 in the baseline.",
                "The baseline has no criterion new.",
                "Only the baseline has the criterion old.",
            ]
        );
        assert_eq!(changes.cases[0].change, Change::Same, "criteria of one side do not count");
    }
}
