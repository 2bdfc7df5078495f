//! [`Reader`]: visits a draft place by place.

use std::collections::HashSet;
use std::ops::Range;

use json_text::{JsonText, Kind, is_number};

use super::json::expected;
use super::{Message, MessageKind, Reading, Tone};
use crate::check::{self, BrokenLimit};
use crate::document::NodeId;
use crate::draft::{Content, Entered, State, shape};
use crate::field::{Field, FieldKind, Slot};
use crate::partial_validator::MAX_SCHEMAS;
use crate::typed_number::{MAX_DIGITS, Whole};
use crate::{Integers, Path, PathStep};

/// Writes what a draft would send, and collects messages.
pub(super) struct Reader {
    pub(super) text: String,
    tones: Vec<(Range<usize>, Tone)>,
    pub(super) messages: Vec<Message>,
    pub(super) path: Path,
    pub(super) depth: usize,
    /// Keywords already checked: the value's offset in the text, and the keyword's schema.
    checked_keywords: HashSet<(usize, NodeId, &'static str)>,
    /// How many schemas may still be evaluated, so that a keystroke does not wait for nested unions.
    budget: usize,
    integers: Integers,
}

impl Reader {
    pub(super) fn of(integers: Integers) -> Self {
        Self {
            integers,
            text: String::new(),
            tones: Vec::new(),
            messages: Vec::new(),
            path: Path::root(),
            depth: 0,
            checked_keywords: HashSet::new(),
            budget: MAX_SCHEMAS,
        }
    }

    /// A reader for a separate value at the same depth, with the remaining budget.
    pub(super) fn fork(&self) -> Self {
        // Its integers are reported once, by the outer reader.
        Self { depth: self.depth, budget: self.budget, ..Self::of(Integers::Any) }
    }

    pub(super) fn finish(self) -> Reading {
        let json = if self.messages.is_empty() { JsonText::parse(&self.text).ok() } else { None };
        Reading { text: self.text, tones: self.tones, messages: self.messages, json }
    }

    pub(super) fn write(&mut self, piece: &str, tone: Tone) {
        let start = self.text.len();
        self.text.push_str(piece);
        match self.tones.last_mut() {
            Some((range, last)) if *last == tone && range.end == start => {
                range.end = self.text.len();
            }
            _ => self.tones.push((start..self.text.len(), tone)),
        }
    }

    pub(super) fn report(&mut self, kind: MessageKind, text: impl Into<String>) {
        self.messages.push(Message { path: self.path.clone(), text: text.into(), kind });
    }

    pub(super) fn report_broken(&mut self, broken: Vec<BrokenLimit>) {
        for (keyword, text) in broken {
            self.report(MessageKind::Invalid(keyword), text);
        }
    }

    pub(super) fn inside(&mut self, step: PathStep, read: impl FnOnce(&mut Self)) {
        self.path.push(step);
        read(self);
        self.path.pop();
    }

    /// Writes one place; nothing at all when it is left out. `key` precedes it in an object.
    pub(super) fn place(&mut self, slot: &Slot, entered: &Entered, key: Option<&str>) {
        // Avoids building a field that is neither shown nor filled in.
        match (entered.state, &entered.content) {
            (State::NotSent, _) => {
                if slot.required() {
                    self.report(MessageKind::Missing, "Required.");
                    if key.is_none() && self.depth > 0 {
                        self.write("?", Tone::Error);
                    }
                }
            }
            (State::Null, _) => {
                let field = slot.field();
                self.key(key);
                if field.nullable {
                    self.write("null", Tone::Word);
                } else {
                    self.write("null", Tone::Error);
                    self.report(MessageKind::Invalid("type"), expected(field, Kind::Null));
                }
            }
            (State::Value, None) => self.report(MessageKind::Missing, "Required."),
            (State::Value, Some(content)) => {
                self.key(key);
                let (start, before) = (self.text.len(), self.messages.len());
                let shape = shape(slot, entered);
                self.depth += 1;
                self.content(&shape, shape.field(), entered, content);
                self.depth -= 1;
                if self.messages.len() == before {
                    self.validator(&shape, start);
                }
            }
        }
    }

    /// Reports the keywords that the finished value violates, beside the widgets' limits, as far as
    /// they can be decided here. `start` is the value's offset in the text.
    fn validator(&mut self, slot: &Slot, start: usize) {
        let checked_keywords = &slot.field().checked_keywords;
        if checked_keywords.is_empty() {
            return;
        }
        let Ok(value) = JsonText::parse(&self.text[start..]) else { return };
        // Keywords beside `null` in a union do not constrain it.
        if value.kind() == Kind::Null {
            return;
        }
        let before = self.messages.len();
        for (schema, keyword) in checked_keywords {
            // A union and its branch share the value and their layers.
            if self.checked_keywords.insert((start, *schema, keyword))
                && let Some(text) =
                    check::keyword(slot.document(), *schema, keyword, &value, &mut self.budget)
            {
                self.report(MessageKind::Invalid(keyword), text);
            }
        }
        if self.messages.len() > before && !matches!(value.kind(), Kind::Array | Kind::Object) {
            for (range, tone) in &mut self.tones {
                if range.start >= start {
                    *tone = Tone::Error;
                }
            }
        }
    }

