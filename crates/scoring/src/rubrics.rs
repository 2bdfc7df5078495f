//! [`JudgeCriterion`]: the rubrics for a judge, and how its replies are combined.

use serde::Serialize;

/// The rubrics for a judge: one request for each rubric and sample.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeCriterion {
    /// The model that judges.
    pub model: String,
    /// What is judged; at least one.
    pub rubrics: Vec<Rubric>,
    /// The number of requests per rubric; at least one.
    pub samples: usize,
    /// How the samples of a rubric become one score.
    pub combine: Combine,
}

/// One thing to judge.
#[derive(Debug, Clone, PartialEq)]
pub struct Rubric {
    /// Its name in the evidence.
    pub name: String,
    /// What is judged, for the judge to read.
    pub description: String,
    /// How to score it; empty when the scale is enough.
    pub guide: String,
    /// The answers that may be given.
    pub scale: Scale,
    /// What it counts for among the rubrics: not negative, and not zero for all of them.
    pub weight: f64,
}

/// The answers that a judge may give, and what they are worth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Yes is 1, no is 0.
    YesNo,
    /// A number; the ends are worth 0 and 1.
    Points {
        /// The worst.
        from: f64,
        /// The best; above `from`.
        to: f64,
    },
}

impl Scale {
    /// The scale that a scoring guide names in the manner of `5=Very helpful, 1=Not helpful`: from
    /// the least to the greatest number before a `=` or `:`. Without two such numbers it is 1 to 5.
    ///
    /// ```
    /// use scoring::judge::Scale;
    /// assert_eq!(Scale::of_guide("3=good, 0=bad"), Scale::Points { from: 0.0, to: 3.0 });
    /// assert_eq!(Scale::of_guide("be strict"), Scale::Points { from: 1.0, to: 5.0 });
    /// ```
    #[must_use]
    pub fn of_guide(guide: &str) -> Self {
        let marks = guide.match_indices(['=', ':']).filter_map(|(at, _)| {
            let before = guide.get(..at)?.trim_end();
            let begins = before
                .rfind(|c: char| !c.is_ascii_digit() && c != '.')
                .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
            before.get(begins..)?.parse::<f64>().ok()
        });
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        for mark in marks {
            (from, to) = (from.min(mark), to.max(mark));
        }
        if from < to { Self::Points { from, to } } else { Self::Points { from: 1.0, to: 5.0 } }
    }

    /// What a number on the scale is worth, 0 to 1; `None` outside of it.
    #[must_use]
    pub(crate) fn worth(self, points: f64) -> Option<f64> {
        let (from, to) = match self {
            Self::YesNo => (0.0, 1.0),
            Self::Points { from, to } => (from, to),
        };
        (from..=to).contains(&points).then(|| (points - from) / (to - from))
    }
}

/// How the samples of one rubric become one score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Combine {
    /// Their mean.
    #[default]
    Mean,
    /// The score that most of them give; of equally frequent ones the lower.
    Majority,
}

impl Combine {
    /// The names that configs use.
    pub const NAMES: [&str; 2] = ["mean", "majority"];

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "mean" => Some(Self::Mean),
            "majority" => Some(Self::Majority),
            _ => None,
        }
    }

    /// One score of those of several samples; `None` when there is none.
    pub(crate) fn of(self, scores: &[f64]) -> Option<f64> {
        if scores.is_empty() {
            return None;
        }
        match self {
            #[expect(clippy::cast_precision_loss, reason = "no criterion has 2^53 samples")]
            Self::Mean => Some(scores.iter().sum::<f64>() / scores.len() as f64),
            Self::Majority => {
                let count = |score: f64| scores.iter().filter(|other| **other == score).count();
                let best = |one: f64, other: f64| {
                    let counts = count(other).cmp(&count(one)).then(one.total_cmp(&other));
                    if counts.is_le() { one } else { other }
                };
                scores.iter().copied().reduce(best)
            }
        }
    }
}
