//! The events of a streamed response, numbered from its beginning.

use crate::answer::{Answer, Head};
use crate::event::Event;
use crate::output::{Json as _, Object};

use super::response::{Item, Said, items, response, summary_part, text_part, whole};

/// What a stream begins with, before anybody has answered.
#[must_use]
pub fn opening(head: &Head) -> Vec<Event> {
    let mut told = Told::default();
    let standing = || Object::new().with("response", response(head, "in_progress", Vec::new()));
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
