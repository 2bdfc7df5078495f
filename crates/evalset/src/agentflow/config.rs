//! [`EvalConfig`]: the criteria of a run.

use indexmap::IndexMap;

use super::form;
use crate::model::{Casing, model, read_value, text_of, words};
use crate::reading::CaseFault;
use crate::{CaseText, Number, OriginalForm};

/// AgentFlow's default judge.
const JUDGE: &str = "gpt-4o-mini";

model! {
    /// The configuration of a run.
    pub struct EvalConfig { form("an evaluation configuration") }
    /// The criteria by name, such as `trajectory_match`, in order.
    criteria: IndexMap<String, CriterionConfig> = not_null,
    /// The simulated user, for cases with only a plan.
    user_simulator_config: Option<UserSimulatorConfig> = optional,
}

model! {
    /// How one criterion is applied.
    pub struct CriterionConfig { form("a criterion's configuration") }
    /// Whether it is enabled.
    enabled: bool = or(true),
    /// The minimum score to pass, from 0 to 1.
    threshold: Number = or(number("0.8")),
    /// How tool calls are compared.
    match_type: MatchType = or(MatchType::Exact),
    /// The model that judges.
    judge_model: String = or(JUDGE.to_owned()),
    /// The criteria of a judge.
    rubrics: Vec<Rubric> = not_null,
}

model! {
    /// A criterion of a judge.
    pub struct Rubric { form("a rubric") }
    /// Its name.
    name: String = required,
    /// What is judged.
    description: String = required,
    /// The scoring instructions.
    scoring_guide: String = required,
    /// Its weight.
    weight: Number = or(number("1.0")),
}

model! {
    /// The simulated user, for cases with only a plan.
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
        /// The expected calls in their order; others may be between them.
        InOrder = "IN_ORDER",
        /// The expected calls in any order; others may be added.
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
        Self {
            criteria: criteria.into(),
            user_simulator_config: None,
            written: OriginalForm::default(),
        }
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
            written: OriginalForm::default(),
        }
    }
}

impl EvalConfig {
    /// Reads a configuration; `None` if a part of it is invalid. Also returns its faults.
    #[must_use]
    pub fn read(text: &[u8]) -> (Option<Self>, Vec<CaseFault>) {
        read_value(text)
    }

    /// The configuration's JSON text.
    #[must_use]
    pub fn to_json(&self) -> CaseText {
        let text = text_of(self, Casing::Original);
        CaseText::new(text)
    }
}
