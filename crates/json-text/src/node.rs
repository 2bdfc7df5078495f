//! [`Node`]: the outermost level of a value, opened.

use std::borrow::Cow;
use std::fmt;

use serde::Deserializer as _;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

/// The six kinds of JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number
    Number,
    /// A string
    String,
    /// An array
    Array,
    /// An object
    Object,
}

impl Kind {
    pub(crate) fn of(text: &str) -> Self {
        match text.as_bytes().first() {
            Some(b'{') => Self::Object,
            Some(b'[') => Self::Array,
            Some(b'"') => Self::String,
            Some(b't' | b'f') => Self::Bool,
            Some(b'n') | None => Self::Null,
            Some(_) => Self::Number,
        }
    }

    /// The name with its article, for a sentence.
    #[must_use]
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }

    /// The name JSON Schema uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

impl From<&RawValue> for Kind {
    fn from(raw: &RawValue) -> Self {
        Self::of(raw.get())
    }
}

/// One level of a JSON value; deeper levels are still text.
#[derive(Debug, Clone)]
pub enum Node<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// The number as written.
    Number(&'a str),
    /// The string's content, escapes resolved.
    String(Cow<'a, str>),
    /// The items in order.
    Array(Vec<&'a RawValue>),
    /// The members in the order written; a repeated key occurs as often as written.
    Object(Vec<(String, &'a RawValue)>),
}

impl<'a> Node<'a> {
    /// Opens the outermost level of `raw`.
    ///
    /// A string with a lone surrogate escape, which JSON's grammar allows and Unicode does not,
    /// shows as its own source text.
    #[must_use]
    pub fn of(raw: &'a RawValue) -> Self {
        Self::beginning_of(raw, usize::MAX)
    }

    /// The same, of an array or an object with at most the first `most` items or members. Reading ends
    /// after them, so an array or an object of any size takes the time and the memory of these.
    ///
    /// ```
    /// let numbers = serde_json::from_str("[1, 2, 3]")?;
    /// let beginning = json_text::Node::beginning_of(numbers, 2);
    /// assert!(matches!(beginning, json_text::Node::Array(items) if items.len() == 2));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn beginning_of(raw: &'a RawValue, most: usize) -> Self {
        let text = raw.get();
        match Kind::of(text) {
            Kind::Null => Self::Null,
            Kind::Bool => Self::Bool(text == "true"),
            Kind::Number => Self::Number(text),
            Kind::String => Self::String(match serde_json::from_str::<String>(text) {
                Ok(content) => Cow::Owned(content),
                Err(_) => Cow::Borrowed(text),
            }),
            Kind::Array => Self::Array(items(text, most)),
            Kind::Object => Self::Object(members(text, most)),
        }
    }
}

fn items(text: &str, most: usize) -> Vec<&RawValue> {
    struct Items<'v, 'de>(&'v mut Vec<&'de RawValue>, usize);
    impl<'de> Visitor<'de> for Items<'_, 'de> {
        type Value = ();

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an array")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
            let Self(items, most) = self;
            while items.len() < most
                && let Some(item) = seq.next_element()?
            {
                items.push(item);
            }
            Ok(())
        }
    }
    let mut items = Vec::new();
    let read = Deserializer::from_str(text).deserialize_seq(Items(&mut items, most));
    whole_or_beginning(items, most, &read)
}

fn members(text: &str, most: usize) -> Vec<(String, &RawValue)> {
    struct Members<'v, 'de>(&'v mut Vec<(String, &'de RawValue)>, usize);
    impl<'de> Visitor<'de> for Members<'_, 'de> {
        type Value = ();

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            let Self(members, most) = self;
            while members.len() < most
                && let Some(member) = map.next_entry()?
            {
                members.push(member);
            }
            Ok(())
        }
    }
    let mut members = Vec::new();
    let read = Deserializer::from_str(text).deserialize_map(Members(&mut members, most));
    whole_or_beginning(members, most, &read)
}

/// What was read; nothing if it is not readable. To end before the end is an error for serde, too.
fn whole_or_beginning<T>(
    read: Vec<T>,
    most: usize,
    result: &Result<(), serde_json::Error>,
) -> Vec<T> {
    if result.is_err() && read.len() < most { Vec::new() } else { read }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens_the_beginning_of_a_level() {
        let array = serde_json::from_str("[1, [2], 3]").expect("valid");
        let count = |most| match Node::beginning_of(array, most) {
            Node::Array(items) => items.len(),
            _ => panic!("an array"),
        };
        assert_eq!([0, 2, 3, 4].map(count), [0, 2, 3, 3]);
        let object = serde_json::from_str(r#"{"a": {"b": 1}, "c": 2}"#).expect("valid");
        let Node::Object(members) = Node::beginning_of(object, 1) else { panic!("an object") };
        let seen: Vec<_> = members.iter().map(|(key, raw)| (key.as_str(), raw.get())).collect();
        assert_eq!(seen, [("a", r#"{"b": 1}"#)]);
    }
}
