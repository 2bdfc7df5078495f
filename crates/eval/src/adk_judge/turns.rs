//! [`TurnJudge`]: rubrics that are judged in each turn.

use futures::future::join_all;
use scoring::judge::Rubric;
use scoring::{Evidence, Outcome, Trace};

use super::{AdkJudge, Asking, mean, unscored};

/// Rubrics that are judged in each turn. The score is the mean over all rubrics of all turns.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TurnJudge {
    /// What is judged in every turn.
    pub(super) rubrics: Vec<Rubric>,
    /// What is judged in single turns besides, by their order.
    pub(super) by_turn: Vec<Vec<Rubric>>,
    /// Whether the judge sees the expected turn.
    pub(super) sees_expected: bool,
}

impl TurnJudge {
    /// What is judged in the turn number `at`, from 0.
    pub(super) fn rubrics_at(&self, at: usize) -> Vec<Rubric> {
        let of_turn = self.by_turn.get(at).into_iter().flatten();
        self.rubrics.iter().chain(of_turn).cloned().collect()
    }

    pub(super) async fn outcome(
        &self,
        judge: &AdkJudge,
        asking: &Asking<'_>,
        expected: &Trace,
        actual: &Trace,
    ) -> Outcome {
        let (happened, expected) = (&actual.invocations, &expected.invocations);
        if self.sees_expected && happened.len() != expected.len() {
            return unscored(format!(
                "the run has {} turns, and {} are expected",
                happened.len(),
                expected.len()
            ));
        }
        // As google-adk does, which evaluates no turn then.
        if let Some(at) = (0..happened.len()).find(|at| self.rubrics_at(*at).is_empty()) {
            return unscored(format!(
                "turn {} has no rubric for this metric; add one to the turn, the case or the \
                 criterion",
                at + 1
            ));
        }
        let turns = happened.iter().enumerate().map(|(at, turn)| async move {
            let one = |turn| Trace { invocations: vec![turn], final_state: None };
            let wanted = expected.get(at).filter(|_| self.sees_expected).cloned();
            let (wanted, turn) = (wanted.map(one).unwrap_or_default(), one(turn.clone()));
            judge.verdict(asking, self.rubrics_at(at), &wanted, &turn).await
        });
        let mut rubrics = Vec::new();
        for outcome in join_all(turns).await {
            match outcome {
                Outcome::Scored { evidence: Evidence::Judged { rubrics: of_turn, .. }, .. } => {
                    rubrics.extend(of_turn);
                }
                outcome => return outcome,
            }
        }
        let scores: Vec<f64> = rubrics.iter().map(|rubric| rubric.score).collect();
        match mean(&scores) {
            Some(score) => {
                Outcome::scored(score, Evidence::Judged { model: judge.model.clone(), rubrics })
            }
            None => unscored("the run has no turn, or no rubric to judge it by"),
        }
    }
}
