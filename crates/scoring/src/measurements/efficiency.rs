//! [`Efficiency`]: ADK's informational metrics, which report a figure of a run and never pass or fail.

use crate::trace::{Invocation, ModelCall, Trace};

/// An informational metric of ADK: a figure per turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Efficiency {
    /// Tool calls.
    ToolCalls,
    /// Calls of a model.
    ModelCalls,
    /// Tokens, input and output.
    Tokens,
    /// Seconds of wall-clock time.
    Seconds,
}

impl Efficiency {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::ToolCalls, Self::ModelCalls, Self::Tokens, Self::Seconds];

    /// The name in ADK.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ToolCalls => "tool_call_count_v1",
            Self::ModelCalls => "inference_call_count_v1",
            Self::Tokens => "token_usage_v1",
            Self::Seconds => "invocation_duration_v1",
        }
    }

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name)
    }

    /// The mean over the turns; `None` where no turn records it. As in ADK, a turn that was not timed is left
    /// out, and one that reports no tokens counts as none where another turn reports some.
    ///
    /// ```
    /// use scoring::measurements::Efficiency;
    /// use scoring::{Invocation, ToolCall, Trace};
    ///
    /// let turn = |calls| Invocation { tool_calls: vec![ToolCall::default(); calls], ..Invocation::default() };
    /// let trace = Trace { invocations: vec![turn(3), turn(0)], final_state: None };
    /// assert_eq!(Efficiency::ToolCalls.per_turn(&trace), Some(1.5));
    /// assert_eq!(Efficiency::Seconds.per_turn(&trace), None);
    /// ```
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "no case has 2^53 turns")]
    pub fn per_turn(self, trace: &Trace) -> Option<f64> {
        let turns = trace.invocations.iter();
        let values: Vec<f64> = turns.filter_map(|turn| self.of_turn(turn)).collect();
        let turns = match self {
            Self::Tokens => trace.invocations.len(),
            _ => values.len(),
        };
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / turns as f64)
    }

    #[expect(clippy::cast_precision_loss, reason = "no turn has 2^53 calls or tokens")]
    fn of_turn(self, turn: &Invocation) -> Option<f64> {
        let models = turn.model_calls.as_ref();
        match self {
            Self::ToolCalls => Some(turn.tool_calls.len() as f64),
            Self::ModelCalls => models.map(|calls| calls.len() as f64),
            Self::Tokens => {
                let reported = models?.iter().filter_map(tokens).reduce(u64::saturating_add);
                reported.map(|tokens| tokens as f64)
            }
            Self::Seconds => turn.timing.total,
        }
    }
}

/// What a call reported, of either direction.
fn tokens(call: &ModelCall) -> Option<u64> {
    let (input, output) = (call.input, call.output);
    (input.is_some() || output.is_some())
        .then(|| input.unwrap_or_default().saturating_add(output.unwrap_or_default()))
}
