//! [`PartialValidator`]: whether a schema accepts a value, as far as the page can decide it.
//!
//! The answer is yes, no or undecided. Undecided is everything the host's validator may evaluate
//! differently (`unevaluated…`, `$dynamicRef`, an unsupported pattern, a keyword with a
//! value of the wrong type), so that yes and no never contradict the host.
//! The form's `if`, `not`, `oneOf`, `contains` and `propertyNames` use it.

mod assertions;
mod combining;
mod lists;
mod objects;
mod verdict;

use std::cell::Cell;
use std::collections::HashSet;

use json_text::{JsonText, Kind, Node as Value, nesting};
use serde_json::value::RawValue;

use self::verdict::AllOf;
use crate::document::{Dialect, Document, Node, NodeId};
use crate::spelling::canonical_keyword;

/// The most schemas evaluated for one answer.
pub(crate) const MAX_SCHEMAS: usize = 20_000;

/// The deepest nesting of schemas evaluated.
const DEEPEST: usize = 48;

/// Values nested deeper are left to the host.
const MAX_VALUE_DEPTH: usize = 64;

/// Keywords that assert nothing, or that another keyword evaluates.
const NON_ASSERTIONS: [&str; 29] = [
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
    "defs",
    "$anchor",
    "$id",
    "then",
    "else",
    "format",
    "contentEncoding",
    "contentMediaType",
    "discriminator",
    "propertyOrdering",
    "minContains",
    "maxContains",
    "additionalItems",
    "externalDocs",
    "xml",
    "nullable",
    "$vocabulary",
];

/// Validates against the schemas of one document.
pub(crate) struct PartialValidator<'d> {
    document: &'d Document,
    left: Cell<usize>,
}

impl<'d> PartialValidator<'d> {
    pub(crate) fn of(document: &'d Document) -> Self {
        Self::with_budget(document, MAX_SCHEMAS)
    }

    /// A validator that evaluates at most `budget` schemas.
    pub(crate) fn with_budget(document: &'d Document, budget: usize) -> Self {
        Self { document, left: Cell::new(budget) }
    }

    /// How many schemas may still be evaluated.
    pub(crate) fn budget(&self) -> usize {
        self.left.get()
    }

    /// Whether `schema` accepts `value`; `None` when only the host can decide.
    pub(crate) fn admits(&self, schema: NodeId, value: &JsonText) -> Option<bool> {
        if self.document.dialect() == Dialect::Other || nesting(value.as_str()) > MAX_VALUE_DEPTH {
            return None;
        }
        let raw: &RawValue = value.decode().ok()?;
        self.schema(schema, raw, 0)
    }

