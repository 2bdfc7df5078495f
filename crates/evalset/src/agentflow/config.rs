//! [`EvalConfig`]: what a run looks at, and how strictly.

use indexmap::IndexMap;

use super::form;
use crate::model::{Casing, model, text_of, words};
use crate::reading::{Fault, read_value};
use crate::{CaseText, Number, Written};

/// The judge that AgentFlow asks unless another is named.
const JUDGE: &str = "gpt-4o-mini";

model! {
    /// What a run looks at.
    pub struct EvalConfig { form("an evaluation configuration") }
    /// The criteria by name, such as `trajectory_match`, in order.
    criteria: IndexMap<String, CriterionConfig> = not_null,
    /// Who plays the user where a case is only a plan.
    user_simulator_config: Option<UserSimulatorConfig> = optional,
}

model! {
    /// How one criterion is applied.
    pub struct CriterionConfig { form("a criterion's configuration") }
    /// Whether it counts.
    enabled: bool = or(true),
    /// The score from which on a case passes, from 0 to 1.
    threshold: Number = or(number("0.8")),
    /// How tool calls are compared.
    match_type: MatchType = or(MatchType::Exact),
    /// The model that judges.
    judge_model: String = or(JUDGE.to_owned()),
    /// What a judge looks at.
    rubrics: Vec<Rubric> = not_null,
}

model! {
    /// Something a judge looks at.
    pub struct Rubric { form("a rubric") }
    /// Its name.
    name: String = required,
    /// What is judged.
    description: String = required,
    /// How points are given, in plain words.
    scoring_guide: String = required,
    /// Its share in the whole score.
    weight: Number = or(number("1.0")),
}

model! {
    /// Who plays the user where a case is only a plan.
    pub struct UserSimulatorConfig { form("a user simulator's configuration") }
    /// The model.
    model: Option<String> = optional,
    /// The most turns it takes.
    max_invocations: Option<Number> = optional,
    /// The model's temperature.
    temperature: Option<Number> = optional,
}

words! {
    /// How expected and actual tool calls are compared.
    pub enum MatchType {
        /// The same calls in the same order, and no others.
        Exact = "EXACT",
        /// The expected calls in their order; others may stand between them.
        InOrder = "IN_ORDER",
        /// The expected calls in any order; others may stand beside them.
        AnyOrder = "ANY_ORDER",
    }
}

/// The digits of a default.
fn number(digits: &str) -> Number {
    Number::parse(digits).unwrap_or_else(|| Number::from(0))
}

impl Default for EvalConfig {
    /// AgentFlow's standard criteria: `trajectory_match` from 0.8, `response_match` from 0.7,
    /// `llm_judge` from 0.7 by `gpt-4o-mini`.
    fn default() -> Self {
        let criteria =
            [("trajectory_match", "0.8"), ("response_match", "0.7"), ("llm_judge", "0.7")];
        let criteria = criteria.map(|(name, threshold)| {
            let threshold = number(threshold);
            (name.to_owned(), CriterionConfig { threshold, ..CriterionConfig::default() })
        });
        Self { criteria: criteria.into(), user_simulator_config: None, written: Written::default() }
    }
}

impl Default for CriterionConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            threshold: number("0.8"),
            match_type: MatchType::Exact,
            judge_model: JUDGE.to_owned(),
            rubrics: Vec::new(),
            written: Written::default(),
        }
    }
}

impl EvalConfig {
    /// Reads a configuration; none when something in it cannot be read. The faults say what and
    /// where.
    #[must_use]
    pub fn read(text: &[u8]) -> (Option<Self>, Vec<Fault>) {
        read_value(text)
    }

    /// The configuration's JSON text.
    #[must_use]
    pub fn to_json(&self) -> CaseText {
        let text = text_of(self, Casing::Original);
        CaseText::new(text)
    }
}
