//! The response: a message, or the events of one.
//!
//! The format requires `usage`. Its counts are zero, because tokens are not counted.

use json_text::JsonText;
use live::Part;

use super::request::THREAD;
use crate::api_fault::{ApiFault, FaultKind};
use crate::calls::arguments;
use crate::event::Event;
use crate::output::{Json as _, Object};
use crate::response::{ModelResponse, PartIndex, ResponseHead, TOOL_USE, as_text};

/// The message.
#[must_use]
pub fn whole(answer: &ModelResponse<'_>) -> JsonText {
    let content: Vec<Object> = blocks(answer).into_iter().map(Block::whole).collect();
    message(answer.head, content, Some(stop_reason(answer)))
}

/// The start of a stream, before the person responds.
#[must_use]
pub fn opening(head: &ResponseHead) -> Vec<Event> {
    let message = message(head, Vec::new(), None);
    vec![event("message_start", Object::new().with("message", message))]
}

/// Sent periodically until the person responds.
#[must_use]
pub fn ping() -> Event {
    event("ping", Object::new())
}

/// The rest of a stream, with the response.
#[must_use]
pub fn rest(answer: &ModelResponse<'_>) -> Vec<Event> {
    let mut events = Vec::new();
    for (index, block) in blocks(answer).into_iter().enumerate() {
        let at = || Object::new().with("index", index);
        events.push(event("content_block_start", at().with("content_block", block.empty())));
        for delta in block.deltas() {
            events.push(event("content_block_delta", at().with("delta", delta)));
        }
        events.push(event("content_block_stop", at()));
    }
    let delta = Object::new().with("stop_reason", stop_reason(answer)).with("stop_sequence", ());
    let usage = Object::new().with("output_tokens", 0_usize);
    events.push(event("message_delta", Object::new().with("delta", delta).with("usage", usage)));
    events.push(event("message_stop", Object::new()));
    events
}

/// A fault in Anthropic's format.
#[must_use]
pub fn fault(fault: &ApiFault) -> JsonText {
    let kind = match fault.kind {
        FaultKind::Invalid
        | FaultKind::WrongMethod
        | FaultKind::Conflict
        | FaultKind::Cancelled => "invalid_request_error",
        FaultKind::Unauthenticated => "authentication_error",
        FaultKind::NotFound | FaultKind::NotImplemented => "not_found_error",
        FaultKind::TooLarge => "request_too_large",
        FaultKind::TooMany => "rate_limit_error",
        FaultKind::Internal => "api_error",
        FaultKind::Unavailable => "overloaded_error",
    };
    let mut error = Object::new().with("type", kind).with("message", fault.message.as_str());
    if fault.field.as_deref() == Some(THREAD) {
        let details = Object::new().with("error_code", "thread_unsupported_request");
        error = error.with("details", details.with("unsupported", Vec::<String>::new()));
    }
    Object::new().with("type", "error").with("error", error).json()
}

/// The signature of a thought, because some clients drop thoughts without one. It is not checked.
const SIGNATURE: &str = "cmVoZWFyc2Fs";

enum Block {
    Text(String),
    Thinking(String),
    ToolUse { id: String, name: String, input: JsonText },
}

impl Block {
    fn whole(self) -> Object {
        match self {
            Self::Text(text) => kind("text").with("text", text),
            Self::Thinking(text) => {
                kind("thinking").with("thinking", text).with("signature", SIGNATURE)
            }
            Self::ToolUse { id, name, input } => {
                kind("tool_use").with("id", id).with("name", name).with("input", input)
            }
        }
    }

    /// The block at the start of its stream.
    fn empty(&self) -> Object {
        match self {
            Self::Text(_) => kind("text").with("text", ""),
            Self::Thinking(_) => kind("thinking").with("thinking", "").with("signature", ""),
            Self::ToolUse { id, name, .. } => kind("tool_use")
                .with("id", id.as_str())
                .with("name", name.as_str())
                .with("input", Object::new()),
        }
    }

    fn deltas(self) -> Vec<Object> {
        match self {
            Self::Text(text) => vec![kind("text_delta").with("text", text)],
            Self::Thinking(text) => vec![
                kind("thinking_delta").with("thinking", text),
                kind("signature_delta").with("signature", SIGNATURE),
            ],
            Self::ToolUse { input, .. } => {
                vec![kind("input_json_delta").with("partial_json", input.as_str())]
            }
        }
    }
}

fn blocks(answer: &ModelResponse<'_>) -> Vec<Block> {
    let block = |(part, content): (usize, &Part)| match content {
        Part::Thought(text) => Some(Block::Thinking(text.clone())),
        Part::FunctionCall(call) => Some(Block::ToolUse {
            id: answer.head.call_id(call, TOOL_USE, &PartIndex { candidate: 0, part }),
            name: call.name.clone(),
            input: arguments(call),
        }),
        content => as_text(content).map(Block::Text),
    };
    answer.parts().iter().enumerate().filter_map(block).collect()
}

fn stop_reason(answer: &ModelResponse<'_>) -> &'static str {
    let calls = answer.parts().iter().any(|part| matches!(part, Part::FunctionCall(_)));
    if calls { "tool_use" } else { "end_turn" }
}

fn message(head: &ResponseHead, content: Vec<Object>, stop_reason: Option<&str>) -> JsonText {
    let usage = Object::new().with("input_tokens", 0_usize).with("output_tokens", 0_usize);
    Object::new()
        .with("id", format!("msg_{}", head.turn))
        .with("type", "message")
        .with("role", "assistant")
        .with("model", head.model.as_str())
        .with("content", content)
        .with("stop_reason", stop_reason)
        .with("stop_sequence", ())
        .with("usage", usage)
        .json()
}

fn event(name: &'static str, members: Object) -> Event {
    Event::named(name, &kind(name).with_all(members).json())
}

fn kind(kind: &str) -> Object {
    Object::new().with("type", kind)
}