    pub(super) fn key(&mut self, key: Option<&str>) {
        if let Some(key) = key {
            if !self.text.ends_with('{') {
                self.write(",", Tone::Mark);
            }
            self.write(JsonText::string(key).as_str(), Tone::Key);
            self.write(":", Tone::Mark);
        }
    }

    fn content(&mut self, slot: &Slot, field: &Field, entered: &Entered, content: &Content) {
        match (content, &field.kind) {
            (Content::Json { text, .. }, _) => self.json(slot, text),
            (Content::Text(text), FieldKind::Text(limits)) => {
                let broken = check::text(limits, text);
                self.value(JsonText::string(text).as_str(), Tone::String, broken);
            }
            (Content::Text(text), FieldKind::Integer(bounds)) => {
                let typed = text.trim();
                match Whole::of(typed) {
                    Whole::Digits(digits) => {
                        self.value(&digits, Tone::Number, check::number(bounds, &digits));
                    }
                    Whole::TooLong => {
                        self.write(typed, Tone::Error);
                        let text = format!(
                            "A whole number of more than {MAX_DIGITS} digits: choose a smaller \
                             exponent."
                        );
                        self.report(MessageKind::Invalid("type"), text);
                    }
                    Whole::No => self.unfinished(typed, "A whole number, such as 12."),
                }
            }
            (Content::Text(text), FieldKind::Number(bounds)) => {
                let digits = text.trim();
                if is_number(digits) {
                    self.value(digits, Tone::Number, check::number(bounds, digits));
                } else {
                    self.unfinished(digits, "A number, such as 12 or 1.5.");
                }
            }
            (Content::Bool(value), FieldKind::Boolean) => {
                self.value(if *value { "true" } else { "false" }, Tone::Word, Vec::new());
            }
            (Content::Choice(position), FieldKind::Choice(options)) => match options.get(*position)
            {
                Some(option) => {
                    let tone = match option.value.kind() {
                        Kind::String => Tone::String,
                        Kind::Number => Tone::Number,
                        Kind::Null | Kind::Bool => Tone::Word,
                        Kind::Array | Kind::Object => Tone::Json,
                    };
                    self.value(option.value.as_str(), tone, Vec::new());
                }
                None => self.unfinished("", "Choose one."),
            },
            (Content::Object { members, entries, .. }, FieldKind::Object(object)) => {
                self.object(slot, object, members, entries);
            }
            (Content::List(items), FieldKind::List(list)) => self.list(slot, entered, list, items),
            (Content::Union { branch, .. }, FieldKind::Union(branches)) => {
                let step = PathStep::Branch(*branch);
                let chosen = branches.get(*branch);
                match chosen.zip(self.child(entered, step)) {
                    Some((branch, inner)) => {
                        self.inside(step, |reader| reader.place(&branch.slot, inner, None));
                    }
                    None => self.unfinished("", "Choose one."),
                }
            }
            // A draft of another form.
            _ => {
                self.unfinished("", "This value does not match the field's type. Clear the field.");
            }
        }
    }

    fn child<'e>(&self, entered: &'e Entered, step: PathStep) -> Option<&'e Entered> {
        match (entered.content.as_ref()?, step) {
            (Content::Union { visited, .. }, PathStep::Branch(position)) => {
                visited.iter().find(|(at, _)| *at == position).map(|(_, inner)| inner)
            }
            _ => None,
        }
    }

    fn value(&mut self, text: &str, tone: Tone, broken: Vec<BrokenLimit>) {
        let too_large = if tone == Tone::Number { self.too_large(text) } else { None };
        let is_fine = broken.is_empty() && too_large.is_none();
        self.write(text, if is_fine { tone } else { Tone::Error });
        self.report_broken(broken);
        if let Some(text) = too_large {
            self.report(MessageKind::Invalid("type"), text);
        }
    }

    /// The message for the first integer in the JSON text `text` that would arrive rounded.
    pub(super) fn too_large(&self, text: &str) -> Option<String> {
        match self.integers {
            Integers::Any => None,
            Integers::Of64Bits => check::integer_beyond_64_bits(text),
        }
    }

    pub(super) fn unfinished(&mut self, text: &str, message: &str) {
        self.write(if text.is_empty() { "?" } else { text }, Tone::Error);
        self.report(MessageKind::Unfinished, message);
    }
}
