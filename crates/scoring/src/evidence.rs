//! [`Evidence`]: what a score rests on, for a person to check it by.

use serde::Serialize;

use crate::response::ResponseTurn;
use crate::trajectory::TurnScore;

/// What a score rests on. It serialises to the object that a report has under `details`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Evidence {
    /// The score of each turn.
    Invocations {
        /// In the order of the turns.
        invocations: Vec<f64>,
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
}
