//! Reads requests level by level. Each value has its path, for errors.

use json_text::{JsonText, JsonTextError, Kind, Node};
use live::Invalid;
use serde_json::value::RawValue;

use crate::output::Object as Output;

/// A value within a request.
#[derive(Debug, Clone)]
pub(crate) struct Value<'a> {
    raw: &'a RawValue,
    path: String,
}

/// An object within a request, from which members are taken.
///
/// A null member counts as absent, as for the vendors. The last of duplicate members counts.
#[derive(Debug)]
pub(crate) struct Object<'a> {
    path: String,
    members: Vec<(String, &'a RawValue)>,
}

/// Opens the body of a request.
pub(crate) fn body(text: &str) -> Result<Object<'_>, Invalid> {
    let raw: &RawValue = serde_json::from_str(text)
        .map_err(|error| JsonTextError::of(text, &error))
        .map_err(|error| Invalid::new("body", format!("must be JSON: {error}")))?;
    Value { raw, path: String::new() }.object()
}

impl<'a> Value<'a> {
    pub(crate) fn kind(&self) -> Kind {
        match Node::of(self.raw) {
            Node::Null => Kind::Null,
            Node::Bool(_) => Kind::Bool,
            Node::Number(_) => Kind::Number,
            Node::String(_) => Kind::String,
            Node::Array(_) => Kind::Array,
            Node::Object(_) => Kind::Object,
        }
    }

    /// The value as it was written.
    pub(crate) fn json(&self) -> JsonText {
        JsonText::from(self.raw)
    }

    pub(crate) fn string(&self) -> Result<String, Invalid> {
        match Node::of(self.raw) {
            Node::String(text) => Ok(text.into_owned()),
            _ => Err(self.wrong("a string")),
        }
    }

    /// A string with at least one character.
    pub(crate) fn name(&self) -> Result<String, Invalid> {
        let name = self.string()?;
        if name.is_empty() { Err(self.fault("must not be empty")) } else { Ok(name) }
    }

    pub(crate) fn boolean(&self) -> Result<bool, Invalid> {
        match Node::of(self.raw) {
            Node::Bool(value) => Ok(value),
            _ => Err(self.wrong("true or false")),
        }
    }

    /// A count from 1 to 128.
    pub(crate) fn count(&self) -> Result<usize, Invalid> {
        let written = match Node::of(self.raw) {
            Node::Number(text) => text.parse().ok(),
            _ => None,
        };
        let fits = written.filter(|count| (1..=128).contains(count));
        fits.ok_or_else(|| self.fault("must be a whole number from 1 to 128"))
    }

    pub(crate) fn list(&self) -> Result<Vec<Value<'a>>, Invalid> {
        match Node::of(self.raw) {
            Node::Array(items) => {
                let value = |(index, raw)| Value { raw, path: format!("{}[{index}]", self.path) };
                Ok(items.into_iter().enumerate().map(value).collect())
            }
            _ => Err(self.wrong("a list")),
        }
    }

    pub(crate) fn object(&self) -> Result<Object<'a>, Invalid> {
        match Node::of(self.raw) {
            Node::Object(members) => Ok(Object { path: self.path.clone(), members }),
            _ => Err(self.wrong("an object")),
        }
    }

    /// A JSON Schema: an object or a boolean.
    pub(crate) fn schema(&self) -> Result<JsonText, Invalid> {
        match self.kind() {
            Kind::Object | Kind::Bool => Ok(self.json()),
            _ => Err(self.wrong("a JSON Schema, an object or a boolean")),
        }
    }

    pub(crate) fn fault(&self, rule: impl Into<String>) -> Invalid {
        let field = if self.path.is_empty() { "body" } else { &self.path };
        Invalid::new(field, rule)
    }

    fn wrong(&self, wanted: &str) -> Invalid {
        self.fault(format!("must be {wanted}, not {}", article(self.kind())))
    }
}

impl<'a> Object<'a> {
    /// Takes a member out; `None` when it is absent or null.
    pub(crate) fn take(&mut self, key: &str) -> Option<Value<'a>> {
        let found = self.get(key);
        self.members.retain(|(name, _)| name != key);
        found
    }

    /// Takes out the first of these members that is there: the spellings of one name.
    pub(crate) fn take_any(&mut self, keys: &[&str]) -> Option<Value<'a>> {
        let found: Vec<_> = keys.iter().filter_map(|key| self.take(key)).collect();
        found.into_iter().next()
    }

    /// Looks at a member.
    pub(crate) fn get(&self, key: &str) -> Option<Value<'a>> {
        let (_, raw) = self.members.iter().rev().find(|(name, _)| name == key)?;
        let joint = if self.path.is_empty() { "" } else { "." };
        (raw.get() != "null").then(|| Value { raw, path: format!("{}{joint}{key}", self.path) })
    }

    pub(crate) fn required(&mut self, key: &str) -> Result<Value<'a>, Invalid> {
        self.take(key).ok_or_else(|| self.missing(key))
    }

    pub(crate) fn required_any(&mut self, keys: &[&str]) -> Result<Value<'a>, Invalid> {
        let first = keys.first().copied().unwrap_or_default();
        self.take_any(keys).ok_or_else(|| self.missing(first))
    }

    fn missing(&self, key: &str) -> Invalid {
        let joint = if self.path.is_empty() { "" } else { "." };
        Invalid::new(format!("{}{joint}{key}", self.path), "must be given")
    }

    pub(crate) fn text(&mut self, key: &str) -> Result<Option<String>, Invalid> {
        self.take(key).map(|value| value.string()).transpose()
    }

    pub(crate) fn flag(&mut self, key: &str) -> Result<bool, Invalid> {
        self.take(key).map_or(Ok(false), |value| value.boolean())
    }

    /// The members that were not taken, as written.
    pub(crate) fn rest(self) -> Output {
        let mut rest = Output::new();
        for (key, raw) in self.members {
            rest.push(key, JsonText::from(raw));
        }
        rest
    }

    /// The first member that is not null, with a name that is not empty.
    pub(crate) fn first(&self) -> Option<(String, Value<'a>)> {
        let mut members = self.members.iter();
        let (name, raw) = members.find(|(name, raw)| !name.is_empty() && raw.get() != "null")?;
        let joint = if self.path.is_empty() { "" } else { "." };
        Some((name.clone(), Value { raw, path: format!("{}{joint}{name}", self.path) }))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

fn article(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "a list",
        Kind::Object => "an object",
    }
}
