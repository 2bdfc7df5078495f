//! [`Judge`]: whether a schema admits a value, as far as that can be told without the host.
//!
//! The answer has three values: yes, no, or undecided. Undecided is whatever the host's validator
//! may see otherwise (`unevaluated…`, `$dynamicRef`, `format`, a pattern of another dialect, a
//! keyword in a shape it must not have), so a yes and a no never contradict the host.
//! `if`, `not`, "only one of `oneOf`", `contains` and `propertyNames` stand on it.

use std::cell::Cell;
use std::collections::HashSet;

use json_text::{JsonText, Kind, Node as Value};
use serde_json::value::RawValue;

use crate::Types;
use crate::canonical::canonical;
use crate::decimal::Decimal;
use crate::document::{Dialect, Document, Node, NodeId, nesting};

/// How many schemas may be asked for one answer.
pub(crate) const PATIENCE: usize = 20_000;

/// How many schemas may be asked within each other.
const DEEPEST: usize = 48;

/// Values nested deeper are left to the host.
const DEEPEST_VALUE: usize = 64;

/// Keywords that say nothing about validity, or whose part another keyword does.
const SILENT: [&str; 27] = [
    "title",
    "description",
    "default",
    "examples",
    "example",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$schema",
    "$comment",
    "$defs",
    "definitions",
    "$anchor",
    "$id",
    "then",
    "else",
    "contentMediaType",
    "discriminator",
    "property_ordering",
    "propertyOrdering",
    "minContains",
    "maxContains",
    "additionalItems",
    "externalDocs",
    "xml",
    "nullable",
    "$vocabulary",
];

/// Decides schemas of one document.
pub(crate) struct Judge<'d> {
    document: &'d Document,
    left: Cell<usize>,
}

/// All of several answers: a no decides, an undecided one stays in the way of a yes.
#[derive(Clone, Copy)]
struct All {
    undecided: bool,
    no: bool,
}

impl All {
    const YES: Self = Self { undecided: false, no: false };

    fn and(&mut self, answer: Option<bool>) {
        match answer {
            Some(true) => {}
            Some(false) => self.no = true,
            None => self.undecided = true,
        }
    }

    fn answer(self) -> Option<bool> {
        match self {
            Self { no: true, .. } => Some(false),
            Self { undecided: true, .. } => None,
            _ => Some(true),
        }
    }
}

impl<'d> Judge<'d> {
    pub(crate) fn of(document: &'d Document) -> Self {
        Self::with_patience(document, PATIENCE)
    }

    /// One that may ask no more than `patience` schemas.
    pub(crate) fn with_patience(document: &'d Document, patience: usize) -> Self {
        Self { document, left: Cell::new(patience) }
    }

    /// How many schemas may still be asked.
    pub(crate) fn patience(&self) -> usize {
        self.left.get()
    }

    /// Whether `schema` admits `value`; `None` when only the host can tell.
    pub(crate) fn admits(&self, schema: NodeId, value: &JsonText) -> Option<bool> {
        if self.document.dialect() == Dialect::Other || nesting(value.as_str()) > DEEPEST_VALUE {
            return None;
        }
        let raw: &RawValue = value.decode().ok()?;
        self.schema(schema, raw, 0)
    }

    /// Whether `value` keeps one keyword of `schema`.
    pub(crate) fn keeps(&self, schema: NodeId, keyword: &str, value: &JsonText) -> Option<bool> {
        let dialect = self.document.dialect();
        let is_alone =
            dialect == Dialect::Seven && self.document.member(schema, &["$ref"]).is_some();
        if dialect == Dialect::Other || is_alone || nesting(value.as_str()) > DEEPEST_VALUE {
            return None;
        }
        let id = self.document.member(schema, &[keyword])?;
        let raw: &RawValue = value.decode().ok()?;
        self.keyword(schema, keyword, id, raw, &Value::of(raw), 0)
    }

    fn schema(&self, schema: NodeId, raw: &RawValue, depth: usize) -> Option<bool> {
        let left = self.left.get();
        if left == 0 || depth > DEEPEST {
            return None;
        }
        self.left.set(left - 1);
        let members = match self.document.node(schema) {
            Node::Bool(value) => return Some(*value),
            Node::Object(members) => members,
            _ => return None,
        };
        let value = Value::of(raw);
        if let Value::Object(given) = &value {
            let mut keys = HashSet::with_capacity(given.len());
            if !given.iter().all(|(key, _)| keys.insert(key.as_str())) {
                return None;
            }
        }
        let alone = self.document.dialect() == Dialect::Seven;
        if alone && let Some(reference) = self.document.member(schema, &["$ref"]) {
            return self.reference(reference, raw, depth);
        }
        let mut all = All::YES;
        for (key, id) in members {
            all.and(self.keyword(schema, key, *id, raw, &value, depth));
            if all.no {
                break;
            }
        }
        all.answer()
    }

