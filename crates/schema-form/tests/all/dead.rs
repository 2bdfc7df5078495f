//! No value is valid where the diagnostics say so: `NothingValid` and `BranchDead`
//! against the validator.

use json_text::JsonText;
use proptest::prelude::*;
use schema_check::Check;
use schema_form::{Form, Reason};
use serde_json::{Value, json};

use crate::small::{any_schema, pool};

/// The schemas reported as unsatisfiable, with the reason.
fn dead(schema: &Value) -> Vec<(&'static str, String)> {
    let form = Form::of_schema(&JsonText::from_value(schema));
    let found = form.diagnostics().iter();
    let found = found.filter(|it| matches!(it.reason, Reason::NothingValid | Reason::BranchDead));
    found.map(|it| (it.reason.name(), it.pointer.clone())).collect()
}

#[test]
fn schemas_without_values_are_reported_at_their_pointers() {
    for (schema, reported) in [
        // A union that is a branch itself, and null.
        (
            json!({"type": "string", "anyOf": [
                {"anyOf": [{"type": "boolean"}, {"type": "integer"}]}, {"maxLength": 5}]}),
            vec![("branch_dead", "/anyOf/0")],
        ),
        (
            json!({"type": ["integer", "null"],
                "anyOf": [{"type": ["string", "null"]}, {"type": "boolean"}]}),
            vec![],
        ),
        (
            json!({"type": ["integer", "null"],
                "anyOf": [{"type": ["string", "null"]}, {"type": "boolean"}, {"minimum": 1}]}),
            vec![("branch_dead", "/anyOf/1")],
        ),
        (
            json!({"type": "integer", "anyOf": [{"type": "boolean"}, {"type": "string"}]}),
            vec![("nothing_valid", "")],
        ),
        // Dead beside one branch of the other union, alive beside the other.
        (
            json!({"anyOf": [{"type": "string"}, {"type": "integer"}],
                "oneOf": [{"type": "string", "maxLength": 3}, {"type": "integer", "minimum": 3}]}),
            vec![],
        ),
        (
            json!({"properties": {"x": {"$ref": "#/$defs/u", "type": "string"}, "y": {"$ref": "#/$defs/u"}},
                "$defs": {"u": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}}),
            vec![],
        ),
        // A member that holds another schema in a branch, or beside a condition.
        (
            json!({"properties": {"x": {"type": "integer"}},
                "anyOf": [{"properties": {"x": {"type": "string"}}}, {"required": ["x"]}]}),
            vec![],
        ),
        (
            json!({"type": "object", "properties": {"x": {"type": ["integer"]}, "y": {}},
                "if": {"required": ["y"]}, "then": {"properties": {"x": {"type": "string"}}}}),
            vec![],
        ),
        (
            json!({"allOf": [{"properties": {"x": {"type": "integer"}}},
                {"properties": {"x": {"type": "string"}}}]}),
            vec![("nothing_valid", "/allOf/0/properties/x")],
        ),
        // Forbidden on purpose, and not.
        (json!({"properties": {"x": false, "y": {}}}), vec![]),
        (
            json!({"properties": {"x": false}, "required": ["x"]}),
            vec![("nothing_valid", "/properties/x")],
        ),
        (json!({"anyOf": [false, {"type": "string"}, {}]}), vec![("branch_dead", "/anyOf/0")]),
        (json!({"allOf": [false]}), vec![("nothing_valid", "/allOf/0")]),
    ] {
        let mut found = dead(&schema);
        found.sort();
        let reported: Vec<_> =
            reported.into_iter().map(|(rule, at)| (rule, at.to_owned())).collect();
        assert_eq!(found, reported, "{schema}");
    }
}

/// The values in `value` at the places that the part `pointer` of `schema` describes, where the
/// branches on the way hold.
fn described<'v>(schema: &JsonText, pointer: &str, value: &'v Value) -> Vec<&'v Value> {
    let mut tokens = pointer.split('/').skip(1);
    let mut at = String::new();
    let mut here = vec![value];
    while let Some(keyword) = tokens.next() {
        let inner = if matches!(keyword, "then" | "items") { None } else { tokens.next() };
        at = [Some(keyword), inner].into_iter().flatten().fold(at, |at, it| at + "/" + it);
        match (keyword, inner) {
            ("properties", Some(name)) => {
                here = here.into_iter().filter_map(|it| it.get(name)).collect();
            }
            ("items", _) => here = here.into_iter().filter_map(Value::as_array).flatten().collect(),
            _ => {
                let branch = Check::of_part(schema, &at).expect("a part of what is sound");
                here.retain(|it| branch.admits(it));
            }
        }
    }
    here
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4 * ProptestConfig::default().cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// No valid value has content where the schema is reported as unsatisfiable.
    #[test]
    fn schemas_with_a_valid_value_are_not_reported(schema in any_schema()) {
        let text = JsonText::from_value(&schema);
        let Ok(whole) = Check::of(&text) else { return Ok(()) };
        let reported = dead(&schema);
        let pool = if reported.is_empty() { Vec::new() } else { pool() };
        let valid: Vec<&Value> = pool.iter().filter(|value| whole.admits(value)).collect();
        for (reason, at) in reported {
            let fit = valid.iter().find(|value| !described(&text, &at, value).is_empty());
            prop_assert_eq!(fit, None, "{} at {} of {}", reason, at, schema);
        }
    }
}
