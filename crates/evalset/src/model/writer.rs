//! [`ObjectWriter`]: writes an object member by member.

use std::borrow::Cow;

use json_text::JsonText;

use super::Value;
use super::form::camel_of;

/// The output text.
#[derive(Debug)]
pub(crate) struct Out {
    text: String,
    casing: Casing,
}

/// How known fields are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Casing {
    /// New ones in snake_case.
    Original,
    /// All in snake_case.
    Snake,
    /// All in camelCase.
    Camel,
}

impl Out {
    pub(crate) fn push(&mut self, character: char) {
        self.text.push(character);
    }

    pub(crate) fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }
}

/// The compact JSON text of a model.
pub(crate) fn text_of(value: &impl Value, casing: Casing) -> String {
    let mut out = Out { text: String::new(), casing };
    value.write(&mut out);
    out.text
}

/// Writes an object's members.
#[derive(Debug)]
pub(crate) struct ObjectWriter<'a> {
    pub(super) out: &'a mut Out,
    first: bool,
}

impl<'a> ObjectWriter<'a> {
    pub(crate) fn begin(out: &'a mut Out) -> Self {
        out.push('{');
        Self { out, first: true }
    }

    fn spelled(&self, name: &'static str, stood_in_camel: bool) -> Cow<'static, str> {
        match (self.out.casing, stood_in_camel) {
            (Casing::Camel, _) | (Casing::Original, true) => Cow::Owned(camel_of(name)),
            _ => Cow::Borrowed(name),
        }
    }

    pub(super) fn key(&mut self, key: &str) {
        if !std::mem::take(&mut self.first) {
            self.out.push(',');
        }
        write_string(key, self.out);
        self.out.push(':');
    }

    pub(crate) fn other(&mut self, key: &str, value: &JsonText) {
        self.key(key);
        self.out.push_str(value.as_str());
    }

    /// A field that the file had. One that was unset since is omitted.
    pub(crate) fn original<T: Value>(
        &mut self,
        name: &'static str,
        camel: bool,
        empty: Option<&JsonText>,
        value: &T,
        is_unset: bool,
    ) {
        let key = self.spelled(name, camel);
        match (is_unset, empty) {
            (true, Some(empty)) => self.other(&key, empty),
            (true, None) => {}
            (false, _) => {
                self.key(&key);
                value.write(self.out);
            }
        }
    }

    /// A field that is new.
    pub(crate) fn new_field<T: Value>(&mut self, name: &'static str, value: &T) {
        let key = self.spelled(name, false);
        self.key(&key);
        value.write(self.out);
    }

    pub(crate) fn end(self) {
        self.out.push('}');
    }
}

pub(crate) fn write_string(text: &str, out: &mut Out) {
    out.push_str(&json_string(text));
}

/// The JSON string whose content is `text`.
pub(crate) fn json_string(text: &str) -> String {
    // A string always serializes.
    serde_json::to_string(text).unwrap_or_default()
}
