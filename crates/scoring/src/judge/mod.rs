//! Scores that a model gives: what it is asked, and what its answers come to.
//!
//! Asking is left to others: [`requests`] says what to ask, [`verdict`] what the answers mean, and
//! [`judged`] does both with a [`Judge`]. A judge that fails, or answers what cannot be read, gives
//! no score: it is never taken for a number.

mod answer;
mod criterion;
mod prompt;
mod verdict;

pub use answer::{AnswerError, Said, read_answer};
pub use criterion::{Combine, JudgeCriterion, Rubric, Scale};
pub use prompt::{JudgeRequest, requests};
pub use verdict::{RubricVerdict, Sample, verdict};

use std::collections::VecDeque;

use crate::outcome::Outcome;
use crate::trace::Trace;

/// Whoever answers a judge's request.
pub trait Judge {
    /// The answer's text.
    ///
    /// # Errors
    /// Why there is none, in words.
    fn answer(&mut self, request: &JudgeRequest) -> Result<String, String>;
}

/// Answers from a script, in order; for tests and rehearsed evaluations.
#[derive(Debug, Clone, Default)]
pub struct ScriptedJudge {
    answers: VecDeque<Result<String, String>>,
}

impl ScriptedJudge {
    /// A judge with these answers.
    pub fn new<S: Into<String>>(answers: impl IntoIterator<Item = Result<S, String>>) -> Self {
        Self { answers: answers.into_iter().map(|answer| answer.map(Into::into)).collect() }
    }
}

impl Judge for ScriptedJudge {
    fn answer(&mut self, _: &JudgeRequest) -> Result<String, String> {
        self.answers.pop_front().unwrap_or_else(|| Err("the script has no more replies".to_owned()))
    }
}

/// Asks the judge all there is to ask of a case, and sums its answers up.
pub fn judged(
    criterion: &JudgeCriterion,
    expected: &Trace,
    actual: &Trace,
    judge: &mut dyn Judge,
) -> Outcome {
    let requests = requests(criterion, expected, actual);
    let answers: Vec<_> = requests.iter().map(|request| judge.answer(request)).collect();
    verdict(criterion, &answers)
}
