//! How often the intervals of `scoring::statistics` hold what they should, over drawn cases: prints a
//! table for `docs/design/statistics.md`. It measures no time.

#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use scoring::statistics::{CaseRuns, paired_difference, rate_interval};
use statrs::distribution::{Beta, ContinuousCDF as _};

const RATES: [f64; 7] = [0.5, 0.58, 0.66, 0.74, 0.82, 0.9, 0.98];
const CORRELATIONS: [f64; 5] = [0.02, 0.25, 0.5, 0.75, 0.98];
const DRAWS: usize = 60;

/// Sebastiano Vigna's `SplitMix64`, so that every run draws the same.
struct Draws(u64);

impl Draws {
    /// Between 0 and 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        #[expect(clippy::cast_precision_loss, reason = "53 bits")]
        let number = ((mixed ^ (mixed >> 31)) >> 11) as f64;
        number / 2_f64.powi(53)
    }

    /// The rate of a case.
    fn rate(&mut self, mean: f64, correlation: f64) -> f64 {
        let weight = 1.0 / correlation - 1.0;
        let rates = Beta::new(mean * weight, (1.0 - mean) * weight).expect("positive");
        rates.inverse_cdf(self.next())
    }

    fn runs(&mut self, rate: f64, runs: usize) -> CaseRuns {
        CaseRuns { passed: (0..runs).filter(|_| self.next() < rate).count(), runs }
    }
}

/// The shares of draws in which the interval of a rate holds it: their mean, least and most for one
/// correlation.
fn of_rates(draws: &mut Draws, cases: usize, runs: usize) -> (f64, f64, f64) {
    let mut shares = Vec::new();
    for correlation in CORRELATIONS {
        let mut held = 0;
        for rate in RATES {
            for _ in 0..DRAWS {
                let each: Vec<CaseRuns> = (0..cases)
                    .map(|_| {
                        let of_case = draws.rate(rate, correlation);
                        draws.runs(of_case, runs)
                    })
                    .collect();
                let interval = rate_interval(each).expect("runs");
                held += usize::from(interval.low <= rate && rate <= interval.high);
            }
        }
        shares.push(share(held, RATES.len() * DRAWS));
    }
    let least = shares.iter().copied().fold(1.0, f64::min);
    let most = shares.iter().copied().fold(0.0, f64::max);
    (shares.iter().sum::<f64>() / 5.0, least, most)
}

/// The share of draws in which the interval of a difference holds it, and that in which it excludes
/// zero although nothing differs.
fn of_differences(draws: &mut Draws, cases: usize, runs: usize) -> (f64, f64) {
    let (mut held, mut all, mut shown, mut alike) = (0, 0, 0, 0);
    for correlation in CORRELATIONS {
        // How many of the cases keep their rate.
        for kept in [0.0, 0.5, 0.9] {
            for after in [0.7, 0.8, 0.95] {
                for _ in 0..DRAWS / 4 {
                    let pairs: Vec<(CaseRuns, CaseRuns)> = (0..cases)
                        .map(|_| {
                            let old = draws.rate(0.7, correlation);
                            let new = if draws.next() < kept {
                                old
                            } else {
                                draws.rate(after, correlation)
                            };
                            (draws.runs(old, runs), draws.runs(new, runs))
                        })
                        .collect();
                    let found = paired_difference(&pairs).expect("cases");
                    let truth = (1.0 - kept) * (after - 0.7);
                    held += usize::from(found.low <= truth && truth <= found.high);
                    all += 1;
                    if after <= 0.7 {
                        alike += 1;
                        shown += usize::from(found.is_shown());
                    }
                }
            }
        }
    }
    (share(held, all), share(shown, alike))
}

#[expect(clippy::cast_precision_loss, reason = "few draws")]
fn share(part: usize, of: usize) -> f64 {
    part as f64 / of as f64
}

fn main() {
    let mut draws = Draws(20_261_129);
    println!(
        "cases  runs  rate held (least to most for a correlation)  difference held  shown falsely"
    );
    for cases in [2, 5, 10, 30, 100, 200] {
        for runs in [1, 3, 10] {
            let (mean, least, most) = of_rates(&mut draws, cases, runs);
            let (held, shown) = of_differences(&mut draws, cases, runs);
            println!(
                "{cases:>5}  {runs:>4}  {mean:.3} ({least:.3} to {most:.3})  {held:.3}  {shown:.3}"
            );
        }
    }
}