    fn keyword(
        &self,
        schema: NodeId,
        key: &str,
        id: NodeId,
        raw: &RawValue,
        value: &Value<'_>,
        depth: usize,
    ) -> Option<bool> {
        let document = self.document;
        let modern = document.dialect() == Dialect::Modern;
        let kind = kind_of(value);
        match key {
            "type" => self.types(id, raw, kind),
            "enum" => {
                let spelled = canonical(&JsonText::from(raw));
                let found = |item: &NodeId| canonical(&document.text(*item)) == spelled;
                Some(document.items(id)?.iter().any(found))
            }
            "const" => Some(canonical(&document.text(id)) == canonical(&JsonText::from(raw))),
            "$ref" => self.reference(id, raw, depth),
            "allOf" => {
                let mut all = All::YES;
                for each in document.items(id)? {
                    all.and(self.schema(*each, raw, depth + 1));
                }
                all.answer()
            }
            "anyOf" | "any_of" => {
                let mut undecided = false;
                for each in document.items(id)? {
                    match self.schema(*each, raw, depth + 1) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => undecided = true,
                    }
                }
                (!undecided).then_some(false)
            }
            "oneOf" => {
                let answers: Vec<_> = document
                    .items(id)?
                    .iter()
                    .map(|each| self.schema(*each, raw, depth + 1))
                    .collect();
                let count = |answer| answers.iter().filter(|each| **each == answer).count();
                match (count(Some(true)), count(None)) {
                    (2.., _) | (0, 0) => Some(false),
                    (1, 0) => Some(true),
                    _ => None,
                }
            }
            "not" => self.schema(id, raw, depth + 1).map(|admitted| !admitted),
            "if" => {
                let branch = match self.schema(id, raw, depth + 1)? {
                    true => document.member(schema, &["then"]),
                    false => document.member(schema, &["else"]),
                };
                branch.map_or(Some(true), |branch| self.schema(branch, raw, depth + 1))
            }
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                let Value::Number(text) = value else { return Some(true) };
                let number = Decimal::parse(text)?;
                let Node::Number(limit) = document.node(id) else { return None };
                let limit = Decimal::parse(limit)?;
                match key {
                    "minimum" => Some(number >= limit),
                    "maximum" => Some(number <= limit),
                    "exclusiveMinimum" => Some(number > limit),
                    "exclusiveMaximum" => Some(number < limit),
                    _ => number.is_multiple_of(&limit),
                }
            }
            "minLength" | "maxLength" => {
                let Value::String(content) = value else { return Some(true) };
                self.count(id, content.chars().count(), key.starts_with("min"))
            }
            "pattern" => {
                let Value::String(content) = value else { return Some(true) };
                document.pattern(document.string(id)?)?.is_found_in(content)
            }
            "format" | "contentEncoding" if kind != Kind::String => Some(true),
            "minItems" | "maxItems" => {
                let Value::Array(items) = value else { return Some(true) };
                self.count(id, items.len(), key.starts_with("min"))
            }
            "minProperties" | "maxProperties" => {
                let Value::Object(given) = value else { return Some(true) };
                self.count(id, given.len(), key.starts_with("min"))
            }
            "uniqueItems" => match (document.node(id), value) {
                (Node::Bool(true), Value::Array(items)) => {
                    let mut seen = HashSet::with_capacity(items.len());
                    Some(items.iter().all(|item| seen.insert(canonical(&JsonText::from(*item)))))
                }
                (Node::Bool(_), _) => Some(true),
                _ => None,
            },
            "items" | "prefixItems" => {
                let Value::Array(items) = value else { return Some(true) };
                self.items(schema, key, id, items, depth)
            }
            "contains" => {
                let Value::Array(items) = value else { return Some(true) };
                self.contains(schema, id, items, depth)
            }
            "required" => {
                let Value::Object(given) = value else { return Some(true) };
                let mut all = All::YES;
                for name in document.items(id)? {
                    let name = document.string(*name)?;
                    all.and(Some(given.iter().any(|(key, _)| key == name)));
                }
                all.answer()
            }
            "properties" | "patternProperties" | "additionalProperties" => {
                let Value::Object(given) = value else { return Some(true) };
                self.properties(schema, key, id, given, depth)
            }
            "propertyNames" => {
                let Value::Object(given) = value else { return Some(true) };
                let mut all = All::YES;
                for (name, _) in given {
                    let name = JsonText::string(name);
                    let raw: &RawValue = name.decode().ok()?;
                    all.and(self.schema(id, raw, depth + 1));
                }
                all.answer()
            }
            "dependentRequired" if modern => {
                let Value::Object(given) = value else { return Some(true) };
                let there = |name: &str| given.iter().any(|(key, _)| key == name);
                let mut all = All::YES;
                for (name, needed) in document.members(id) {
                    if there(name) {
                        for needed in document.items(*needed)? {
                            all.and(Some(there(document.string(*needed)?)));
                        }
                    }
                }
                all.answer()
            }
            "dependencies" if !modern => {
                let Value::Object(given) = value else { return Some(true) };
                let there = |name: &str| given.iter().any(|(key, _)| key == name);
                let mut all = All::YES;
                for (_, needed) in document.members(id).iter().filter(|(name, _)| there(name)) {
                    match document.items(*needed) {
                        Some(names) => {
                            for name in names {
                                all.and(Some(there(document.string(*name)?)));
                            }
                        }
                        None => all.and(self.schema(*needed, raw, depth + 1)),
                    }
                }
                all.answer()
            }
            "dependentSchemas" if modern => {
                let Value::Object(given) = value else { return Some(true) };
                let mut all = All::YES;
                for (name, needed) in document.members(id) {
                    if given.iter().any(|(key, _)| key == name.as_ref()) {
                        all.and(self.schema(*needed, raw, depth + 1));
                    }
                }
                all.answer()
            }
            "nullable" => match (document.node(id), kind) {
                (Node::Bool(true), Kind::Null) => None,
                _ => Some(true),
            },
            "minContains" | "maxContains" if !modern => None,
            _ if SILENT.contains(&key) => Some(true),
            _ => None,
        }
    }

    fn types(&self, id: NodeId, raw: &RawValue, kind: Kind) -> Option<bool> {
        let names = match self.document.items(id) {
            Some(names) => names.to_vec(),
            None => vec![id],
        };
        let mut types = Types::NONE;
        for name in names {
            types = types.or(Types::named(self.document.string(name)?)?);
        }
        if kind == Kind::Number && !types.contains(Types::NUMBER) && types.contains(Types::INTEGER)
        {
            return Some(Decimal::parse(raw.get())?.is_whole());
        }
        Some(types.admit(kind))
    }

    fn reference(&self, id: NodeId, raw: &RawValue, depth: usize) -> Option<bool> {
        let target = self.document.resolve(self.document.string(id)?)?;
        if self.document.has_inner_ids() {
            return None;
        }
        self.schema(target, raw, depth + 1)
    }

    fn count(&self, id: NodeId, found: usize, is_least: bool) -> Option<bool> {
        let Node::Number(limit) = self.document.node(id) else { return None };
        let limit = Decimal::parse(limit)?;
        let found = Decimal::parse(&found.to_string())?;
        Some(if is_least { found >= limit } else { found <= limit })
    }

    fn items(
        &self,
        schema: NodeId,
        key: &str,
        id: NodeId,
        items: &[&RawValue],
        depth: usize,
    ) -> Option<bool> {
        let document = self.document;
        let modern = document.dialect() == Dialect::Modern;
        let mut all = All::YES;
        if let Some(heads) = document.items(id) {
            if modern != (key == "prefixItems") {
                return None;
            }
            for (head, item) in heads.iter().zip(items) {
                all.and(self.schema(*head, item, depth + 1));
            }
            if let (false, Some(rest)) = (modern, document.member(schema, &["additionalItems"])) {
                for item in items.iter().skip(heads.len()) {
                    all.and(self.schema(rest, item, depth + 1));
                }
            }
            return all.answer();
        }
        let heads = match document.member(schema, &["prefixItems"]) {
            Some(heads) if modern => document.items(heads)?.len(),
            _ => 0,
        };
        for item in items.iter().skip(heads) {
            all.and(self.schema(id, item, depth + 1));
        }
        all.answer()
    }

    fn contains(
        &self,
        schema: NodeId,
        id: NodeId,
        items: &[&RawValue],
        depth: usize,
    ) -> Option<bool> {
        let modern = self.document.dialect() == Dialect::Modern;
        let limit = |name| match self.document.member(schema, &[name]).filter(|_| modern) {
            None => Some(None),
            Some(id) => match self.document.node(id) {
                Node::Number(text) => text.parse::<usize>().ok().map(Some),
                _ => None,
            },
        };
        let (least, most) = (limit("minContains")?.unwrap_or(1), limit("maxContains")?);
        let answers: Vec<_> = items.iter().map(|item| self.schema(id, item, depth + 1)).collect();
        let sure = answers.iter().filter(|answer| **answer == Some(true)).count();
        let maybe = answers.iter().filter(|answer| answer.is_none()).count();
        if sure + maybe < least || most.is_some_and(|most| sure > most) {
            return Some(false);
        }
        let enough = sure >= least && most.is_none_or(|most| sure + maybe <= most);
        enough.then_some(true)
    }

    fn properties(
        &self,
        schema: NodeId,
        key: &str,
        id: NodeId,
        given: &[(String, &RawValue)],
        depth: usize,
    ) -> Option<bool> {
        let document = self.document;
        let mut all = All::YES;
        match key {
            "properties" => {
                for (name, property) in document.members(id) {
                    if let Some((_, raw)) = given.iter().find(|(key, _)| key == name.as_ref()) {
                        all.and(self.schema(*property, raw, depth + 1));
                    }
                }
            }
            "patternProperties" => {
                for (pattern, property) in document.members(id) {
                    for (name, raw) in given {
                        match document.pattern(pattern).and_then(|it| it.is_found_in(name)) {
                            Some(true) => all.and(self.schema(*property, raw, depth + 1)),
                            Some(false) => {}
                            None => all.and(None),
                        }
                    }
                }
            }
            _ => {
                let named = document.member(schema, &["properties"]);
                let patterns = document.member(schema, &["patternProperties"]);
                for (name, raw) in given {
                    if named.is_some_and(|named| document.member(named, &[name]).is_some()) {
                        continue;
                    }
                    let matched = patterns
                        .map_or(Some(false), |patterns| matches_any(document, patterns, name));
                    match matched {
                        Some(true) => {}
                        Some(false) => all.and(self.schema(id, raw, depth + 1)),
                        None => all.and(None),
                    }
                }
            }
        }
        all.answer()
    }
}

