//! Metrics that compare a measured number of the actual trace with bounds, and those that only report one.

mod count;
mod duration;
mod efficiency;
mod tokens;

pub use count::{Countable, EventKind, count};
pub use duration::{DurationPart, duration};
pub use efficiency::Efficiency;
pub use tokens::{TokenPart, tokens};

pub use crate::bounds::{Bounds, Per};

use crate::evidence::Evidence;
use crate::outcome::{Outcome, Reason};

/// Scores the numbers of the turns; `None` is a turn that was not measured.
fn score_within(values: &[Option<f64>], bounds: Bounds, per: Per, what: &'static str) -> Outcome {
    if values.is_empty() {
        return Outcome::unscored(Reason::NoInvocations);
    }
    let Some(values) = values.iter().copied().collect::<Option<Vec<f64>>>() else {
        return Outcome::unscored(Reason::NothingRecorded { what });
    };
    let total = values.iter().fold(0.0, |sum, value| sum + value);
    let kept = values.iter().filter(|value| bounds.hold(**value)).count();
    #[expect(clippy::cast_precision_loss, reason = "no case has 2^53 turns")]
    let score = match per {
        Per::Case if bounds.hold(total) => 1.0,
        Per::Case => 0.0,
        Per::Invocation => kept as f64 / values.len() as f64,
    };
    Outcome::scored(score, Evidence::Measurement { total, invocations: values, bounds, per })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Invocation, ModelCall, Timing, ToolCall, Trace};

    fn trace() -> Trace {
        let turn = |tools: &[&str], seconds: f64, input: Option<u64>| Invocation {
            tool_calls: tools
                .iter()
                .map(|name| ToolCall { name: Some((*name).to_owned()), ..ToolCall::default() })
                .collect(),
            timing: Timing { total: Some(seconds), ..Timing::default() },
            model_calls: Some(vec![ModelCall { input, output: Some(10), ..ModelCall::default() }]),
            ..Invocation::default()
        };
        let turns =
            vec![turn(&["ask", "ask", "book"], 1.5, Some(100)), turn(&["ask"], 2.0, Some(50))];
        Trace { invocations: turns, final_state: None }
    }

    fn score(outcome: &Outcome) -> Option<f64> {
        outcome.score().map(crate::Score::get)
    }

    fn at_most(max: f64) -> Bounds {
        Bounds { min: None, max: Some(max) }
    }

    #[test]
    fn numbers_within_bounds_score_1() {
        let asks =
            Countable { kind: EventKind::ToolCall, name: Some("ask".to_owned()), author: None };
        assert_eq!(score(&count(&trace(), &asks, at_most(3.0), Per::Case)), Some(1.0));
        assert_eq!(score(&count(&trace(), &asks, at_most(2.0), Per::Case)), Some(0.0));
        assert_eq!(score(&count(&trace(), &asks, at_most(1.0), Per::Invocation)), Some(0.5));
        let all = duration(&trace(), DurationPart::Total, at_most(3.5), Per::Case);
        assert_eq!(score(&all), Some(1.0));
        let used = tokens(&trace(), TokenPart::Total, at_most(169.0), Per::Case);
        assert_eq!(score(&used), Some(0.0));
        let Outcome::Scored { evidence: Evidence::Measurement { total, invocations, .. }, .. } =
            used
        else {
            panic!("scored")
        };
        assert_eq!((total, invocations), (170.0, vec![110.0, 60.0]));
        let least = Bounds { min: Some(2.0), max: None };
        let turns = Countable { kind: EventKind::Invocation, name: None, author: None };
        assert_eq!(score(&count(&trace(), &turns, least, Per::Case)), Some(1.0));
    }

    #[test]
    fn missing_measurements_are_not_zero() {
        let reason = |outcome| match outcome {
            Outcome::Unscored { reason } => reason.to_string(),
            Outcome::Scored { .. } => panic!("scored"),
        };
        let models = duration(&trace(), DurationPart::Model, at_most(9.0), Per::Case);
        assert_eq!(reason(models), "the actual trace records no duration");
        let mut unrecorded = trace();
        unrecorded.invocations[1].model_calls = None;
        let used = tokens(&unrecorded, TokenPart::Input, at_most(9.0), Per::Case);
        assert_eq!(reason(used), "the actual trace records no token counts");
        let calls = Countable { kind: EventKind::ModelCall, name: None, author: None };
        let counted = count(&unrecorded, &calls, at_most(9.0), Per::Case);
        assert_eq!(reason(counted), "the actual trace records no such events");
        let nothing = count(&Trace::default(), &calls, at_most(9.0), Per::Case);
        assert_eq!(reason(nothing), "the case has no turns");
    }
}
