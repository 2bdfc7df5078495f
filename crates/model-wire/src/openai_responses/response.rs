//! The response object and its items.
//!
//! The counts of `usage` are zero in a completed response, because tokens are not counted, and some
//! clients fail without `usage`.

use json_text::{JsonText, Node};
use live::Part;

use crate::calls::arguments;
use crate::custom;
use crate::output::{Json as _, Object};
use crate::response::{CALL, ModelResponse, PartIndex, ResponseHead, as_text};

/// The response with all of its items.
#[must_use]
pub fn whole(answer: &ModelResponse<'_>) -> JsonText {
    let output = items(answer).into_iter().map(|item| item.whole()).collect();
    response(answer.head, "completed", None, output)
}

/// One item of the output.
pub(super) struct Item {
    pub(super) id: String,
    pub(super) content: ItemContent,
}

pub(super) enum ItemContent {
    Message(Vec<String>),
    Reasoning(String),
    Call { call_id: String, name: String, arguments: JsonText },
    FreeCall { call_id: String, name: String, input: String },
}

impl Item {
    /// The item when it is complete.
    pub(super) fn whole(&self) -> Object {
        match &self.content {
            ItemContent::Message(texts) => {
                let content = texts.iter().map(|text| text_part(text)).collect();
                self.message("completed", content)
            }
            ItemContent::Reasoning(text) => self.reasoning(vec![summary_part(text)]),
            ItemContent::Call { arguments, .. } => self.call("completed", arguments.as_str()),
            ItemContent::FreeCall { input, .. } => self.call("completed", input),
        }
    }

    /// The item when its stream begins.
    pub(super) fn begun(&self) -> Object {
        match &self.content {
            ItemContent::Message(_) => self.message("in_progress", Vec::new()),
            ItemContent::Reasoning(_) => self.reasoning(Vec::new()),
            ItemContent::Call { .. } | ItemContent::FreeCall { .. } => self.call("in_progress", ""),
        }
    }

    fn message(&self, status: &str, content: Vec<Object>) -> Object {
        self.of("message").with("status", status).with("role", "assistant").with("content", content)
    }

    fn reasoning(&self, summary: Vec<Object>) -> Object {
        self.of("reasoning").with("summary", summary)
    }

    fn call(&self, status: &str, text: &str) -> Object {
        let (kind, call_id, name, key) = match &self.content {
            ItemContent::Call { call_id, name, .. } => {
                ("function_call", call_id, name, "arguments")
            }
            ItemContent::FreeCall { call_id, name, .. } => {
                ("custom_tool_call", call_id, name, "input")
            }
            ItemContent::Message(_) | ItemContent::Reasoning(_) => return Object::new(),
        };
        self.of(kind)
            .with("status", status)
            .with("call_id", call_id.as_str())
            .with("name", name.as_str())
            .with(key, text)
    }

    fn of(&self, kind: &str) -> Object {
        Object::new().with("id", self.id.as_str()).with("type", kind)
    }
}

/// The items of a response; consecutive texts are one message.
pub(super) fn items(answer: &ModelResponse<'_>) -> Vec<Item> {
    let head = answer.head;
    let mut items: Vec<Item> = Vec::new();
    for (part, content) in answer.parts().iter().enumerate() {
        let content = match content {
            Part::Thought(text) => ItemContent::Reasoning(text.clone()),
            Part::FunctionCall(call) => {
                let call_id = head.call_id(call, CALL, &PartIndex { candidate: 0, part });
                let name = call.name.clone();
                match head.free_text.takes(&name) {
                    true => ItemContent::FreeCall { call_id, name, input: custom::text(call) },
                    false => ItemContent::Call { call_id, name, arguments: arguments(call) },
                }
            }
            content => {
                let Some(text) = as_text(content) else { continue };
                if let Some(Item { content: ItemContent::Message(texts), .. }) = items.last_mut() {
                    texts.push(text);
                    continue;
                }
                ItemContent::Message(vec![text])
            }
        };
        let prefix = match content {
            ItemContent::Message(_) => "msg",
            ItemContent::Reasoning(_) => "rs",
            ItemContent::Call { .. } => "fc",
            ItemContent::FreeCall { .. } => "ctc",
        };
        items.push(Item { id: format!("{prefix}_{}_{}", head.turn, items.len()), content });
    }
    items
}

pub(super) fn text_part(text: &str) -> Object {
    Object::new()
        .with("type", "output_text")
        .with("text", text)
        .with("annotations", Vec::<Object>::new())
        .with("logprobs", Vec::<Object>::new())
}

fn usage() -> Object {
    Object::new()
        .with("input_tokens", 0_usize)
        .with("input_tokens_details", Object::new().with("cached_tokens", 0_usize))
        .with("output_tokens", 0_usize)
        .with("output_tokens_details", Object::new().with("reasoning_tokens", 0_usize))
        .with("total_tokens", 0_usize)
}

pub(super) fn summary_part(text: &str) -> Object {
    Object::new().with("type", "summary_text").with("text", text)
}

pub(super) fn response(
    head: &ResponseHead,
    status: &str,
    error: Option<Object>,
    output: Vec<Object>,
) -> JsonText {
    let mut response = Object::new()
        .with("id", format!("resp_{}", head.turn))
        .with("object", "response")
        .with("created_at", head.created)
        .with("status", status)
        .with("error", error)
        .with("incomplete_details", ())
        .with("model", head.model.as_str())
        .with("output", output)
        .with("usage", (status == "completed").then(usage));
    let echoed = match head.echo.as_ref().map(JsonText::open) {
        Some(Node::Object(members)) => members,
        _ => Vec::new(),
    };
    let is_echoed = |key: &str| echoed.iter().any(|(name, _)| name == key);
    // Members that the vendor's clients require.
    let defaults = [
        ("parallel_tool_calls", true.json()),
        ("tool_choice", "auto".json()),
        ("tools", Vec::<Object>::new().json()),
    ];
    for (key, value) in defaults {
        if !is_echoed(key) {
            response.push(key, value);
        }
    }
    for (key, value) in echoed {
        response.push(key, JsonText::from(value));
    }
    response.json()
}
