//! [`Trace`]: what an agent did, or should do, as the metrics look at it.
//!
//! The same type has the expected and the actual side. Readers of file formats fill it in and leave
//! out what no metric uses.

use std::borrow::Cow;

use json_text::{JsonText, Node};

use crate::parts::parts_for_people;

/// A conversation from beginning to end.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trace {
    /// The turns, in order.
    pub invocations: Vec<Invocation>,
    /// The session's state after the last turn; expected: a state or a query. `None` when unknown.
    pub final_state: Option<JsonText>,
}

impl Trace {
    /// Whether something is expected of the state after the last turn: `{}` expects nothing.
    #[must_use]
    pub fn expects_a_state(&self) -> bool {
        let state = self.final_state.as_ref().map(JsonText::open);
        state.is_some_and(|it| !matches!(it, Node::Object(members) if members.is_empty()))
    }
}

/// One turn: a user message and everything up to the final response.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Invocation {
    /// The turn's id; empty when it has none.
    pub id: String,
    /// The text of the user message.
    pub user_text: String,
    /// The parts of the user message, as ADK writes them; `None` for a single text.
    pub user_parts: Option<Vec<JsonText>>,
    /// The tool calls, in order.
    pub tool_calls: Vec<ToolCall>,
    /// Expected side: other trajectories that are as good.
    pub accepted: Vec<Vec<ToolCall>>,
    /// The responses before the final one, in order.
    pub intermediate_responses: Vec<Response>,
    /// The final response's text; `None` when there is none. See [`joined`] for ADK's parts.
    pub final_response: Option<String>,
    /// How long the turn took, where it was measured.
    pub timing: Timing,
    /// The calls of a model, in order; `None` when the source does not record them.
    pub model_calls: Option<Vec<ModelCall>>,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolCall {
    /// The tool; `None` in the rare file that names none.
    pub name: Option<String>,
    /// The arguments, an object; `None` when absent or null, which ADK distinguishes from `{}`.
    pub args: Option<JsonText>,
    /// The call's id, which no metric compares.
    pub id: Option<String>,
    /// The agent that called.
    pub author: Option<String>,
    /// The result, if recorded.
    pub result: Option<JsonText>,
}

/// A response before the final one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Response {
    /// The agent.
    pub author: Option<String>,
    /// The text.
    pub text: String,
}

/// Seconds of wall-clock time; `None` means not measured, never zero.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Timing {
    /// The whole turn.
    pub total: Option<f64>,
    /// With a model at work.
    pub model: Option<f64>,
    /// With a tool at work and no model.
    pub tool: Option<f64>,
}

/// One call of a model and the tokens that it reported; `None` means not reported, never zero.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelCall {
    /// The model that answered.
    pub model: Option<String>,
    /// Tokens of the request, results of server-side tools included.
    pub input: Option<u64>,
    /// Of those, tokens read from a cache.
    pub cached: Option<u64>,
    /// Tokens of the answer, reasoning included.
    pub output: Option<u64>,
    /// Of those, tokens of reasoning.
    pub reasoning: Option<u64>,
}

impl Invocation {
    /// The user message for people: its text, and a line about each other part.
    #[must_use]
    pub fn user_message(&self) -> Cow<'_, str> {
        match &self.user_parts {
            None => Cow::Borrowed(&self.user_text),
            Some(parts) => Cow::Owned(parts_for_people(parts)),
        }
    }
}

impl ToolCall {
    /// A call with a name and arguments.
    #[must_use]
    pub fn new(name: &str, args: JsonText) -> Self {
        Self { name: Some(name.to_owned()), args: Some(args), ..Self::default() }
    }
}

/// The text of an ADK `Content`: its non-empty part texts, thoughts included, joined by a newline,
/// as ADK's own metric reads it.
#[must_use]
pub fn joined<'p>(parts: impl IntoIterator<Item = &'p str>) -> String {
    let mut text = String::new();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(part);
    }
    text
}
