//! Checks values against an agent's schemas, with the `jsonschema` crate as the authority.

use app::api::{FieldMessage, SessionView, ToolView, ValueTarget};
use json_text::{JsonText, Kind};
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

/// At most this many messages are given for one value.
const MOST_MESSAGES: usize = 50;

/// Checks `value` against the schema that `target` names in `view`. `None`: there is no such tool.
pub(crate) fn check(
    view: &SessionView,
    target: &ValueTarget,
    value: &JsonText,
) -> Option<Vec<FieldMessage>> {
    Some(match target {
        ValueTarget::Input => check_schema(view.input_schema.as_ref(), value),
        ValueTarget::Output => check_schema(view.output_schema.as_ref(), value),
        ValueTarget::Arguments(name) => {
            check_arguments(view.tools.iter().find(|tool| tool.name == *name)?, value)
        }
    })
}

/// Checks a tool's arguments: an object that its parameters' schema accepts.
pub(crate) fn check_arguments(tool: &ToolView, arguments: &JsonText) -> Vec<FieldMessage> {
    if arguments.kind() != Kind::Object {
        let text = format!("A tool takes an object, not a {}.", arguments.kind().name());
        return vec![FieldMessage { pointer: String::new(), text }];
    }
    check_schema(tool.parameters.as_ref(), arguments)
}

/// Checks a value against a schema of its own.
pub(crate) fn check_against(schema: &JsonText, value: &JsonText) -> Vec<FieldMessage> {
    check_schema(Some(schema), value)
}

fn check_schema(schema: Option<&JsonText>, value: &JsonText) -> Vec<FieldMessage> {
    let whole = |text: String| vec![FieldMessage { pointer: String::new(), text }];
    let Some(schema) = schema else { return Vec::new() };
    let schema = match schema.to_value() {
        Ok(schema) => plain_json_schema(schema),
        // Deeper than the parser goes. The tool itself is the judge then.
        Err(_) => return Vec::new(),
    };
    let value = match value.to_value() {
        Ok(value) => value,
        Err(error) => return whole(format!("The value cannot be read: {error}.")),
    };
    let validator = match jsonschema::options().build(&schema) {
        Ok(validator) => validator,
        Err(error) => {
            // A model would be shown this schema all the same, and the tool would run.
            tracing::debug!("a schema cannot be checked against: {error}");
            return Vec::new();
        }
    };
    validator.iter_errors(&value).take(MOST_MESSAGES).map(|error| message(&error)).collect()
}

fn message(error: &jsonschema::ValidationError<'_>) -> FieldMessage {
    let pointer = error.instance_path().as_str().to_owned();
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let key = property.as_str().unwrap_or_default().replace('~', "~0").replace('/', "~1");
            FieldMessage { pointer: format!("{pointer}/{key}"), text: "Required.".to_owned() }
        }
        _ => {
            let mut text: String = error.to_string().chars().take(300).collect();
            text.push('.');
            FieldMessage { pointer, text }
        }
    }
}

/// A google.genai `Schema` in JSON Schema's words: types in lower case, `nullable` as a type,
/// bounds that came as strings as numbers, `any_of` as `anyOf`. Other schemas stay as they are.
fn plain_json_schema(schema: Value) -> Value {
    let Value::Object(members) = schema else { return schema };
    let mut plain = serde_json::Map::with_capacity(members.len());
    let nullable = members.get("nullable") == Some(&Value::Bool(true));
    for (key, value) in members {
        let (key, value) = match (key.as_str(), value) {
            ("type", Value::String(name)) => ("type", plain_type(&name, nullable)),
            ("any_of", value) => ("anyOf", plain_items(value)),
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", value) => {
                (key.as_str(), plain_items(value))
            }
            ("min_items" | "minItems", value) => ("minItems", plain_number(value)),
            ("max_items" | "maxItems", value) => ("maxItems", plain_number(value)),
            ("min_length" | "minLength", value) => ("minLength", plain_number(value)),
            ("max_length" | "maxLength", value) => ("maxLength", plain_number(value)),
            ("min_properties" | "minProperties", value) => ("minProperties", plain_number(value)),
            ("max_properties" | "maxProperties", value) => ("maxProperties", plain_number(value)),
            ("properties" | "$defs" | "definitions", Value::Object(members)) => {
                let members = members.into_iter().map(|(name, it)| (name, plain_json_schema(it)));
                (key.as_str(), Value::Object(members.collect()))
            }
            (
                "items" | "additionalProperties" | "additional_properties",
                value @ Value::Object(_),
            ) => {
                let key = if key == "items" { "items" } else { "additionalProperties" };
                (key, plain_json_schema(value))
            }
            (_, value) => (key.as_str(), value),
        };
        plain.insert(key.to_owned(), value);
    }
    Value::Object(plain)
}

fn plain_items(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(plain_json_schema).collect(),
        other => other,
    }
}

fn plain_number(value: Value) -> Value {
    match value {
        Value::String(digits) => digits.parse::<u64>().map_or(Value::String(digits), Value::from),
        other => other,
    }
}

/// JSON Schema's name for a type that declarations in the wild name otherwise.
fn plain_type(name: &str, nullable: bool) -> Value {
    let lower = name.to_ascii_lowercase();
    let known = match lower.as_str() {
        "str" => "string",
        "int" => "integer",
        "float" | "double" => "number",
        "bool" => "boolean",
        "dict" => "object",
        "list" | "tuple" => "array",
        "string" | "integer" | "number" | "boolean" | "object" | "array" | "null" => &lower,
        // `any`, `TYPE_UNSPECIFIED` and whatever else: everything goes.
        _ => {
            return ["string", "number", "boolean", "object", "array", "null"]
                .map(Value::from)
                .to_vec()
                .into();
        }
    };
    if nullable { Value::from(vec![known, "null"]) } else { Value::from(known) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(schema: &str, value: &str) -> Vec<(String, String)> {
        let schema = JsonText::parse(schema).expect("valid");
        let value = JsonText::parse(value).expect("valid");
        let messages = check_schema(Some(&schema), &value);
        messages.into_iter().map(|message| (message.pointer, message.text)).collect()
    }

    #[test]
    fn a_missing_member_is_named_at_its_own_place() {
        let schema = r#"{"type":"object","properties":{"a/b":{"type":"object","required":["c"]}},"required":["a/b"]}"#;
        assert_eq!(messages(schema, "{}"), [("/a~1b".to_owned(), "Required.".to_owned())]);
        assert_eq!(
            messages(schema, r#"{"a/b":{}}"#),
            [("/a~1b/c".to_owned(), "Required.".to_owned())]
        );
        assert_eq!(messages(schema, r#"{"a/b":{"c":1}}"#), []);
    }

    #[test]
    fn googles_schema_counts_as_json_schema() {
        let schema = r#"{"type":"OBJECT","properties":{"n":{"type":"INTEGER","nullable":true},
            "tags":{"type":"ARRAY","min_items":"1","items":{"type":"STRING"}}},"required":["tags"]}"#;
        assert_eq!(messages(schema, r#"{"n":null,"tags":["x"]}"#), []);
        assert_eq!(messages(schema, r#"{"n":1.5,"tags":[]}"#).len(), 2);
    }

    #[test]
    fn a_schema_that_is_none_refuses_nothing() {
        assert_eq!(messages(r#"{"type":"object","properties":7}"#, "{}"), []);
        assert_eq!(messages(r#"{"$ref":"https://example.org/remote.json"}"#, "{}"), []);
    }
}
