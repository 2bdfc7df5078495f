//! [`Conversation`]: the data that ADK's metrics need, independent of its representation.

use std::borrow::Cow;

use crate::trace::{ToolCall, Trace};

/// A conversation as ADK's metrics need it. A [`Trace`] is one. An index of a file's text can be one,
/// too, so that nothing is copied to be scored.
pub trait Conversation {
    /// How many turns it has.
    fn turns(&self) -> usize;

    /// The answer of a turn, from 0; empty where there is none, as in ADK.
    fn response(&self, turn: usize) -> Cow<'_, str>;

    /// The tool calls of a turn, in order.
    fn calls(&self, turn: usize) -> impl ExactSizeIterator<Item = CallView<'_>>;

    /// The same calls as owned values, to explain why they do not match.
    fn tool_calls(&self, turn: usize) -> Cow<'_, [ToolCall]>;
}

/// A tool call as ADK's metrics need it.
#[derive(Debug, Clone, PartialEq)]
pub struct CallView<'c> {
    /// The tool.
    pub name: Option<Cow<'c, str>>,
    /// The arguments, an object's checked JSON text; none when absent or null.
    pub args: Option<&'c str>,
}

impl<'c> From<&'c ToolCall> for CallView<'c> {
    fn from(call: &'c ToolCall) -> Self {
        Self {
            name: call.name.as_deref().map(Cow::Borrowed),
            args: call.args.as_ref().map(json_text::JsonText::as_str),
        }
    }
}

impl Conversation for Trace {
    fn turns(&self) -> usize {
        self.invocations.len()
    }

    fn response(&self, turn: usize) -> Cow<'_, str> {
        let turn = self.invocations.get(turn);
        Cow::Borrowed(turn.and_then(|turn| turn.final_response.as_deref()).unwrap_or_default())
    }

    fn calls(&self, turn: usize) -> impl ExactSizeIterator<Item = CallView<'_>> {
        let calls = self.invocations.get(turn).map(|turn| turn.tool_calls.as_slice());
        calls.unwrap_or_default().iter().map(CallView::from)
    }

    fn tool_calls(&self, turn: usize) -> Cow<'_, [ToolCall]> {
        let calls = self.invocations.get(turn).map(|turn| turn.tool_calls.as_slice());
        Cow::Borrowed(calls.unwrap_or_default())
    }
}
