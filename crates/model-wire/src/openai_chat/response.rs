//! The response: a completion, or chunks of one.
//!
//! The counts of `usage` are zero: nobody counted tokens, a guess would be taken for a count, and some
//! clients end where there are none. Streams, of which clients expect none unasked, leave it out.

use json_text::JsonText;
use live::{Content, Part};

use crate::answer::{Answer, CALL, Head, PartIndex, arguments, as_text};
use crate::custom;
use crate::event::Event;
use crate::fault::{Fault, FaultKind};
use crate::output::{Json as _, Object};

/// The completion; one choice for each candidate.
#[must_use]
pub fn whole(answer: &Answer<'_>) -> JsonText {
    let choice = |(index, content): (usize, &Content)| {
        let said = Said::of(answer.head, index, content);
        let calls: Vec<Object> = said.calls.into_iter().map(|(_, call)| call).collect();
        let message = Object::new()
            .with("role", "assistant")
            .with("content", said.text)
            .with("refusal", ())
            .with_some("reasoning_content", said.thought)
            .with_some("tool_calls", (!calls.is_empty()).then_some(calls));
        Object::new()
            .with("index", index)
            .with("message", message)
            .with("logprobs", ())
            .with("finish_reason", said.finish)
    };
    let choices: Vec<Object> = answer.candidates.iter().enumerate().map(choice).collect();
    let usage = Object::new()
        .with("prompt_tokens", 0_usize)
        .with("completion_tokens", 0_usize)
        .with("total_tokens", 0_usize);
    frame(answer.head, "chat.completion", choices).with("usage", usage).json()
}

/// What a stream begins with, before anybody has answered.
#[must_use]
pub fn opening(head: &Head) -> Vec<Event> {
    let delta = Object::new().with("role", "assistant").with("content", "");
    vec![chunk(head, 0, delta, None)]
}

/// What a stream goes on with once there is an answer.
#[must_use]
pub fn rest(answer: &Answer<'_>) -> Vec<Event> {
    let mut events = Vec::new();
    for (index, content) in answer.candidates.iter().enumerate() {
        let mut tell = |delta, finish| events.push(chunk(answer.head, index, delta, finish));
        let said = Said::of(answer.head, index, content);
        if index > 0 {
            tell(Object::new().with("role", "assistant").with("content", ""), None);
        }
        if let Some(thought) = said.thought {
            tell(Object::new().with("reasoning_content", thought), None);
        }
        if let Some(text) = said.text {
            tell(Object::new().with("content", text), None);
        }
        for (place, call) in said.calls {
            let call = Object::new().with("index", place).with_all(call);
            tell(Object::new().with("tool_calls", vec![call]), None);
        }
        tell(Object::new(), Some(said.finish));
    }
    events.push(Event::done());
    events
}

/// A fault in OpenAI's shape.
#[must_use]
pub fn fault(fault: &Fault) -> JsonText {
    Object::new().with("error", error(fault)).json()
}

pub(crate) fn error(fault: &Fault) -> Object {
    let kind = match fault.kind {
        FaultKind::Unauthenticated => "authentication_error",
        FaultKind::TooMany => "rate_limit_error",
        FaultKind::Internal | FaultKind::Unavailable => "server_error",
        _ => "invalid_request_error",
    };
    Object::new()
        .with("message", fault.message.as_str())
        .with("type", kind)
        .with("param", fault.field.as_deref())
        .with("code", code(fault))
}

pub(crate) fn code(fault: &Fault) -> Option<&'static str> {
    match fault.kind {
        FaultKind::Unauthenticated => Some("invalid_api_key"),
        FaultKind::NotFound => Some("not_found"),
        FaultKind::WrongMethod => Some("method_not_supported"),
        FaultKind::Conflict => Some("conflict"),
        FaultKind::Cancelled => Some("turn_cancelled"),
        FaultKind::TooMany => Some("too_many_attempts"),
        FaultKind::Invalid
        | FaultKind::TooLarge
        | FaultKind::NotImplemented
        | FaultKind::Internal
        | FaultKind::Unavailable => None,
    }
}

/// A candidate in OpenAI's terms.
struct Said {
    text: Option<String>,
    thought: Option<String>,
    calls: Vec<(usize, Object)>,
    finish: &'static str,
}

impl Said {
    fn of(head: &Head, candidate: usize, content: &Content) -> Self {
        let (mut text, mut thought) = (None::<String>, None::<String>);
        let mut calls = Vec::new();
        for (part, said) in content.parts.iter().enumerate() {
            match said {
                Part::Thought(more) => thought.get_or_insert_default().push_str(more),
                Part::FunctionCall(call) => {
                    let id = head.call_id(call, CALL, &PartIndex { candidate, part });
                    let named = Object::new().with("name", call.name.as_str());
                    let (kind, called) = match head.free_text.takes(&call.name) {
                        true => ("custom", named.with("input", custom::text(call))),
                        false => ("function", named.with("arguments", arguments(call).as_str())),
                    };
                    let object = Object::new().with("id", id).with("type", kind).with(kind, called);
                    calls.push((calls.len(), object));
                }
                said => {
                    if let Some(more) = as_text(said) {
                        text.get_or_insert_default().push_str(&more);
                    }
                }
            }
        }
        let finish = if calls.is_empty() { "stop" } else { "tool_calls" };
        Self { text, thought, calls, finish }
    }
}

fn chunk(head: &Head, index: usize, delta: Object, finish: Option<&str>) -> Event {
    let choice = Object::new()
        .with("index", index)
        .with("delta", delta)
        .with("logprobs", ())
        .with("finish_reason", finish);
    Event::of(&frame(head, "chat.completion.chunk", vec![choice]).json())
}

fn frame(head: &Head, object: &str, choices: Vec<Object>) -> Object {
    Object::new()
        .with("id", format!("chatcmpl-{}", head.turn))
        .with("object", object)
        .with("created", head.created)
        .with("model", head.model.as_str())
        .with("choices", choices)
}
