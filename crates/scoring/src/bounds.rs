//! [`Bounds`] of a measured number, and over what it is taken.

use serde::Serialize;

/// Inclusive bounds of a number; an absent bound does not limit it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Bounds {
    /// The least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
}

impl Bounds {
    /// Whether `value` is within them.
    #[must_use]
    pub fn hold(self, value: f64) -> bool {
        self.min.is_none_or(|min| value >= min) && self.max.is_none_or(|max| value <= max)
    }
}

/// Over what a number is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Per {
    /// The whole case.
    #[default]
    Case,
    /// Each turn by itself; the score is the share of turns within bounds.
    Invocation,
}
