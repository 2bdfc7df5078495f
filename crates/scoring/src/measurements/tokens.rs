//! The metric `tokens`.

use serde::Serialize;

use super::{Bounds, Per, score_within};
use crate::outcome::Outcome;
use crate::trace::{Invocation, ModelCall, Trace};

/// Which tokens are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenPart {
    /// Input and output.
    #[default]
    Total,
    /// Of requests, those from a cache included.
    Input,
    /// Of requests, those from a cache.
    Cached,
    /// Of answers, reasoning included.
    Output,
    /// Of answers, reasoning.
    Reasoning,
}

impl TokenPart {
    /// The names that configs use.
    pub const NAMES: [&str; 5] = ["total", "input", "cached", "output", "reasoning"];

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "total" => Self::Total,
            "input" => Self::Input,
            "cached" => Self::Cached,
            "output" => Self::Output,
            "reasoning" => Self::Reasoning,
            _ => return None,
        })
    }

    fn of_call(self, call: &ModelCall) -> Option<u64> {
        match self {
            Self::Total => Some(call.input?.saturating_add(call.output?)),
            Self::Input => call.input,
            Self::Cached => call.cached,
            Self::Output => call.output,
            Self::Reasoning => call.reasoning,
        }
    }

    /// The sum over a turn's calls; `None` when one of them did not report it.
    fn of_turn(self, turn: &Invocation) -> Option<f64> {
        let mut calls = turn.model_calls.as_ref()?.iter();
        let sum = calls.try_fold(0_u64, |sum, call| Some(sum.saturating_add(self.of_call(call)?)));
        #[expect(clippy::cast_precision_loss, reason = "no turn uses 2^53 tokens")]
        sum.map(|sum| sum as f64)
    }
}

/// Scores 1 when the models used as many tokens as the bounds allow.
#[must_use]
pub fn tokens(actual: &Trace, part: TokenPart, bounds: Bounds, per: Per) -> Outcome {
    let values: Vec<_> = actual.invocations.iter().map(|turn| part.of_turn(turn)).collect();
    score_within(&values, bounds, per, "token counts")
}
