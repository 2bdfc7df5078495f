//! The validator's errors as sentences, worded like the form's: what is expected, the keyword in
//! parentheses, and for a count the actual one.

use std::collections::HashMap;

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ReferencingError, ValidationError};
use serde_json::Value;

/// The most characters of a value, a pattern or a schema that a sentence quotes.
const SHOWN: usize = 80;

/// The most values that one sentence lists.
const NAMED: usize = 20;

/// One sentence, with its full stop, for the value that `error` is about.
pub(crate) fn message_of(error: &ValidationError<'_>) -> String {
    let value = error.instance();
    let keyword = error.kind().keyword();
    let count = |bound: &str, limit: u64, one: &str, many: &str, found: usize| {
        let noun = if limit == 1 { one } else { many };
        format!("{bound} {limit} {noun} ({keyword}), found {found}.")
    };
    let characters = |bound, limit| {
        let found = value.as_str().map_or(0, |text| text.chars().count());
        count(bound, limit, "character", "characters", found)
    };
    let items =
        |bound, limit| count(bound, limit, "item", "items", value.as_array().map_or(0, Vec::len));
    let members = |bound, limit| {
        let found = value.as_object().map_or(0, serde_json::Map::len);
        count(bound, limit, "property", "properties", found)
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
            Some("minContains") => "Too few items match the schema (minContains).".to_owned(),
            Some("maxContains") => "Too many items match the schema (maxContains).".to_owned(),
            _ => "No item matches the schema (contains).".to_owned(),
        },
        Kind::Pattern { pattern } => format!("Does not match {} ({keyword}).", cut(pattern)),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            format!("The pattern cannot be matched with this text ({keyword}).")
        }
        Kind::Not { schema } => excluded(schema, value),
        Kind::Referencing(error) => {
            format!("This cannot be checked: {}.", broken_reference(error))
        }
        // Reported at other places than the value's, or as several errors, or not at all.
        Kind::AdditionalItems { .. }
        | Kind::AdditionalProperties { .. }
        | Kind::AnyOf { .. }
        | Kind::ContentEncoding { .. }
        | Kind::ContentMediaType { .. }
        | Kind::Custom { .. }
        | Kind::FalseSchema
        | Kind::Format { .. }
        | Kind::FromUtf8 { .. }
        | Kind::OneOfMultipleValid { .. }
        | Kind::OneOfNotValid { .. }
        | Kind::PropertyNames { .. }
        | Kind::Required { .. }
        | Kind::UnevaluatedItems { .. }
        | Kind::UnevaluatedProperties { .. } => format!("Does not match the schema ({keyword})."),
    }
}

/// The sentence that `value` has none of these types.
pub(crate) fn expected(types: &[JsonType], value: &Value) -> String {
    format!("Expected {}, found {} (type).", either(types), type_name(value))
}

/// "text, a number or null", in the order of a form's type choice.
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
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// The type of the value, as in the sentences.
fn type_name(value: &Value) -> &'static str {
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
        0 if values.len() == 1 => format!("Must be {named}."),
        0 => format!("One of {named}."),
        more => format!("One of {named} and {more} more."),
    }
}

/// The sentence that a list has equal items, naming the first two with the same text.
fn repeated(list: &Value) -> String {
    let mut seen = HashMap::new();
    for (item, number) in list.as_array().into_iter().flatten().zip(1..) {
        if let Some(first) = seen.insert(item.to_string(), number) {
            return format!(
                "Items must be unique. Items {first} and {number} are equal (uniqueItems)."
            );
        }
    }
    "Items must be unique. Two are equal (uniqueItems).".to_owned()
}

/// The sentence that `value` matches the excluded `schema`.
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
        _ => format!("Must not match the excluded schema {} (not).", cut(&schema.to_string())),
    }
}

fn cut(text: &str) -> String {
    let rest = if text.chars().nth(SHOWN).is_some() { "…" } else { "" };
    text.chars().take(SHOWN).collect::<String>() + rest
}

/// The reason why a reference does not resolve.
pub(crate) fn broken_reference(error: &ReferencingError) -> String {
    /// The validator's base URI of a schema without `$id`.
    const NO_ADDRESS: &str = "json-schema:///";
    match error {
        ReferencingError::Unretrievable { uri, .. } => {
            let uri = uri.strip_prefix(NO_ADDRESS).unwrap_or(uri);
            format!(
                "the reference {uri} is external and is not fetched: copy its target into the \
                 schema, under `$defs`"
            )
        }
        ReferencingError::PointerToNowhere { pointer } => {
            format!("the reference target {pointer} does not exist")
        }
        ReferencingError::NoSuchAnchor { anchor } | ReferencingError::InvalidAnchor { anchor } => {
            format!("the anchor {anchor} does not exist")
        }
        ReferencingError::UnknownSpecification { specification } => {
            format!("`$schema` names {specification}, which is not a supported version")
        }
        other => other.to_string(),
    }
}
