//! [`EvalCase`] and what it is made of.

use json_text::JsonText;
use serde::Serialize;

use super::{Content, FunctionCall, FunctionResponse};
use crate::{CaseError, CaseText};

/// One recorded conversation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvalCase {
    /// Unique in its file.
    pub eval_id: String,
    /// The turns, in order.
    pub conversation: Vec<Invocation>,
    /// What the agent's session starts with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_input: Option<SessionInput>,
    /// Seconds since 1970; zero is ADK's "unset" and is not written.
    #[serde(skip_serializing_if = "is_unset")]
    pub creation_timestamp: f64,
}

/// One turn: what the user said and all that the agent did until it answered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Invocation {
    /// Unique to this recording; an empty one is ADK's "unset" and is not written.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub invocation_id: String,
    /// The user's message.
    pub user_content: Content,
    /// The agent's answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_response: Option<Content>,
    /// The tools called in between.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intermediate_data: Option<IntermediateData>,
    /// Seconds since 1970; zero is ADK's "unset" and is not written.
    #[serde(skip_serializing_if = "is_unset")]
    pub creation_timestamp: f64,
}

/// Calls and responses in chronological order, matched by `id`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct IntermediateData {
    /// The calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_uses: Vec<FunctionCall>,
    /// The responses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_responses: Vec<FunctionResponse>,
}

/// What the agent's session starts with.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionInput {
    /// The ADK app: for an agent folder, its name.
    pub app_name: String,
    /// The user.
    pub user_id: String,
    /// The initial state, a JSON object; an empty one is ADK's default and is not written.
    #[serde(skip_serializing_if = "is_empty_object")]
    pub state: JsonText,
}

impl Invocation {
    /// A turn of which only the user's message is known yet.
    #[must_use]
    pub fn new(invocation_id: impl Into<String>, user_content: Content) -> Self {
        Self {
            invocation_id: invocation_id.into(),
            user_content,
            final_response: None,
            intermediate_data: None,
            creation_timestamp: 0.0,
        }
    }
}

impl EvalCase {
    /// The ids by which this recording is known again: its invocations'.
    pub fn invocation_ids(&self) -> impl Iterator<Item = &str> {
        self.conversation
            .iter()
            .map(|invocation| invocation.invocation_id.as_str())
            .filter(|id| !id.is_empty())
    }

    /// The case's JSON text, checked to be one that ADK reads.
    ///
    /// # Errors
    /// [`CaseError`] naming the first value that ADK would refuse. One such value would make the
    /// whole file unreadable for ADK, so nothing is written before this passes.
    pub fn to_json(&self) -> Result<CaseText, CaseError> {
        super::check::check(self)?;
        // Strings, finite numbers and checked JSON always serialise.
        Ok(CaseText::new(serde_json::to_string(self).unwrap_or_default()))
    }
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference; the lint knows f64 as small on 64 bits only"
)]
fn is_unset(seconds: &f64) -> bool {
    *seconds == 0.0
}

fn is_empty_object(state: &JsonText) -> bool {
    state.compact().as_str() == "{}"
}
