//! The host's part of a session: what the model would see, and checks against its schemas.

use json_text::JsonText;
use serde::{Deserialize, Serialize};
use session::{AgentId, CallId, HistoryEntry, SessionId, ToolName};

/// What the model would see now, and what surrounds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionView {
    /// The application's name; exports carry it.
    pub app_name: String,
    /// The active agent: after a transfer, the sub-agent.
    pub agent: ActiveAgent,
    /// The system instruction with its placeholders filled in.
    pub instruction: String,
    /// The instruction with its placeholders, if the source provides it.
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
    /// Agents that this one can transfer to or contains.
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
    /// What google-adk's runner would do otherwise than the session until now. The page gets it with an
    /// export only, and has no code to read it here.
    #[cfg_attr(target_arch = "wasm32", serde(skip))]
    #[cfg_attr(not(target_arch = "wasm32"), serde(default, skip_serializing_if = "Vec::is_empty"))]
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

/// A session as the page has it, for a host that does not have it any more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RestoreRequest {
    /// The session.
    pub session: SessionId,
    /// The rehearsed agent.
    pub agent: AgentId,
    /// What the host did in the session: entries in order, without a pending call.
    pub history: Vec<HistoryEntry>,
    /// The state that the session started with, a JSON object.
    pub initial_state: JsonText,
    /// The state after the history, a JSON object.
    pub state: JsonText,
    /// The name of the active agent after the history.
    pub active_agent: String,
}

/// A session that the page asked the host to restore.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RestoredSession {
    /// What the model would see now.
    pub view: SessionView,
    /// What the host restored, now or since it started.
    pub restored: Restored,
    /// Whether the host had the session when the page asked.
    pub was_open: bool,
    /// The calls whose end the host has reported last or will report.
    pub calls: Vec<CallId>,
}

/// What a host restored of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Restored {
    /// The host has the session that the page knows: nothing was lost.
    Open,
    /// State, conversation and active agent. Artifacts and what tools keep in memory are lost.
    State,
    /// Nothing: the session was opened again in its initial state, with the user's last message.
    Nothing,
}

/// One version of an artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Its name.
    pub filename: String,
    /// Counts from 0.
    pub version: u64,
    /// Such as `image/png`.
    #[serde(default)]
    pub mime_type: Option<String>,
    /// How many bytes it has.
    pub bytes: u64,
}

impl Artifact {
    /// Whether it is text.
    #[must_use]
    pub fn is_text(&self) -> bool {
        self.mime_type.as_deref().is_some_and(is_text)
    }
}

/// Whether a MIME type is that of text.
///
/// ```
/// assert!(api::is_text("text/csv; charset=utf-8") && api::is_text("image-list+json"));
/// assert!(!api::is_text("image/svg+xml") && !api::is_text(""));
/// ```
#[must_use]
pub fn is_text(mime_type: &str) -> bool {
    let essence = mime_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence.starts_with("text/")
        || essence.ends_with("+json")
        || essence.ends_with("+xml") && !essence.starts_with("image/")
        || matches!(
            essence.as_str(),
            "application/json" | "application/xml" | "application/yaml" | "application/javascript"
        )
}

/// The URL of an artifact, by its index in the view of the session.
#[must_use]
pub fn artifact_url(session: &SessionId, index: usize) -> String {
    format!("/api/artifacts/{session}/{index}")
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

impl Workflow {
    /// Why a session in which the person acted as the agent `acted` is not a case of the workflow, and what can be
    /// exported instead.
    #[must_use]
    pub fn why_not_a_case(&self, acted: &str) -> String {
        let Self { name, kind, folder } = self;
        if acted == name {
            return format!(
                "This session is not a case of the {kind} {name}: it has no LLM agent that you could act as, and \
                 google-adk runs its nodes. Serve an agent with an LLM agent, and rehearse that."
            );
        }
        let remedy = match folder {
            Some(folder) => {
                format!(
                    "To export a case of {acted}, serve its folder {folder} and rehearse it there."
                )
            }
            None => format!(
                "{acted} has no folder of its own that can be served, so it has no cases of its own either."
            ),
        };
        format!(
            "This session is not a case of the {kind} {name}: you acted only as {acted}, and google-adk also runs the \
             other agents. {remedy}"
        )
    }
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
    /// Its display name, if it has one.
    #[serde(default)]
    pub title: Option<String>,
    /// Its description; may be empty.
    #[serde(default)]
    pub description: String,
    /// The whole function declaration.
    pub declaration: JsonText,
    /// The parameters' schema; absent when the tool takes none. An argument without a description has the
    /// one in the tool's description, if any.
    #[serde(default)]
    pub parameters: Option<JsonText>,
    /// The schema of what it returns.
    #[serde(default)]
    pub response_schema: Option<JsonText>,
    /// Whether its result is supplied later.
    #[serde(default)]
    pub long_running: bool,
    /// Whether it asks the person before it acts.
    #[serde(default)]
    pub needs_confirmation: bool,
    /// The model that a call may run, if the tool is an agent (ADK's `AgentTool`).
    #[serde(default)]
    pub agent_model: Option<String>,
    /// Whether the person can act as the agent that the tool is.
    #[serde(default)]
    pub can_be_played: bool,
    /// `agent`, `adk`, or the toolset or MCP server it came from.
    #[serde(default)]
    pub provided_by: String,
    /// Its hints about its behavior.
    #[serde(default)]
    pub hints: ToolHints,
    /// Whether its integers have at most 64 bits.
    #[serde(default)]
    pub integers_of_64_bits: bool,
}

/// A tool's hints about its behavior (MCP's tool annotations). `None`: no hint.
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
    /// It interacts with external systems, such as the web.
    #[serde(default)]
    pub open_world: Option<bool>,
}

/// A violation of a schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldMessage {
    /// JSON Pointer (RFC 6901) to the violating value; empty for the whole.
    pub pointer: String,
    /// The message for the person.
    pub text: String,
}

/// Which schema a value is checked against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ValueTarget {
    /// The user's query.
    Input,
    /// The final response.
    Output,
    /// A tool's arguments.
    Arguments(ToolName),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_workflow_is_rejected_with_what_can_be_exported() {
        let text = |folder: Option<&str>| {
            let (name, kind) = ("newsroom".to_owned(), "SequentialAgent".to_owned());
            let workflow = Workflow { name, kind, folder: folder.map(str::to_owned) };
            workflow.why_not_a_case("writer")
        };
        let alone = text(Some("newsroom/writer"));
        let reason =
            "This session is not a case of the SequentialAgent newsroom: you acted only as writer,";
        assert!(alone.starts_with(reason), "{alone}");
        assert!(alone.ends_with("serve its folder newsroom/writer and rehearse it there."));
        assert!(text(None).contains("writer has no folder of its own that can be served"));
    }
}
