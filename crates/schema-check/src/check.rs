//! [`Check`]: a compiled schema, validated with the `jsonschema` crate.

use json_text::{JsonText, Node, pointer};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{ReferencingError, Registry, ValidationError, Validator};
use schema_form::{canonical_keyword, canonical_types};
use serde_json::{Value, json};

use crate::message::{broken_reference, message_of};
use crate::normalize::normalize;
use crate::violation::{Violation, violations};

/// The most violations reported for one value.
const MAX_VIOLATIONS: usize = 50;

/// The URI of the whole schema while one part of it is compiled.
const ROOT_URI: &str = "urn:schema";

/// A schema to check values against. No reference is ever fetched from a file or the network.
#[derive(Debug, Clone)]
pub struct Check {
    validator: Validator,
}

/// Why a schema cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Uncheckable {
    /// The parser stops at 128 levels.
    #[error(
        "the schema cannot be parsed: {reason}; flatten it, or move repeated parts behind a $ref"
    )]
    TooDeep {
        /// The parser's message.
        reason: String,
    },
    /// The schema breaks JSON Schema's own rules, or refers to what is not in it.
    #[error("the schema cannot be used: {reason}")]
    NotASchema {
        /// The place in the schema, as a JSON pointer; empty for the whole or where unknown.
        pointer: String,
        /// What is wrong there.
        reason: String,
    },
}

impl Check {
    /// Compiles a JSON Schema or a google.genai `Schema`.
    ///
    /// # Errors
    /// [`Uncheckable`] when the schema itself is invalid.
    pub fn of(schema: &JsonText) -> Result<Self, Uncheckable> {
        Self::build(&parse_schema(schema)?, None)
    }

    /// Like [`Self::of`], for a schema that is written only for validation: an unknown type name is
    /// an error, instead of meaning any type.
    ///
    /// # Errors
    /// [`Uncheckable`] when the schema itself is invalid.
    pub fn strict(schema: &JsonText) -> Result<Self, Uncheckable> {
        let read = schema.to_value();
        match read.ok().and_then(|schema| unknown_type(&schema, "")) {
            Some((pointer, name)) => {
                Err(Uncheckable::NotASchema { pointer, reason: format!("`{name}` is not a type") })
            }
            None => Self::of(schema),
        }
    }

    /// Compiles the part of `schema` at the JSON pointer `part`, with keywords spelled as in the
    /// schema. References resolve against the whole schema.
    ///
    /// # Errors
    /// [`Uncheckable`] when the schema itself is invalid or has no such part.
    pub fn of_part(schema: &JsonText, part: &str) -> Result<Self, Uncheckable> {
        let whole = parse_schema(schema)?;
        let fragment: String =
            normalized_pointer(&whole, part).bytes().map(percent_encoded).collect();
        let documents = registry([(ROOT_URI.to_owned(), whole)])?;
        Self::build(&json!({ "$ref": format!("{ROOT_URI}#{fragment}") }), Some(&documents))
    }

    /// Like [`Self::of`], with `documents`, by URI, that references resolve to.
    ///
    /// # Errors
    /// [`Uncheckable`] when the schema or a document is invalid.
    pub fn with_documents(
        schema: &JsonText,
        documents: &[(String, JsonText)],
    ) -> Result<Self, Uncheckable> {
        let parsed_documents: Result<Vec<_>, _> = documents
            .iter()
            .map(|(uri, document)| Ok((uri.clone(), parse_schema(document)?)))
            .collect();
        let documents = registry(parsed_documents?)?;
        Self::build(&parse_schema(schema)?, Some(&documents))
    }

    pub(crate) fn build(
        schema: &Value,
        documents: Option<&Registry<'_>>,
    ) -> Result<Self, Uncheckable> {
        // Annotations in every draft, although the validator asserts them for draft 7 and earlier.
        let options = jsonschema::options()
            .should_validate_formats(false)
            .without_content_encoding_support("base64")
            .without_content_media_type_support("application/json");
        let built = match documents {
            Some(documents) => options.with_registry(documents).build(schema),
            None => options.build(schema),
        };
        built.map(|validator| Self { validator }).map_err(|error| schema_error(&error))
    }

