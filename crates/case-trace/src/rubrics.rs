//! [`CaseRubrics`]: what a judge is to check in one case.

use evalset::adk::{EvalCase, Rubric};

/// The rubrics of a case and of its turns, which add to those of a criterion of google-adk.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CaseRubrics {
    /// For every turn.
    pub of_case: Vec<Rubric>,
    /// For one turn each, in their order; empty if no turn has any.
    pub of_turns: Vec<Vec<Rubric>>,
}

impl CaseRubrics {
    pub(crate) fn of_adk(case: &EvalCase) -> Self {
        let turns = case.turns();
        let of_turns = match turns.iter().any(|turn| turn.rubrics.is_some()) {
            true => turns.iter().map(|turn| turn.rubrics.clone().unwrap_or_default()).collect(),
            false => Vec::new(),
        };
        Self { of_case: case.rubrics.clone().unwrap_or_default(), of_turns }
    }
}
