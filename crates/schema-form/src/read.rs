//! [`Reading`]: what a draft would send, and what stands in its way.
//!
//! The text shows every draft, unfinished ones too, each piece with its [`Tone`]; it becomes JSON
//! to send ([`Reading::json`]) only when no message is left.

mod items;
mod json;
mod members;
mod reader;
mod unions;

use std::ops::Range;

use json_text::{JsonText, JsonTextError, Kind};

use self::reader::Reader;
use crate::{Draft, Form, Path};

/// What a draft would send, and what stands in its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    text: String,
    tones: Vec<(Range<usize>, Tone)>,
    messages: Vec<Message>,
    json: Option<JsonText>,
}

/// What a piece of a reading's text is, for colour.
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
    /// JSON text taken over as it stands.
    Json,
    /// A piece that a message is about, or the hole where a value is missing.
    Fault,
}

/// Something that keeps a draft from being sent, at its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The place.
    pub path: Path,
    /// One sentence for the person.
    pub text: String,
    /// What sort of fault.
    pub fault: Fault,
}

/// What sort of fault a [`Message`] tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// A value must be there and is not.
    Missing,
    /// What was typed is not a value yet.
    Unfinished,
    /// Text that is not JSON, with the place where it stops being it.
    NotJson(JsonTextError),
    /// JSON text with a member written twice, one of which would be lost, with the place of the
    /// second.
    Twice(JsonTextError),
    /// A value that the schema does not admit, with the keyword.
    Invalid(&'static str),
}

impl Draft {
    /// Reads the draft: what would be sent, and what stands in its way.
    #[must_use]
    pub fn read(&self, form: &Form) -> Reading {
        let mut reader = Reader::of(form.integers());
        reader.place(form.root(), &self.root, None);
        let reading = reader.finish();
        if form.objects_only() { reading.of_an_object() } else { reading }
    }
}

impl Reading {
    /// Tells of a finished value that is no object, and does not send it.
    fn of_an_object(mut self) -> Self {
        if let Some(value) = self.json.take_if(|value| value.kind() != Kind::Object) {
            self.messages.push(Message {
                path: Path::root(),
                text: format!("A tool takes an object; this is {}.", json::named(value.kind())),
                fault: Fault::Invalid("type"),
            });
        }
        self
    }

    /// Exactly what would be sent; `None` while there are messages.
    #[must_use]
    pub fn json(&self) -> Option<&JsonText> {
        self.json.as_ref()
    }

    /// What would be sent, unfinished pieces as they stand: JSON only if [`Self::json`] is.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text in pieces, in order.
    pub fn pieces(&self) -> impl Iterator<Item = (&str, Tone)> {
        self.tones.iter().map(|(range, tone)| (&self.text[range.clone()], *tone))
    }

    /// What stands in the way, in the form's order.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The messages at `path` itself.
    pub fn messages_at(&self, path: &Path) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(move |message| message.path == *path)
    }
}