/// Whether one of the patterns that are the keys of `patterns` is found in `name`.
fn matches_any(document: &Document, patterns: NodeId, name: &str) -> Option<bool> {
    let mut undecided = false;
    for (pattern, _) in document.members(patterns) {
        match document.pattern(pattern).and_then(|it| it.is_found_in(name)) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => undecided = true,
        }
    }
    (!undecided).then_some(false)
}

fn kind_of(value: &Value<'_>) -> Kind {
    match value {
        Value::Null => Kind::Null,
        Value::Bool(_) => Kind::Bool,
        Value::Number(_) => Kind::Number,
        Value::String(_) => Kind::String,
        Value::Array(_) => Kind::Array,
        Value::Object(_) => Kind::Object,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(schema: &str, value: &str) -> Option<bool> {
        let document = Document::open(&JsonText::parse(schema).expect("JSON")).expect("shallow");
        Judge::of(&document).admits(document.root(), &JsonText::parse(value).expect("JSON"))
    }

    #[test]
    fn what_is_plain_is_decided() {
        for (schema, value, answer) in [
            (r#"{"not": {"const": 1.0}}"#, "1", Some(false)),
            (
                r#"{"if": {"required": ["a"]}, "then": {"required": ["b"]}}"#,
                r#"{"a":1}"#,
                Some(false),
            ),
            (r#"{"if": {"required": ["a"]}, "then": {"required": ["b"]}}"#, "{}", Some(true)),
            (r#"{"oneOf": [{"minimum": 1}, {"maximum": 3}]}"#, "2", Some(false)),
            (r#"{"oneOf": [{"minimum": 1}, {"maximum": 3}]}"#, "4", Some(true)),
            (r#"{"contains": {"const": 1}, "maxContains": 1}"#, "[1,1]", Some(false)),
            (r#"{"propertyNames": {"pattern": "^x-"}}"#, r#"{"x-a":1,"b":2}"#, Some(false)),
            (
                r#"{"patternProperties": {"^n": {"type": "integer"}}, "additionalProperties": false}"#,
                r#"{"n":5.0}"#,
                Some(true),
            ),
            (r##"{"$defs": {"a": {"type": "string"}}, "$ref": "#/$defs/a"}"##, "1", Some(false)),
        ] {
            assert_eq!(judged(schema, value), answer, "{schema} {value}");
        }
    }

    #[test]
    fn what_the_host_may_see_otherwise_is_undecided() {
        for (schema, value) in [
            (r#"{"format": "email"}"#, r#""x""#),
            (r#"{"unevaluatedProperties": false}"#, "{}"),
            (r#"{"pattern": "(?=a)"}"#, r#""x""#),
            (r##"{"$ref": "#/$defs/absent"}"##, "1"),
            (r##"{"$ref": "#"}"##, "1"),
            (r#"{"$schema": "http://json-schema.org/draft-04/schema#"}"#, "1"),
        ] {
            assert_eq!(judged(schema, value), None, "{schema} {value}");
        }
        // A certain no is one whatever else stands beside it.
        assert_eq!(judged(r#"{"format": "email", "type": "string"}"#, "1"), Some(false));
        assert_eq!(
            judged(r#"{"type": "string", "format": "email", "maxLength": 1}"#, r#""xy""#),
            Some(false)
        );
    }
}
