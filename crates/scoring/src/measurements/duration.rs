//! The metric `duration`.

use serde::Serialize;

use super::{Bounds, Per, score_within};
use crate::outcome::Outcome;
use crate::trace::Trace;

/// Which time is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DurationPart {
    /// All of a turn.
    #[default]
    Total,
    /// With a model at work.
    Model,
    /// With a tool at work and no model.
    Tool,
}

impl DurationPart {
    /// The names that configs use.
    pub const NAMES: [&str; 3] = ["total", "model", "tool"];

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "total" => Self::Total,
            "model" => Self::Model,
            "tool" => Self::Tool,
            _ => return None,
        })
    }
}

/// Scores 1 when the turns took as many seconds as the bounds allow.
#[must_use]
pub fn duration(actual: &Trace, part: DurationPart, bounds: Bounds, per: Per) -> Outcome {
    let values: Vec<_> = actual
        .invocations
        .iter()
        .map(|turn| match part {
            DurationPart::Total => turn.timing.total,
            DurationPart::Model => turn.timing.model,
            DurationPart::Tool => turn.timing.tool,
        })
        .collect();
    score_within(&values, bounds, per, "duration")
}
