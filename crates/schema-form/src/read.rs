//! [`Reading`]: what a draft would send, and what prevents it.
//!
//! The text shows every draft, including unfinished ones, each piece with its [`Tone`]; there is JSON
//! to send ([`Reading::json`]) only without messages.

mod items;
mod json;
mod members;
mod reader;
mod unions;

use std::ops::Range;

use json_text::{JsonText, JsonTextError, Kind};

use self::reader::Reader;
use crate::{Draft, Form, Path};

/// What a draft would send, and what prevents it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    text: String,
    tones: Vec<(Range<usize>, Tone)>,
    messages: Vec<Message>,
    json: Option<JsonText>,
}

/// What a piece of a reading's text is, for its color.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tone {
    /// Brackets, commas, colons.
    Mark,
    /// A member's name.
    Key,
    /// A string.
    String,
    /// A number.
    Number,
    /// `true`, `false`, `null`.
    Word,
    /// JSON text, unchanged.
    Json,
    /// A piece with a message, or the placeholder of a missing value.
    Error,
}

/// Why a draft cannot be sent, at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The place.
    pub path: Path,
    /// One sentence for the person.
    pub text: String,
    /// The kind of message.
    pub kind: MessageKind,
}

/// The kind of a [`Message`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageKind {
    /// A required value is missing.
    Missing,
    /// The typed text is not a value yet.
    Unfinished,
    /// Text that is not JSON, with the position of the error.
    NotJson(JsonTextError),
    /// JSON text with a duplicate member, which would be lost, and the position of the second.
    Repeated(JsonTextError),
    /// A value that violates the schema, with the keyword.
    Invalid(&'static str),
}

impl Draft {
    /// Reads the draft: what would be sent, and what prevents it.
    #[must_use]
    pub fn read(&self, form: &Form) -> Reading {
        let mut reader = Reader::of(form.integers());
        reader.place(form.root(), &self.root, None);
        let reading = reader.finish();
        if form.objects_only() { reading.require_object() } else { reading }
    }
}

impl Reading {
    /// Adds a message if the finished value is not an object, and does not send it.
    fn require_object(mut self) -> Self {
        if let Some(value) = self.json.take_if(|value| value.kind() != Kind::Object) {
            self.messages.push(Message {
                path: Path::root(),
                text: format!(
                    "The arguments must be an object. Found {}.",
                    json::named(value.kind())
                ),
                kind: MessageKind::Invalid("type"),
            });
        }
        self
    }

    /// Exactly what would be sent; `None` while there are messages.
    #[must_use]
    pub fn json(&self) -> Option<&JsonText> {
        self.json.as_ref()
    }

    /// What would be sent, with unfinished pieces as typed: JSON only if [`Self::json`] is `Some`.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text in pieces, in order.
    pub fn pieces(&self) -> impl Iterator<Item = (&str, Tone)> {
        self.tones.iter().map(|(range, tone)| (&self.text[range.clone()], *tone))
    }

    /// The messages, in the form's order.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }
}