    /// Whether `value` satisfies one keyword of `schema`.
    pub(crate) fn satisfies_keyword(
        &self,
        schema: NodeId,
        keyword: &str,
        value: &JsonText,
    ) -> Option<bool> {
        let dialect = self.document.dialect();
        let is_alone =
            dialect == Dialect::Seven && self.document.member(schema, &["$ref"]).is_some();
        if dialect == Dialect::Other || is_alone || nesting(value.as_str()) > MAX_VALUE_DEPTH {
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
        let mut all = AllOf::YES;
        if let Some(tag) = self.document.tag(schema) {
            all.and(self.schema(tag.schema, raw, depth + 1));
        }
        let alone = self.document.dialect() == Dialect::Seven;
        if alone && let Some(reference) = self.document.member(schema, &["$ref"]) {
            all.and(self.reference(reference, raw, depth));
            return all.answer();
        }
        for (key, id) in members {
            all.and(self.keyword(schema, key, *id, raw, &value, depth));
            if all.is_settled() {
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
        let spelled = key;
        let key = canonical_keyword(key);
        match key {
            // google.genai's `nullable` adds null to these keywords.
            "type" | "enum" | "anyOf" if kind == Kind::Null && self.is_nullable(schema) => {
                Some(true)
            }
            "$ref" if spelled == "ref" && kind == Kind::Null && self.is_nullable(schema) => {
                Some(true)
            }
            "type" => self.types(id, raw, kind),
            "enum" => self.one_of_values(id, raw),
            "const" => Some(self.is_value(id, raw)),
            "$ref" => self.reference(id, raw, depth),
            "allOf" => self.all_of(id, raw, depth),
            "anyOf" => self.any_of(id, raw, depth),
            "oneOf" => self.one_of(id, raw, depth),
            "not" => self.schema(id, raw, depth + 1).map(|admitted| !admitted),
            "if" => self.condition(schema, id, raw, depth),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                let Value::Number(text) = value else { return Some(true) };
                self.limit(key, id, text)
            }
            "minLength" | "maxLength" => {
                let Value::String(content) = value else { return Some(true) };
                self.count(id, content.chars().count(), key.starts_with("min"))
            }
            "pattern" => {
                let Value::String(content) = value else { return Some(true) };
                document.pattern(document.string(id)?)?.is_found_in(content)
            }
            "minItems" | "maxItems" => {
                let Value::Array(items) = value else { return Some(true) };
                self.count(id, items.len(), key.starts_with("min"))
            }
            "uniqueItems" => self.unique(id, value),
            "items" | "prefixItems" => {
                let Value::Array(items) = value else { return Some(true) };
                self.items(schema, key, id, items, depth)
            }
            "contains" => {
                let Value::Array(items) = value else { return Some(true) };
                self.contains(schema, id, items, depth)
            }
            "minProperties" | "maxProperties" => {
                let Value::Object(given) = value else { return Some(true) };
                self.count(id, given.len(), key.starts_with("min"))
            }
            "required" => {
                let Value::Object(given) = value else { return Some(true) };
                self.required(id, given)
            }
            "properties" => {
                let Value::Object(given) = value else { return Some(true) };
                self.properties(id, given, depth)
            }
            "patternProperties" => {
                let Value::Object(given) = value else { return Some(true) };
                self.pattern_properties(id, given, depth)
            }
            "additionalProperties" => {
                let Value::Object(given) = value else { return Some(true) };
                self.additional_properties(schema, id, given, depth)
            }
            "propertyNames" => {
                let Value::Object(given) = value else { return Some(true) };
                self.property_names(id, given, depth)
            }
            "dependentRequired" if modern => {
                let Value::Object(given) = value else { return Some(true) };
                self.dependent_required(id, given)
            }
            "dependentSchemas" if modern => {
                let Value::Object(given) = value else { return Some(true) };
                self.dependent_schemas(id, raw, given, depth)
            }
            "dependencies" if !modern => {
                let Value::Object(given) = value else { return Some(true) };
                self.dependencies(id, raw, given, depth)
            }
            "nullable" if kind == Kind::Null && self.is_nullable(schema) => None,
            "minContains" | "maxContains" if !modern => None,
            _ if NON_ASSERTIONS.contains(&key) => Some(true),
            _ => None,
        }
    }

    fn is_nullable(&self, schema: NodeId) -> bool {
        let nullable = self.document.member(schema, &["nullable"]);
        nullable.is_some_and(|id| matches!(self.document.node(id), Node::Bool(true)))
    }
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

    fn checked_keywords(schema: &str, value: &str) -> Option<bool> {
        let document = Document::open(&JsonText::parse(schema).expect("JSON")).expect("shallow");
        PartialValidator::of(&document)
            .admits(document.root(), &JsonText::parse(value).expect("JSON"))
    }

    #[test]
    fn assertions_are_decided() {
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
            assert_eq!(checked_keywords(schema, value), answer, "{schema} {value}");
        }
    }

    #[test]
    fn unsupported_keywords_are_undecided() {
        for (schema, value) in [
            (r#"{"unevaluatedProperties": false}"#, "{}"),
            (r#"{"pattern": "(?=a)"}"#, r#""x""#),
            (r##"{"$ref": "#/$defs/absent"}"##, "1"),
            (r##"{"$ref": "#"}"##, "1"),
            (r#"{"$schema": "http://json-schema.org/draft-04/schema#"}"#, "1"),
        ] {
            assert_eq!(checked_keywords(schema, value), None, "{schema} {value}");
        }
        // google.genai's `nullable` allows null for every type.
        for schema in
            [r#""type": "STRING""#, r#""enum": ["a"]"#, r#""anyOf": [{"type": "STRING"}]"#]
        {
            assert_eq!(
                checked_keywords(&format!(r#"{{"nullable": true, {schema}}}"#), "null"),
                None
            );
            assert_eq!(checked_keywords(&format!("{{{schema}}}"), "null"), Some(false));
        }
        // A certain no wins over undecided keywords.
        let undecided = r#"{"pattern": "(?=a)", "type": "string", "maxLength": 1}"#;
        assert_eq!(checked_keywords(undecided, "1"), Some(false));
        assert_eq!(checked_keywords(undecided, r#""xy""#), Some(false));
    }
}
