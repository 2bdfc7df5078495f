//! [`AdkJudge`]: google-adk's metrics that a model judges.
//!
//! What is judged and how the score comes about is as in google-adk. The prompts are our own, so scores agree as far
//! as judges do.

mod hallucinations;
mod read;
mod simulated_user;
mod turns;

use futures::future::join_all;
use json_text::JsonText;
use scoring::judge::{
    Combine, JudgeCriterion, JudgeRequest, NoReply, Rubric, Scale, requests, verdict,
};
use scoring::{Outcome, Trace};

use self::hallucinations::Hallucinations;
use self::simulated_user::SimulatedUserQuality;
use self::turns::TurnJudge;
use crate::ledger::{Ledger, Role};
use crate::model::{
    JsonFailure, Model, ModelMessage, ModelNameError, ModelRequest, Models, UnfitAnswer, UsageNote,
    ask_for_json,
};

/// How google-adk's judged metrics score a conversation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AdkJudge {
    /// The model that judges, if no other is given for the run.
    model: String,
    /// How often it is asked about the same; the majority decides, and a tie is a no.
    samples: usize,
    judged: Judged,
}

/// What is judged.
#[derive(Debug, Clone, PartialEq)]
enum Judged {
    /// Each turn of the agent.
    Turns(TurnJudge),
    /// The whole conversation, by these rubrics.
    Conversation(TurnJudge),
    /// Each sentence of the agent's responses.
    Sentences(Hallucinations),
    /// Each message of the simulated user.
    User(SimulatedUserQuality),
    /// Nothing: the reason why not.
    Not(String),
}

/// Asks judges of one metric.
pub(crate) struct Asking<'a> {
    pub(crate) models: &'a Models,
    pub(crate) ledger: &'a Ledger,
    /// The metric.
    pub(crate) metric: &'a str,
}

impl Asking<'_> {
    fn note(&self) -> UsageNote<'_> {
        UsageNote { ledger: self.ledger, role: Role::Judge, agent: self.metric }
    }

    fn model(&self, named: &str) -> Result<Model, ModelNameError> {
        self.models.model(self.models.judge_name(named))
    }

    /// The replies of the judge, in the order of the requests.
    pub(crate) async fn replies(&self, requests: &[JudgeRequest]) -> Vec<Result<String, NoReply>> {
        let replies = requests.iter().map(|request| async {
            let model = self.model(&request.model);
            let model = model.map_err(|error| NoReply(error.to_string()))?;
            let asked = ModelRequest {
                instruction: request.system.clone(),
                messages: vec![ModelMessage::ToModel(request.prompt.clone())],
                ..ModelRequest::default()
            };
            let reply = model.ask_noting(&asked, self.note()).await;
            reply.map(|reply| reply.text).map_err(|failure| NoReply(failure.to_string()))
        });
        join_all(replies).await
    }

    /// What `read` makes of a reply that must be JSON.
    async fn json<T>(
        &self,
        model: &str,
        request: ModelRequest,
        read: impl Fn(&JsonText) -> Result<T, UnfitAnswer>,
    ) -> Result<T, JsonFailure> {
        ask_for_json(&self.model(model)?, request, self.note(), read).await
    }
}

impl AdkJudge {
    /// Scores a conversation. The judge sees `expected` only where google-adk's does.
    pub(crate) async fn outcome(
        &self,
        asking: &Asking<'_>,
        expected: &Trace,
        actual: &Trace,
    ) -> Outcome {
        let judge =
            &Self { model: asking.models.judge_name(&self.model).to_owned(), ..self.clone() };
        match &self.judged {
            Judged::Turns(turns) => turns.outcome(judge, asking, expected, actual).await,
            Judged::Conversation(turns) => {
                // google-adk judges the conversation at its last turn, by the rubrics of that turn.
                let rubrics = turns.rubrics_at(actual.invocations.len().saturating_sub(1));
                if rubrics.is_empty() {
                    return unscored(
                        "the criterion, the case and its last turn have no rubric of the type \
                         TRAJECTORY_QUALITY; add one",
                    );
                }
                judge.verdict(asking, rubrics, &Trace::default(), actual).await
            }
            Judged::Sentences(sentences) => sentences.outcome(&judge.model, asking, actual).await,
            Judged::User(user) => user.outcome(judge, asking, actual).await,
            Judged::Not(reason) => unscored(reason),
        }
    }

    /// What the judge says about rubrics, with a conversation as the material.
    async fn verdict(
        &self,
        asking: &Asking<'_>,
        rubrics: Vec<Rubric>,
        expected: &Trace,
        actual: &Trace,
    ) -> Outcome {
        let criterion = JudgeCriterion {
            model: self.model.clone(),
            rubrics,
            samples: self.samples,
            combine: Combine::Majority,
        };
        let asked = requests(&criterion, expected, actual);
        verdict(&criterion, &asking.replies(&asked).await)
    }
}

fn unscored(reason: impl Into<String>) -> Outcome {
    Outcome::unscored(scoring::Reason::NotJudged { reason: reason.into() })
}

fn yes_or_no(name: &str, description: &str) -> Rubric {
    Rubric {
        name: name.to_owned(),
        description: description.to_owned(),
        guide: String::new(),
        scale: Scale::YesNo,
        weight: 1.0,
    }
}

/// The mean; `None` of nothing.
fn mean(scores: &[f64]) -> Option<f64> {
    let count = f64::from(u32::try_from(scores.len()).ok()?);
    (count > 0.0).then(|| scores.iter().sum::<f64>() / count)
}