    /// The violations of `value`, at most 50; empty when it is valid.
    #[must_use]
    pub fn violations(&self, value: &JsonText) -> Vec<Violation> {
        match value.to_value() {
            Ok(value) => self
                .validator
                .iter_errors(&value)
                .flat_map(|error| violations(&error))
                .take(MAX_VIOLATIONS)
                .collect(),
            Err(error) => vec![match overflowing_number(value) {
                Some(violation) => violation,
                None => {
                    let text = format!("The value cannot be read: {error}.");
                    Violation { pointer: String::new(), text }
                }
            }],
        }
    }

    /// Whether `value` is valid.
    #[must_use]
    pub fn admits(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }
}

/// The first unknown type name in `schema`, which is at `pointer`: its pointer and the name.
fn unknown_type(schema: &Value, pointer: &str) -> Option<(String, String)> {
    /// Keywords that contain values, not schemas.
    const VALUES: [&str; 5] = ["const", "enum", "default", "example", "examples"];
    match schema {
        Value::Object(members) => members.iter().find_map(|(key, value)| {
            if VALUES.contains(&key.as_str()) {
                return None;
            }
            let token = pointer::step(key);
            let at = format!("{pointer}/{token}");
            let names = match (key.as_str(), value) {
                ("type", Value::String(_)) => std::slice::from_ref(value),
                ("type", Value::Array(names)) => names,
                _ => return unknown_type(value, &at),
            };
            let unknown =
                names.iter().filter_map(Value::as_str).find(|name| canonical_types(name).is_none());
            unknown.map(|name| (at, name.to_owned()))
        }),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, item)| unknown_type(item, &format!("{pointer}/{index}"))),
        _ => None,
    }
}

pub(crate) fn parse_schema(schema: &JsonText) -> Result<Value, Uncheckable> {
    match schema.to_value() {
        Ok(schema) => Ok(with_draft(normalize(schema))),
        Err(error) => Err(Uncheckable::TooDeep { reason: error.to_string() }),
    }
}

/// The schema with the draft that it is written in: one without `$schema` that gives a list of `items`, as
/// drafts before 2020-12 do, is read as 2019-09.
fn with_draft(mut schema: Value) -> Value {
    let has_list = |keyword: &str| has_list(&schema, keyword);
    let is_earlier = has_list("items") && !has_list("prefixItems");
    if is_earlier && let Value::Object(members) = &mut schema {
        let draft = || json!("https://json-schema.org/draft/2019-09/schema");
        members.entry("$schema").or_insert_with(draft);
    }
    schema
}

/// Whether a schema in `schema` gives a list of schemas by this keyword.
fn has_list(schema: &Value, keyword: &str) -> bool {
    let Value::Object(members) = schema else { return false };
    members.iter().any(|(key, value)| match (key.as_str(), value) {
        (key, Value::Array(_)) if key == keyword => true,
        ("const" | "enum" | "default" | "example" | "examples", _) => false,
        (
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependencies"
            | "dependentSchemas",
            Value::Object(named),
        ) => named.values().any(|it| has_list(it, keyword)),
        (_, Value::Array(items)) => items.iter().any(|it| has_list(it, keyword)),
        (_, value) => has_list(value, keyword),
    })
}

fn registry(
    documents: impl IntoIterator<Item = (String, Value)>,
) -> Result<Registry<'static>, Uncheckable> {
    let fault = |error: ReferencingError| Uncheckable::NotASchema {
        pointer: String::new(),
        reason: broken_reference(&error),
    };
    let mut registry = Registry::new();
    for (uri, document) in documents {
        registry = registry.add(uri, document).map_err(fault)?;
    }
    registry.prepare().map_err(fault)
}

