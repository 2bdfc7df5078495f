//! Arguments held against JSON Schemas.

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
fn an_argument_may_fit_a_schema() {
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
fn a_schema_that_is_none_is_a_fault_with_its_place() {
    let faults = config(r#"{"type": 5}"#).faults;
    let [fault] = faults.as_slice() else { panic!("{faults:?}") };
    assert_eq!(fault.place, "/criteria/trajectory/arguments/book/when/schema");
}

#[test]
fn a_type_that_means_nothing_is_a_fault_and_fits_nothing() {
    for slip in [
        r#"{"type": "intger"}"#,
        r#"{"type": ["string", "intger"]}"#,
        r#"{"anyOf": [{"type": "object", "properties": {"type": {"type": "intger"}}}]}"#,
    ] {
        let faults = config(slip).faults;
        let [fault] = faults.as_slice() else { panic!("{slip}: {faults:?}") };
        assert!(fault.message.contains("`intger` is no type"), "{fault:?}");
    }
    for right in [
        r#"{"type": "STRING", "nullable": true}"#,
        r#"{"enum": [{"type": "intger"}], "default": {"type": "x"}}"#,
        r#"{"properties": {"type": {"const": "intger"}}}"#,
    ] {
        assert!(config(right).faults.is_empty(), "{right}");
    }
}
