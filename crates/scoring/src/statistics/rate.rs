//! [`rate_interval`]: the 95 % interval of a pass rate, also of cases that were run repeatedly.
//!
//! For single runs it is Jeffreys' interval (L. D. Brown, T. T. Cai, A. DasGupta, Interval estimation
//! for a binomial proportion, 2001). Runs of one case are alike, so they count for less than as many
//! cases: with a correlation, `n` runs count as `n / (1 + (n - 1) * correlation)` (L. Kish, Survey
//! sampling, 1965). The correlation is not known. Before the runs, each is as likely as any other,
//! and how likely it is after them is that of the beta-binomial model. The interval holds the middle
//! 95 % over all of them.

use std::collections::HashMap;
use std::f64::consts::FRAC_PI_2;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use statrs::function::beta::{beta_reg, ln_beta};

use super::count;

/// The probability below the interval, and that above it.
const TAIL: f64 = 0.025;

/// The pass and the failure that Jeffreys' prior adds, each.
const PRIOR: f64 = 0.5;

/// The points at which the model is evaluated: angles, whose squared sine is the rate, and
/// correlations. First over all that are possible, then where the probability is.
const COARSE: (usize, usize) = (96, 16);
const FINE: (usize, usize) = (96, 24);

/// Points with less than e^-25 of the highest probability are left out.
const NEGLIGIBLE: f64 = 25.0;

/// Halvings of the range of an end: to 10^-9.
const HALVINGS: usize = 30;

/// The runs of one case.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct CaseRuns {
    /// Those that passed.
    pub passed: usize,
    /// All of them.
    pub runs: usize,
}

impl CaseRuns {
    /// The share that passed.
    pub(super) fn rate(self) -> f64 {
        count(self.passed) / count(self.runs)
    }
}

/// The two ends of a 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The 95 % interval of the mean pass rate of cases like these; `None` without a run.
///
/// ```
/// use scoring::statistics::{CaseRuns, rate_interval};
/// let once = |passed| CaseRuns { passed, runs: 1 };
/// let interval = rate_interval([once(1), once(1), once(1), once(1), once(0)]).expect("runs");
/// assert!((interval.low - 0.371).abs() < 1e-3 && (interval.high - 0.977).abs() < 1e-3);
/// assert_eq!(rate_interval([]), None);
/// ```
#[must_use]
pub fn rate_interval(cases: impl IntoIterator<Item = CaseRuns>) -> Option<Interval> {
    let mut alike: HashMap<CaseRuns, usize> = HashMap::new();
    for case in cases.into_iter().filter(|case| case.runs > 0) {
        *alike.entry(case).or_default() += 1;
    }
    // Sums do not depend on the order of a map.
    let mut alike: Vec<(CaseRuns, usize)> = alike.into_iter().collect();
    alike.sort_unstable();
    if alike.is_empty() {
        return None;
    }
    let rate = mean_rate(&alike);
    // For each correlation, its probability and the cases that the runs count as.
    let weighted: Vec<(f64, f64)> = correlations(&alike)
        .into_iter()
        .map(|(correlation, probability)| (probability, effective_cases(&alike, correlation)))
        .collect();
    let below = |end: f64| -> f64 {
        let of = |(probability, cases): &(f64, f64)| {
            probability * beta_reg(rate * cases + PRIOR, (1.0 - rate) * cases + PRIOR, end)
        };
        weighted.iter().map(of).sum()
    };
    let end = |probability: f64| {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            *(if below(middle) < probability { &mut low } else { &mut high }) = middle;
        }
        high
    };
    let mut interval = Interval { low: end(TAIL), high: end(1.0 - TAIL) };
    // No run of a case with rate 1 fails, and none of one with rate 0 passes.
    if alike.iter().all(|(case, _)| case.passed == case.runs) {
        interval.high = 1.0;
    }
    if alike.iter().all(|(case, _)| case.passed == 0) {
        interval.low = 0.0;
    }
    // Further decimals depend on the processor and say nothing.
    let rounded = |end: f64| (end * 1e6).round() / 1e6;
    Some(Interval { low: rounded(interval.low), high: rounded(interval.high) })
}

