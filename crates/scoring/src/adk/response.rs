//! `response_match_score`: ROUGE-1 F of the final responses.

use super::Average;
use crate::outcome::Reason;
use crate::rouge::Scorer;
use crate::trace::{Invocation, Trace};

/// Scores every turn's final response; no response is the empty text, as in ADK.
///
/// # Errors
/// [`Reason::DifferentLengths`] and [`Reason::NoInvocations`].
pub fn response_match(
    expected: &Trace,
    actual: &Trace,
    scorer: &mut Scorer,
) -> Result<Average, Reason> {
    Average::over(expected, actual, |expected, actual| {
        scorer.score(response(actual), response(expected)).f_measure
    })
}

/// The final response of a turn; empty where there is none, as in ADK.
pub(crate) fn response(turn: &Invocation) -> &str {
    turn.final_response.as_deref().unwrap_or_default()
}
