//! What the validator found, as a form says it: what fits, the keyword in brackets, and for a count
//! what is there instead.

use std::collections::HashMap;

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use crate::check::broken_reference;

/// How much of a value, a pattern or a schema a sentence repeats, in characters.
const SHOWN: usize = 80;

/// How many values one sentence names.
const NAMED: usize = 20;

/// What is wrong with the value that `error` is about: one sentence, with its full stop.
pub(crate) fn sentence(error: &ValidationError<'_>) -> String {
    let value = error.instance();
    let keyword = error.kind().keyword();
    let count = |bound: &str, limit: u64, one: &str, many: &str, found: usize| {
        let noun = if limit == 1 { one } else { many };
        format!("{bound} {limit} {noun} ({keyword}); here {found}.")
    };
    let characters = |bound, limit| {
        let found = value.as_str().map_or(0, |text| text.chars().count());
        count(bound, limit, "character", "characters", found)
    };
    let items =
        |bound, limit| count(bound, limit, "item", "items", value.as_array().map_or(0, Vec::len));
    let members = |bound, limit| {
        let found = value.as_object().map_or(0, serde_json::Map::len);
        count(bound, limit, "member", "members", found)
    };
    match error.kind() {
        Kind::Type { kind: TypeKind::Single(one) } => expected(&[*one], value),
        Kind::Type { kind: TypeKind::Multiple(types) } => {
            expected(&types.iter().collect::<Vec<_>>(), value)
        }
        Kind::Constant { expected_value } => one_of(std::slice::from_ref(&**expected_value)),
        Kind::Enum { options } => one_of(options.as_array().map_or(&[], Vec::as_slice)),
        Kind::Minimum { limit } => format!("At least {limit} ({keyword})."),
        Kind::Maximum { limit } => format!("At most {limit} ({keyword})."),
        Kind::ExclusiveMinimum { limit } => format!("More than {limit} ({keyword})."),
        Kind::ExclusiveMaximum { limit } => format!("Less than {limit} ({keyword})."),
        Kind::MultipleOf { multiple_of } => format!("A multiple of {multiple_of} ({keyword})."),
        Kind::MinLength { limit } => characters("At least", *limit),
        Kind::MaxLength { limit } => characters("At most", *limit),
        Kind::MinItems { limit } => items("At least", *limit),
        Kind::MaxItems { limit } => items("At most", *limit),
        Kind::MinProperties { limit } => members("At least", *limit),
        Kind::MaxProperties { limit } => members("At most", *limit),
        Kind::UniqueItems => repeated(value),
        Kind::Contains => match error.schema_path().as_str().rsplit('/').next() {
            Some("minContains") => {
                "Too few items are what the schema asks for (minContains).".to_owned()
            }
            Some("maxContains") => {
                "Too many items are what the schema asks for (maxContains).".to_owned()
            }
            _ => "No item is what the schema asks for (contains).".to_owned(),
        },
        Kind::Pattern { pattern } => format!("Does not match {} ({keyword}).", cut(pattern)),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            format!("The pattern cannot be tried on this text ({keyword}).")
        }
        Kind::Format { format } => match looks_like(format) {
            Some(words) => format!("Not {words} ({keyword})."),
            None => format!("Not of the format {} ({keyword}).", cut(format)),
        },
        Kind::ContentEncoding { content_encoding } => {
            format!("Not encoded as {} ({keyword}).", cut(content_encoding))
        }
        Kind::FromUtf8 { .. } => format!("What is encoded is no text ({keyword})."),
        Kind::ContentMediaType { content_media_type } => {
            format!("Not of the kind {} ({keyword}).", cut(content_media_type))
        }
        Kind::Not { schema } => excluded(schema, value),
        Kind::Referencing(error) => {
            format!("This cannot be checked: {}.", broken_reference(error))
        }
        // These are told at other places than the value's, or stand for several faults.
        Kind::AdditionalItems { .. }
        | Kind::AdditionalProperties { .. }
        | Kind::AnyOf { .. }
        | Kind::Custom { .. }
        | Kind::FalseSchema
        | Kind::OneOfMultipleValid { .. }
        | Kind::OneOfNotValid { .. }
        | Kind::PropertyNames { .. }
        | Kind::Required { .. }
        | Kind::UnevaluatedItems { .. }
        | Kind::UnevaluatedProperties { .. } => format!("Does not fit the schema ({keyword})."),
    }
}

