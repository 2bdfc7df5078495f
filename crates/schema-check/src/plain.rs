//! A schema in JSON Schema's own words.
//!
//! google.genai's `Schema` writes types in upper case, `nullable`, bounds as strings and
//! `any_of`; declarations in the wild name types as their language does. What is JSON Schema
//! already stays as it is.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

/// The schema in JSON Schema's words.
pub(crate) fn plain(schema: Value) -> Value {
    let Value::Object(members) = schema else { return schema };
    let nullable = members.get("nullable") == Some(&Value::Bool(true));
    let discriminator = members.get("discriminator").cloned();
    let mut plain_members = Map::with_capacity(members.len());
    for (key, value) in members {
        let (key, mut value) = keyword(&key, value, nullable);
        if let ("anyOf" | "oneOf", Some(discriminator), Value::Array(branches)) =
            (key.as_str(), &discriminator, &mut value)
        {
            hold_to_tags(branches, discriminator);
        }
        plain_members.insert(key, value);
    }
    Value::Object(plain_members)
}

/// Asks of each branch that OpenAPI's `discriminator` names for the member that tells it: there, and
/// with one of its names. A branch is named by its reference, or the last word of that; a second one
/// of the same reference says nothing new.
fn hold_to_tags(branches: &mut [Value], discriminator: &Value) {
    fn last_word(path: &Value) -> Option<&str> {
        path.as_str()?.rsplit('/').next()
    }
    let (Some(key), Some(mapping)) = (
        discriminator.get("propertyName").and_then(Value::as_str),
        discriminator.get("mapping").and_then(Value::as_object),
    ) else {
        return;
    };
    let mut names: HashMap<&str, Vec<Value>> = HashMap::with_capacity(mapping.len());
    for (name, to) in mapping {
        let Some(to) = last_word(to) else { continue };
        let names = names.entry(to).or_default();
        names.push(Value::from(name.as_str()));
        // A mapping has names for keys whatever the tag's type is.
        let other: Result<Value, _> = serde_json::from_str(&name.to_ascii_lowercase());
        names.extend(other.ok().filter(|it| it.is_number() || it.is_boolean()));
    }
    for branch in branches {
        let reference = branch.get("$ref").and_then(last_word);
        let tag = match reference.and_then(|it| names.remove(it)).as_deref() {
            None => continue,
            Some([one]) => json!({ "const": one }),
            Some(names) => json!({ "enum": names }),
        };
        let tag = json!({ "properties": { key: tag }, "required": [key] });
        *branch = json!({ "allOf": [branch.take(), tag] });
    }
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
                branches.push(json!({ "type": "null" }));
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
    fn branches_that_a_discriminator_names_are_held_to_it() {
        let schema = json!({"oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Cat"},
                {"$ref": "#/$defs/Dog"}, {"type": "null"}],
            "discriminator": {"propertyName": "kind",
                "mapping": {"cat": "#/$defs/Cat", "1": "Dog", "cow": "#/$defs/Cow"}}});
        let held = |name: &str, tag: Value| {
            json!({"allOf": [{"$ref": format!("#/$defs/{name}")},
                {"properties": {"kind": tag}, "required": ["kind"]}]})
        };
        assert_eq!(
            plain(schema.clone())["oneOf"],
            json!([held("Cat", json!({"const": "cat"})), {"$ref": "#/$defs/Cat"},
                held("Dog", json!({"enum": ["1", 1]})), {"type": "null"}])
        );
        let mut unnamed = schema;
        unnamed["discriminator"] = json!({"propertyName": "kind"});
        assert_eq!(plain(unnamed.clone()), unnamed);
    }

    #[test]
    fn members_that_are_named_like_keywords_stay() {
        let schema = json!({"properties": {"any_of": {"type": "string"}, "type": {}},
            "const": {"type": "dict"}, "default": {"min_items": "1"}});
        assert_eq!(plain(schema.clone()), schema);
    }
}