/// Where the model is evaluated: at the middles of equal steps.
#[derive(Debug, Clone)]
struct Grid {
    angles: Range<f64>,
    correlations: Range<f64>,
    points: (usize, usize),
}

impl Grid {
    fn evaluate(self, cases: &[(CaseRuns, usize)]) -> Evaluated {
        let (angles, correlations) = self.points;
        let mut logarithms = Vec::with_capacity(angles * correlations);
        for angle in 0..angles {
            let rate = middle_of_step(&self.angles, angle, angles).sin().powi(2);
            for correlation in 0..correlations {
                let correlation = middle_of_step(&self.correlations, correlation, correlations);
                let model = BetaBinomial::new(rate, correlation);
                logarithms.push(
                    cases.iter().map(|(case, times)| count(*times) * model.logarithm(*case)).sum(),
                );
            }
        }
        Evaluated { grid: self, logarithms }
    }
}

/// The logarithm of the likelihood at each point, correlation by correlation of one angle.
struct Evaluated {
    grid: Grid,
    logarithms: Vec<f64>,
}

impl Evaluated {
    fn highest(&self) -> f64 {
        self.logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// The part of the grid that is not negligible, with a step on each side.
    fn likely(&self) -> Grid {
        let (angles, correlations) = self.grid.points;
        let least = self.highest() - NEGLIGIBLE;
        let (mut by_angle, mut by_correlation) = ((angles, 0), (correlations, 0));
        for (place, logarithm) in self.logarithms.iter().enumerate() {
            if *logarithm >= least {
                let (angle, correlation) = (place / correlations, place % correlations);
                by_angle = (by_angle.0.min(angle), by_angle.1.max(angle));
                by_correlation =
                    (by_correlation.0.min(correlation), by_correlation.1.max(correlation));
            }
        }
        let range = |whole: &Range<f64>, (first, last): (usize, usize), steps: usize| {
            let step = (whole.end - whole.start) / count(steps);
            let start = whole.start + step * count(first.saturating_sub(1));
            start..whole.start + step * count((last + 2).min(steps))
        };
        Grid {
            angles: range(&self.grid.angles, by_angle, angles),
            correlations: range(&self.grid.correlations, by_correlation, correlations),
            points: self.grid.points,
        }
    }

    /// The probability of each correlation.
    fn by_correlation(&self) -> Vec<(f64, f64)> {
        let (_, correlations) = self.grid.points;
        let highest = self.highest();
        let mut sums = vec![0.0; correlations];
        for of_angle in self.logarithms.chunks(correlations) {
            for (sum, logarithm) in sums.iter_mut().zip(of_angle) {
                *sum += (logarithm - highest).exp();
            }
        }
        let whole: f64 = sums.iter().sum();
        let middle = |place| middle_of_step(&self.grid.correlations, place, correlations);
        (0..).zip(sums).map(|(place, sum)| (middle(place), sum / whole)).collect()
    }
}

/// The mean of the cases' rates.
fn mean_rate(cases: &[(CaseRuns, usize)]) -> f64 {
    let sum: f64 = cases.iter().map(|(case, times)| case.rate() * count(*times)).sum();
    sum / count(cases.iter().map(|(_, times)| times).sum())
}

/// How many single runs would tell the rate as well as these runs.
fn effective_cases(cases: &[(CaseRuns, usize)], correlation: f64) -> f64 {
    let all = count(cases.iter().map(|(_, times)| times).sum());
    let variance = |(case, times): &(CaseRuns, usize)| {
        count(*times) * (1.0 + count(case.runs - 1) * correlation) / count(case.runs)
    };
    all * all / cases.iter().map(variance).sum::<f64>()
}

/// The correlations between the runs of a case, with how likely each is.
fn correlations(cases: &[(CaseRuns, usize)]) -> Vec<(f64, f64)> {
    if cases.iter().all(|(case, _)| case.runs == 1) {
        return vec![(0.0, 1.0)];
    }
    let all = Grid { angles: 0.0..FRAC_PI_2, correlations: 0.0..1.0, points: COARSE };
    let likely = all.evaluate(cases).likely();
    Grid { points: FINE, ..likely }.evaluate(cases).by_correlation()
}

fn middle_of_step(whole: &Range<f64>, step: usize, steps: usize) -> f64 {
    whole.start + (whole.end - whole.start) * (count(step) + 0.5) / count(steps)
}

/// Cases whose rates have a mean, and whose runs have a correlation.
struct BetaBinomial {
    /// The parameters of the beta distribution of the rates.
    beta: (f64, f64),
    ln_beta: f64,
}

impl BetaBinomial {
    fn new(rate: f64, correlation: f64) -> Self {
        let weight = 1.0 / correlation - 1.0;
        let beta = (rate * weight, (1.0 - rate) * weight);
        Self { beta, ln_beta: ln_beta(beta.0, beta.1) }
    }

