//! [`Repeats`]: repeated runs of one set, case by case.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::exact_number::{number, number_or_null};

/// So many standard errors on either side of the mean hold 95 % of a normal distribution.
const SPREAD: f64 = 1.959_963_984_540_054;

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
    /// The lower end of its 95 % interval, from the spread between the cases; `None` for one case.
    #[serde(with = "number_or_null")]
    pub low: Option<f64>,
    /// The upper end.
    #[serde(with = "number_or_null")]
    pub high: Option<f64>,
    /// `pass^k` for each k from 1 to `runs`: the chance that k runs of a case, drawn from its runs,
    /// all pass.
    pub pass_hat: Vec<f64>,
    /// `pass@k` for each k from 1 to `runs`: the chance that of k runs of a case at least one passes.
    #[serde(default)]
    pub pass_at: Vec<f64>,
}

/// Counts the runs of each case that has several.
#[derive(Debug, Clone, Default)]
pub(super) struct RepeatTally {
    /// The runs that passed, and all of them.
    cases: HashMap<String, (usize, usize)>,
}

impl RepeatTally {
    pub(super) fn add(&mut self, eval_id: &str, passed: bool) {
        let runs = self.cases.entry(eval_id.to_owned()).or_default();
        runs.0 += usize::from(passed);
        runs.1 += 1;
    }

    pub(super) fn summary(&self) -> Option<Repeats> {
        let mut cases: Vec<(usize, usize)> =
            self.cases.values().copied().filter(|(_, runs)| *runs > 1).collect();
        // Sums do not depend on the order of a map.
        cases.sort_unstable();
        let runs = cases.iter().map(|(_, runs)| *runs).min()?;
        let rates: Vec<f64> = cases.iter().map(|(passed, runs)| share(*passed, *runs)).collect();
        let pass_rate = mean(&rates);
        let interval = interval(&rates, pass_rate);
        let for_each_k = |chance: fn((usize, usize), usize) -> f64| {
            let of = |k| mean(&cases.iter().map(|case| chance(*case, k)).collect::<Vec<_>>());
            (1..=runs).map(of).collect()
        };
        Some(Repeats {
            cases: cases.len(),
            runs,
            pass_rate,
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
            pass_hat: for_each_k(all_pass),
            pass_at: for_each_k(any_passes),
        })
    }
}

/// The 95 % interval of the mean, from the spread between the cases: runs of one case are alike, so
/// they do not count as independent.
fn interval(rates: &[f64], mean: f64) -> Option<(f64, f64)> {
    if rates.len() < 2 {
        return None;
    }
    let squares: f64 = rates.iter().map(|rate| (rate - mean).powi(2)).sum();
    let error = (squares / count(rates.len() - 1) / count(rates.len())).sqrt();
    Some(((mean - SPREAD * error).max(0.0), (mean + SPREAD * error).min(1.0)))
}

/// `C(passed, k) / C(runs, k)`.
fn all_pass((passed, runs): (usize, usize), k: usize) -> f64 {
    (0..k).map(|at| share(passed.saturating_sub(at), runs - at)).product()
}

/// `1 - C(failed, k) / C(runs, k)`.
fn any_passes((passed, runs): (usize, usize), k: usize) -> f64 {
    1.0 - all_pass((runs - passed, runs), k)
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
    fn repeats_give_a_rate_its_interval_and_pass_hat() {
        let mut tally = RepeatTally::default();
        for (id, passes) in
            [("a", [true, true, true]), ("b", [true, false, true]), ("c", [false; 3])]
        {
            passes.into_iter().for_each(|passed| tally.add(id, passed));
        }
        tally.add("once", true);
        let Repeats { cases, runs, pass_rate, low, high, pass_hat, pass_at } =
            tally.summary().expect("repeats");
        assert_eq!((cases, runs), (3, 3));
        assert!((pass_rate - 5.0 / 9.0).abs() < 1e-12);
        // The standard deviation of 1, 2/3 and 0 is 0.509, that of their mean 0.294.
        assert_eq!((low, high), (Some(0.0), Some(1.0)), "cut at the ends");
        let expected = [5.0 / 9.0, (1.0 + 1.0 / 3.0) / 3.0, 1.0 / 3.0];
        let is_near = |(one, other): (&f64, f64)| (one - other).abs() < 1e-12;
        assert!(pass_hat.iter().zip(expected).all(is_near));
        // Of b, two runs include a passing one always, since one failed.
        let expected = [5.0 / 9.0, 2.0 / 3.0, 2.0 / 3.0];
        assert!(pass_at.iter().zip(expected).all(is_near));
    }

    #[test]
    fn one_case_has_no_interval() {
        let mut tally = RepeatTally::default();
        tally.add("a", true);
        assert_eq!(tally.summary(), None);
        tally.add("a", false);
        let repeats = tally.summary().expect("repeats");
        assert_eq!((repeats.pass_rate, repeats.low, repeats.high), (0.5, None, None));
    }
}