/// The validator's build error as [`Uncheckable`], with a readable reason.
fn schema_error(error: &ValidationError<'_>) -> Uncheckable {
    let pointer = error.instance_path().as_str().to_owned();
    match error.kind() {
        ValidationErrorKind::Referencing(error) => {
            Uncheckable::NotASchema { pointer, reason: broken_reference(error) }
        }
        ValidationErrorKind::Format { format } if format == "regex" => {
            let reason = format!("{} is not a supported regular expression", error.instance());
            Uncheckable::NotASchema { pointer, reason }
        }
        _ => {
            let here = || Violation { pointer: pointer.clone(), text: message_of(error) };
            let Violation { pointer, text } =
                violations(error).into_iter().next().unwrap_or_else(here);
            let text = text.trim_end_matches('.');
            let reason = match pointer.rsplit('/').next().unwrap_or_default() {
                "" => text.to_owned(),
                name => format!("`{}`: {text}", pointer::name(name)),
            };
            Uncheckable::NotASchema { pointer, reason }
        }
    }
}

/// The pointer with keywords spelled as in the normalized schema `whole`.
pub(crate) fn normalized_pointer(whole: &Value, part: &str) -> String {
    let mut here = Some(whole);
    part.split('/').skip(1).fold(String::new(), |pointer, token| {
        let found = |name: &str| here.and_then(|value| value.pointer(&format!("/{name}")));
        let token = if found(token).is_some() { token } else { canonical_keyword(token) };
        here = found(token);
        pointer + "/" + token
    })
}

/// A byte of a JSON pointer, percent-encoded for a URI fragment where needed.
fn percent_encoded(byte: u8) -> String {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    }
}

