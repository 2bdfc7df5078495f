//! The events of a streamed response, numbered from its beginning.

use crate::api_fault::ApiFault;
use crate::event::Event;
use crate::openai_chat;
use crate::output::{Json as _, Object};
use crate::response::{ModelResponse, ResponseHead};

use super::response::{Item, ItemContent, items, response, summary_part, text_part, whole};

/// The start of a stream, before the person responds.
#[must_use]
pub fn opening(head: &ResponseHead) -> Vec<Event> {
    let mut writer = EventWriter::default();
    let in_progress =
        || Object::new().with("response", response(head, "in_progress", None, Vec::new()));
    writer.write("response.created", in_progress());
    writer.write("response.in_progress", in_progress());
    writer.events
}

/// The rest of a stream, with the response.
#[must_use]
pub fn rest(answer: &ModelResponse<'_>) -> Vec<Event> {
    let mut writer = EventWriter { number: opening(answer.head).len(), events: Vec::new() };
    for (index, item) in items(answer).into_iter().enumerate() {
        let at = || Object::new().with("output_index", index);
        writer.write("response.output_item.added", at().with("item", item.begun()));
        writer.body(index, &item);
        writer.write("response.output_item.done", at().with("item", item.whole()));
    }
    writer.write("response.completed", Object::new().with("response", whole(answer)));
    writer.events
}

/// The end of a stream without a response.
///
/// Clients differ in what they check: OpenAI's own raise at the member `error` of any event, typed ones
/// read the event `error`, and others wait for `response.failed`.
#[must_use]
pub fn failed(head: &ResponseHead, fault: &ApiFault) -> Vec<Event> {
    let mut writer = EventWriter { number: opening(head).len(), events: Vec::new() };
    let members = Object::new()
        .with("code", openai_chat::code(fault))
        .with("message", fault.message.as_str())
        .with("param", fault.field.as_deref())
        .with("error", openai_chat::error(fault));
    writer.write("error", members);
    // A response may have few codes. This one does not suggest a retry.
    let code = if fault.kind.is_passing() { "server_error" } else { "invalid_prompt" };
    let error = Object::new().with("code", code).with("message", fault.message.as_str());
    let failed = response(head, "failed", Some(error), Vec::new());
    writer.write("response.failed", Object::new().with("response", failed));
    writer.events
}

#[derive(Default)]
struct EventWriter {
    number: usize,
    events: Vec<Event>,
}

impl EventWriter {
    fn write(&mut self, name: &'static str, members: Object) {
        let event =
            Object::new().with("type", name).with("sequence_number", self.number).with_all(members);
        self.number += 1;
        self.events.push(Event::named(name, &event.json()));
    }

    fn body(&mut self, index: usize, item: &Item) {
        let at = || Object::new().with("item_id", item.id.as_str()).with("output_index", index);
        match &item.content {
            ItemContent::Message(texts) => {
                for (place, text) in texts.iter().enumerate() {
                    let at = || at().with("content_index", place);
                    let no_logprobs = Vec::<Object>::new;
                    let empty = at().with("part", text_part(""));
                    self.write("response.content_part.added", empty);
                    let delta = at().with("delta", text.as_str()).with("logprobs", no_logprobs());
                    self.write("response.output_text.delta", delta);
                    let done = at().with("text", text.as_str()).with("logprobs", no_logprobs());
                    self.write("response.output_text.done", done);
                    self.write("response.content_part.done", at().with("part", text_part(text)));
                }
            }
            ItemContent::Reasoning(text) => {
                let at = || at().with("summary_index", 0_usize);
                let empty = at().with("part", summary_part(""));
                self.write("response.reasoning_summary_part.added", empty);
                let delta = at().with("delta", text.as_str());
                self.write("response.reasoning_summary_text.delta", delta);
                let done = at().with("text", text.as_str());
                self.write("response.reasoning_summary_text.done", done);
                let part = at().with("part", summary_part(text));
                self.write("response.reasoning_summary_part.done", part);
            }
            ItemContent::FreeCall { input, .. } => {
                let input = input.as_str();
                self.write("response.custom_tool_call_input.delta", at().with("delta", input));
                self.write("response.custom_tool_call_input.done", at().with("input", input));
            }
            ItemContent::Call { name, arguments, .. } => {
                let arguments = arguments.as_str();
                self.write("response.function_call_arguments.delta", at().with("delta", arguments));
                let done = at().with("name", name.as_str()).with("arguments", arguments);
                self.write("response.function_call_arguments.done", done);
            }
        }
    }
}
