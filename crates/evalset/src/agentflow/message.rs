//! [`MessageContent`]: a message.

use json_text::{JsonText, Kind, Node};

use super::form;
use crate::adk::{Content, Part};
use crate::model::{Out, Value, model, read_value, words};
use crate::reading::Reader;
use crate::{LooseBool, OriginalForm, Severity};

model! {
    /// A message.
    pub struct MessageContent { form("a message") }
    /// The role.
    role: Role = required,
    /// The content.
    content: MessageBody = required,
    /// Other data: a JSON object.
    metadata: Option<JsonText> = object,
}

words! {
    /// The role.
    pub enum Role {
        /// The user.
        User = "user",
        /// The agent.
        Assistant = "assistant",
        /// A tool.
        Tool = "tool",
    }
}

/// A text, or a list of JSON objects such as `{"type": "text", "text": "..."}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageBody {
    /// Text.
    Text(String),
    /// Structured content, kept unchanged.
    Objects(Vec<JsonText>),
}

impl Value for MessageBody {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        match reader.kind() {
            Kind::String => String::read(reader).map(Self::Text),
            Kind::Array => {
                let items: Vec<Object> = Vec::read(reader)?;
                Some(Self::Objects(items.into_iter().map(|item| item.0).collect()))
            }
            _ => {
                reader.wrong_type("a text or a list of objects");
                None
            }
        }
    }

    fn write(&self, out: &mut Out) {
        match self {
            Self::Text(text) => text.write(out),
            Self::Objects(objects) => objects.write(out),
        }
    }
}

/// A JSON object, kept unchanged.
struct Object(JsonText);

impl Value for Object {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        if reader.kind() != Kind::Object {
            reader.wrong_type("an object");
            return None;
        }
        Some(Self(reader.json()))
    }

    fn write(&self, out: &mut Out) {
        self.0.write(out);
    }
}

impl MessageContent {
    /// A message of the user's.
    ///
    /// ```
    /// use evalset::agentflow::{MessageContent, Role};
    /// let message = MessageContent::user("Hello!");
    /// assert_eq!((message.role, message.get_text().as_str()), (Role::User, "Hello!"));
    /// ```
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, MessageBody::Text(text.into()))
    }

    /// A message of the agent's.
    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, MessageBody::Text(text.into()))
    }

    /// A message.
    #[must_use]
    pub fn new(role: Role, content: MessageBody) -> Self {
        Self { role, content, metadata: None, written: OriginalForm::default() }
    }

    /// The text; of structured content the `text` of each object that has one, joined by line
    /// feeds.
    #[must_use]
    pub fn get_text(&self) -> String {
        self.texts().join("\n")
    }

    /// The content as parts of ADK; `None` if it is a single text. What ADK has no part for stays as it is.
    #[must_use]
    pub fn other_than_text(&self) -> Option<Vec<JsonText>> {
        let MessageBody::Objects(objects) = &self.content else { return None };
        match &objects.iter().map(part_of).collect::<Option<Vec<_>>>() {
            Some(parts) => {
                Content { parts: Some(parts.clone()), ..Content::user("") }.other_than_text()
            }
            None => Some(objects.clone()),
        }
    }

    /// The text, or the `text` of each object that has one.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        match &self.content {
            MessageBody::Text(text) => vec![text.clone()],
            MessageBody::Objects(objects) => objects.iter().filter_map(object_text).collect(),
        }
    }
}

fn object_text(object: &JsonText) -> Option<String> {
    let Node::Object(members) = object.open() else { return None };
    let (_, text) = members.into_iter().rfind(|(key, _)| key == "text")?;
    match Node::of(text) {
        Node::String(text) => Some(text.into_owned()),
        _ => None,
    }
}

/// The part of ADK that an object of structured content is; `None` for what ADK has no part for.
pub(crate) fn part_of(object: &JsonText) -> Option<Part> {
    let Node::Object(members) = object.open() else { return None };
    let member = |wanted: &str| {
        let found = members.iter().find(|(key, _)| key == wanted)?;
        Some(Node::of(found.1))
    };
    match (member("type"), member("text")) {
        (Some(Node::String(kind)), Some(Node::String(text))) if kind == "text" => {
            Some(Part::text(text))
        }
        (Some(_), _) => None,
        (None, _) => {
            let (part, faults) = read_value::<Part>(object.as_str().as_bytes());
            let refused = faults.iter().any(|fault| fault.severity() == Severity::Error);
            part.filter(|part| !refused && known_parts_are_valid(part))
        }
    }
}

/// Fields that are kept unchanged are not looked into, so nothing but text and calls is taken
/// for a part that ADK reads.
fn known_parts_are_valid(part: &Part) -> bool {
    // ADK rewrites other spellings, such as "yes".
    let spelled = |it: &LooseBool| *it == true.into() || *it == false.into();
    part.thought.as_ref().is_none_or(spelled)
        && part.written.extras().all(|(_, value)| value.as_str() == "null")
}
