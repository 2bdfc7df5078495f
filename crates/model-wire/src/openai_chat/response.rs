//! The response: a completion, or chunks of one.
//!
//! The counts of `usage` are zero, because tokens are not counted, and some clients fail without `usage`.
//! A stream has them in a chunk of its own before its end, if the client requests it.

use json_text::JsonText;
use live::{Content, Part};

use crate::api_fault::{ApiFault, FaultKind};
use crate::calls::arguments;
use crate::custom;
use crate::event::Event;
use crate::output::{Json as _, Object};
use crate::response::{CALL, ModelResponse, PartIndex, ResponseHead, as_text};

/// The value of `object` in each event of a stream.
const CHUNK: &str = "chat.completion.chunk";

/// The completion; one choice for each candidate.
#[must_use]
pub fn whole(answer: &ModelResponse<'_>) -> JsonText {
    let choice = |(index, content): (usize, &Content)| {
        let choice_message = ChoiceMessage::of(answer.head, index, content);
        let calls: Vec<Object> = choice_message.calls.into_iter().map(|(_, call)| call).collect();
        let message = Object::new()
            .with("role", "assistant")
            .with("content", choice_message.text)
            .with("refusal", ())
            .with_some("reasoning_content", choice_message.thought)
            .with_some("tool_calls", (!calls.is_empty()).then_some(calls));
        Object::new()
            .with("index", index)
            .with("message", message)
            .with("logprobs", ())
            .with("finish_reason", choice_message.finish)
    };
    let choices: Vec<Object> = answer.candidates.iter().enumerate().map(choice).collect();
    frame(answer.head, "chat.completion", choices).with("usage", usage()).json()
}

fn usage() -> Object {
    Object::new()
        .with("prompt_tokens", 0_usize)
        .with("completion_tokens", 0_usize)
        .with("total_tokens", 0_usize)
}

/// The start of a stream, before the person responds.
#[must_use]
pub fn opening(head: &ResponseHead) -> Vec<Event> {
    let delta = Object::new().with("role", "assistant").with("content", "");
    vec![chunk(head, 0, delta, None)]
}

/// The rest of a stream, with the response.
#[must_use]
pub fn rest(answer: &ModelResponse<'_>) -> Vec<Event> {
    let mut events = Vec::new();
    for (index, content) in answer.candidates.iter().enumerate() {
        let mut push = |delta, finish| events.push(chunk(answer.head, index, delta, finish));
        let message = ChoiceMessage::of(answer.head, index, content);
        if index > 0 {
            push(Object::new().with("role", "assistant").with("content", ""), None);
        }
        if let Some(thought) = message.thought {
            push(Object::new().with("reasoning_content", thought), None);
        }
        if let Some(text) = message.text {
            push(Object::new().with("content", text), None);
        }
        for (place, call) in message.calls {
            let call = Object::new().with("index", place).with_all(call);
            push(Object::new().with("tool_calls", vec![call]), None);
        }
        push(Object::new(), Some(message.finish));
    }
    if answer.head.include_usage {
        let counts = frame(answer.head, CHUNK, Vec::new()).with("usage", usage());
        events.push(Event::of(&counts.json()));
    }
    events.push(Event::done());
    events
}

/// A fault in OpenAI's format.
#[must_use]
pub fn fault(fault: &ApiFault) -> JsonText {
    Object::new().with("error", error(fault)).json()
}

pub(crate) fn error(fault: &ApiFault) -> Object {
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

pub(crate) fn code(fault: &ApiFault) -> Option<&'static str> {
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
struct ChoiceMessage {
    text: Option<String>,
    thought: Option<String>,
    calls: Vec<(usize, Object)>,
    finish: &'static str,
}

impl ChoiceMessage {
    fn of(head: &ResponseHead, candidate: usize, content: &Content) -> Self {
        let (mut text, mut thought) = (None::<String>, None::<String>);
        let mut calls = Vec::new();
        for (part, content) in content.parts.iter().enumerate() {
            match content {
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
                content => {
                    if let Some(more) = as_text(content) {
                        text.get_or_insert_default().push_str(&more);
                    }
                }
            }
        }
        let finish = if calls.is_empty() { "stop" } else { "tool_calls" };
        Self { text, thought, calls, finish }
    }
}

fn chunk(head: &ResponseHead, index: usize, delta: Object, finish: Option<&str>) -> Event {
    let choice = Object::new()
        .with("index", index)
        .with("delta", delta)
        .with("logprobs", ())
        .with("finish_reason", finish);
    let chunk = frame(head, CHUNK, vec![choice]);
    // As OpenAI's API does, all chunks have the member if the last one does.
    let chunk = if head.include_usage { chunk.with("usage", ()) } else { chunk };
    Event::of(&chunk.json())
}

fn frame(head: &ResponseHead, object: &str, choices: Vec<Object>) -> Object {
    Object::new()
        .with("id", format!("chatcmpl-{}", head.turn))
        .with("object", object)
        .with("created", head.created)
        .with("model", head.model.as_str())
        .with("choices", choices)
}
