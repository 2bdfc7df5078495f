//! What a model would see of an agent in a session: its instruction, its tools and their schemas.
//!
//! The Python worker writes these types as JSON, `rehearsal agents` prints them.

use json_text::JsonText;
use serde::{Deserialize, Serialize};
use session::{CallId, ToolName};

/// What the model would see now, and what surrounds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionView {
    /// The application's name; exports carry it.
    pub app_name: String,
    /// The active agent: after a transfer, the sub-agent.
    pub agent: ActiveAgent,
    /// The system instruction with its placeholders filled in.
    pub instruction: String,
    /// The instruction with its placeholders, if the source knows it.
    #[serde(default)]
    pub instruction_template: Option<String>,
    /// Every tool that has a declaration, in the model's order.
    pub tools: Vec<ToolView>,
    /// Tools that run inside the model's service and cannot be called from here.
    #[serde(default)]
    pub model_side_tools: Vec<String>,
    /// JSON Schema of the user's query; text when absent.
    #[serde(default)]
    pub input_schema: Option<JsonText>,
    /// JSON Schema of the final response; text when absent.
    #[serde(default)]
    pub output_schema: Option<JsonText>,
    /// Agents that this one can hand over to or contains.
    #[serde(default)]
    pub sub_agents: Vec<SubAgent>,
    /// The workflow that google-adk's runner would run, if the root calls no model itself. The person acts as one
    /// agent of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<Workflow>,
    /// The session state, a JSON object.
    pub state: JsonText,
    /// What the person should know about this view.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// What google-adk's runner would do otherwise than the session until now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runner_differences: Vec<RunnerDifference>,
    /// What the MCP servers say about their use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub server_instructions: Vec<ServerInstructions>,
    /// The artifacts that were saved, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
}

/// Why google-adk's runner would not give a case what the session gave it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunnerDifference {
    /// A sentence that says what and how to avoid it.
    pub text: String,
    /// A case without this turn, counted from 0, does not have the difference.
    #[serde(default)]
    pub turn: Option<usize>,
    /// A case without this call does not have it either.
    #[serde(default)]
    pub call_id: Option<CallId>,
}

/// One version of an artifact. [`crate::AgentSource::artifact`] returns its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Its name.
    pub filename: String,
    /// Counts from 0.
    pub version: u64,
    /// Such as `image/png`.
    pub mime_type: Option<String>,
    /// How many bytes it has.
    pub bytes: u64,
}

/// The `instructions` of one MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerInstructions {
    /// The server.
    pub server: String,
    /// The text.
    pub text: String,
    /// Whether the agent's instruction contains it.
    pub is_included: bool,
}

/// The active agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveAgent {
    /// Its name in code.
    pub name: String,
    /// Its description.
    #[serde(default)]
    pub description: String,
    /// Its class, such as `LlmAgent`.
    #[serde(default)]
    pub kind: String,
    /// The model's name.
    #[serde(default)]
    pub model: Option<String>,
}

/// A root that runs other agents and calls no model itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workflow {
    /// Its name in code.
    pub name: String,
    /// Its class, such as `SequentialAgent`.
    pub kind: String,
    /// The folder from which the active agent can be loaded on its own, such as `newsroom/writer`, if there is one.
    #[serde(default)]
    pub folder: Option<String>,
}

/// One agent below another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubAgent {
    /// Its name.
    pub name: String,
    /// Its description.
    #[serde(default)]
    pub description: String,
}

/// One tool as the model would see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolView {
    /// Its name.
    pub name: ToolName,
    /// Its name for people, where it has one.
    #[serde(default)]
    pub title: Option<String>,
    /// Its description, may be empty.
    #[serde(default)]
    pub description: String,
    /// The whole function declaration.
    pub declaration: JsonText,
    /// The parameters' schema; absent when the tool takes none.
    #[serde(default)]
    pub parameters: Option<JsonText>,
    /// The schema of what it returns.
    #[serde(default)]
    pub response_schema: Option<JsonText>,
    /// Whether its result comes from outside, later.
    #[serde(default)]
    pub long_running: bool,
    /// Whether it asks the person before it acts.
    #[serde(default)]
    pub needs_confirmation: bool,
    /// The model that a call may run, if the tool is an agent (ADK's `AgentTool`).
    #[serde(default)]
    pub agent_model: Option<String>,
    /// Whether the person can play the agent that the tool is.
    #[serde(default)]
    pub can_be_played: bool,
    /// `agent`, `adk`, or the toolset or MCP server it came from.
    #[serde(default)]
    pub provided_by: String,
    /// Hints about its behavior.
    #[serde(default)]
    pub hints: ToolHints,
    /// Whether integers reach it through 64 bits, which larger ones do not fit.
    #[serde(default)]
    pub integers_of_64_bits: bool,
}

/// Hints about a tool's behavior (MCP's tool annotations); `None` if the tool gives none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolHints {
    /// It changes nothing.
    #[serde(default)]
    pub read_only: Option<bool>,
    /// It may destroy something.
    #[serde(default)]
    pub destructive: Option<bool>,
    /// Calling it again with the same arguments changes nothing more.
    #[serde(default)]
    pub idempotent: Option<bool>,
    /// It reaches beyond what is known here, such as the web.
    #[serde(default)]
    pub open_world: Option<bool>,
}
