//! [`paired_difference`]: whether two runs of the same cases differ in their pass rates.
//!
//! The test changes the signs of the cases' differences in every way: were the two alike, each way
//! would be as likely. Of single runs, that is McNemar's exact test. The interval combines those of
//! the two rates (R. G. Newcombe, Improved confidence intervals for the difference between binomial
//! proportions based on paired data, 1998; G. Y. Zou, A. Donner, Construction of confidence limits
//! about effect measures, 2008) and is widened to zero where the test finds no difference.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF as _, Normal};

use super::rate::{CaseRuns, Interval, rate_interval};
use super::{NORMAL_95, count};
use crate::figure::{figure, short_figure};

/// A difference is shown if chance alone gives as large a one less often than this.
const LEVEL: f64 = 0.05;

/// So many cases that differ are the fewest whose signs can show it: 2 of 2^6 ways are 0.031.
const FEWEST_CASES: usize = 6;

/// Differences between rates are multiples of this part where the numbers of runs have no smaller
/// common multiple.
const FINEST_PART: usize = 10_000;

/// Above so many steps, the sum of the signed differences is taken as normal. With that many cases
/// the two agree to three digits.
const MOST_STEPS: usize = 20_000_000;

/// The pass rates of cases that both reports have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairedDifference {
    /// The cases that are scored in both.
    pub cases: usize,
    /// The mean of their pass rates in the baseline.
    pub before: f64,
    /// The same in the report.
    pub after: f64,
    /// `after` less `before`.
    pub difference: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The chance of a difference at least as large, were there none.
    pub p_value: f64,
    /// About how many further cases like these would show the difference, if it is as large as it
    /// is here; `None` if it is shown or zero.
    pub more_cases: Option<usize>,
}

impl PairedDifference {
    /// Whether the interval excludes zero.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// The comparison in a sentence without a full stop.
    ///
    /// ```
    /// use scoring::statistics::{CaseRuns, paired_difference};
    /// let once = |passed| CaseRuns { passed, runs: 1 };
    /// let pairs = [[(once(0), once(1))].repeat(2), [(once(1), once(1))].repeat(3)].concat();
    /// assert_eq!(
    ///     paired_difference(&pairs).map(|difference| difference.sentence()).as_deref(),
    ///     Some("Pass rate 0.600 → 1.000 over 5 cases in both: no difference shown (+0.400, 95 % \
    ///           interval −0.087 to +0.791, p 0.5). About 10 more cases would show one as large")
    /// );
    /// ```
    #[must_use]
    pub fn sentence(&self) -> String {
        let cases = if self.cases == 1 { "case" } else { "cases" };
        let verdict = match self.is_shown() {
            true if self.difference > 0.0 => "higher",
            true => "lower",
            false => "no difference shown",
        };
        let more = match self.more_cases {
            None => String::new(),
            Some(1) => ". About 1 more case would show one as large".to_owned(),
            Some(more) => format!(". About {more} more cases would show one as large"),
        };
        format!(
            "Pass rate {} → {} over {} {cases} in both: {verdict} ({}, 95 % interval {} to {}, p \
             {}){more}",
            figure(self.before),
            figure(self.after),
            self.cases,
            signed(self.difference),
            signed(self.low),
            signed(self.high),
            p_value(self.p_value),
        )
    }
}

/// The difference over cases with their runs before and after; `None` without a case that has both.
///
/// ```
/// use scoring::statistics::{CaseRuns, paired_difference};
/// let once = |passed| CaseRuns { passed, runs: 1 };
/// // Eight cases pass that failed, and none the other way: 2 of 2^8 ways.
/// let pairs = [[(once(0), once(1))].repeat(8), [(once(1), once(1))].repeat(12)].concat();
/// let difference = paired_difference(&pairs).expect("cases");
/// assert_eq!((difference.p_value, difference.difference), (0.0078125, 0.4));
/// assert!(difference.is_shown() && difference.more_cases.is_none());
/// ```
#[must_use]
pub fn paired_difference(pairs: &[(CaseRuns, CaseRuns)]) -> Option<PairedDifference> {
    let pairs = pairs.iter().copied().filter(|(before, after)| before.runs > 0 && after.runs > 0);
    let pairs: Vec<(CaseRuns, CaseRuns)> = pairs.collect();
    let old = Side::of(pairs.iter().map(|(before, _)| *before))?;
    let new = Side::of(pairs.iter().map(|(_, after)| *after))?;
    let difference = new.mean - old.mean;
    let alike = correlation(&old, &new);
    let combined_interval = Interval {
        low: difference - combined(new.below(), old.above(), alike),
        high: difference + combined(new.above(), old.below(), alike),
    };
    let signed = Signed::of(&pairs);
    let p_value = signed.p_value();
    let Interval { low, high } = match p_value < LEVEL {
        true => combined_interval,
        false => {
            Interval { low: combined_interval.low.min(0.0), high: combined_interval.high.max(0.0) }
        }
    };
    let mut found = PairedDifference {
        cases: pairs.len(),
        before: old.mean,
        after: new.mean,
        difference,
        low: low.max(-1.0),
        high: high.min(1.0),
        p_value,
        more_cases: None,
    };
    if !found.is_shown() {
        found.more_cases = more_cases(pairs.len(), difference, combined_interval, &signed);
    }
    Some(found)
}

