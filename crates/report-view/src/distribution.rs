//! [`Distribution`]: a histogram of the scores of a criterion.

use crate::report::Report;

/// The number of bars, all of the same width.
const BARS: usize = 20;

/// A histogram of the scores of a criterion.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// From the lowest scores to the highest; the last includes the full score.
    pub bars: Vec<Bar>,
    /// The cases without a score.
    pub unscored: usize,
    /// The threshold, where all cases have the same.
    pub threshold: Option<f64>,
}

/// One bar of the histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bar {
    /// Those that reach their threshold.
    pub passed: usize,
    /// Those that do not.
    pub failed: usize,
}

impl Distribution {
    /// The scores of a criterion, by its place.
    #[must_use]
    pub fn of(report: &Report, criterion: usize) -> Self {
        let mut distribution =
            Self { bars: vec![Bar::default(); BARS], unscored: 0, threshold: None };
        let mut thresholds = Vec::new();
        for result in (0..report.cases.len()).filter_map(|case| report.result(case, criterion)) {
            if !thresholds.contains(&result.threshold) && thresholds.len() < 2 {
                thresholds.push(result.threshold);
            }
            let Some(score) = result.score else {
                distribution.unscored += 1;
                continue;
            };
            if let Some(bar) = distribution.bars.get_mut(place(score)) {
                match result.passed {
                    Some(true) => bar.passed += 1,
                    _ => bar.failed += 1,
                }
            }
        }
        if let [threshold] = thresholds[..] {
            distribution.threshold = Some(threshold);
        }
        distribution
    }

    /// The cases of the fullest bar.
    #[must_use]
    pub fn most(&self) -> usize {
        self.bars.iter().map(|bar| bar.passed + bar.failed).max().unwrap_or_default()
    }
}

/// The bar of a score; scores beyond 0 or 1 go to the first or last bar.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a number of bars"
)]
fn place(score: f64) -> usize {
    ((score.clamp(0.0, 1.0) * BARS as f64) as usize).min(BARS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::tests::report;

    #[test]
    fn scores_are_counted_in_bars_and_unscored_are_not() {
        let report = report(&[
            ("a", &[("m", Some(0.0), 0.5)]),
            ("b", &[("m", Some(1.0), 0.5)]),
            ("c", &[("m", Some(0.5), 0.5)]),
            ("d", &[("m", Some(0.499), 0.5)]),
            ("e", &[("m", None, 0.5)]),
        ]);
        let distribution = Distribution::of(&report, 0);
        let filled: Vec<(usize, usize, usize)> = distribution
            .bars
            .iter()
            .enumerate()
            .filter(|(_, bar)| **bar != Bar::default())
            .map(|(place, bar)| (place, bar.passed, bar.failed))
            .collect();
        assert_eq!(filled, [(0, 0, 1), (9, 0, 1), (10, 1, 0), (19, 1, 0)]);
        assert_eq!(
            (distribution.unscored, distribution.threshold, distribution.most()),
            (1, Some(0.5), 1)
        );
        assert!(Distribution::of(&report, 9).most() == 0, "there is no such criterion");
    }
}
