//! A schema in JSON Schema's own words.
//!
//! google.genai's `Schema` writes types in upper case, `nullable`, bounds as strings and
//! `any_of`; declarations in the wild name types as their language does. What is JSON Schema
//! already stays as it is.

use serde_json::{Map, Value};

/// The schema in JSON Schema's words.
pub(crate) fn plain(schema: Value) -> Value {
    let Value::Object(members) = schema else { return schema };
    let nullable = members.get("nullable") == Some(&Value::Bool(true));
    let mut plain_members = Map::with_capacity(members.len());
    for (key, value) in members {
        let (key, value) = keyword(&key, value, nullable);
        plain_members.insert(key, value);
    }
    Value::Object(plain_members)
}

fn keyword(key: &str, value: Value, nullable: bool) -> (String, Value) {
    let spelled = spelled(key);
    let value = match (spelled, value) {
        ("type", names @ (Value::String(_) | Value::Array(_))) => plain_types(names, nullable),
        ("enum", Value::Array(mut values)) => {
            if nullable && !values.contains(&Value::Null) {
                values.push(Value::Null);
            }
            Value::Array(values)
        }
        ("anyOf", Value::Array(branches)) => {
            let mut branches: Vec<Value> = branches.into_iter().map(plain).collect();
            if nullable {
                branches.push(serde_json::json!({ "type": "null" }));
            }
            Value::Array(branches)
        }
        ("oneOf" | "allOf" | "prefixItems" | "items", Value::Array(items)) => {
            items.into_iter().map(plain).collect()
        }
        (
            "minItems" | "maxItems" | "minLength" | "maxLength" | "minProperties" | "maxProperties"
            | "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf",
            Value::String(digits),
        ) => digits.parse().map_or(Value::String(digits), Value::Number),
        (
            "properties" | "$defs" | "definitions" | "patternProperties" | "dependentSchemas",
            Value::Object(members),
        ) => Value::Object(members.into_iter().map(|(name, it)| (name, plain(it))).collect()),
        (
            "items"
            | "additionalProperties"
            | "propertyNames"
            | "contains"
            | "not"
            | "if"
            | "then"
            | "else"
            | "unevaluatedProperties"
            | "unevaluatedItems",
            value @ Value::Object(_),
        ) => plain(value),
        (_, value) => value,
    };
    (spelled.to_owned(), value)
}

/// JSON Schema's spelling of a keyword.
pub(crate) fn spelled(keyword: &str) -> &str {
    match keyword {
        "any_of" => "anyOf",
        "min_items" => "minItems",
        "max_items" => "maxItems",
        "min_length" => "minLength",
        "max_length" => "maxLength",
        "min_properties" => "minProperties",
        "max_properties" => "maxProperties",
        "prefix_items" => "prefixItems",
        "additional_properties" => "additionalProperties",
        "unique_items" => "uniqueItems",
        "multiple_of" => "multipleOf",
        same => same,
    }
}

/// The types of JSON Schema that `name` stands for: one, or all of them for `any` and its like.
/// `None` for a name that means nothing here.
///
/// ```
/// assert_eq!(schema_check::types_meant("dict"), Some(["object"].as_slice()));
/// assert_eq!(schema_check::types_meant("any").map(<[_]>::len), Some(6));
/// assert_eq!(schema_check::types_meant("quaternion"), None);
/// ```
#[must_use]
pub fn types_meant(name: &str) -> Option<&'static [&'static str]> {
    Some(match name.trim().to_ascii_lowercase().as_str() {
        "string" | "str" | "text" | "char" | "varchar" => &["string"],
        "integer" | "int" | "long" | "short" | "int32" | "int64" | "bigint" => &["integer"],
        "number" | "float" | "double" | "decimal" | "real" => &["number"],
        "boolean" | "bool" => &["boolean"],
        "object" | "dict" | "dictionary" | "map" | "hashmap" | "mapping" | "struct" => &["object"],
        "array" | "list" | "tuple" | "set" | "arraylist" | "sequence" | "vector" => &["array"],
        "null" | "none" | "nonetype" => &["null"],
        "any" | "" | "unknown" | "type_unspecified" => &EVERY_TYPE,
        _ => return None,
    })
}

const EVERY_TYPE: [&str; 6] = ["string", "number", "boolean", "object", "array", "null"];

/// What stands for a type's name, or for a list of them; an unknown one excludes nothing.
fn plain_types(names: Value, nullable: bool) -> Value {
    let listed: Option<Vec<&str>> = match &names {
        Value::Array(names) => names.iter().map(Value::as_str).collect(),
        one => one.as_str().map(|name| vec![name]),
    };
    let Some(listed) = listed.filter(|names| !names.is_empty()) else { return names };
    let meant = listed.into_iter().flat_map(|name| types_meant(name).unwrap_or(&EVERY_TYPE));
    let mut types: Vec<&str> = Vec::new();
    for name in meant.copied().chain(nullable.then_some("null")) {
        if !types.contains(&name) {
            types.push(name);
        }
    }
    match types.as_slice() {
        [one] => Value::from(*one),
        _ => types.into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_of_others_become_json_schemas() {
        let schema = json!({"type": "ARRAY", "min_items": "2", "nullable": true,
            "items": {"any_of": [{"type": "HashMap"}, {"type": "Tuple"}], "nullable": true}});
        assert_eq!(
            plain(schema),
            json!({"type": ["array", "null"], "minItems": 2, "nullable": true,
                "items": {"anyOf": [{"type": "object"}, {"type": "array"}, {"type": "null"}],
                    "nullable": true}})
        );
        assert_eq!(
            plain(json!({"type": "STRING", "enum": ["a"], "nullable": true}))["enum"],
            json!(["a", null])
        );
        assert_eq!(plain(json!({"type": ["STRING", "NULL"]})), json!({"type": ["string", "null"]}));
        assert_eq!(
            plain(json!({"type": ["str", "int"], "nullable": true}))["type"],
            json!(["string", "integer", "null"])
        );
    }

    #[test]
    fn members_that_are_named_like_keywords_stay() {
        let schema = json!({"properties": {"any_of": {"type": "string"}, "type": {}},
            "const": {"type": "dict"}, "default": {"min_items": "1"}});
        assert_eq!(plain(schema.clone()), schema);
    }
}
