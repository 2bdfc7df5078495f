//! [`Average`]: how ADK makes one score of a case from those of its turns.

use serde::Serialize;

use crate::outcome::Reason;
use crate::trace::{Invocation, Trace};

/// The score of each turn and their mean.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Average {
    /// The mean: the scores added up in order and divided by their number.
    pub overall: f64,
    /// One score for each turn.
    pub invocations: Vec<f64>,
}

impl Average {
    /// Pairs the turns and scores each pair, the expected turn first.
    ///
    /// # Errors
    /// [`Reason::DifferentLengths`], where ADK raises, and [`Reason::NoInvocations`], which ADK
    /// calls not evaluated.
    pub(super) fn over(
        expected: &Trace,
        actual: &Trace,
        mut score: impl FnMut(&Invocation, &Invocation) -> f64,
    ) -> Result<Self, Reason> {
        let turns = paired(expected, actual)?;
        let invocations: Vec<f64> =
            turns.map(|(expected, actual)| score(expected, actual)).collect();
        // ADK adds to 0.0; Rust's `sum` begins at -0.0, which shows when all scores are zero.
        let total = invocations.iter().fold(0.0, |total, score| total + score);
        #[expect(clippy::cast_precision_loss, reason = "no case has 2^53 turns")]
        let overall = total / invocations.len() as f64;
        Ok(Self { overall, invocations })
    }
}

/// The turns of both sides in pairs, expected first.
///
/// # Errors
/// [`Reason::DifferentLengths`] and [`Reason::NoInvocations`].
pub(crate) fn paired<'t>(
    expected: &'t Trace,
    actual: &'t Trace,
) -> Result<impl Iterator<Item = (&'t Invocation, &'t Invocation)>, Reason> {
    let (one, other) = (&expected.invocations, &actual.invocations);
    match (one.len(), other.len()) {
        (expected, actual) if expected != actual => {
            Err(Reason::DifferentLengths { expected, actual })
        }
        (0, _) => Err(Reason::NoInvocations),
        _ => Ok(one.iter().zip(other)),
    }
}
