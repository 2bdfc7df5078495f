//! Reads JSON text, with the messages that the widgets would give.

use json_text::{Decimal, JsonText, Kind, nesting, repeated_member};

use super::reader::Reader;
use super::unions::types_of;
use super::{Message, MessageKind, Tone};
use crate::Draft;
use crate::canonical::canonical;
use crate::check;
use crate::draft::{Content, Ids};
use crate::field::{Field, FieldKind, Slot};
use crate::fill::{DEEPEST, Filler};

impl Reader {
    /// Writes JSON text unchanged, checked as the widgets would.
    pub(super) fn json(&mut self, slot: &Slot, text: &str) {
        let value = match JsonText::parse(text.trim()) {
            Ok(value) => value,
            Err(_) if text.trim().is_empty() => {
                return self.unfinished("", "A JSON value, such as \"text\", 12 or {}.");
            }
            Err(_) => {
                // The position refers to the untrimmed text.
                let error = JsonText::parse(text).err();
                self.write(text, Tone::Error);
                if let Some(error) = error {
                    let message = format!("Not JSON: {error}.");
                    self.report(MessageKind::NotJson(error), message);
                }
                return;
            }
        };
        if let Some(error) = repeated_member(text) {
            self.write(value.compact().as_str(), Tone::Error);
            let message = format!("{error}: a tool gets only one of the two. Remove one.");
            self.report(MessageKind::Repeated(error), capitalized(&message));
            return;
        }
        let mut found = self.messages_for(slot, &value, text);
        if let Some(text) = self.too_large(value.as_str()) {
            found.push(Message {
                path: self.path.clone(),
                text,
                kind: MessageKind::Invalid("type"),
            });
        }
        self.write(
            value.compact().as_str(),
            if found.is_empty() { Tone::Json } else { Tone::Error },
        );
        self.messages.extend(found);
    }

    /// The widgets' messages about `value`, at this place, with their position in `text`.
    pub(super) fn messages_for(&self, slot: &Slot, value: &JsonText, text: &str) -> Vec<Message> {
        /// The most union branches tried for a value that matches none.
        const MAX_BRANCHES: usize = 300;
        let mut left_to_try = MAX_BRANCHES;
        self.messages_within(slot, value, text, &mut left_to_try)
    }

    /// The same, trying at most `left_to_try` branches.
    pub(super) fn messages_within(
        &self,
        slot: &Slot,
        value: &JsonText,
        text: &str,
        left_to_try: &mut usize,
    ) -> Vec<Message> {
        let field = slot.field();
        let here = |text, kind| vec![Message { path: self.path.clone(), text, kind }];
        if matches!(field.kind, FieldKind::Json(_)) {
            return Vec::new();
        }
        let mut ids = Ids::default();
        let Ok(raw) = value.decode() else { return Vec::new() };
        let entered = Filler::within(&mut ids, self.depth).fill(slot, raw);
        if let Some(Content::Json { .. }) = entered.content {
            if self.depth >= DEEPEST || nesting(value.as_str()) > DEEPEST {
                return Vec::new();
            }
            if !field.types.admit(value.kind()) {
                return here(expected(field, value.kind()), TYPE);
            }
            return match &field.kind {
                FieldKind::Union(branches) => {
                    self.unmatched(slot, branches, value, text, left_to_try)
                }
                FieldKind::Integer(bounds) | FieldKind::Number(bounds) => {
                    if matches!(field.kind, FieldKind::Integer(_)) && is_fraction(value) {
                        return here(expected(field, value.kind()), TYPE);
                    }
                    let broken = check::number(bounds, value.as_str());
                    broken
                        .into_iter()
                        .flat_map(|(keyword, text)| here(text, MessageKind::Invalid(keyword)))
                        .collect()
                }
                FieldKind::Choice(options) => {
                    let spelled = canonical(value);
                    if options.iter().any(|option| canonical(&option.value) == spelled) {
                        return Vec::new();
                    }
                    /// The most values that one sentence lists.
                    const NAMED: usize = 20;
                    let values = options.iter().map(|option| option.value.as_str());
                    let named = values.take(NAMED).collect::<Vec<_>>().join(", ");
                    let message = match options.len().saturating_sub(NAMED) {
                        0 if options.len() == 1 => format!("Must be {named}."),
                        0 => format!("One of {named}."),
                        more => format!("One of {named} and {more} more."),
                    };
                    here(message, MessageKind::Invalid("enum"))
                }
                _ => Vec::new(),
            };
        }
        let mut reader = self.fork();
        reader.place(slot, &entered, None);
        let names = Draft { root: entered, ids };
        reader
            .messages
            .into_iter()
            .map(|message| {
                let pointer = names.pointer_below(slot, &message.path);
                let place = json_text::place(text, &pointer).filter(|_| !pointer.is_empty());
                let text = match place {
                    Some(place) => format!("{place}: {}", message.text),
                    None => message.text,
                };
                Message { path: self.path.clone(), text, kind: message.kind }
            })
            .collect()
    }
}

/// The kind of message for a value of the wrong type.
pub(super) const TYPE: MessageKind = MessageKind::Invalid("type");

/// Whether it is a number that certainly is not an integer.
pub(super) fn is_fraction(value: &JsonText) -> bool {
    let decimal = || Decimal::parse(value.as_str());
    value.kind() == Kind::Number && decimal().is_some_and(|decimal| !decimal.is_whole())
}

pub(super) fn expected(field: &Field, found: Kind) -> String {
    let found = named(found);
    format!("Expected {}, found {found} (type).", types_of(field).phrase())
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// The kind of value for display.
pub(super) fn named(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "true or false",
        Kind::Number => "a number",
        Kind::String => "text",
        Kind::Array => "a list",
        Kind::Object => "an object",
    }
}