/// That `value` is of none of these types.
pub(crate) fn expected(types: &[JsonType], value: &Value) -> String {
    format!("{} is expected; this is {} (type).", either(types), named(value))
}

/// "Text, a number or null", in the order in which a form has them.
fn either(types: &[JsonType]) -> String {
    const WORDS: [(JsonType, &str); 7] = [
        (JsonType::String, "text"),
        (JsonType::Number, "a number"),
        (JsonType::Integer, "a whole number"),
        (JsonType::Boolean, "true or false"),
        (JsonType::Object, "an object"),
        (JsonType::Array, "a list"),
        (JsonType::Null, "null"),
    ];
    let is_meant = |kind: JsonType| {
        let swallowed = kind == JsonType::Integer && types.contains(&JsonType::Number);
        types.contains(&kind) && !swallowed
    };
    let words: Vec<&str> =
        WORDS.into_iter().filter(|(kind, _)| is_meant(*kind)).map(|(_, words)| words).collect();
    let text = match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    };
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// What a person calls such a value.
fn named(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn one_of(values: &[Value]) -> String {
    let named: Vec<String> =
        values.iter().take(NAMED).map(|value| cut(&value.to_string())).collect();
    let named = named.join(", ");
    match values.len().saturating_sub(NAMED) {
        0 if values.len() == 1 => format!("Only {named} fits here."),
        0 => format!("One of {named}."),
        more => format!("One of {named} and {more} more."),
    }
}

/// That a list has equal items, and which: those of one text, for that is what a person sees.
fn repeated(list: &Value) -> String {
    let mut seen = HashMap::new();
    for (item, number) in list.as_array().into_iter().flatten().zip(1..) {
        if let Some(first) = seen.insert(item.to_string(), number) {
            return format!(
                "Each item only once: items {first} and {number} are equal (uniqueItems)."
            );
        }
    }
    "Each item only once: two of them are equal (uniqueItems).".to_owned()
}

/// That `value` is what `schema` excludes.
fn excluded(schema: &Value, value: &Value) -> String {
    if let Some(one) = schema.get("const") {
        return format!("Anything but {} (not).", cut(&one.to_string()));
    }
    let says_more = |schema: &serde_json::Map<String, Value>| {
        schema.keys().any(|keyword| !matches!(keyword.as_str(), "required" | "type"))
    };
    let required = schema.as_object().filter(|it| !says_more(it)).and_then(|it| it.get("required"));
    match required.and_then(Value::as_array).map(Vec::as_slice) {
        Some([Value::String(name)]) if value.get(name).is_some() => {
            format!("`{name}` must not be sent here (not).")
        }
        _ => format!("Must not be what the schema excludes: {} (not).", cut(&schema.to_string())),
    }
}

/// What text of a format looks like, as forms say it.
fn looks_like(format: &str) -> Option<&'static str> {
    Some(match format {
        "date" => "a date such as 2026-11-21",
        "time" => "a time with its zone, such as 09:30:00Z",
        "date-time" => "a date and time with its zone, such as 2026-11-21T09:30:00Z",
        "email" | "idn-email" => "an address such as ada@example.com",
        "uri" | "iri" => "an address with its scheme, such as https://example.com",
        "uuid" => "a UUID: 32 hexadecimal digits in five groups",
        "regex" => "a pattern that can be matched here",
        _ => return None,
    })
}

fn cut(text: &str) -> String {
    let rest = if text.chars().nth(SHOWN).is_some() { "…" } else { "" };
    text.chars().take(SHOWN).collect::<String>() + rest
}
