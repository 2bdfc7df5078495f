//! Scores from a model as the judge: its requests and the evaluation of its replies.
//!
//! [`requests`] returns the requests, [`verdict`] evaluates the replies, and [`judged`] does both with
//! a [`Judge`]. A failed judge, or one with an unusable reply, gives no score.
//!
//! Left to others: calling the model.

mod prompt;
mod reply;
mod verdict;

pub use prompt::{JudgeRequest, conversation, requests};
pub use reply::{Reply, ReplyError, read_reply};
pub use verdict::verdict;

pub use crate::evidence::{RubricVerdict, Sample};
pub use crate::rubrics::{Combine, JudgeCriterion, Rubric, Scale};

use std::collections::VecDeque;

use crate::criterion::Criterion;
use crate::outcome::Outcome;
use crate::trace::Trace;

/// A judge did not reply, for this reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoReply(pub String);

/// Replies to a judge's requests.
pub trait Judge {
    /// The reply's text.
    ///
    /// # Errors
    /// Why there is no reply.
    fn answer(&mut self, request: &JudgeRequest) -> Result<String, NoReply>;

    /// The outcome of a criterion of google-adk that a model judges; `None` if this judge does not compute it.
    fn outcome(&mut self, _: &Criterion, _: &Trace, _: &Trace) -> Option<Outcome> {
        None
    }
}

/// Answers from a script, in order; for tests and rehearsed evaluations.
#[derive(Debug, Clone, Default)]
pub struct ScriptedJudge {
    answers: VecDeque<Result<String, NoReply>>,
}

impl ScriptedJudge {
    /// A judge with these answers.
    pub fn new<S: Into<String>>(answers: impl IntoIterator<Item = Result<S, NoReply>>) -> Self {
        Self { answers: answers.into_iter().map(|answer| answer.map(Into::into)).collect() }
    }
}

impl Judge for ScriptedJudge {
    fn answer(&mut self, _: &JudgeRequest) -> Result<String, NoReply> {
        let none = || Err(NoReply("the script has no more replies".to_owned()));
        self.answers.pop_front().unwrap_or_else(none)
    }
}

/// Sends all requests for a case to the judge, and combines its replies.
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
