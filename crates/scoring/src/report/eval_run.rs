//! [`EvalRun`]: what running a case gave besides the results of its criteria.

use json_text::JsonText;
use serde::{Deserialize, Serialize};

use super::case::CaseVerdict;
use super::exact_number::number_or_null;

/// The run of an agent through a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvalRun {
    /// The verdict.
    pub status: RunStatus,
    /// The condition that ended the run before the agent completed, such as `max_turns`.
    pub termination_reason: Option<String>,
    /// How often the agent waited for the user and was resumed.
    pub turns: u32,
    /// Of an error, who was at fault, such as `user_agent`.
    pub at_fault: Option<String>,
    /// Of an error, what went wrong, such as `unmocked_tool`; `None` in reports that were written without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What its models cost, in the currency of the configured prices; `None` without prices.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "number_or_null")]
    pub cost: Option<f64>,
    /// What of the case had no effect, such as a mock that was never used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The ledger: a list of everything that happened.
    pub events: JsonText,
}

/// The verdict on a run. Of several that apply, the first in this order holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// The case could not be run to its end.
    Error,
    /// The run was ended by a limit.
    Terminated,
    /// A metric failed.
    Failed,
    /// A metric has no result, and none failed.
    Unscored,
    /// Every metric passed.
    Passed,
}

impl RunStatus {
    /// The verdict as people read it.
    #[must_use]
    pub fn label(self) -> &'static str {
        self.verdict().word()
    }

    /// The verdict on the case.
    #[must_use]
    pub fn verdict(self) -> CaseVerdict {
        match self {
            Self::Error => CaseVerdict::Error,
            Self::Terminated => CaseVerdict::Terminated,
            Self::Failed => CaseVerdict::Failed,
            Self::Unscored => CaseVerdict::Unscored,
            Self::Passed => CaseVerdict::Passed,
        }
    }
}

impl EvalRun {
    /// Of a run that a limit ended, which one and when: `ended by max_turns after 10 turns`.
    #[must_use]
    pub fn limit(&self) -> Option<String> {
        let reason =
            self.termination_reason.as_ref().filter(|_| self.status == RunStatus::Terminated)?;
        let noun = if self.turns == 1 { "turn" } else { "turns" };
        Some(format!("ended by {reason} after {} {noun}", self.turns))
    }
}
