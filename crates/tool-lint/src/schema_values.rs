//! The values in a schema: limits and those that it names, their types, and their text in messages.

use json_text::JsonText;
use schema_check::Check;
use serde_json::{Map, Value};

type Schema = Map<String, Value>;

/// A number, or one in a string as google.genai writes it.
pub(crate) fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// The values that a schema names with `const` or `enum`, and the keyword.
pub(crate) fn values_named(schema: &Schema) -> Option<(&'static str, &[Value])> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => Some(("const", std::slice::from_ref(value))),
        (None, Some(Value::Array(values))) => Some(("enum", values)),
        _ => None,
    }
}

pub(crate) fn is_nullable(schema: &Schema) -> bool {
    schema.get("nullable") == Some(&Value::Bool(true))
}

/// Whether a schema is google.genai's, which writes the values of an integer enum as strings. Its types
/// are in upper case.
pub(crate) fn numbers_are_text(schema: &Schema) -> bool {
    let is_upper = |name: &Value| {
        name.as_str().is_some_and(|name| !name.chars().any(|letter| letter.is_ascii_lowercase()))
    };
    match schema.get("type") {
        Some(Value::Array(names)) => names.iter().any(is_upper),
        Some(name) => is_upper(name),
        None => false,
    }
}

/// Whether the value has one of the types. With `as_text`, a number may be written as a string.
pub(crate) fn is_of(value: &Value, types: &[&str], as_text: bool) -> bool {
    types.iter().any(|kind| match (*kind, value) {
        ("null", Value::Null)
        | ("boolean", Value::Bool(_))
        | ("number", Value::Number(_))
        | ("string", Value::String(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_)) => true,
        ("integer", Value::Number(number)) => {
            number.as_f64().is_none_or(|number| number.fract() == 0.0)
        }
        ("integer" | "number", Value::String(digits)) => as_text && digits.parse::<f64>().is_ok(),
        _ => false,
    })
}

/// The first violation of a value that the check rejects, as a sentence.
pub(crate) fn why(check: &Check, value: &Value) -> String {
    let violations = check.violations(&JsonText::from_value(value));
    let first = violations.into_iter().next();
    first.map_or_else(|| "correct one of them.".to_owned(), |first| first.text)
}

/// The value's text, cut where it gets long.
pub(crate) fn short(value: &Value) -> String {
    let text = value.to_string();
    let mut cut: String = text.chars().take(80).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}
