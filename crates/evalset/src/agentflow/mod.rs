//! AgentFlow's evaluation models: eval sets (`*.evalset.json`) and the configuration of a run.
//!
//! The fields are those of AgentFlow's documentation and those of the package `10xscale-agentflow`
//! 0.10, which differ; both are read. AgentFlow leaves out unknown fields; here they are kept.

mod call;
mod config;
mod message;
mod set;
mod step;

pub use call::ToolCall;
pub use config::{CriterionConfig, EvalConfig, MatchType, Rubric, UserSimulatorConfig};
pub(crate) use message::part_of;
pub use message::{MessageBody, MessageContent, Role};
pub use set::{EvalCase, EvalSet, Invocation, SessionInput};
pub use step::{StepType, TrajectoryStep};

use crate::model::{Form, Keys, Others};

/// The author of AgentFlow's intermediate responses in a converted case, because ADK requires one.
pub const AUTHOR: &str = "agent";

/// AgentFlow's models read keys only as declared, and drop unknown ones.
const fn form(what: &'static str) -> Form {
    Form {
        what,
        keys: Keys::Exact,
        others: Others::Ignored,
        opaque: &[],
        is_case: false,
        lost: &[],
    }
}
