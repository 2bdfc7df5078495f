//! [`Outcome`]: the result of a metric for a case, and [`Reason`]: why a case is unscored.

use std::fmt;

use crate::evidence::Evidence;

/// The result of a metric for one case.
///
/// An unscored case has neither passed nor failed, so summaries count it separately.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The metric applies.
    Scored {
        /// The score.
        score: Score,
        /// The reasons for it.
        evidence: Evidence,
    },
    /// The metric cannot be computed.
    Unscored {
        /// What is missing.
        reason: Reason,
    },
}

impl Outcome {
    /// A score with its evidence; unscored if the score is not finite.
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
    /// A score; `None` for infinities and NaN.
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

/// Why a case is unscored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The case has no turn.
    NoInvocations,
    /// The case lacks the expectation that the metric needs.
    NothingExpected {
        /// What is missing, for example `final response`.
        what: &'static str,
    },
    /// The criterion has a query without a condition.
    NothingAsked,
    /// The actual trace lacks what the metric needs.
    NothingRecorded {
        /// What is missing.
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
    /// No reply of the judge could be used.
    NoVerdict {
        /// The faults of the samples.
        faults: Vec<String>,
    },
    /// The judge was not asked, or its answer could not be used.
    NotJudged {
        /// Why.
        reason: String,
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
            Self::NotJudged { reason } => formatter.write_str(reason),
            Self::NoInvocations => formatter.write_str("the case has no turns"),
            Self::NothingExpected { what } => write!(formatter, "the case has no expected {what}"),
            Self::NothingAsked => {
                formatter.write_str("the criterion's query has no conditions. Add one")
            }
            Self::NothingRecorded { what } => {
                write!(formatter, "the actual trace records no {what}")
            }
            Self::DifferentLengths { expected, actual } => {
                let (noun, is) = if *expected == 1 { ("turn", "is") } else { ("turns", "are") };
                let recorded = if *actual == 1 { "is" } else { "are" };
                write!(
                    formatter,
                    "{expected} {noun} {is} expected and {actual} {recorded} recorded, so they \
                     cannot be paired"
                )
            }
            Self::TooManyCalls { expected, actual } => write!(
                formatter,
                "{expected} expected and {actual} actual calls in one turn are more than \
                 can be aligned. Use match_type EXACT with score \"all\""
            ),
            Self::BadExpectation { fault } => formatter.write_str(fault),
            Self::NoVerdict { faults } => {
                write!(formatter, "the judge returned no usable verdict: {}", faults.join(", "))
            }
            Self::NotHere { remedy } => formatter.write_str(remedy),
            Self::NotANumber => formatter.write_str("the score is not a finite number"),
        }
    }
}
