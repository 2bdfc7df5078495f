//! Reads requests level by level. Each value has its path, for errors.
//!
//! Lists and objects are counted while they are read, and reading ends at the limit: a body of a million
//! messages takes the memory of those that the page could show.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use json_text::{JsonText, JsonTextError, Kind, Node};
use live::{Invalid, Limit, TooLarge};
use serde_json::value::RawValue;

use crate::api_fault::ApiFault;
use crate::output::Object as Output;

/// The most members of an object that is read. One that is kept unchanged, such as a schema, may have any
/// number.
const MEMBERS: usize = 1_000;

/// A value within a request.
#[derive(Debug, Clone)]
pub(crate) struct Value<'a> {
    raw: &'a RawValue,
    path: String,
    counts: Counts,
}

/// How many items of each kind the lists have that were read of a request.
#[derive(Debug, Clone, Default)]
struct Counts(Rc<RefCell<HashMap<Limit, usize>>>);

/// An object within a request, from which members are taken.
///
/// A null member counts as absent, as for the vendors. The last of duplicate members counts.
#[derive(Debug)]
pub(crate) struct Object<'a> {
    path: String,
    members: Vec<(String, &'a RawValue)>,
    counts: Counts,
}

/// Opens the body of a request.
pub(crate) fn body(text: &str) -> Result<Object<'_>, ApiFault> {
    let raw: &RawValue = serde_json::from_str(text)
        .map_err(|error| JsonTextError::of(text, &error))
        .map_err(|error| Invalid::new("body", format!("must be JSON: {error}")))?;
    Value { raw, path: String::new(), counts: Counts::default() }.object()
}

impl Counts {
    /// How many more items lists of this kind may have.
    fn left(&self, limit: Limit) -> usize {
        let counts = self.0.borrow();
        limit.most().saturating_sub(counts.get(&limit).copied().unwrap_or_default())
    }

    fn add(&self, limit: Limit, items: usize) {
        *self.0.borrow_mut().entry(limit).or_default() += items;
    }
}

impl<'a> Value<'a> {
    pub(crate) fn kind(&self) -> Kind {
        Kind::from(self.raw)
    }

    /// The value as it was written.
    pub(crate) fn json(&self) -> JsonText {
        JsonText::from(self.raw)
    }

    pub(crate) fn string(&self) -> Result<String, ApiFault> {
        match Node::of(self.raw) {
            Node::String(text) => Ok(text.into_owned()),
            _ => Err(self.wrong("a string")),
        }
    }

    /// A string with at least one character.
    pub(crate) fn name(&self) -> Result<String, ApiFault> {
        let name = self.string()?;
        if name.is_empty() { Err(self.fault("must not be empty")) } else { Ok(name) }
    }

    pub(crate) fn boolean(&self) -> Result<bool, ApiFault> {
        match Node::of(self.raw) {
            Node::Bool(value) => Ok(value),
            _ => Err(self.wrong("true or false")),
        }
    }

    /// A count from 1 to 128.
    pub(crate) fn count(&self) -> Result<usize, ApiFault> {
        let written = match Node::of(self.raw) {
            Node::Number(text) => text.parse().ok(),
            _ => None,
        };
        let fits = written.filter(|count| (1..=128).contains(count));
        fits.ok_or_else(|| self.fault("must be a whole number from 1 to 128"))
    }

    /// A list whose items count towards a limit of the request.
    pub(crate) fn list(&self, limit: Limit) -> Result<Vec<Value<'a>>, ApiFault> {
        if self.kind() != Kind::Array {
            return Err(self.wrong("a list"));
        }
        let left = self.counts.left(limit);
        let Node::Array(items) = Node::beginning_of(self.raw, left + 1) else {
            return Err(self.wrong("a list"));
        };
        if items.len() > left {
            return Err(TooLarge(limit).into());
        }
        self.counts.add(limit, items.len());
        let value = |(index, raw)| Value {
            raw,
            path: format!("{}[{index}]", self.path),
            counts: self.counts.clone(),
        };
        Ok(items.into_iter().enumerate().map(value).collect())
    }

    pub(crate) fn object(&self) -> Result<Object<'a>, ApiFault> {
        if self.kind() != Kind::Object {
            return Err(self.wrong("an object"));
        }
        match Node::beginning_of(self.raw, MEMBERS + 1) {
            Node::Object(members) if members.len() <= MEMBERS => {
                Ok(Object { path: self.path.clone(), members, counts: self.counts.clone() })
            }
            _ => Err(self.fault(format!("must have at most {MEMBERS} members"))),
        }
    }

    /// A JSON Schema: an object or a boolean.
    pub(crate) fn schema(&self) -> Result<JsonText, ApiFault> {
        match self.kind() {
            Kind::Object | Kind::Bool => Ok(self.json()),
            _ => Err(self.wrong("a JSON Schema, an object or a boolean")),
        }
    }

    pub(crate) fn fault(&self, rule: impl Into<String>) -> ApiFault {
        let field = if self.path.is_empty() { "body" } else { &self.path };
        Invalid::new(field, rule).into()
    }

    fn wrong(&self, wanted: &str) -> ApiFault {
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
        let path = || format!("{}{joint}{key}", self.path);
        (raw.get() != "null").then(|| Value { raw, path: path(), counts: self.counts.clone() })
    }

    pub(crate) fn required(&mut self, key: &str) -> Result<Value<'a>, ApiFault> {
        self.take(key).ok_or_else(|| self.missing(key))
    }

    pub(crate) fn required_any(&mut self, keys: &[&str]) -> Result<Value<'a>, ApiFault> {
        let first = keys.first().copied().unwrap_or_default();
        self.take_any(keys).ok_or_else(|| self.missing(first))
    }

    fn missing(&self, key: &str) -> ApiFault {
        let joint = if self.path.is_empty() { "" } else { "." };
        Invalid::new(format!("{}{joint}{key}", self.path), "must be given").into()
    }

    pub(crate) fn text(&mut self, key: &str) -> Result<Option<String>, ApiFault> {
        self.take(key).map(|value| value.string()).transpose()
    }

    pub(crate) fn flag(&mut self, key: &str) -> Result<bool, ApiFault> {
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

    /// Whether a member has a name and is not null.
    pub(crate) fn has_values(&self) -> bool {
        self.members.iter().any(|(name, raw)| is_value(name, raw))
    }

    /// The members that have a name and are not null, the first of each name.
    pub(crate) fn values(self) -> Vec<(String, Value<'a>)> {
        let Self { path, members, counts } = self;
        let joint = if path.is_empty() { "" } else { "." };
        let mut seen = HashSet::new();
        let mut values = Vec::new();
        for (name, raw) in members {
            if is_value(&name, raw) && seen.insert(name.clone()) {
                let path = format!("{path}{joint}{name}");
                values.push((name, Value { raw, path, counts: counts.clone() }));
            }
        }
        values
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

fn is_value(name: &str, raw: &RawValue) -> bool {
    !name.is_empty() && raw.get() != "null"
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
