//! [`Check`]: the verdict on values, from the `jsonschema` crate.

use json_text::{JsonText, Node};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{ReferencingError, Registry, ValidationError, Validator};
use schema_form::{keyword_meant, types_meant};
use serde_json::{Value, json};

use crate::complaint::{Complaint, complaints};
use crate::plain::plain;
use crate::sentence::sentence;

/// At most this many complaints are made about one value.
const MOST_COMPLAINTS: usize = 50;

/// Where the schema is known while a part of it is checked against.
const WHOLE: &str = "urn:schema";

/// A schema to check values against. No reference is ever fetched from a file or the network.
#[derive(Debug, Clone)]
pub struct Check {
    validator: Validator,
}

/// Why nothing can be checked against a schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Uncheckable {
    /// The parser stops at 128 levels.
    #[error("the schema cannot be opened: {reason}; flatten it, or give repeated parts a $ref")]
    TooDeep {
        /// What the parser says.
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
    /// The check of a JSON Schema or a google.genai `Schema`.
    ///
    /// # Errors
    /// [`Uncheckable`] when the schema itself is at fault.
    pub fn of(schema: &JsonText) -> Result<Self, Uncheckable> {
        Self::build(&opened(schema)?, None)
    }

    /// As [`Self::of`], for a schema that is written to be held against values: a type that means
    /// nothing is a fault there, and not any type.
    ///
    /// # Errors
    /// [`Uncheckable`] when the schema itself is at fault.
    pub fn strict(schema: &JsonText) -> Result<Self, Uncheckable> {
        let read = schema.to_value();
        match read.ok().and_then(|schema| unknown_type(&schema, "")) {
            Some((pointer, name)) => {
                Err(Uncheckable::NotASchema { pointer, reason: format!("`{name}` is no type") })
            }
            None => Self::of(schema),
        }
    }

    /// The same for the part of `schema` that the JSON pointer `part` leads to, keywords spelled
    /// as the schema spells them; references in it keep their meaning.
    ///
    /// # Errors
    /// [`Uncheckable`] when the schema itself is at fault or has no such part.
    pub fn of_part(schema: &JsonText, part: &str) -> Result<Self, Uncheckable> {
        let whole = opened(schema)?;
        let fragment: String = spelled_part(&whole, part).bytes().map(in_fragment).collect();
        let documents = registry([(WHOLE.to_owned(), whole)])?;
        Self::build(&json!({ "$ref": format!("{WHOLE}#{fragment}") }), Some(&documents))
    }

    /// The same with `documents`, by URI, for references to lead to.
    ///
    /// # Errors
    /// [`Uncheckable`] when the schema or a document is at fault.
    pub fn with_documents(
        schema: &JsonText,
        documents: &[(String, JsonText)],
    ) -> Result<Self, Uncheckable> {
        let opened_documents: Result<Vec<_>, _> =
            documents.iter().map(|(uri, document)| Ok((uri.clone(), opened(document)?))).collect();
        let documents = registry(opened_documents?)?;
        Self::build(&opened(schema)?, Some(&documents))
    }

    pub(crate) fn build(
        schema: &Value,
        documents: Option<&Registry<'_>>,
    ) -> Result<Self, Uncheckable> {
        let options = jsonschema::options();
        let built = match documents {
            Some(documents) => options.with_registry(documents).build(schema),
            None => options.build(schema),
        };
        built.map(|validator| Self { validator }).map_err(|error| unusable(&error))
    }

    /// What is wrong with `value`; nothing when it is valid.
    #[must_use]
    pub fn complaints(&self, value: &JsonText) -> Vec<Complaint> {
        match value.to_value() {
            Ok(value) => self
                .validator
                .iter_errors(&value)
                .flat_map(|error| complaints(&error))
                .take(MOST_COMPLAINTS)
                .collect(),
            Err(error) => vec![match beyond_reading(value) {
                Some(complaint) => complaint,
                None => {
                    let text = format!("The value cannot be read: {error}.");
                    Complaint { pointer: String::new(), text }
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

/// The first type in `schema`, which stands at `pointer`, that means nothing, with its place.
fn unknown_type(schema: &Value, pointer: &str) -> Option<(String, String)> {
    /// Below these stand values and no schemas.
    const VALUES: [&str; 5] = ["const", "enum", "default", "example", "examples"];
    match schema {
        Value::Object(members) => members.iter().find_map(|(key, value)| {
            if VALUES.contains(&key.as_str()) {
                return None;
            }
            let token = key.replace('~', "~0").replace('/', "~1");
            let at = format!("{pointer}/{token}");
            let names = match (key.as_str(), value) {
                ("type", Value::String(_)) => std::slice::from_ref(value),
                ("type", Value::Array(names)) => names,
                _ => return unknown_type(value, &at),
            };
            let unknown =
                names.iter().filter_map(Value::as_str).find(|name| types_meant(name).is_none());
            unknown.map(|name| (at, name.to_owned()))
        }),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, item)| unknown_type(item, &format!("{pointer}/{index}"))),
        _ => None,
    }
}

pub(crate) fn opened(schema: &JsonText) -> Result<Value, Uncheckable> {
    match schema.to_value() {
        Ok(schema) => Ok(plain(schema)),
        Err(error) => Err(Uncheckable::TooDeep { reason: error.to_string() }),
    }
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

/// Why a schema cannot be used, in words.
fn unusable(error: &ValidationError<'_>) -> Uncheckable {
    let pointer = error.instance_path().as_str().to_owned();
    match error.kind() {
        ValidationErrorKind::Referencing(error) => {
            Uncheckable::NotASchema { pointer, reason: broken_reference(error) }
        }
        ValidationErrorKind::Format { format } if format == "regex" => {
            let reason = format!("{} is no pattern that can be matched here", error.instance());
            Uncheckable::NotASchema { pointer, reason }
        }
        _ => {
            let here = || Complaint { pointer: pointer.clone(), text: sentence(error) };
            let Complaint { pointer, text } =
                complaints(error).into_iter().next().unwrap_or_else(here);
            let text = text.trim_end_matches('.');
            let reason = match pointer.rsplit('/').next().unwrap_or_default() {
                "" => text.to_owned(),
                name => format!("`{}`: {text}", name.replace("~1", "/").replace("~0", "~")),
            };
            Uncheckable::NotASchema { pointer, reason }
        }
    }
}

/// Why a reference leads nowhere.
pub(crate) fn broken_reference(error: &ReferencingError) -> String {
    /// What the validator takes for the address of a schema that has none.
    const NO_ADDRESS: &str = "json-schema:///";
    match error {
        ReferencingError::Unretrievable { uri, .. } => {
            let uri = uri.strip_prefix(NO_ADDRESS).unwrap_or(uri);
            format!(
                "a reference leads to {uri}, and nothing is fetched: put what it means into the \
                 schema, under `$defs`"
            )
        }
        ReferencingError::PointerToNowhere { pointer } => {
            format!("a reference leads to {pointer}, where nothing stands")
        }
        ReferencingError::NoSuchAnchor { anchor } | ReferencingError::InvalidAnchor { anchor } => {
            format!("a reference leads to the anchor {anchor}, which is nowhere")
        }
        ReferencingError::UnknownSpecification { specification } => {
            format!("`$schema` names {specification}, an edition that is not known here")
        }
        other => other.to_string(),
    }
}

/// The pointer with keywords spelled as in `whole`, which is in JSON Schema's words.
pub(crate) fn spelled_part(whole: &Value, part: &str) -> String {
    let mut here = Some(whole);
    part.split('/').skip(1).fold(String::new(), |pointer, token| {
        let found = |name: &str| here.and_then(|value| value.pointer(&format!("/{name}")));
        let token = if found(token).is_some() { token } else { keyword_meant(token) };
        here = found(token);
        pointer + "/" + token
    })
}

/// A byte of a JSON pointer as it stands in a URI's fragment.
fn in_fragment(byte: u8) -> String {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    }
}

/// The first number that is larger than a double can be, such as `1e309`: no reader that holds
/// numbers so can take it.
fn beyond_reading(value: &JsonText) -> Option<Complaint> {
    /// How much of a number's text is shown.
    const SHOWN: usize = 40;
    /// How deep is looked: what is deeper cannot be read for its depth.
    const DEEPEST: usize = 128;
    let mut ahead = vec![(String::new(), 0, value.clone())];
    while let Some((pointer, depth, value)) = ahead.pop() {
        match value.open() {
            Node::Number(text) if text.parse::<f64>().is_ok_and(f64::is_infinite) => {
                let shown = if text.len() > SHOWN { "The number" } else { text };
                let text = format!(
                    "{shown} is beyond the numbers that JSON is read with, which end near 1.8e308: \
                     choose a smaller one, or send it as text if that is taken."
                );
                return Some(Complaint { pointer, text });
            }
            Node::Array(items) if depth < DEEPEST => {
                let place = |(at, raw)| (format!("{pointer}/{at}"), depth + 1, JsonText::from(raw));
                ahead.extend(items.into_iter().enumerate().rev().map(place));
            }
            Node::Object(members) if depth < DEEPEST => {
                let place = |(name, raw): (String, _)| {
                    let name = name.replace('~', "~0").replace('/', "~1");
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

    fn complaints(schema: &str, value: &str) -> Vec<(String, String)> {
        let check = Check::of(&text(schema)).expect("a schema");
        let complaints = check.complaints(&text(value));
        complaints.into_iter().map(|complaint| (complaint.pointer, complaint.text)).collect()
    }

    #[test]
    fn a_missing_member_is_named_at_its_own_place() {
        let schema = r#"{"type":"object","properties":{"a/b":{"type":"object","required":["c"]}},"required":["a/b"]}"#;
        assert_eq!(complaints(schema, "{}"), [("/a~1b".to_owned(), "Required.".to_owned())]);
        assert_eq!(
            complaints(schema, r#"{"a/b":{}}"#),
            [("/a~1b/c".to_owned(), "Required.".to_owned())]
        );
        assert_eq!(complaints(schema, r#"{"a/b":{"c":1}}"#), []);
    }

    #[test]
    fn a_number_beyond_reading_is_told_at_its_place() {
        let places = |value: &str| {
            let told = complaints(r#"{"type":"object"}"#, value);
            assert!(told.iter().all(|(_, text)| text.contains("beyond the numbers")), "{told:?}");
            told.into_iter().map(|(place, _)| place).collect::<Vec<_>>()
        };
        assert_eq!(places(r#"{"a":1,"b/c":[0,-1e309]}"#), ["/b~1c/1"]);
        assert_eq!(places(&format!(r#"{{"a":1{}}}"#, "0".repeat(400))), ["/a"]);
        assert_eq!(places(r#"{"a":1e308,"b":1e-999}"#), [""; 0]);
    }

    #[test]
    fn googles_schema_counts_as_json_schema() {
        let schema = r#"{"type":"OBJECT","properties":{"n":{"type":"INTEGER","nullable":true},
            "tags":{"type":"ARRAY","min_items":"1","items":{"type":"STRING"}}},"required":["tags"]}"#;
        assert_eq!(complaints(schema, r#"{"n":null,"tags":["a"]}"#), []);
        assert_eq!(complaints(schema, r#"{"n":1.5,"tags":[]}"#).len(), 2);
    }

    #[test]
    fn a_part_keeps_what_its_references_mean() {
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
    fn what_is_no_schema_is_named_with_its_place() {
        let fault = |schema: &str| Check::of(&text(schema)).expect_err("no schema");
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
