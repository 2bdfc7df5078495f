//! Export: a completed session becomes a case in the agent's eval set.

use json_text::JsonText;
use serde::{Deserialize, Serialize};
use session::{AgentId, CallId, HistoryEntry, SessionId, ToolName, Unmet};

use crate::SetId;

/// A completed session to export. The host chooses the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExportRequest {
    /// The session.
    pub session: SessionId,
    /// The agent.
    pub agent: AgentId,
    /// The whole history, with stored results by reference.
    pub history: Vec<HistoryEntry>,
    /// The initial state that the person entered, a JSON object; as configured without one.
    #[serde(default)]
    pub state: Option<JsonText>,
    /// What the person chose.
    #[serde(default)]
    pub choices: ExportChoices,
}

/// The person's choices for an export.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportChoices {
    /// The eval set to export to; that of the agent without a choice.
    #[serde(default)]
    pub set: Option<SetId>,
    /// The case's id; made of the agent's name and the session's start without one.
    #[serde(default)]
    pub eval_id: Option<String>,
    /// Whether results are written as google-adk records them; as configured without a choice.
    #[serde(default)]
    pub adk_tool_responses: Option<bool>,
    /// Tags of the case.
    #[serde(default)]
    pub tags: Vec<String>,
    /// A note on the case, for people.
    #[serde(default)]
    pub note: String,
    /// Calls to leave out.
    #[serde(default)]
    pub left_out: Vec<CallId>,
    /// Turns to leave out, by their numbers from 0.
    #[serde(default)]
    pub left_out_turns: Vec<usize>,
    /// Turns to leave the final response out of, by their numbers from 0.
    #[serde(default)]
    pub left_out_responses: Vec<usize>,
    /// The calls to leave out, by why a model could not repeat them.
    #[serde(default)]
    pub leave_out: Vec<Unmet>,
}

/// The case as an export would write it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportPreview {
    /// The case's id as it would be written now.
    pub eval_id: String,
    /// The wanted id, if the file has another case with it and `eval_id` therefore has a number.
    pub taken_id: Option<String>,
    /// A similar id that `adk eval FILE:ID` can select, if it cannot select `eval_id`.
    pub selectable_id: Option<String>,
    /// Whether results are written as google-adk records them.
    pub adk_tool_responses: bool,
    /// The calls that a model could not repeat, whether left out or not.
    pub unmet: Vec<UnmetCalls>,
    /// What google-adk's runner would do otherwise than the case has it, a sentence each.
    #[serde(default)]
    pub runner_differences: Vec<String>,
    /// The beginning of the case's text.
    pub case: String,
    /// Whether `case` is the whole case.
    pub is_whole: bool,
}

/// An eval set with one case, to download.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseDownload {
    /// A name for the file.
    pub name: String,
    /// The text of the file.
    pub text: String,
}

/// Calls that a model could not repeat for the same reason.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct UnmetCalls {
    /// The reason.
    pub reason: Unmet,
    /// The tool of each call, in order.
    pub tools: Vec<String>,
}

/// A call whose large result the host no longer has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostResult {
    /// The call.
    pub call_id: CallId,
    /// Its tool.
    pub tool: ToolName,
}

/// What was written, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportReceipt {
    /// Absolute path of the eval-set file.
    pub path: String,
    /// The case's id in it.
    pub eval_id: String,
    /// How many cases the file has now.
    pub cases: u64,
    /// The beginning of the case's text in the file.
    pub preview: String,
    /// Whether `preview` is the whole case.
    pub preview_is_whole: bool,
    /// Whether this session was exported before, so that nothing was added.
    pub already_there: bool,
    /// Whether this export created the file.
    pub created: bool,
    /// What google-adk's runner would do otherwise than the case has it, a sentence each.
    #[serde(default)]
    pub runner_differences: Vec<String>,
}
