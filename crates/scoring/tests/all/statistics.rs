//! Intervals and paired tests: how often an interval holds the rate, and what statsmodels and scipy
//! give for the same runs.

use std::collections::HashMap;
use std::process::Command;

use scoring::statistics::{CaseRuns, Interval, PairedDifference, paired_difference, rate_interval};
use serde::Deserialize;
use statrs::function::beta::ln_beta;
use statrs::function::factorial::ln_binomial;
use statrs::function::gamma::ln_gamma;

const RATES: [f64; 9] = [0.5, 0.56, 0.62, 0.68, 0.74, 0.8, 0.86, 0.92, 0.98];

/// Correlations between the runs of a case: from cases that are all alike to cases that always do the
/// same.
const CORRELATIONS: [f64; 5] = [1e-6, 0.25, 0.5, 0.75, 1.0 - 1e-6];

fn number(of: usize) -> f64 {
    f64::from(u32::try_from(of).expect("a small number"))
}

/// All ways to distribute so many cases over the numbers of passed runs, from 0 to `runs`.
fn ways(cases: usize, runs: usize) -> Vec<Vec<usize>> {
    if runs == 0 {
        return vec![vec![cases]];
    }
    let with = |first: usize| {
        let rest = ways(cases - first, runs - 1).into_iter();
        rest.map(move |rest| [vec![first], rest].concat())
    };
    (0..=cases).flat_map(with).collect()
}

/// The share of all outcomes whose interval holds the rate, in the mean of rates and correlations.
fn coverage(cases: usize, runs: usize) -> f64 {
    let ways = ways(cases, runs);
    let intervals: Vec<Interval> =
        ways.iter()
            .map(|way| {
                let each = way.iter().enumerate().flat_map(|(passed, times)| {
                    std::iter::repeat_n(CaseRuns { passed, runs }, *times)
                });
                rate_interval(each).expect("runs")
            })
            .collect();
    // Single runs have no correlation.
    let correlations = if runs == 1 { &CORRELATIONS[..1] } else { &CORRELATIONS[..] };
    let mut sum = 0.0;
    for rate in RATES {
        for correlation in correlations {
            let weight = 1.0 / correlation - 1.0;
            let (passing, failing) = (rate * weight, (1.0 - rate) * weight);
            let ln_chance: Vec<f64> = (0..=runs)
                .map(|passed| {
                    ln_binomial(runs as u64, passed as u64)
                        + ln_beta(passing + number(passed), failing + number(runs - passed))
                        - ln_beta(passing, failing)
                })
                .collect();
            for (way, interval) in ways.iter().zip(&intervals) {
                if interval.low <= rate && rate <= interval.high {
                    let ln_ways = ln_gamma(number(cases) + 1.0)
                        - way.iter().map(|times| ln_gamma(number(*times) + 1.0)).sum::<f64>();
                    let ln_chance: f64 =
                        way.iter().zip(&ln_chance).map(|(times, ln)| number(*times) * ln).sum();
                    sum += (ln_ways + ln_chance).exp();
                }
            }
        }
    }
    sum / number(RATES.len() * correlations.len())
}

/// Every outcome is counted, so there is no chance in it. `cargo bench --bench coverage` draws cases
/// for larger numbers.
#[test]
fn intervals_hold_the_rate_93_to_97_times_of_100() {
    let single = [2, 3, 4, 5, 6, 8, 10, 13, 20, 30, 50, 80, 130, 200].map(|cases| (cases, 1));
    let repeated = [(2, 2), (2, 5), (2, 10), (3, 3), (3, 6), (5, 2), (5, 3), (8, 2), (20, 2)];
    for (cases, runs) in single.into_iter().chain(repeated) {
        let coverage = coverage(cases, runs);
        assert!((0.93..=0.97).contains(&coverage), "{cases} cases, {runs} runs: {coverage:.4}");
    }
}

/// The passed runs and the runs of each case.
type Cases = Vec<(usize, usize)>;

/// What the script prints.
#[derive(Deserialize)]
struct Expected {
    /// Passed cases, all of them, and the ends of Jeffreys' interval.
    single: Vec<(usize, usize, f64, f64)>,
    /// The passed runs and the runs of each case, and the ends.
    repeated: Vec<(Cases, f64, f64)>,
    /// Lost, gained and kept cases, and the p of McNemar's exact test.
    mcnemar: Vec<(usize, usize, usize, f64)>,
    /// The passed runs of each case before and after, of five, and the p of the permutation test.
    signs: Vec<(Vec<usize>, Vec<usize>, f64)>,
}

#[test]
fn statsmodels_and_scipy_agree() {
    let Some(python) = test_needs::python() else { return };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/expected/statistics.py");
    let output = Command::new(python).arg(script).output().expect("Python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let expected: Expected = serde_json::from_slice(&output.stdout).expect("JSON");
    let of = |cases: &[(usize, usize)]| {
        let cases = cases.iter().map(|(passed, runs)| CaseRuns { passed: *passed, runs: *runs });
        rate_interval(cases).expect("runs")
    };
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (passed, all, low, high) in expected.single {
        let Interval { low: found_low, high: found_high } =
            of(&[[(1, 1)].repeat(passed), [(0, 1)].repeat(all - passed)].concat());
        // The ends beyond which no rate is excluded are 0 and 1.
        let (low, high) =
            (if passed == 0 { 0.0 } else { low }, if passed == all { 1.0 } else { high });
        assert!((found_low - low).abs() < 1e-6, "{passed} of {all}: {found_low}, not {low}");
        assert!((found_high - high).abs() < 1e-6, "{passed} of {all}: {found_high}, not {high}");
        *seen.entry("single").or_default() += 1;
    }
    for (cases, low, high) in expected.repeated {
        let found = of(&cases);
        let is_near = (found.low - low).abs() < 2e-3 && (found.high - high).abs() < 2e-3;
        assert!(is_near, "{cases:?}: {found:?}, not {low} to {high}");
        *seen.entry("repeated").or_default() += 1;
    }
    for (lost, gained, kept, p_value) in expected.mcnemar {
        let once = |passed| CaseRuns { passed, runs: 1 };
        let pairs = [
            [(once(1), once(0))].repeat(lost),
            [(once(0), once(1))].repeat(gained),
            [(once(1), once(1))].repeat(kept),
        ];
        let PairedDifference { p_value: found, .. } =
            paired_difference(&pairs.concat()).expect("cases");
        assert!((found - p_value).abs() < 1e-9, "{lost} {gained}: {found}, not {p_value}");
        *seen.entry("mcnemar").or_default() += 1;
    }
    for (before, after, p_value) in expected.signs {
        let runs = |passed: &usize| CaseRuns { passed: *passed, runs: 5 };
        let pairs: Vec<_> = before.iter().map(runs).zip(after.iter().map(runs)).collect();
        let found = paired_difference(&pairs).expect("cases").p_value;
        assert!((found - p_value).abs() < 1e-9, "{before:?} {after:?}: {found}, not {p_value}");
        *seen.entry("signs").or_default() += 1;
    }
    assert!(seen.len() == 4 && seen.values().all(|times| *times >= 10), "{seen:?}");
}
