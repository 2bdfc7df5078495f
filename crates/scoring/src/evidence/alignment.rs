//! [`Alignment`]: expected and actual calls in pairs, to be drawn side by side.

use json_text::JsonText;
use serde::Serialize;

use crate::json::Difference;
use crate::trace::ToolCall;

/// The calls of one turn, scored.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TurnScore {
    /// The turn's score; `None` when nothing is expected of it, which the mean leaves out.
    pub score: Option<f64>,
    /// Which trajectory was met best: 0 is the expected one, others count from 1.
    pub trajectory: usize,
    /// That trajectory beside what was done.
    pub alignment: Alignment,
}

/// The calls of both sides of one turn, in pairs where there are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Alignment {
    /// In the order of the expected calls; an extra call is where it was made, or at the end when
    /// order does not matter.
    pub rows: Vec<Row>,
    /// Credit of the pairs by the number of actual calls, 0 to 1; 1 when there are none on either
    /// side.
    pub precision: f64,
    /// The same by the number of expected calls.
    pub recall: f64,
    /// The harmonic mean of both, 0 when both are.
    pub f1: f64,
}

/// One row of an alignment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// What became of the call.
    pub kind: RowKind,
    /// The expected call; absent for an extra one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<CallSeen>,
    /// The actual call; absent for a missing one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<CallSeen>,
    /// The share of the arguments that agree, 0 to 1; 0 when a side is absent.
    pub agreement: f64,
    /// Where the arguments differ, for a changed call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
}

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    /// It was made as expected.
    Matched,
    /// The tool was called with other arguments.
    Changed,
    /// It was not made.
    Missing,
    /// It was made and not expected.
    Extra,
}

/// A call as a row shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallSeen {
    /// Its place among the calls of its side, from 0.
    pub place: usize,
    /// The tool.
    pub name: Option<String>,
    /// Its arguments.
    pub args: Option<JsonText>,
}

impl CallSeen {
    pub(crate) fn new(place: usize, call: &ToolCall) -> Self {
        Self { place, name: call.name.clone(), args: call.args.clone() }
    }
}

impl Alignment {
    /// The rows of so many calls on each side, whose pairs have `credit` together.
    #[expect(clippy::cast_precision_loss, reason = "no turn has 2^53 calls")]
    pub(crate) fn of(rows: Vec<Row>, credit: f64, expected: usize, actual: usize) -> Self {
        let share = |of: usize, others: usize| match (of, others) {
            (0, 0) => 1.0,
            (0, _) => 0.0,
            _ => credit / of as f64,
        };
        let (precision, recall) = (share(actual, expected), share(expected, actual));
        let sum = precision + recall;
        let f1 = if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 };
        Self { rows, precision, recall, f1 }
    }

    /// How many rows are of a kind.
    #[must_use]
    pub fn count(&self, kind: RowKind) -> usize {
        self.rows.iter().filter(|row| row.kind == kind).count()
    }
}
