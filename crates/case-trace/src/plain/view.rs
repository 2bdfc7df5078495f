//! Implements [`Conversation`](scoring::adk::Conversation) for plain cases; only texts with escapes are copied.

use std::borrow::Cow;

use scoring::ToolCall;
use scoring::adk::{CallView, Conversation};

use super::PlainCase;

impl Conversation for PlainCase {
    fn turns(&self) -> usize {
        self.turns.len()
    }

    fn response(&self, turn: usize) -> Cow<'_, str> {
        let response = self.turns.get(turn).map(|turn| turn.response);
        response.and_then(|response| self.text(response)).unwrap_or_default()
    }

    fn calls(&self, turn: usize) -> impl ExactSizeIterator<Item = CallView<'_>> {
        let calls = self.calls_of(turn).iter();
        calls.map(|call| CallView { name: self.text(call.name), args: self.raw(call.args) })
    }

    fn tool_calls(&self, turn: usize) -> Cow<'_, [ToolCall]> {
        Cow::Owned(self.calls_made(turn))
    }
}
