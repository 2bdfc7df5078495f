//! The metric `count`.

use serde::Serialize;

use super::{Bounds, Per, score_within};
use crate::outcome::Outcome;
use crate::trace::{Invocation, Trace};

/// What happens in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A turn begins.
    Invocation,
    /// A tool is called.
    ToolCall,
    /// An agent writes text before its final response.
    IntermediateResponse,
    /// An agent answers.
    FinalResponse,
    /// A model is called.
    ModelCall,
}

impl EventKind {
    /// The names that configs use.
    pub const NAMES: [&str; 5] =
        ["invocation", "tool_call", "intermediate_response", "final_response", "model_call"];

    /// Whether events of this kind have a name: that of a tool or a model.
    #[must_use]
    pub fn has_names(self) -> bool {
        matches!(self, Self::ToolCall | Self::ModelCall)
    }

    /// Whether events of this kind have an author.
    #[must_use]
    pub fn has_authors(self) -> bool {
        matches!(self, Self::ToolCall | Self::IntermediateResponse)
    }

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "invocation" => Self::Invocation,
            "tool_call" => Self::ToolCall,
            "intermediate_response" => Self::IntermediateResponse,
            "final_response" => Self::FinalResponse,
            "model_call" => Self::ModelCall,
            _ => return None,
        })
    }
}

/// Which events are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Countable {
    /// Their kind.
    pub kind: EventKind,
    /// Only those of this tool or model.
    pub name: Option<String>,
    /// Only those of this agent; other kinds than tool calls and intermediate responses have none.
    pub author: Option<String>,
}

impl Countable {
    fn is_meant(&self, name: Option<&str>, author: Option<&str>) -> bool {
        (self.name.is_none() || self.name.as_deref() == name)
            && (self.author.is_none() || self.author.as_deref() == author)
    }

    fn in_turn(&self, turn: &Invocation) -> Option<usize> {
        Some(match self.kind {
            EventKind::Invocation => usize::from(self.is_meant(None, None)),
            EventKind::ToolCall => {
                let calls = turn.tool_calls.iter();
                calls
                    .filter(|call| self.is_meant(call.name.as_deref(), call.author.as_deref()))
                    .count()
            }
            EventKind::IntermediateResponse => {
                let responses = turn.intermediate_responses.iter();
                responses.filter(|it| self.is_meant(None, it.author.as_deref())).count()
            }
            EventKind::FinalResponse => {
                usize::from(turn.final_response.is_some() && self.is_meant(None, None))
            }
            EventKind::ModelCall => {
                let calls = turn.model_calls.as_ref()?.iter();
                calls.filter(|call| self.is_meant(call.model.as_deref(), None)).count()
            }
        })
    }
}

/// Scores 1 when as many events happened as the bounds allow.
#[must_use]
pub fn count(actual: &Trace, countable: &Countable, bounds: Bounds, per: Per) -> Outcome {
    #[expect(clippy::cast_precision_loss, reason = "no turn has 2^53 events")]
    let counted = |turn| countable.in_turn(turn).map(|count| count as f64);
    let values: Vec<_> = actual.invocations.iter().map(counted).collect();
    score_within(&values, bounds, per, "such events")
}
