//! JSON text as it stands, with what the widgets would say about it.

use json_text::{JsonText, Kind, nesting, written_twice};

use super::reader::Reader;
use super::unions::types_of;
use super::{Fault, Message, Tone};
use crate::Draft;
use crate::canonical::canonical;
use crate::check;
use crate::decimal::Decimal;
use crate::draft::{Content, Ids};
use crate::field::{Field, FieldKind, Slot};
use crate::fill::{DEEPEST, Filler};

impl Reader {
    /// Writes JSON text as it stands, checked as far as the widgets would.
    pub(super) fn json(&mut self, slot: &Slot, text: &str) {
        let value = match JsonText::parse(text.trim()) {
            Ok(value) => value,
            Err(_) if text.trim().is_empty() => {
                return self.unfinished("", "A JSON value, such as \"text\", 12 or {}.");
            }
            Err(_) => {
                // The place counts in the text as it stands.
                let error = JsonText::parse(text).err();
                self.write(text, Tone::Fault);
                if let Some(error) = error {
                    let told = format!("Not JSON: {error}.");
                    self.tell(Fault::NotJson(error), told);
                }
                return;
            }
        };
        if let Some(error) = written_twice(text) {
            self.write(value.compact().as_str(), Tone::Fault);
            let told = format!("{error}: a tool gets only one of the two. Take one out.");
            self.tell(Fault::Twice(error), capitalized(&told));
            return;
        }
        let mut found = self.faults_of(slot, &value, text);
        if let Some(text) = self.too_large(value.as_str()) {
            found.push(Message { path: self.path.clone(), text, fault: Fault::Invalid("type") });
        }
        self.write(
            value.compact().as_str(),
            if found.is_empty() { Tone::Json } else { Tone::Fault },
        );
        self.messages.extend(found);
    }

    /// What the widgets would say about `value`, told at this place with where it stands in `text`.
    pub(super) fn faults_of(&self, slot: &Slot, value: &JsonText, text: &str) -> Vec<Message> {
        /// How many branches of unions within each other are asked about a value that none takes.
        const ASKED: usize = 300;
        let mut asked = ASKED;
        self.faults_asking(slot, value, text, &mut asked)
    }

    /// The same while branches may still be asked.
    pub(super) fn faults_asking(
        &self,
        slot: &Slot,
        value: &JsonText,
        text: &str,
        asked: &mut usize,
    ) -> Vec<Message> {
        let field = slot.field();
        let here = |text, fault| vec![Message { path: self.path.clone(), text, fault }];
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
                FieldKind::Union(branches) => self.untaken(slot, branches, value, text, asked),
                FieldKind::Integer(bounds) | FieldKind::Number(bounds) => {
                    if matches!(field.kind, FieldKind::Integer(_)) && is_fraction(value) {
                        return here(expected(field, value.kind()), TYPE);
                    }
                    let broken = check::number(bounds, value.as_str());
                    broken
                        .into_iter()
                        .flat_map(|(keyword, text)| here(text, Fault::Invalid(keyword)))
                        .collect()
                }
                FieldKind::Choice(options) => {
                    let spelled = canonical(value);
                    if options.iter().any(|option| canonical(&option.value) == spelled) {
                        return Vec::new();
                    }
                    /// How many values one sentence names.
                    const NAMED: usize = 20;
                    let values = options.iter().map(|option| option.value.as_str());
                    let named = values.take(NAMED).collect::<Vec<_>>().join(", ");
                    let told = match options.len().saturating_sub(NAMED) {
                        0 if options.len() == 1 => format!("Only {named} fits here."),
                        0 => format!("One of {named}."),
                        more => format!("One of {named} and {more} more."),
                    };
                    here(told, Fault::Invalid("enum"))
                }
                _ => Vec::new(),
            };
        }
        let mut reader = self.beside();
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
                Message { path: self.path.clone(), text, fault: message.fault }
            })
            .collect()
    }
}

/// The fault of a value that is of another type.
pub(super) const TYPE: Fault = Fault::Invalid("type");

/// Whether it is a number that surely is not whole.
pub(super) fn is_fraction(value: &JsonText) -> bool {
    let decimal = || Decimal::parse(value.as_str());
    value.kind() == Kind::Number && decimal().is_some_and(|decimal| !decimal.is_whole())
}

pub(super) fn expected(field: &Field, found: Kind) -> String {
    let found = named(found);
    let wanted = capitalized(&types_of(field).phrase());
    format!("{wanted} is expected; this is {found} (type).")
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// What a person calls a value of this kind.
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
