//! Rewrites a schema with JSON Schema's own keywords and types.
//!
//! google.genai's `Schema` writes types in upper case, `nullable`, bounds as strings and
//! `any_of`; other declarations use type names of their language. `schema-form` has the list of
//! spellings. JSON Schema itself is left unchanged.

use std::collections::HashMap;

use schema_form::{canonical_keyword, canonical_types};
use serde_json::{Map, Value, json};

/// `schema` with JSON Schema's keywords and types.
pub(crate) fn normalize(schema: Value) -> Value {
    let Value::Object(members) = schema else { return schema };
    let nullable = members.get("nullable") == Some(&Value::Bool(true));
    let discriminator = members.get("discriminator").cloned();
    // Of two spellings JSON Schema's own wins; a `ref` out of the document is not google.genai's.
    let is_foreign = |(key, value): &(&String, &Value)| {
        let meant = canonical_keyword(key);
        let is_local = value.as_str().is_some_and(|text| text.starts_with('#'));
        meant != *key && members.contains_key(meant) || *key == "ref" && !is_local
    };
    let foreign: Vec<String> =
        members.iter().filter(is_foreign).map(|(key, _)| key.clone()).collect();
    let mut normalized = Map::with_capacity(members.len());
    for (key, value) in members {
        let (key, mut value) = match foreign.contains(&key) {
            true => (key, value),
            false => keyword(&key, value, nullable),
        };
        if let ("anyOf" | "oneOf", Some(discriminator), Value::Array(branches)) =
            (key.as_str(), &discriminator, &mut value)
        {
            require_tags(branches, discriminator);
        }
        normalized.insert(key, value);
    }
    Value::Object(normalized)
}

/// Makes each branch in the mapping of OpenAPI's `discriminator` require the tag member with one of
/// the branch's names. A mapping names a branch by its reference or the last segment of it; a second
/// branch with the same reference is left unchanged.
fn require_tags(branches: &mut [Value], discriminator: &Value) {
    fn last_segment(path: &Value) -> Option<&str> {
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
        let Some(to) = last_segment(to) else { continue };
        let names = names.entry(to).or_default();
        names.push(Value::from(name.as_str()));
        // Mapping keys are strings, even for numeric or boolean tags.
        let other: Result<Value, _> = serde_json::from_str(&name.to_ascii_lowercase());
        names.extend(other.ok().filter(|it| it.is_number() || it.is_boolean()));
    }
    for branch in branches {
        let reference = branch.get("$ref").and_then(last_segment);
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
    let meant = canonical_keyword(key);
    let value = match (meant, value) {
        // google.genai's `nullable` also applies beside its `ref`.
        ("$ref", reference) if nullable && key == "ref" => {
            let or_null = json!({ "anyOf": [{ "$ref": reference }, { "type": "null" }] });
            return ("allOf".to_owned(), json!([or_null]));
        }
        ("type", names @ (Value::String(_) | Value::Array(_))) => normalize_types(names, nullable),
        ("enum", Value::Array(mut values)) => {
            if nullable && !values.contains(&Value::Null) {
                values.push(Value::Null);
            }
            Value::Array(values)
        }
        ("anyOf", Value::Array(branches)) => {
            let mut branches: Vec<Value> = branches.into_iter().map(normalize).collect();
            if nullable {
                branches.push(json!({ "type": "null" }));
            }
            Value::Array(branches)
        }
        ("oneOf" | "allOf" | "prefixItems" | "items", Value::Array(items)) => {
            items.into_iter().map(normalize).collect()
        }
        (
            "minItems" | "maxItems" | "minLength" | "maxLength" | "minProperties" | "maxProperties"
            | "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf",
            Value::String(digits),
        ) => digits.parse().map_or(Value::String(digits), Value::Number),
        (
            "properties" | "$defs" | "definitions" | "defs" | "patternProperties"
            | "dependentSchemas",
            Value::Object(members),
        ) => Value::Object(members.into_iter().map(|(name, it)| (name, normalize(it))).collect()),
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
        ) => normalize(value),
        (_, value) => value,
    };
    (meant.to_owned(), value)
}

