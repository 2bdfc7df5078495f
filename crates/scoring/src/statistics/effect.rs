//! The difference between the pass rates of two sets of runs.

use serde::{Deserialize, Serialize};

use super::rate::CaseRuns;
use super::{NORMAL_95, count};

/// The standard deviations above which a normal distribution has 80 % of it: the chance with which a difference is to
/// be shown.
const NORMAL_80: f64 = 0.841_621_233_572_914_2;

/// The pass rates of runs with something and without it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// The runs with it.
    pub with: CaseRuns,
    /// Those without it.
    pub without: CaseRuns,
    /// The rate with it less that without it.
    pub difference: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// About how many runs on each side would show such a difference four times in five; `None` if it is shown or zero.
    pub needed: Option<usize>,
}

impl Effect {
    /// Whether the interval excludes zero.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// The effect on runs that do not depend on each other; `None` without a run on either side.
///
/// The interval is that of Newcombe (1998, method 10), which combines Wilson's intervals of both rates.
///
/// ```
/// use scoring::statistics::{CaseRuns, effect};
/// let of_ten = |passed| CaseRuns { passed, runs: 10 };
/// let found = effect(of_ten(9), of_ten(1)).expect("runs");
/// assert_eq!(format!("{:.2} {:.2} {:.2}", found.difference, found.low, found.high), "0.80 0.37 0.92");
/// assert!(found.is_shown() && found.needed.is_none());
/// assert_eq!(effect(of_ten(6), of_ten(5)).and_then(|found| found.needed), Some(380));
/// ```
#[must_use]
pub fn effect(with: CaseRuns, without: CaseRuns) -> Option<Effect> {
    if with.runs == 0 || without.runs == 0 {
        return None;
    }
    let difference = with.rate() - without.rate();
    let ((with_low, with_high), (without_low, without_high)) = (wilson(with), wilson(without));
    let low = difference - (with.rate() - with_low).hypot(without_high - without.rate());
    let high = difference + (with_high - with.rate()).hypot(without.rate() - without_low);
    let mut found = Effect { with, without, difference, low, high, needed: None };
    if !found.is_shown() && with.passed * without.runs != without.passed * with.runs {
        found.needed = Some(needed(with.rate(), without.rate()));
    }
    Some(found)
}

/// Wilson's interval of a rate.
fn wilson(of: CaseRuns) -> (f64, f64) {
    let (runs, rate) = (count(of.runs), of.rate());
    let square = NORMAL_95 * NORMAL_95;
    let middle = rate + square / (2.0 * runs);
    let reach = NORMAL_95 * (rate * (1.0 - rate) / runs + square / (4.0 * runs * runs)).sqrt();
    let whole = 1.0 + square / runs;
    // Rounding must not move an end past what is certain.
    let low = if of.passed == 0 { 0.0 } else { (middle - reach) / whole };
    let high = if of.passed == of.runs { 1.0 } else { (middle + reach) / whole };
    (low, high)
}

/// The runs on each side that show the difference of these rates four times in five, in two digits.
fn needed(with: f64, without: f64) -> usize {
    let spread = with * (1.0 - with) + without * (1.0 - without);
    let runs = ((NORMAL_95 + NORMAL_80) / (with - without)).powi(2) * spread;
    let step = 10_f64.powf((runs.max(1.0).log10().floor() - 1.0).max(0.0));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float above every number of runs becomes the highest one"
    )]
    let runs = ((runs / step).round() * step).ceil() as usize;
    runs.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(passed: usize, runs: usize) -> CaseRuns {
        CaseRuns { passed, runs }
    }

    /// Newcombe's own examples: Statistics in Medicine 17 (1998), page 876, table II, method 10.
    #[test]
    fn the_intervals_are_those_of_the_source() {
        for (with, without, low, high) in [
            (runs(56, 70), runs(48, 80), 0.0524, 0.3339),
            (runs(9, 10), runs(3, 10), 0.1705, 0.8090),
            (runs(6, 7), runs(2, 7), 0.0582, 0.8062),
            (runs(5, 56), runs(0, 29), -0.0381, 0.1926),
            (runs(0, 10), runs(0, 20), -0.1611, 0.2775),
            (runs(0, 10), runs(0, 10), -0.2775, 0.2775),
            (runs(10, 10), runs(0, 20), 0.6791, 1.0),
            (runs(10, 10), runs(0, 10), 0.6075, 1.0),
        ] {
            let found = effect(with, without).expect("runs");
            let near = |one: f64, other: f64| (one - other).abs() < 6e-5;
            assert!(near(found.low, low) && near(found.high, high), "{found:?}");
        }
    }

    #[test]
    fn an_effect_that_is_not_shown_names_the_runs_that_would_show_it() {
        let needed =
            |with, without| effect(runs(with, 10), runs(without, 10)).expect("runs").needed;
        assert_eq!(needed(6, 5), Some(380));
        assert_eq!(needed(5, 6), Some(380));
        assert_eq!(needed(7, 4), Some(39));
        assert_eq!(needed(5, 5), None, "no difference is none to show");
        assert_eq!(needed(9, 1), None, "it is shown");
        assert_eq!(effect(runs(1, 1), runs(0, 1)).expect("runs").needed, Some(1));
        assert_eq!(effect(runs(0, 0), runs(1, 1)), None);
    }
}