/// With a sign, and with a true minus.
fn signed(difference: f64) -> String {
    match format!("{difference:+.3}").as_str() {
        "-0.000" | "+0.000" => "0.000".to_owned(),
        signed => signed.replace('-', "−"),
    }
}

fn p_value(p_value: f64) -> String {
    match p_value {
        small if small < 0.001 => "< 0.001".to_owned(),
        other => short_figure(other),
    }
}

/// The rates of the cases in one report.
struct Side {
    rates: Vec<f64>,
    mean: f64,
    interval: Interval,
}

impl Side {
    fn of(cases: impl Iterator<Item = CaseRuns> + Clone) -> Option<Self> {
        let interval = rate_interval(cases.clone())?;
        let rates: Vec<f64> = cases.map(CaseRuns::rate).collect();
        let mean = rates.iter().sum::<f64>() / count(rates.len());
        Some(Self { rates, mean, interval })
    }

    /// How far the interval reaches below the mean.
    fn below(&self) -> f64 {
        (self.mean - self.interval.low).max(0.0)
    }

    /// How far it reaches above the mean.
    fn above(&self) -> f64 {
        (self.interval.high - self.mean).max(0.0)
    }
}

/// The reach of the interval of a sum from those of its parts.
fn combined(one: f64, other: f64, correlation: f64) -> f64 {
    (one * one + other * other - 2.0 * correlation * one * other).max(0.0).sqrt()
}

/// How alike the cases are in both reports, from 0 to 1. That of few cases is uncertain, so it is
/// taken as if two further cases were not alike at all. A negative one counts as 0.
fn correlation(old: &Side, new: &Side) -> f64 {
    let (mut both, mut of_old, mut of_new) = (0.0, 0.0, 0.0);
    for (before, after) in old.rates.iter().zip(&new.rates) {
        let (before, after) = (before - old.mean, after - new.mean);
        both += before * after;
        of_old += before * before;
        of_new += after * after;
    }
    if of_old <= 0.0 || of_new <= 0.0 {
        return 0.0;
    }
    let cases = count(old.rates.len());
    (both / (of_old * of_new).sqrt()).clamp(0.0, 1.0) * cases / (cases + 2.0)
}

/// The differences of cases whose rates differ, as multiples of one part.
struct Signed {
    sizes: Vec<usize>,
    /// How far their sum is from zero.
    sum: usize,
}

impl Signed {
    fn of(pairs: &[(CaseRuns, CaseRuns)]) -> Self {
        let differences = whole_differences(pairs);
        let whole = |number: i64| usize::try_from(number.unsigned_abs()).unwrap_or(usize::MAX);
        let sizes = differences.iter().copied().map(whole).filter(|size| *size > 0).collect();
        Self { sizes, sum: whole(differences.iter().sum()) }
    }

    /// The distance of the sum from zero in standard deviations of all ways to choose the signs.
    fn deviations(&self) -> f64 {
        let squares: f64 = self.sizes.iter().map(|size| count(*size).powi(2)).sum();
        if squares > 0.0 { count(self.sum) / squares.sqrt() } else { 0.0 }
    }

    /// The share of the ways to choose the signs whose sum is as far from zero.
    fn p_value(&self) -> f64 {
        if self.sum == 0 {
            return 1.0;
        }
        let most: usize = self.sizes.iter().sum();
        if self.sizes.len().saturating_mul(most) > MOST_STEPS {
            return 2.0 * Normal::standard().sf(self.deviations());
        }
        // The share of the ways in which the differences with a plus sign add up to `place`.
        let mut shares = vec![0.0; most + 1];
        shares[0] = 1.0;
        let mut reached = 0;
        for size in &self.sizes {
            reached += size;
            for place in (0..=reached).rev() {
                let with = place.checked_sub(*size).map_or(0.0, |place| shares[place]);
                shares[place] = (shares[place] + with) / 2.0;
            }
        }
        // Those with a minus sign add up to the rest.
        let far = |place: &usize| (2 * place).abs_diff(most) >= self.sum;
        (0..=most).filter(far).map(|place| shares[place]).sum::<f64>().min(1.0)
    }
}

/// The cases' differences as multiples of one part.
fn whole_differences(pairs: &[(CaseRuns, CaseRuns)]) -> Vec<i64> {
    let parts = pairs
        .iter()
        .flat_map(|(before, after)| [before.runs, after.runs])
        .try_fold(1, |parts, runs| {
            Some(common_multiple(parts, runs)).filter(|it| *it <= FINEST_PART)
        })
        .unwrap_or(FINEST_PART);
    #[expect(clippy::cast_possible_truncation, reason = "at most `FINEST_PART` on either side")]
    let whole = |(before, after): &(CaseRuns, CaseRuns)| {
        ((after.rate() - before.rate()) * count(parts)).round() as i64
    };
    pairs.iter().map(whole).collect()
}

