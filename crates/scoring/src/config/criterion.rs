//! [`Criterion`]: one thing that a case is scored by.

use json_text::JsonText;

use super::metric::NEEDS_JUDGE;
use crate::adk::{self, Average, MatchType};
use crate::evidence::{Evidence, MissedResponse, MissedTurn};
use crate::json::Equality;
use crate::judge::{Judge, JudgeCriterion, judged};
use crate::measurements::{self, Bounds, Countable, DurationPart, Per, TokenPart};
use crate::outcome::{Outcome, Reason};
use crate::report::CriterionResult;
use crate::response::{Comparison, response};
use crate::rouge::Scorer;
use crate::state::{Query, StateMeasure, state};
use crate::trace::Trace;
use crate::trajectory::{Matching, align, trajectory};

/// A criterion of a config.
#[derive(Debug, Clone)]
pub struct Criterion {
    /// The name that the config gave it.
    pub name: String,
    /// The score from which on it is met.
    pub threshold: f64,
    /// What is computed.
    pub metric: Metric,
}

/// What is computed of a case.
#[derive(Debug, Clone)]
pub enum Metric {
    /// ADK's `tool_trajectory_avg_score`.
    AdkTrajectory {
        /// Whether order and other calls count.
        match_type: MatchType,
        /// Whether only the tools' names are compared.
        ignore_args: bool,
    },
    /// ADK's `response_match_score`.
    AdkResponse,
    /// `trajectory`.
    Trajectory(Box<Matching>),
    /// `response`.
    Response(Comparison),
    /// `state`.
    State {
        /// A query in the place of the case's expected state.
        query: Option<Query>,
        /// What the score means.
        measure: StateMeasure,
    },
    /// `count`.
    Count {
        /// What is counted.
        countable: Countable,
        /// How many there may be.
        bounds: Bounds,
        /// Over what.
        per: Per,
    },
    /// `duration`.
    Duration {
        /// Which time.
        part: DurationPart,
        /// How many seconds it may take.
        bounds: Bounds,
        /// Over what.
        per: Per,
    },
    /// `tokens`.
    Tokens {
        /// Which tokens.
        part: TokenPart,
        /// How many there may be.
        bounds: Bounds,
        /// Over what.
        per: Per,
    },
    /// `rubric` and `llm_judge`.
    Judged(JudgeCriterion),
    /// A metric that another program computes.
    NotHere {
        /// Which one.
        remedy: &'static str,
    },
}

impl Metric {
    /// Whether it checks a measured number against bounds, see [`crate::measurements`].
    #[must_use]
    pub fn is_measurement(&self) -> bool {
        matches!(self, Self::Count { .. } | Self::Duration { .. } | Self::Tokens { .. })
    }
}

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

/// The details of a result: an object, whatever happens.
pub(crate) fn details(value: &impl serde::Serialize) -> JsonText {
    JsonText::serialize(value).unwrap_or_else(|_| JsonText::from_value(&serde_json::json!({})))
}
