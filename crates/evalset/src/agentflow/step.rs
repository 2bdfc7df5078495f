//! [`TrajectoryStep`]: one thing that happened while an agent ran.

use json_text::JsonText;

use super::form;
use crate::model::{model, words};
use crate::{Number, OriginalForm};

model! {
    /// One thing that happened while an agent ran.
    pub struct TrajectoryStep { form("a trajectory step") }
    /// What sort of thing.
    step_type: StepType = required,
    /// The node, the tool, the edge.
    name: String = required,
    /// A tool's arguments: a JSON object.
    args: Option<JsonText> = object,
    /// When, in seconds since 1970.
    timestamp: Option<Number> = optional,
    /// Other data: a JSON object.
    metadata: Option<JsonText> = object,
}

words! {
    /// What sort of step.
    pub enum StepType {
        /// A node of the graph ran.
        Node = "NODE",
        /// A tool was called.
        Tool = "TOOL",
        /// A message was made.
        Message = "MESSAGE",
        /// A conditional edge was evaluated.
        Conditional = "CONDITIONAL",
    }
}

impl TrajectoryStep {
    /// A node of the graph ran.
    #[must_use]
    pub fn node(name: impl Into<String>, timestamp: Option<Number>) -> Self {
        Self::new(StepType::Node, name.into(), None, timestamp)
    }

    /// A tool was called with `args`, a JSON object.
    #[must_use]
    pub fn tool(name: impl Into<String>, args: JsonText, timestamp: Option<Number>) -> Self {
        Self::new(StepType::Tool, name.into(), Some(args), timestamp)
    }

    fn new(
        step_type: StepType,
        name: String,
        args: Option<JsonText>,
        timestamp: Option<Number>,
    ) -> Self {
        Self { step_type, name, args, timestamp, metadata: None, written: OriginalForm::default() }
    }
}
