//! [`Evidence`]: the reasons for a score, for a person to check.

mod alignment;
mod response_turn;
mod rubric_verdict;
mod state_condition;

pub use alignment::{Alignment, CallSeen, Row, RowKind, TurnScore};
pub use response_turn::ResponseTurn;
pub use rubric_verdict::{RubricVerdict, Sample};
pub use state_condition::StateCondition;

use serde::Serialize;

use crate::bounds::{Bounds, Per};

/// The reasons for a score. It serializes to the object that a report has under `details`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Evidence {
    /// ADK's score of each turn's response, with those that fall short.
    AdkResponse {
        /// In the order of the turns.
        invocations: Vec<f64>,
        /// The turns that score less than is needed.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        missed: Vec<MissedResponse>,
    },
    /// ADK's score of each turn, with what did not match.
    AdkTrajectory {
        /// In the order of the turns.
        invocations: Vec<f64>,
        /// The turns that scored 0.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        missed: Vec<MissedTurn>,
    },
    /// The calls of each turn, side by side.
    Trajectory {
        /// In the order of the turns.
        turns: Vec<TurnScore>,
    },
    /// The responses of each turn.
    Response {
        /// In the order of the turns.
        turns: Vec<ResponseTurn>,
    },
    /// The conditions on the final state.
    State {
        /// In the order of the query.
        conditions: Vec<StateCondition>,
    },
    /// A measured number.
    Measurement {
        /// The sum over the turns.
        total: f64,
        /// The number of each turn.
        invocations: Vec<f64>,
        /// The bounds.
        bounds: Bounds,
        /// Whether the sum or each turn is compared with them.
        per: Per,
    },
    /// A judge's replies.
    Judged {
        /// The model that judged.
        model: String,
        /// In the order of the criterion.
        rubrics: Vec<RubricVerdict>,
    },
}

/// A turn whose response falls short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissedResponse {
    /// Its place, from 0.
    pub turn: usize,
    /// The expected response; empty where there is none, as in ADK.
    pub expected: String,
    /// The response, in the same way.
    pub actual: String,
}

/// A turn whose calls did not match.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MissedTurn {
    /// Its place, from 0.
    pub turn: usize,
    /// Its calls beside the expected ones, compared as in Python.
    pub alignment: Alignment,
}
