//! [`RubricVerdict`]: a judge's replies about one rubric.

use serde::Serialize;

/// The judge's score for one rubric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RubricVerdict {
    /// The rubric.
    pub name: String,
    /// What it counts for.
    pub weight: f64,
    /// The score of the samples together, 0 to 1.
    pub score: f64,
    /// Each answer.
    pub samples: Vec<Sample>,
}

/// One answer: a score with its reasoning, or what was wrong with it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sample {
    /// The score, 0 to 1; `None` if the reply is unusable.
    pub score: Option<f64>,
    /// The judge's reasoning; without a score, what was wrong.
    pub reasoning: String,
}