fn common_multiple(one: usize, other: usize) -> usize {
    let (mut rest, mut divisor) = (one, other);
    while divisor > 0 {
        (rest, divisor) = (divisor, rest % divisor);
    }
    one / rest * other
}

/// With the number of cases grow the square of the standard deviations that the sum of the signed
/// differences is from zero, and the square of what the difference is to the reach of its interval.
fn more_cases(cases: usize, difference: f64, interval: Interval, signed: &Signed) -> Option<usize> {
    // The difference itself may be off by a rounding error.
    if signed.sum == 0 {
        return None;
    }
    let reach = match difference.partial_cmp(&0.0)? {
        Ordering::Less => interval.high - difference,
        Ordering::Equal => return None,
        Ordering::Greater => difference - interval.low,
    };
    let by_interval = (reach / difference.abs()).powi(2);
    let by_signs = (NORMAL_95 / signed.deviations()).powi(2);
    let by_fewest = count(FEWEST_CASES) / count(signed.sizes.len());
    let wanted = count(cases) * by_interval.max(by_signs).max(by_fewest);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float above every number of cases becomes the highest one"
    )]
    let wanted = wanted.ceil() as usize;
    Some(wanted.saturating_sub(cases).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn once(passed: bool) -> CaseRuns {
        CaseRuns { passed: usize::from(passed), runs: 1 }
    }

    /// So many cases that passed before, after, in both and in neither.
    fn pairs(lost: usize, gained: usize, kept: usize, failed: usize) -> Vec<(CaseRuns, CaseRuns)> {
        [
            [(once(true), once(false))].repeat(lost),
            [(once(false), once(true))].repeat(gained),
            [(once(true), once(true))].repeat(kept),
            [(once(false), once(false))].repeat(failed),
        ]
        .concat()
    }

    #[test]
    fn few_cases_show_nothing_and_many_do() {
        let few = paired_difference(&pairs(0, 3, 2, 0)).expect("cases");
        assert!(!few.is_shown() && few.low <= 0.0, "{few:?}");
        assert!((few.p_value - 0.25).abs() < 1e-12, "{few:?}");
        assert!(few.more_cases.is_some_and(|more| (1..40).contains(&more)), "{few:?}");
        let many = paired_difference(&pairs(0, 30, 20, 0)).expect("cases");
        assert!(many.is_shown() && many.more_cases.is_none(), "{many:?}");
        let worse = paired_difference(&pairs(30, 0, 20, 0)).expect("cases");
        assert!((worse.high + many.low).abs() < 1e-9, "{worse:?} mirrors {many:?}");
    }

    #[test]
    fn the_same_results_differ_by_zero_within_an_interval() {
        let same = paired_difference(&pairs(0, 0, 7, 3)).expect("cases");
        assert_eq!((same.difference, same.p_value, same.more_cases), (0.0, 1.0, None));
        assert!(same.low < -0.05 && same.high > 0.05, "{same:?}");
        assert_eq!(paired_difference(&[]), None);
    }

    #[test]
    fn repeats_are_compared_by_case() {
        let runs = |passed| CaseRuns { passed, runs: 10 };
        // Each case gains: 2 of 2^6 ways.
        let pairs: Vec<_> = (0..6).map(|passed| (runs(passed), runs(passed + 3))).collect();
        let found = paired_difference(&pairs).expect("cases");
        assert!((found.p_value - 2.0 / 64.0).abs() < 1e-12, "{found:?}");
        assert!((found.difference - 0.3).abs() < 1e-12, "{found:?}");
        // The sums of these rates differ in their last digit.
        let tenths = |passed: [usize; 3]| passed.map(runs);
        let pairs: Vec<_> = tenths([1, 2, 3]).into_iter().zip(tenths([3, 2, 1])).collect();
        assert_eq!(paired_difference(&pairs).expect("cases").more_cases, None);
        let thirds = CaseRuns { passed: 2, runs: 3 };
        let found = paired_difference(&[(thirds, runs(9)), (runs(5), thirds)]).expect("cases");
        assert!((found.p_value - 0.5).abs() < 1e-12, "two of four ways: {found:?}");
    }

    #[test]
    fn many_differences_are_taken_as_normal() {
        let exact = paired_difference(&pairs(2_000, 2_100, 0, 0)).expect("cases");
        let normal = paired_difference(&pairs(20_000, 20_300, 0, 0)).expect("cases");
        assert!((exact.p_value - 0.1221).abs() < 1e-3, "{exact:?}");
        assert!((normal.p_value - 0.1351).abs() < 1e-3, "{normal:?}");
    }
}