/// JSON Schema's types for one type name or a list; an unknown name means any type.
fn normalize_types(names: Value, nullable: bool) -> Value {
    let listed: Option<Vec<&str>> = match &names {
        Value::Array(names) => names.iter().map(Value::as_str).collect(),
        one => one.as_str().map(|name| vec![name]),
    };
    let Some(listed) = listed.filter(|names| !names.is_empty()) else { return names };
    let meant = |name| canonical_types(name).or_else(|| canonical_types("any")).unwrap_or_default();
    let meant = listed.into_iter().flat_map(meant);
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
    fn other_spellings_become_json_schema() {
        let schema = json!({"type": "ARRAY", "min_items": "2", "nullable": true,
            "items": {"any_of": [{"type": "HashMap"}, {"type": "Tuple"}], "nullable": true}});
        assert_eq!(
            normalize(schema),
            json!({"type": ["array", "null"], "minItems": 2, "nullable": true,
                "items": {"anyOf": [{"type": "object"}, {"type": "array"}, {"type": "null"}],
                    "nullable": true}})
        );
        assert_eq!(
            normalize(json!({"type": "STRING", "enum": ["a"], "nullable": true}))["enum"],
            json!(["a", null])
        );
        assert_eq!(
            normalize(json!({"type": ["STRING", "NULL"]})),
            json!({"type": ["string", "null"]})
        );
        assert_eq!(
            normalize(json!({"type": ["str", "int"], "nullable": true}))["type"],
            json!(["string", "integer", "null"])
        );
    }

    #[test]
    fn google_references_resolve_to_its_definitions() {
        let schema = json!({"type": "OBJECT", "defs": {"Pet": {"type": "STRING"}}, "properties": {
            "pet": {"ref": "#/defs/Pet"}, "none": {"ref": "#/defs/Pet", "nullable": true},
            "other": {"ref": "pets.json", "min_items": "1", "minItems": 2}}});
        assert_eq!(
            normalize(schema),
            json!({"type": "object", "defs": {"Pet": {"type": "string"}}, "properties": {
                "pet": {"$ref": "#/defs/Pet"},
                "none": {"nullable": true,
                    "allOf": [{"anyOf": [{"$ref": "#/defs/Pet"}, {"type": "null"}]}]},
                "other": {"ref": "pets.json", "min_items": "1", "minItems": 2}}})
        );
    }

    #[test]
    fn mapped_branches_require_their_tag() {
        let schema = json!({"oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Cat"},
                {"$ref": "#/$defs/Dog"}, {"type": "null"}],
            "discriminator": {"propertyName": "kind",
                "mapping": {"cat": "#/$defs/Cat", "1": "Dog", "cow": "#/$defs/Cow"}}});
        let tagged = |name: &str, tag: Value| {
            json!({"allOf": [{"$ref": format!("#/$defs/{name}")},
                {"properties": {"kind": tag}, "required": ["kind"]}]})
        };
        assert_eq!(
            normalize(schema.clone())["oneOf"],
            json!([tagged("Cat", json!({"const": "cat"})), {"$ref": "#/$defs/Cat"},
                tagged("Dog", json!({"enum": ["1", 1]})), {"type": "null"}])
        );
        let mut unnamed = schema;
        unnamed["discriminator"] = json!({"propertyName": "kind"});
        assert_eq!(normalize(unnamed.clone()), unnamed);
    }

    #[test]
    fn members_named_like_keywords_are_kept() {
        let schema = json!({"properties": {"any_of": {"type": "string"}, "type": {}},
            "const": {"type": "dict"}, "default": {"min_items": "1"}});
        assert_eq!(normalize(schema.clone()), schema);
    }
}
