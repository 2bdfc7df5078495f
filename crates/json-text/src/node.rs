//! [`Node`]: the outermost level of a value, opened.

use std::borrow::Cow;
use std::fmt;

use serde::Deserializer;
use serde::de::{MapAccess, Visitor};
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
        let text = raw.get();
        match Kind::of(text) {
            Kind::Null => Self::Null,
            Kind::Bool => Self::Bool(text == "true"),
            Kind::Number => Self::Number(text),
            Kind::String => Self::String(match serde_json::from_str::<String>(text) {
                Ok(content) => Cow::Owned(content),
                Err(_) => Cow::Borrowed(text),
            }),
            Kind::Array => Self::Array(serde_json::from_str(text).unwrap_or_default()),
            Kind::Object => Self::Object(members(text).unwrap_or_default()),
        }
    }
}

fn members(text: &str) -> Result<Vec<(String, &RawValue)>, serde_json::Error> {
    struct Members;
    impl<'de> Visitor<'de> for Members {
        type Value = Vec<(String, &'de RawValue)>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::with_capacity(map.size_hint().unwrap_or(0));
            while let Some(member) = map.next_entry()? {
                members.push(member);
            }
            Ok(members)
        }
    }
    serde_json::Deserializer::from_str(text).deserialize_map(Members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JsonText;

    #[test]
    fn opens_one_level() {
        let text = JsonText::parse(r#"{"b": [1, {"x": 2}], "a": 1.50, "b": null}"#).expect("valid");
        let Node::Object(members) = text.open() else { panic!("an object") };
        let seen: Vec<_> = members.iter().map(|(key, raw)| (key.as_str(), raw.get())).collect();
        assert_eq!(seen, [("b", r#"[1, {"x": 2}]"#), ("a", "1.50"), ("b", "null")]);
    }

    #[test]
    fn strings_resolve_escapes() {
        let text = JsonText::parse(r#""a\u0041\n""#).expect("valid");
        assert!(matches!(text.open(), Node::String(content) if content == "aA\n"));
        let lone = JsonText::parse(r#""\ud800""#);
        assert!(lone.is_err() || matches!(lone.expect("kept").open(), Node::String(_)));
    }
}
