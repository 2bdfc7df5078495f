//! [`Outcome`]: what a metric says of a case, and [`Reason`]: why it sometimes says nothing.

use std::fmt;

use crate::evidence::Evidence;

/// What a metric says of one case.
///
/// Unscored is no number and neither passed nor failed: whoever sums outcomes up must look at it.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The metric applies.
    Scored {
        /// How well the case is met.
        score: Score,
        /// What the score rests on.
        evidence: Evidence,
    },
    /// The metric has nothing to go by.
    Unscored {
        /// What is lacking.
        reason: Reason,
    },
}

impl Outcome {
    /// A score with what it rests on; a score that is no number is unscored.
    #[must_use]
    pub fn scored(score: f64, evidence: Evidence) -> Self {
        match Score::new(score) {
            Some(score) => Self::Scored { score, evidence },
            None => Self::unscored(Reason::NotANumber),
        }
    }

    /// No score, and why.
    #[must_use]
    pub fn unscored(reason: Reason) -> Self {
        Self::Unscored { reason }
    }

    /// The score, when there is one.
    #[must_use]
    pub fn score(&self) -> Option<Score> {
        match self {
            Self::Scored { score, .. } => Some(*score),
            Self::Unscored { .. } => None,
        }
    }

    /// Whether the score reaches `threshold`; `None` when there is no score.
    #[must_use]
    pub fn passed(&self, threshold: f64) -> Option<bool> {
        self.score().map(|score| score.get() >= threshold)
    }
}

/// A finite number; of the metrics here from 0, not met at all, to 1, met entirely.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Score(f64);

impl Score {
    /// A score; `None` for infinities and what is no number.
    #[must_use]
    pub fn new(value: f64) -> Option<Self> {
        value.is_finite().then_some(Self(value))
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

/// Why a metric says nothing of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The case has no turn.
    NoInvocations,
    /// The case says nothing of what this metric looks at.
    NothingExpected {
        /// What the case would have to hold, for example `a final response`.
        what: &'static str,
    },
    /// The criterion has a query without a condition.
    NothingAsked,
    /// The actual trace does not tell what this metric looks at.
    NothingRecorded {
        /// What the trace would have to hold.
        what: &'static str,
    },
    /// The two sides cannot be paired turn by turn.
    DifferentLengths {
        /// Turns of the expected case.
        expected: usize,
        /// Turns of the actual trace.
        actual: usize,
    },
    /// More calls than an alignment is made of.
    TooManyCalls {
        /// Calls expected in a turn.
        expected: usize,
        /// Calls made in it.
        actual: usize,
    },
    /// The expectation cannot be read.
    BadExpectation {
        /// What is wrong with it, and the remedy.
        fault: String,
    },
    /// The judge gave nothing that could be used.
    NoVerdict {
        /// What each sample came to.
        faults: Vec<String>,
    },
    /// The metric is not computed here.
    NotHere {
        /// Who computes it.
        remedy: &'static str,
    },
    /// The computation gave no finite number.
    NotANumber,
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoInvocations => formatter.write_str("the case has no invocations"),
            Self::NothingExpected { what } => write!(formatter, "the case expects no {what}"),
            Self::NothingAsked => {
                formatter.write_str("the criterion's query has no conditions; add one")
            }
            Self::NothingRecorded { what } => {
                write!(formatter, "the actual trace records no {what}")
            }
            Self::DifferentLengths { expected, actual } => {
                let (noun, is) =
                    if *expected == 1 { ("invocation", "is") } else { ("invocations", "are") };
                let recorded = if *actual == 1 { "is" } else { "are" };
                write!(
                    formatter,
                    "{expected} {noun} {is} expected and {actual} {recorded} recorded, so they \
                     cannot be paired"
                )
            }
            Self::TooManyCalls { expected, actual } => write!(
                formatter,
                "{expected} expected and {actual} actual calls in one invocation are more than \
                 can be aligned; use match_type EXACT with score \"all\""
            ),
            Self::BadExpectation { fault } => formatter.write_str(fault),
            Self::NoVerdict { faults } => {
                write!(formatter, "the judge returned no usable verdict: {}", faults.join("; "))
            }
            Self::NotHere { remedy } => write!(formatter, "it is not computed here; {remedy}"),
            Self::NotANumber => formatter.write_str("the score is not a finite number"),
        }
    }
}