/// The violation for the first number above the range of a double, such as `1e309`, which the
/// parser rejects.
fn overflowing_number(value: &JsonText) -> Option<Violation> {
    /// How much of a number's text is shown.
    const SHOWN: usize = 40;
    /// The deepest level searched; deeper values fail for their depth.
    const DEEPEST: usize = 128;
    let mut ahead = vec![(String::new(), 0, value.clone())];
    while let Some((pointer, depth, value)) = ahead.pop() {
        match value.open() {
            Node::Number(text) if text.parse::<f64>().is_ok_and(f64::is_infinite) => {
                let shown = if text.len() > SHOWN { "The number" } else { text };
                let text = format!(
                    "{shown} is out of range, the largest number is about 1.8e308: use a smaller \
                     number, or send it as text if the schema allows it."
                );
                return Some(Violation { pointer, text });
            }
            Node::Array(items) if depth < DEEPEST => {
                let place = |(at, raw)| (format!("{pointer}/{at}"), depth + 1, JsonText::from(raw));
                ahead.extend(items.into_iter().enumerate().rev().map(place));
            }
            Node::Object(members) if depth < DEEPEST => {
                let place = |(name, raw): (String, _)| {
                    let name = pointer::step(&name);
                    (format!("{pointer}/{name}"), depth + 1, JsonText::from(raw))
                };
                ahead.extend(members.into_iter().rev().map(place));
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> JsonText {
        JsonText::parse(text).expect("valid")
    }

    fn violations(schema: &str, value: &str) -> Vec<(String, String)> {
        let check = Check::of(&text(schema)).expect("a schema");
        let violations = check.violations(&text(value));
        violations.into_iter().map(|violation| (violation.pointer, violation.text)).collect()
    }

    #[test]
    fn a_missing_member_is_reported_at_its_own_pointer() {
        let schema = r#"{"type":"object","properties":{"a/b":{"type":"object","required":["c"]}},"required":["a/b"]}"#;
        assert_eq!(violations(schema, "{}"), [("/a~1b".to_owned(), "Required.".to_owned())]);
        assert_eq!(
            violations(schema, r#"{"a/b":{}}"#),
            [("/a~1b/c".to_owned(), "Required.".to_owned())]
        );
        assert_eq!(violations(schema, r#"{"a/b":{"c":1}}"#), []);
    }

    #[test]
    fn a_number_out_of_range_is_reported_at_its_pointer() {
        let places = |value: &str| {
            let found = violations(r#"{"type":"object"}"#, value);
            assert!(found.iter().all(|(_, text)| text.contains("is out of range")), "{found:?}");
            found.into_iter().map(|(place, _)| place).collect::<Vec<_>>()
        };
        assert_eq!(places(r#"{"a":1,"b/c":[0,-1e309]}"#), ["/b~1c/1"]);
        assert_eq!(places(&format!(r#"{{"a":1{}}}"#, "0".repeat(400))), ["/a"]);
        assert_eq!(places(r#"{"a":1e308,"b":1e-999}"#), [""; 0]);
    }

    #[test]
    fn a_google_schema_is_accepted_as_json_schema() {
        let schema = r#"{"type":"OBJECT","properties":{"n":{"type":"INTEGER","nullable":true},
            "tags":{"type":"ARRAY","min_items":"1","items":{"type":"STRING"}}},"required":["tags"]}"#;
        assert_eq!(violations(schema, r#"{"n":null,"tags":["a"]}"#), []);
        assert_eq!(violations(schema, r#"{"n":1.5,"tags":[]}"#).len(), 2);
    }

    #[test]
    fn a_list_of_items_without_a_draft_is_checked_item_by_item() {
        let of_both = r#"{"type":"array","items":[{"type":"integer"},false]}"#;
        let within = format!(r#"{{"type":"object","properties":{{"items":{of_both}}}}}"#);
        assert_eq!(violations(of_both, "[1]"), []);
        assert_eq!(violations(of_both, r#"["a"]"#).len(), 1);
        assert_eq!(violations(of_both, "[1,2]").len(), 1);
        assert_eq!(violations(&within, r#"{"items":["a"]}"#).len(), 1);
        // A draft that has no such list is an error, and so is a mixture.
        let check = |schema: &str| Check::of(&text(schema));
        let named = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","items":[true]}"#;
        assert!(check(named).is_err());
        assert!(check(r#"{"items":[true],"not":{"prefixItems":[true]}}"#).is_err());
        assert!(check(r#"{"properties":{"items":{"enum":[{"items":[1]}]}}}"#).is_ok());
    }

    #[test]
    fn a_format_is_an_annotation_in_every_draft() {
        for draft in ["draft-04", "draft-06", "draft-07", "draft/2019-09", "draft/2020-12"] {
            let schema = format!(
                r#"{{"$schema":"http://json-schema.org/{draft}/schema","type":"string","format":"date",
                    "contentEncoding":"base64","contentMediaType":"application/json"}}"#
            );
            let schema =
                schema.replace("http://json-schema.org/draft/", "https://json-schema.org/draft/");
            assert_eq!(violations(&schema, r#""tomorrow""#), [], "{draft}");
            assert_eq!(violations(&schema, "1").len(), 1, "{draft}");
        }
    }

    #[test]
    fn references_in_a_part_resolve_against_the_whole() {
        let schema = text(
            r##"{"$defs": {"unit %": {"enum": ["C", "F"]}},
                "properties": {"a b": {"$ref": "#/$defs/unit%20%25"}, "me": {"$ref": "#"}}}"##,
        );
        let part = Check::of_part(&schema, "/properties/a b").expect("there");
        assert!(part.admits(&json!("C")) && !part.admits(&json!("K")));
        let whole = Check::of_part(&schema, "/properties/me").expect("there");
        assert!(!whole.admits(&json!({"a b": "K"})));
        let google = text(r#"{"properties": {"u": {"any_of": [{"type": "STRING"}]}}}"#);
        let branch = Check::of_part(&google, "/properties/u/any_of/0").expect("there");
        assert!(branch.admits(&json!("C")) && !branch.admits(&json!(1)));
        let absent = Check::of_part(&schema, "/properties/none");
        assert!(matches!(absent, Err(Uncheckable::NotASchema { .. })), "{absent:?}");
    }

    #[test]
    fn an_invalid_schema_is_reported_with_its_pointer() {
        let fault = |schema: &str| Check::of(&text(schema)).expect_err("an invalid schema");
        let Uncheckable::NotASchema { pointer, .. } =
            fault(r#"{"type":"object","properties":{"a":{"minLength":-1}}}"#)
        else {
            panic!("not deep");
        };
        assert_eq!(pointer, "/properties/a/minLength");
        let remote = fault(r#"{"$ref":"https://example.org/remote.json"}"#);
        assert!(remote.to_string().contains("https://example.org/remote.json"), "{remote}");
        let deep = format!("{}{{}}{}", r#"{"items":"#.repeat(200), "}".repeat(200));
        assert!(matches!(fault(&deep), Uncheckable::TooDeep { .. }));
    }
}
