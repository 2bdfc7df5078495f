//! AgentFlow's evaluation models: eval sets (`*.evalset.json`) and the configuration of a run.
//!
//! Fields stand in the order in which AgentFlow's documentation declares them. AgentFlow leaves out
//! fields that it does not know; here they are kept.

mod call;
mod config;
mod message;
mod set;
mod step;

pub use call::ToolCall;
pub use config::{CriterionConfig, EvalConfig, MatchType, Rubric, UserSimulatorConfig};
pub use message::{MessageBody, MessageContent, Role};
pub use set::{EvalCase, EvalSet, Invocation, SessionInput};
pub use step::{StepType, TrajectoryStep};

use crate::model::{Form, Keys, Others};

/// AgentFlow's models take keys as they are declared and leave out what they do not know.
const fn form(what: &'static str) -> Form {
    Form { what, keys: Keys::Exact, others: Others::Ignored, opaque: &[], is_case: false }
}
