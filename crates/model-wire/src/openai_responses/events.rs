//! The events of a streamed response, numbered from its beginning.

use crate::answer::{Answer, Head};
use crate::event::Event;
use crate::fault::Fault;
use crate::openai_chat;
use crate::output::{Json as _, Object};

use super::response::{Item, Said, items, response, summary_part, text_part, whole};

/// What a stream begins with, before anybody has answered.
#[must_use]
pub fn opening(head: &Head) -> Vec<Event> {
    let mut told = Told::default();
    let standing =
        || Object::new().with("response", response(head, "in_progress", None, Vec::new()));
    told.tell("response.created", standing());
    told.tell("response.in_progress", standing());
    told.events
}

/// What a stream goes on with once there is an answer.
#[must_use]
pub fn rest(answer: &Answer<'_>) -> Vec<Event> {
    let mut told = Told { number: opening(answer.head).len(), events: Vec::new() };
    for (index, item) in items(answer).into_iter().enumerate() {
        let at = || Object::new().with("output_index", index);
        told.tell("response.output_item.added", at().with("item", item.begun()));
        told.body(index, &item);
        told.tell("response.output_item.done", at().with("item", item.whole()));
    }
    told.tell("response.completed", Object::new().with("response", whole(answer)));
    told.events
}

/// What a stream ends with that has no answer.
///
/// Clients differ in what they look for: OpenAI's own raise at the member `error` of any event, typed
/// ones read the event `error`, and others wait for `response.failed`.
#[must_use]
pub fn failed(head: &Head, fault: &Fault) -> Vec<Event> {
    let mut told = Told { number: opening(head).len(), events: Vec::new() };
    let members = Object::new()
        .with("code", openai_chat::code(fault))
        .with("message", fault.message.as_str())
        .with("param", fault.field.as_deref())
        .with("error", openai_chat::error(fault));
    told.tell("error", members);
    // The codes that a response may have are few: this one asks nobody to send the same again.
    let code = if fault.kind.is_passing() { "server_error" } else { "invalid_prompt" };
    let error = Object::new().with("code", code).with("message", fault.message.as_str());
    let failed = response(head, "failed", Some(error), Vec::new());
    told.tell("response.failed", Object::new().with("response", failed));
    told.events
}

#[derive(Default)]
struct Told {
    number: usize,
    events: Vec<Event>,
}

impl Told {
    fn tell(&mut self, name: &'static str, members: Object) {
        let event =
            Object::new().with("type", name).with("sequence_number", self.number).with_all(members);
        self.number += 1;
        self.events.push(Event::named(name, &event.json()));
    }

    fn body(&mut self, index: usize, item: &Item) {
        let at = || Object::new().with("item_id", item.id.as_str()).with("output_index", index);
        match &item.said {
            Said::Message(texts) => {
                for (place, text) in texts.iter().enumerate() {
                    let at = || at().with("content_index", place);
                    let no_logprobs = Vec::<Object>::new;
                    let empty = at().with("part", text_part(""));
                    self.tell("response.content_part.added", empty);
                    let delta = at().with("delta", text.as_str()).with("logprobs", no_logprobs());
                    self.tell("response.output_text.delta", delta);
                    let done = at().with("text", text.as_str()).with("logprobs", no_logprobs());
                    self.tell("response.output_text.done", done);
                    self.tell("response.content_part.done", at().with("part", text_part(text)));
                }
            }
            Said::Reasoning(text) => {
                let at = || at().with("summary_index", 0_usize);
                let empty = at().with("part", summary_part(""));
                self.tell("response.reasoning_summary_part.added", empty);
                let delta = at().with("delta", text.as_str());
                self.tell("response.reasoning_summary_text.delta", delta);
                let done = at().with("text", text.as_str());
                self.tell("response.reasoning_summary_text.done", done);
                let part = at().with("part", summary_part(text));
                self.tell("response.reasoning_summary_part.done", part);
            }
            Said::FreeCall { input, .. } => {
                let input = input.as_str();
                self.tell("response.custom_tool_call_input.delta", at().with("delta", input));
                self.tell("response.custom_tool_call_input.done", at().with("input", input));
            }
            Said::Call { name, arguments, .. } => {
                let arguments = arguments.as_str();
                self.tell("response.function_call_arguments.delta", at().with("delta", arguments));
                let done = at().with("name", name.as_str()).with("arguments", arguments);
                self.tell("response.function_call_arguments.done", done);
            }
        }
    }
}
