//! [`CriterionMetric`]: a criterion of `scoring` on the trace of a run.

use async_trait::async_trait;
use futures::future::join_all;
use json_text::JsonText;
use scoring::config::{Criterion, Metric as Computed, Tools};
use scoring::judge::{Combine, JudgeCriterion, JudgeRequest, Rubric, requests, verdict};
use scoring::report::why;
use scoring::{Evidence, Outcome, Trace};

use crate::ledger::{Entry, Ledger, Role};
use crate::metric::{Metric, MetricResult};
use crate::model::{ModelMessage, ModelRequest, Models, UsageNote};
use crate::trace::trace;

/// A criterion with the case that it compares a run with.
pub struct CriterionMetric {
    criterion: Criterion,
    expected: Trace,
    models: Option<Models>,
    turns: Option<TurnJudge>,
}

/// How a judge scores each turn, as google-adk's judged metrics do. The score is the mean over all rubrics of all
/// turns.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnJudge {
    /// The model that judges.
    pub model: String,
    /// How often it is asked; the majority decides, and a tie is a no.
    pub samples: usize,
    /// What is judged in every turn.
    pub rubrics: Vec<Rubric>,
    /// What is judged in single turns besides, by their order.
    pub by_turn: Vec<Vec<Rubric>>,
    /// Whether the judge sees the expected turn.
    pub sees_expected: bool,
}

impl CriterionMetric {
    /// The criterion on runs of this case. A criterion that a model judges is unscored.
    #[must_use]
    pub fn new(criterion: Criterion, expected: Trace) -> Self {
        Self { criterion, expected, models: None, turns: None }
    }

    /// Gives it the models that judge, and a judge of single turns for a criterion that `scoring` does not compute.
    #[must_use]
    pub fn judged_by(mut self, models: Models, turns: Option<TurnJudge>) -> Self {
        self.models = Some(models);
        self.turns = turns;
        self
    }

    fn result(&self, outcome: &Outcome) -> MetricResult {
        let threshold = self.criterion.threshold;
        match outcome {
            Outcome::Scored { score, evidence } => {
                let mut reasons: Vec<String> = why(&self.criterion, outcome).into_iter().collect();
                reasons.extend(judgments(evidence));
                MetricResult {
                    passed: outcome.passed(threshold),
                    score: Some(score.get()),
                    value: JsonText::serialize(evidence).ok(),
                    evidence: reasons,
                }
            }
            Outcome::Unscored { reason } => MetricResult::unscored(reason.to_string()),
        }
    }

    /// The replies of the judge, in the order of the requests.
    async fn replies(
        &self,
        models: &Models,
        requests: &[JudgeRequest],
        ledger: &Ledger,
    ) -> Vec<Result<String, String>> {
        let replies = requests.iter().map(|request| async {
            let model = models.judge(Some(&request.model)).map_err(|error| error.to_string())?;
            let model = model.ok_or_else(|| "no judge is named".to_owned())?;
            let note = UsageNote { ledger, role: Role::Judge, agent: &self.criterion.name };
            let asked = ModelRequest {
                instruction: request.system.clone(),
                messages: vec![ModelMessage::ToModel(request.prompt.clone())],
                ..ModelRequest::default()
            };
            let reply = model.ask_noting(&asked, note).await;
            reply.map(|reply| reply.text).map_err(|failure| failure.to_string())
        });
        join_all(replies).await
    }

    /// The score of single turns.
    async fn judged_turns(
        &self,
        judge: &TurnJudge,
        models: &Models,
        actual: &Trace,
        ledger: &Ledger,
    ) -> MetricResult {
        let (happened, expected) = (&actual.invocations, &self.expected.invocations);
        if judge.sees_expected && happened.len() != expected.len() {
            return MetricResult::unscored(format!(
                "the run has {} turns, and {} are expected",
                happened.len(),
                expected.len()
            ));
        }
        let turns = happened.iter().enumerate().map(|(at, turn)| async move {
            let of_turn = judge.by_turn.get(at).into_iter().flatten();
            let criterion = JudgeCriterion {
                model: judge.model.clone(),
                rubrics: judge.rubrics.iter().chain(of_turn).cloned().collect(),
                samples: judge.samples,
                combine: Combine::Majority,
            };
            // A turn without rubrics does not count.
            if criterion.rubrics.is_empty() {
                return None;
            }
            let one = |turn| Trace { invocations: vec![turn], final_state: None };
            let wanted = expected.get(at).filter(|_| judge.sees_expected).cloned();
            let asked =
                requests(&criterion, &wanted.map(one).unwrap_or_default(), &one(turn.clone()));
            Some(verdict(&criterion, &self.replies(models, &asked, ledger).await))
        });
        let mut rubrics = Vec::new();
        for outcome in join_all(turns).await.into_iter().flatten() {
            match outcome {
                Outcome::Scored { evidence: Evidence::Judged { rubrics: of_turn, .. }, .. } => {
                    rubrics.extend(of_turn);
                }
                outcome => return self.result(&outcome),
            }
        }
        if rubrics.is_empty() {
            return MetricResult::unscored("the run has no turn, or no rubric to judge it by");
        }
        let count = f64::from(u32::try_from(rubrics.len()).unwrap_or(u32::MAX));
        let score = rubrics.iter().map(|rubric| rubric.score).sum::<f64>() / count;
        self.result(&Outcome::scored(
            score,
            Evidence::Judged { model: judge.model.clone(), rubrics },
        ))
    }
}

/// What a judge said, and why, for people.
fn judgments(evidence: &Evidence) -> Vec<String> {
    let Evidence::Judged { rubrics, .. } = evidence else { return Vec::new() };
    let judged = rubrics.iter().map(|rubric| {
        let said = rubric.samples.iter().find(|sample| sample.score == Some(rubric.score));
        let said = said.or(rubric.samples.first()).map_or("", |sample| sample.reasoning.as_str());
        format!("{}: {}: {said}", rubric.name, rubric.score)
    });
    judged.collect()
}

#[async_trait]
impl Metric for CriterionMetric {
    fn name(&self) -> &str {
        &self.criterion.name
    }

    fn threshold(&self) -> Option<f64> {
        (!self.criterion.metric.is_measurement()).then_some(self.criterion.threshold)
    }

    fn expected(&self) -> Option<&Trace> {
        Some(&self.expected)
    }

    async fn evaluate(&self, events: &[Entry]) -> MetricResult {
        self.evaluate_noting(events, &Ledger::begin()).await
    }

    async fn evaluate_noting(&self, events: &[Entry], ledger: &Ledger) -> MetricResult {
        let actual = trace(events);
        match (&self.models, &self.turns, &self.criterion.metric) {
            (Some(models), Some(judge), _) => {
                self.judged_turns(judge, models, &actual, ledger).await
            }
            (Some(models), None, Computed::Judged(criterion)) => {
                let asked = requests(criterion, &self.expected, &actual);
                let replies = self.replies(models, &asked, ledger).await;
                self.result(&verdict(criterion, &replies))
            }
            _ => {
                let tools = &mut Tools::default();
                self.result(&self.criterion.score(&self.expected, &actual, tools))
            }
        }
    }
}
