//! What the cases of a run say about cases like them: the interval of a rate, and the difference
//! between two runs of the same cases.
//!
//! Why these methods: `docs/design/statistics.md`.

mod effect;
mod paired;
mod rate;

pub use effect::{Effect, effect};
pub use paired::{PairedDifference, paired_difference};
pub use rate::{CaseRuns, Interval, rate_interval};

/// The standard deviations of a normal distribution on either side that hold 95 % of it.
const NORMAL_95: f64 = 1.959_963_984_540_054;

#[expect(clippy::cast_precision_loss, reason = "no run has 2^53 cases")]
fn count(of: usize) -> f64 {
    of as f64
}
