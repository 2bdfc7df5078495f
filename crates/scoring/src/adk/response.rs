//! `response_match_score`: ROUGE-1 F of the final responses.

use super::Average;
use crate::outcome::Reason;
use crate::rouge::Scorer;
use crate::trace::Trace;

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
        let reference = expected.final_response.as_deref().unwrap_or_default();
        let candidate = actual.final_response.as_deref().unwrap_or_default();
        scorer.score(candidate, reference).f_measure
    })
}