    /// The logarithm of the chance of these runs in one order.
    fn logarithm(&self, CaseRuns { passed, runs }: CaseRuns) -> f64 {
        let (passing, failing) = self.beta;
        ln_beta(passing + count(passed), failing + count(runs - passed)) - self.ln_beta
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn runs(cases: &[(usize, usize)]) -> Vec<CaseRuns> {
        cases.iter().map(|(passed, runs)| CaseRuns { passed: *passed, runs: *runs }).collect()
    }

    fn width(interval: Interval) -> f64 {
        interval.high - interval.low
    }

    #[test]
    fn repeats_narrow_the_interval_less_than_cases_do() {
        let once = rate_interval(runs(&[(1, 1), (1, 1), (0, 1), (1, 1)])).expect("runs");
        let repeated = rate_interval(runs(&[(4, 4), (4, 4), (0, 4), (4, 4)])).expect("runs");
        let cases: Vec<_> = std::iter::repeat_n([(4, 4), (0, 4), (4, 4), (4, 4)], 4).collect();
        let more = rate_interval(runs(&cases.concat())).expect("runs");
        assert!(width(repeated) > 0.9 * width(once), "{once:?} {repeated:?}");
        assert!(width(more) < 0.6 * width(once), "{more:?}");
    }

    #[test]
    fn many_cases_have_a_narrow_interval() {
        let cases = [(1, 1), (1, 1), (1, 1), (0, 1)].repeat(50_000);
        let interval = rate_interval(runs(&cases)).expect("runs");
        // 1.96 standard errors on either side.
        let half = 1.96 * (0.75 * 0.25 / 200_000.0_f64).sqrt();
        assert!((interval.low - (0.75 - half)).abs() < 2e-5, "{interval:?}");
        assert!((interval.high - (0.75 + half)).abs() < 2e-5, "{interval:?}");
        let cases = [(9, 10), (8, 10), (10, 10), (1, 10)].repeat(5_000);
        let interval = rate_interval(runs(&cases)).expect("runs");
        assert!(interval.low > 0.69 && interval.high < 0.71, "{interval:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn an_interval_has_a_width_and_is_mirrored(
            cases in prop::collection::vec((0_usize..=10, 1_usize..=10), 1..12)
        ) {
            let cases: Vec<_> = cases.into_iter().map(|(passed, n)| (passed.min(n), n)).collect();
            let interval = rate_interval(runs(&cases)).expect("runs");
            prop_assert!(interval.low >= 0.0 && interval.high <= 1.0);
            prop_assert!(width(interval) > 0.01, "{:?}", interval);
            let failed: Vec<_> = cases.iter().map(|(passed, n)| (n - passed, *n)).collect();
            let mirrored = rate_interval(runs(&failed)).expect("runs");
            prop_assert!((interval.low - (1.0 - mirrored.high)).abs() < 1e-5);
            prop_assert!((interval.high - (1.0 - mirrored.low)).abs() < 1e-5);
        }
    }
}
