//! [`Changes`]: the change of each case since a baseline, with notes on how the two were scored.

use json_text::written_out::visible_name;
use scoring::report::{CaseChange, Change, Compared, Comparison};

use crate::report::Report;

/// Thresholds nearer to each other than this are the same.
const SAME: f64 = 1e-9;

/// Each case beside its baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// In the order of the candidate's cases.
    pub cases: Vec<CaseChange>,
    /// What they come to.
    pub compared: Compared,
    /// What a reader should know before trusting the comparison.
    pub notes: Vec<String>,
}

impl Changes {
    /// The changes of `candidate` since `baseline`.
    #[must_use]
    pub fn of(baseline: &Report, candidate: &Report) -> Self {
        let mut comparison = Comparison::with(&baseline.cases);
        let take = |case| comparison.take(&baseline.cases, case);
        let cases = candidate.cases.iter().map(take).collect();
        let compared = comparison.finish(&baseline.cases);
        Self { cases, compared, notes: notes(baseline, candidate) }
    }

    /// How many cases have this change.
    #[must_use]
    pub fn count(&self, change: Change) -> usize {
        self.compared.count(change)
    }
}

/// Differences in how the two reports were scored.
fn notes(baseline: &Report, candidate: &Report) -> Vec<String> {
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
        match baseline.criteria.iter().position(|other| other == name) {
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
    notes.iter().map(|note| visible_name(note)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::tests::report;

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
        assert_eq!(changes.compared.gone, [4]);
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
        assert_eq!(changes.compared.gone, [0; 0]);
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
