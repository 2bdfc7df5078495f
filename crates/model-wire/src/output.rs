//! Builds JSON from texts, so that numbers keep their digits.

use json_text::{JsonText, Node};
use serde::ser::{SerializeMap, Serializer};
use serde_json::Value;

/// A value that can be written as JSON.
pub(crate) trait Json {
    fn json(self) -> JsonText;
}

impl Json for JsonText {
    fn json(self) -> JsonText {
        self
    }
}

impl Json for &JsonText {
    fn json(self) -> JsonText {
        self.clone()
    }
}

impl Json for &str {
    fn json(self) -> JsonText {
        JsonText::string(self)
    }
}

impl Json for String {
    fn json(self) -> JsonText {
        JsonText::string(&self)
    }
}

impl Json for bool {
    fn json(self) -> JsonText {
        JsonText::from_value(&Value::from(self))
    }
}

impl Json for i64 {
    fn json(self) -> JsonText {
        JsonText::from_value(&Value::from(self))
    }
}

impl Json for usize {
    fn json(self) -> JsonText {
        JsonText::from_value(&Value::from(self))
    }
}

impl Json for () {
    fn json(self) -> JsonText {
        JsonText::null()
    }
}

impl<T: Json> Json for Option<T> {
    fn json(self) -> JsonText {
        self.map_or_else(JsonText::null, T::json)
    }
}

impl<T: Json> Json for Vec<T> {
    fn json(self) -> JsonText {
        let items: Vec<JsonText> = self.into_iter().map(T::json).collect();
        serialized(&items)
    }
}

/// An object with its members in the order of insertion.
#[derive(Debug, Clone, Default)]
pub(crate) struct Object(Vec<(String, JsonText)>);

impl Object {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn with(mut self, key: impl Into<String>, value: impl Json) -> Self {
        self.0.push((key.into(), value.json()));
        self
    }

    pub(crate) fn push(&mut self, key: impl Into<String>, value: impl Json) {
        self.0.push((key.into(), value.json()));
    }

    /// With the members of another object after its own.
    pub(crate) fn with_all(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// With the member where there is a value.
    pub(crate) fn with_some(self, key: &str, value: Option<impl Json>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// Without empty members: null, an empty list, an empty object.
    pub(crate) fn without_blanks(mut self) -> Self {
        self.0.retain(|(_, value)| match value.open() {
            Node::Null => false,
            Node::Array(items) => !items.is_empty(),
            Node::Object(members) => !members.is_empty(),
            _ => true,
        });
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The object; `None` without members.
    pub(crate) fn non_empty(self) -> Option<JsonText> {
        (!self.is_empty()).then(|| self.json())
    }
}

impl Json for Object {
    fn json(self) -> JsonText {
        serialized(&self)
    }
}

impl serde::Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// Lists and objects of JSON texts can always be serialized.
fn serialized(value: &impl serde::Serialize) -> JsonText {
    JsonText::serialize(value).unwrap_or_else(|_| JsonText::null())
}
