//! [`NativeAgent`]: the definition from which a rehearsal, and with a model an `LlmAgent`, is built.

use std::collections::BTreeSet;
use std::sync::Arc;

use adk_core::Tool;
use schemars::JsonSchema;
use serde_json::{Map, Value};

/// An agent written in Rust: its instruction and its tools.
///
/// An `LlmAgent` does not give access to its tools and instruction, so this definition is separate.
///
/// ```
/// use agents::native::NativeAgent;
/// let agent = NativeAgent::new("desk_agent")
///     .description("Answers at a travel desk.")
///     .instruction("You work for {owner?}. Be brief.")
///     .model("gemini-2.5-flash");
/// assert_eq!(agent.name(), "desk_agent");
/// ```
#[derive(Clone, Default)]
pub struct NativeAgent {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) instruction: String,
    pub(super) model: Option<String>,
    pub(super) tools: Vec<Arc<dyn Tool>>,
    pub(super) confirmed_tools: BTreeSet<String>,
    pub(super) input_schema: Option<Value>,
    pub(super) output_schema: Option<Value>,
    pub(super) initial_state: Map<String, Value>,
}

impl NativeAgent {
    /// An agent of this name with neither instruction nor tools.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The agent's name in code.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The agent's description.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// The system instruction. `{key}` is filled from the session state, `{key?}` may be missing.
    #[must_use]
    pub fn instruction(mut self, instruction: impl Into<String>) -> Self {
        self.instruction = instruction.into();
        self
    }

    /// The name of the agent's model.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Gives each session this entry of state at its start; what the configuration gives wins.
    #[must_use]
    pub fn initial_state(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.initial_state.insert(key.into(), value.into());
        self
    }

    /// Adds a tool.
    #[must_use]
    pub fn tool(mut self, tool: impl Tool + 'static) -> Self {
        self.tools.push(Arc::new(tool));
        self
    }

    /// Adds a tool that asks the person before it acts.
    #[must_use]
    pub fn confirmed_tool(mut self, tool: impl Tool + 'static) -> Self {
        self.confirmed_tools.insert(tool.name().to_owned());
        self.tool(tool)
    }

    /// The user's query is a value of `T`.
    #[must_use]
    pub fn input<T: JsonSchema>(mut self) -> Self {
        self.input_schema = Some(schemars::schema_for!(T).into());
        self
    }

    /// The final response is a value of `T`.
    #[must_use]
    pub fn output<T: JsonSchema>(mut self) -> Self {
        self.output_schema = Some(schemars::schema_for!(T).into());
        self
    }
}
