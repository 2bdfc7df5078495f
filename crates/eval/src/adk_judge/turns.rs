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
        let turns = happened.iter().enumerate().map(|(at, turn)| async move {
            let of_turn = self.by_turn.get(at).into_iter().flatten();
            let rubrics: Vec<Rubric> = self.rubrics.iter().chain(of_turn).cloned().collect();
            // A turn without rubrics does not count.
            if rubrics.is_empty() {
                return None;
            }
            let one = |turn| Trace { invocations: vec![turn], final_state: None };
            let wanted = expected.get(at).filter(|_| self.sees_expected).cloned();
            let (wanted, turn) = (wanted.map(one).unwrap_or_default(), one(turn.clone()));
            Some(judge.verdict(asking, rubrics, &wanted, &turn).await)
        });
        let mut rubrics = Vec::new();
        for outcome in join_all(turns).await.into_iter().flatten() {
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
