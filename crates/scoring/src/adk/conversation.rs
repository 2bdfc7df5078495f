//! [`Conversation`]: what ADK's metrics look at, whoever holds it.

use std::borrow::Cow;

use crate::trace::{ToolCall, Trace};

/// A conversation as ADK's metrics look at it. A [`Trace`] is one; a reader that knows where things
/// stand in a text can be another, and then nothing need be copied to be scored.
pub trait Conversation {
    /// How many turns it has.
    fn turns(&self) -> usize;

    /// The answer of a turn, from 0; empty where there is none, as in ADK.
    fn response(&self, turn: usize) -> Cow<'_, str>;

    /// The tool calls of a turn, in order.
    fn calls(&self, turn: usize) -> impl ExactSizeIterator<Item = CallView<'_>>;

    /// The same calls as values of their own, for whoever tells why they do not match.
    fn tool_calls(&self, turn: usize) -> Cow<'_, [ToolCall]>;
}

/// A tool call as ADK's metrics look at it.
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
