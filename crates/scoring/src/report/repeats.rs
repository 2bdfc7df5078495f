//! [`Repeats`]: repeated runs of one set, case by case.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::exact_number::number;
use crate::statistics::CaseRuns;

/// Repeated runs of one set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Repeats {
    /// The cases that were run more than once.
    pub cases: usize,
    /// The fewest runs of such a case.
    pub runs: usize,
    /// The mean of the cases' pass rates.
    #[serde(with = "number")]
    pub pass_rate: f64,
    /// `pass^k` for each k from 1 to `runs`: the chance that k runs of a case, drawn from its runs,
    /// all pass.
    pub pass_hat: Vec<f64>,
    /// `pass@k` for each k from 1 to `runs`: the chance that of k runs of a case at least one passes.
    #[serde(default)]
    pub pass_at: Vec<f64>,
}

/// Counts the runs of each case.
#[derive(Debug, Clone, Default)]
pub(super) struct RepeatTally {
    cases: HashMap<String, CaseRuns>,
}

impl RepeatTally {
    pub(super) fn add(&mut self, eval_id: &str, passed: bool) {
        let case = self.cases.entry(eval_id.to_owned()).or_default();
        case.passed += usize::from(passed);
        case.runs += 1;
    }

    pub(super) fn cases(&self) -> impl Iterator<Item = CaseRuns> {
        self.cases.values().copied()
    }

    pub(super) fn summary(&self) -> Option<Repeats> {
        let mut cases: Vec<CaseRuns> = self.cases().filter(|case| case.runs > 1).collect();
        // Sums do not depend on the order of a map.
        cases.sort_unstable();
        let runs = cases.iter().map(|case| case.runs).min()?;
        let rates = cases.iter().map(|case| share(case.passed, case.runs));
        let for_each_k = |chance: fn(CaseRuns, usize) -> f64| {
            let of = |k| mean(&cases.iter().map(|case| chance(*case, k)).collect::<Vec<_>>());
            (1..=runs).map(of).collect()
        };
        Some(Repeats {
            cases: cases.len(),
            runs,
            pass_rate: mean(&rates.collect::<Vec<_>>()),
            pass_hat: for_each_k(all_pass),
            pass_at: for_each_k(any_passes),
        })
    }
}

/// `C(passed, k) / C(runs, k)`.
fn all_pass(CaseRuns { passed, runs }: CaseRuns, k: usize) -> f64 {
    (0..k).map(|at| share(passed.saturating_sub(at), runs - at)).product()
}

/// `1 - C(failed, k) / C(runs, k)`.
fn any_passes(CaseRuns { passed, runs }: CaseRuns, k: usize) -> f64 {
    1.0 - all_pass(CaseRuns { passed: runs - passed, runs }, k)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / count(values.len())
}

fn share(part: usize, of: usize) -> f64 {
    count(part) / count(of)
}

#[expect(clippy::cast_precision_loss, reason = "no run has 2^53 cases")]
fn count(of: usize) -> f64 {
    of as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_give_a_rate_and_pass_hat() {
        let mut tally = RepeatTally::default();
        for (id, passes) in
            [("a", [true, true, true]), ("b", [true, false, true]), ("c", [false; 3])]
        {
            passes.into_iter().for_each(|passed| tally.add(id, passed));
        }
        tally.add("once", true);
        let Repeats { cases, runs, pass_rate, pass_hat, pass_at } =
            tally.summary().expect("repeats");
        assert_eq!((cases, runs), (3, 3));
        assert!((pass_rate - 5.0 / 9.0).abs() < 1e-12);
        let expected = [5.0 / 9.0, (1.0 + 1.0 / 3.0) / 3.0, 1.0 / 3.0];
        let is_near = |(one, other): (&f64, f64)| (one - other).abs() < 1e-12;
        assert!(pass_hat.iter().zip(expected).all(is_near));
        // Of b, two runs include a passing one always, since one failed.
        let expected = [5.0 / 9.0, 2.0 / 3.0, 2.0 / 3.0];
        assert!(pass_at.iter().zip(expected).all(is_near));
    }

    #[test]
    fn one_run_is_not_repeated() {
        let mut tally = RepeatTally::default();
        tally.add("a", true);
        assert_eq!(tally.summary(), None);
        tally.add("a", false);
        assert_eq!(tally.summary().map(|repeats| repeats.pass_rate), Some(0.5));
    }
}
