//! `tool_trajectory_avg_score`: each turn's calls match or they do not.

use serde::Serialize;

use super::Average;
use crate::json::{Equality, equal};
use crate::outcome::Reason;
use crate::trace::{ToolCall, Trace};

/// How expected and actual calls are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MatchType {
    /// The same calls in the same order and no others.
    #[default]
    Exact,
    /// The expected calls in their order, others between them.
    InOrder,
    /// The expected calls in any order, others among them.
    AnyOrder,
}

impl MatchType {
    /// The names that configs use.
    pub const NAMES: [&str; 3] = ["EXACT", "IN_ORDER", "ANY_ORDER"];

    /// Reads a name as ADK does: trimmed, in any case, `-` and space for `_`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name.trim().to_uppercase().replace(['-', ' '], "_").as_str() {
            "EXACT" => Some(Self::Exact),
            "IN_ORDER" => Some(Self::InOrder),
            "ANY_ORDER" => Some(Self::AnyOrder),
            _ => None,
        }
    }

    /// Reads ADK's number for it: 0, 1 or 2.
    #[must_use]
    pub fn from_number(number: f64) -> Option<Self> {
        match number {
            0.0 => Some(Self::Exact),
            1.0 => Some(Self::InOrder),
            2.0 => Some(Self::AnyOrder),
            _ => None,
        }
    }
}

/// Scores every turn 1 or 0, and takes the mean.
///
/// # Errors
/// [`Reason::DifferentLengths`] and [`Reason::NoInvocations`].
pub fn tool_trajectory(
    expected: &Trace,
    actual: &Trace,
    match_type: MatchType,
    ignore_args: bool,
) -> Result<Average, Reason> {
    Average::over(expected, actual, |expected, actual| {
        let (expected, actual) = (&expected.tool_calls, &actual.tool_calls);
        if calls_match(expected, actual, match_type, ignore_args) { 1.0 } else { 0.0 }
    })
}

/// Whether the calls of one turn match.
#[must_use]
pub fn calls_match(
    expected: &[ToolCall],
    actual: &[ToolCall],
    match_type: MatchType,
    ignore_args: bool,
) -> bool {
    let same = |expected: &ToolCall, actual: &ToolCall| {
        expected.name == actual.name && (ignore_args || same_args(expected, actual))
    };
    let mut all_expected = expected.iter();
    match match_type {
        MatchType::Exact => {
            expected.len() == actual.len()
                && all_expected.zip(actual).all(|(expected, actual)| same(expected, actual))
        }
        MatchType::InOrder => {
            let mut rest = actual.iter();
            all_expected.all(|expected| rest.any(|actual| same(expected, actual)))
        }
        MatchType::AnyOrder => {
            let mut rest: Vec<&ToolCall> = actual.iter().collect();
            all_expected.all(|expected| {
                let found = rest.iter().position(|actual| same(expected, actual));
                found.map(|place| rest.remove(place)).is_some()
            })
        }
    }
}

/// Absent and null arguments are equal; neither is the empty object.
fn same_args(expected: &ToolCall, actual: &ToolCall) -> bool {
    match (&expected.args, &actual.args) {
        (Some(expected), Some(actual)) => equal(expected, actual, Equality::Python),
        (None, None) => true,
        _ => false,
    }
}
