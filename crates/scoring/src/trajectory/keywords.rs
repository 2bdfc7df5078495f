//! Mistyped keywords of a JSON Schema.

use json_text::{JsonText, Node};

/// Keywords without schemas in their value, in every accepted spelling.
const OF_VALUES: [&str; 30] = [
    "additionalItems",
    "const",
    "contentEncoding",
    "contentMediaType",
    "default",
    "dependentRequired",
    "deprecated",
    "description",
    "enum",
    "example",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "nullable",
    "pattern",
    "readOnly",
    "required",
    "title",
];

/// More of them, rarely used.
const ALSO: [&str; 12] = [
    "$anchor",
    "$comment",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$ref",
    "$schema",
    "$vocabulary",
    "propertyOrdering",
    "type",
    "uniqueItems",
    "writeOnly",
];

/// Keywords with a schema, or a list of schemas.
const OF_SCHEMAS: [&str; 17] = [
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "extends",
    "disallow",
];

/// Keywords with an object of schemas by any name.
const OF_NAMES: [&str; 6] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

/// A message for the first mistyped keyword. Validators ignore it, so any value would be valid.
pub(super) fn mistyped(schema: &JsonText) -> Option<String> {
    match schema.open() {
        Node::Array(schemas) => schemas.iter().find_map(|it| mistyped(&JsonText::from(*it))),
        Node::Object(members) => members.iter().find_map(|(key, value)| {
            if is_one_of(&OF_SCHEMAS, key) {
                return mistyped(&JsonText::from(*value));
            }
            if is_one_of(&OF_NAMES, key) {
                let value = JsonText::from(*value);
                let Node::Object(named) = value.open() else { return None };
                return named.iter().find_map(|(_, it)| mistyped(&JsonText::from(*it)));
            }
            if is_one_of(&OF_VALUES, key) || is_one_of(&ALSO, key) {
                return None;
            }
            near(key)
                .map(|known| format!("unknown JSON Schema keyword {key:?}; did you mean {known}?"))
        }),
        _ => None,
    }
}

/// In JSON Schema's or google.genai's spelling.
fn is_one_of(known: &[&str], key: &str) -> bool {
    known.iter().any(|known| *known == key || snake_case(known) == key)
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// The nearest keyword within a few typos. Short keywords are too similar to other words.
fn near(key: &str) -> Option<&'static str> {
    let all = OF_VALUES.iter().chain(&ALSO).chain(&OF_SCHEMAS).chain(&OF_NAMES);
    let far = |known: &&&str| strsim::damerau_levenshtein(known, key);
    let known = all.filter(|known| known.len() > 3).min_by_key(far)?;
    (far(&known) <= known.len().div_euclid(4)).then_some(*known)
}
