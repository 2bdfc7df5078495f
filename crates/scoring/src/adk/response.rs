//! `response_match_score`: ROUGE-1 F of the final responses.

use super::{Average, Conversation};
use crate::outcome::Reason;
use crate::rouge::Scorer;

/// Scores every turn's final response; no response is the empty text, as in ADK.
///
/// # Errors
/// [`Reason::DifferentLengths`] and [`Reason::NoInvocations`].
pub fn response_match(
    expected: &impl Conversation,
    actual: &impl Conversation,
    scorer: &mut Scorer,
) -> Result<Average, Reason> {
    Average::over(expected, actual, |turn| {
        scorer.score(&actual.response(turn), &expected.response(turn)).f_measure
    })
}
