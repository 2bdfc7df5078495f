//! [`Criterion`]: one thing that a case is scored by.

use crate::adk::MatchType;
use crate::bounds::{Bounds, Per};
use crate::measurements::{Countable, DurationPart, TokenPart};
use crate::response::Comparison;
use crate::rubrics::JudgeCriterion;
use crate::state::{Query, StateMeasure};
use crate::trajectory::Matching;

/// A criterion of a config.
#[derive(Debug, Clone)]
pub struct Criterion {
    /// The name that the config gave it.
    pub name: String,
    /// The score from which on it is met.
    pub threshold: f64,
    /// What is computed.
    pub metric: Metric,
}

/// What is computed of a case.
#[derive(Debug, Clone)]
pub enum Metric {
    /// ADK's `tool_trajectory_avg_score`.
    AdkTrajectory {
        /// Whether order and other calls count.
        match_type: MatchType,
        /// Whether only the tools' names are compared.
        ignore_args: bool,
    },
    /// ADK's `response_match_score`.
    AdkResponse,
    /// `trajectory`.
    Trajectory(Box<Matching>),
    /// `response`.
    Response(Comparison),
    /// `state`.
    State {
        /// A query in the place of the case's expected state.
        query: Option<Query>,
        /// What the score means.
        measure: StateMeasure,
    },
    /// `count`.
    Count {
        /// What is counted.
        countable: Countable,
        /// How many there may be.
        bounds: Bounds,
        /// Over what.
        per: Per,
    },
    /// `duration`.
    Duration {
        /// Which time.
        part: DurationPart,
        /// How many seconds it may take.
        bounds: Bounds,
        /// Over what.
        per: Per,
    },
    /// `tokens`.
    Tokens {
        /// Which tokens.
        part: TokenPart,
        /// How many there may be.
        bounds: Bounds,
        /// Over what.
        per: Per,
    },
    /// `rubric` and `llm_judge`.
    Judged(JudgeCriterion),
    /// A metric that another program computes.
    NotHere {
        /// Which one.
        remedy: &'static str,
    },
}

impl Metric {
    /// Whether it checks a measured number against bounds, see [`crate::measurements`].
    #[must_use]
    pub fn is_measurement(&self) -> bool {
        matches!(self, Self::Count { .. } | Self::Duration { .. } | Self::Tokens { .. })
    }
}
