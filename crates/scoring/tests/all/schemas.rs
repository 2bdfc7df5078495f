//! Arguments checked with JSON Schemas.

use json_text::JsonText;
use scoring::config::{Config, Tools};
use scoring::trajectory::JsonSchemas;
use scoring::{Invocation, ToolCall, Trace};

fn json(text: &str) -> JsonText {
    JsonText::parse(text).expect("valid")
}

fn config(schema: &str) -> scoring::config::Reading {
    let text = format!(
        r#"{{"criteria": {{"trajectory": {{"arguments": {{"book": {{"when": {{"schema": {schema}}}}}}}}}}}}}"#
    );
    Config::read(&json(&text), &JsonSchemas)
}

fn booked(when: &str) -> Trace {
    let args = json(&format!(r#"{{"when": {when}}}"#));
    let turn =
        Invocation { tool_calls: vec![ToolCall::new("book", args)], ..Invocation::default() };
    Trace { invocations: vec![turn], final_state: None }
}

#[test]
fn argument_can_match_a_schema() {
    let config = config(r#"{"type": "string", "pattern": "^2026-"}"#).sound().expect("a config");
    let passed = |when: &str| {
        let result =
            config.criteria[0].judge(&booked("\"?\""), &booked(when), &mut Tools::default());
        result.passed
    };
    assert_eq!(passed("\"2026-11-21\""), Some(true));
    assert_eq!(passed("\"tomorrow\""), Some(false));
    assert_eq!(passed("2026"), Some(false));
}

#[test]
fn invalid_schema_is_reported_with_its_path() {
    let faults = config(r#"{"type": 5}"#).faults;
    let [fault] = faults.as_slice() else { panic!("{faults:?}") };
    assert_eq!(fault.place, "/criteria/trajectory/arguments/book/when/schema");
}

#[test]
fn mistyped_keyword_error_suggests_the_nearest() {
    for (slip, key, meant) in [
        (r#"{"typ": "string"}"#, "typ", "type"),
        (r#"{"type": "object", "propertes": {}}"#, "propertes", "properties"),
        (r#"{"anyOf": [{"items": {"minlength": 1}}]}"#, "minlength", "minLength"),
        (r#"{"properties": {"a": {"maxmum": 1}}}"#, "maxmum", "maximum"),
    ] {
        let faults = config(slip).faults;
        let [fault] = faults.as_slice() else { panic!("{slip}: {faults:?}") };
        assert_eq!(fault.place, "/criteria/trajectory/arguments/book/when/schema");
        let expected = format!("unknown JSON Schema keyword {key:?}; did you mean {meant}?");
        assert_eq!(fault.message, expected);
    }
    for right in [
        r#"{"type": "OBJECT", "any_of": [{"min_items": 1}], "property_ordering": ["a"]}"#,
        r#"{"properties": {"typ": {"type": "string"}}, "required": ["typ"]}"#,
        r#"{"enum": [{"typ": 1}], "const": {"typ": 1}, "default": {"typ": 1}}"#,
        r#"{"x-order": 1, "note": "no keyword", "unit": "kg", "name": "a"}"#,
    ] {
        assert!(config(right).faults.is_empty(), "{right}: {:?}", config(right).faults);
    }
}

#[test]
fn unknown_type_is_an_error_and_matches_nothing() {
    for slip in [
        r#"{"type": "intger"}"#,
        r#"{"type": ["string", "intger"]}"#,
        r#"{"anyOf": [{"type": "object", "properties": {"type": {"type": "intger"}}}]}"#,
    ] {
        let faults = config(slip).faults;
        let [fault] = faults.as_slice() else { panic!("{slip}: {faults:?}") };
        assert!(fault.message.contains("`intger` is not a type"), "{fault:?}");
    }
    for right in [
        r#"{"type": "STRING", "nullable": true}"#,
        r#"{"enum": [{"type": "intger"}], "default": {"type": "x"}}"#,
        r#"{"properties": {"type": {"const": "intger"}}}"#,
    ] {
        assert!(config(right).faults.is_empty(), "{right}");
    }
}
