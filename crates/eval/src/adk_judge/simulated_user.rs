//! [`SimulatedUserQuality`]: whether a simulated user keeps to the plan of its scenario.

use futures::future::join_all;
use scoring::judge::{Rubric, RubricVerdict, Sample};
use scoring::{Evidence, Outcome, Trace};

use super::{AdkJudge, Asking, mean, yes_or_no};

/// Whether each message of a simulated user keeps to its scenario. The score is the share of messages that do. The
/// last one does not count if the conversation should not have ended after it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SimulatedUserQuality {
    /// The first message that the scenario wants.
    pub(super) starting_prompt: String,
    /// What the user is to do.
    pub(super) plan: String,
    /// Who the user is; empty for nobody in particular.
    pub(super) persona: String,
}

impl SimulatedUserQuality {
    pub(super) async fn outcome(
        &self,
        judge: &AdkJudge,
        asking: &Asking<'_>,
        actual: &Trace,
    ) -> Outcome {
        let turns = &actual.invocations;
        let history = |until: usize| Trace {
            invocations: turns.iter().take(until).cloned().collect(),
            final_state: None,
        };
        let later = turns.iter().enumerate().skip(1).map(|(at, turn)| {
            let name = format!("message {}", at + 1);
            let what = format!("The user's next message is:\n{}", turn.user_text);
            (self.rubric(&name, &what), history(at))
        });
        let end = "The user ends the conversation now, without a further message.";
        let end = (self.rubric("the end", end), history(turns.len()));
        let asked: Vec<(Rubric, Trace)> = later.chain([end]).collect();
        let judged = asked.into_iter().map(|(rubric, history)| async move {
            judge.verdict(asking, vec![rubric], &Trace::default(), &history).await
        });
        let mut rubrics: Vec<RubricVerdict> =
            turns.first().map(|turn| self.first(&turn.user_text)).into_iter().collect();
        for outcome in join_all(judged).await {
            match outcome {
                Outcome::Scored {
                    evidence: Evidence::Judged { rubrics: of_message, .. }, ..
                } => {
                    rubrics.extend(of_message);
                }
                outcome => return outcome,
            }
        }
        let mut scores: Vec<f64> = rubrics.iter().map(|rubric| rubric.score).collect();
        let end = scores.pop().unwrap_or_default();
        if let Some(last) = scores.last_mut()
            && end < 1.0
        {
            *last = 0.0;
        }
        let score = mean(&scores).unwrap_or_default();
        Outcome::scored(score, Evidence::Judged { model: judge.model.clone(), rubrics })
    }

    /// The first message, which must be the scenario's.
    fn first(&self, text: &str) -> RubricVerdict {
        let is_kept = text.trim() == self.starting_prompt.trim();
        let score = if is_kept { 1.0 } else { 0.0 };
        let reasoning = match is_kept {
            true => "it is the starting prompt".to_owned(),
            false => format!("it is not the starting prompt: {}", self.starting_prompt),
        };
        let samples = vec![Sample { score: Some(score), reasoning }];
        RubricVerdict { name: "message 1".to_owned(), weight: 1.0, score, samples }
    }

    fn rubric(&self, name: &str, what: &str) -> Rubric {
        let persona = match self.persona.as_str() {
            "" => String::new(),
            persona => format!("\nThe user is to be:\n{persona}\n"),
        };
        yes_or_no(
            name,
            &format!(
                "In the conversation, a simulated user talks to an agent by this plan:\n{}\n{persona}\n{what}\n\nIs \
                 this what the user should do next? It is if it follows the plan, fits what the agent said, and \
                 neither leaves out a step that is due, nor adds goals or facts that the plan does not have, nor \
                 repeats itself without need. Ending the conversation is right when the plan is carried out, or when \
                 the agent clearly cannot carry it out.",
                self.plan
            ),
        )
    }
}
