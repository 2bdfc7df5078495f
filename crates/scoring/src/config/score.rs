//! [`Criterion::score`]: scores a case by one criterion.

use super::metric::NEEDS_JUDGE;
use crate::adk::{self, Average};
use crate::criterion::{Criterion, Metric};
use crate::evidence::{Evidence, MissedResponse, MissedTurn};
use crate::json::Equality;
use crate::judge::{Judge, judged};
use crate::measurements;
use crate::outcome::{Outcome, Reason};
use crate::report::CriterionResult;
use crate::response::response;
use crate::rouge::Scorer;
use crate::state::state;
use crate::trace::Trace;
use crate::trajectory::{Matching, align, trajectory};

/// What scoring uses from case to case.
#[derive(Default)]
pub struct Tools<'j> {
    /// The word cache of ROUGE.
    pub rouge: Scorer,
    /// The judge; without one, judged criteria are unscored.
    pub judge: Option<&'j mut dyn Judge>,
}

impl Criterion {
    /// Scores a case.
    #[must_use]
    pub fn score(&self, expected: &Trace, actual: &Trace, tools: &mut Tools<'_>) -> Outcome {
        match &self.metric {
            Metric::AdkTrajectory { match_type, ignore_args } => {
                let average = adk::tool_trajectory(expected, actual, *match_type, *ignore_args);
                averaged(average, |invocations| {
                    let matching = Matching {
                        match_type: *match_type,
                        ignore_args: *ignore_args,
                        equality: Equality::Python,
                        ..Matching::default()
                    };
                    let missed = failed_turns(&invocations, expected, actual, &matching);
                    Evidence::AdkTrajectory { invocations, missed }
                })
            }
            Metric::AdkResponse => {
                let average = adk::response_match(expected, actual, &mut tools.rouge);
                averaged(average, |invocations| {
                    let turns = expected.invocations.iter().zip(&actual.invocations);
                    let turns = turns.zip(&invocations).enumerate();
                    let missed = turns.filter(|(_, (_, score))| **score < self.threshold);
                    let missed = missed.map(|(turn, ((expected, actual), _))| MissedResponse {
                        turn,
                        expected: adk::response(expected).to_owned(),
                        actual: adk::response(actual).to_owned(),
                    });
                    Evidence::AdkResponse { missed: missed.collect(), invocations }
                })
            }
            Metric::Trajectory(matching) => trajectory(expected, actual, matching),
            Metric::Response(comparison) => {
                response(expected, actual, comparison, &mut tools.rouge)
            }
            Metric::State { query, measure } => state(expected, actual, query.as_ref(), *measure),
            Metric::Count { countable, bounds, per } => {
                measurements::count(actual, countable, *bounds, *per)
            }
            Metric::Duration { part, bounds, per } => {
                measurements::duration(actual, *part, *bounds, *per)
            }
            Metric::Tokens { part, bounds, per } => {
                measurements::tokens(actual, *part, *bounds, *per)
            }
            Metric::Judged(criterion) => match &mut tools.judge {
                Some(judge) => judged(criterion, expected, actual, *judge),
                None => Outcome::unscored(Reason::NotJudged { reason: NEEDS_JUDGE.to_owned() }),
            },
            Metric::NotHere { remedy } => {
                let judge = tools.judge.as_mut();
                let judged = judge.and_then(|judge| judge.outcome(self, expected, actual));
                judged.unwrap_or_else(|| Outcome::unscored(Reason::NotHere { remedy }))
            }
        }
    }

    /// Scores a case and compares the score with the threshold.
    #[must_use]
    pub fn judge(
        &self,
        expected: &Trace,
        actual: &Trace,
        tools: &mut Tools<'_>,
    ) -> CriterionResult {
        CriterionResult::of(self, &self.score(expected, actual, tools))
    }
}

fn averaged(
    average: Result<Average, Reason>,
    evidence: impl FnOnce(Vec<f64>) -> Evidence,
) -> Outcome {
    match average {
        Ok(average) => Outcome::scored(average.overall, evidence(average.invocations)),
        Err(reason) => Outcome::unscored(reason),
    }
}

/// The calls of the turns that did not match, side by side: why it failed.
fn failed_turns(
    scores: &[f64],
    expected: &Trace,
    actual: &Trace,
    matching: &Matching,
) -> Vec<MissedTurn> {
    let failed = scores.iter().enumerate().filter(|(_, score)| **score < 1.0);
    let drawn = failed.filter_map(|(turn, _)| {
        let (expected, actual) = (expected.invocations.get(turn)?, actual.invocations.get(turn)?);
        let alignment = align(&expected.tool_calls, &actual.tool_calls, matching).ok()?;
        Some(MissedTurn { turn, alignment })
    });
    drawn.collect()
}
