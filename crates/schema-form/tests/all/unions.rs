//! The form's messages for values of unions, compared with the validator.

use json_text::JsonText;
use proptest::prelude::*;
use schema_check::Check;
use schema_form::{Edit, FieldKind, Form, Path};
use serde_json::{Value, json};

use crate::small::{any_schema, pool};

/// The form's messages in the member `a`.
fn messages(a: &Value, value: &Value) -> Vec<String> {
    let schema = json!({"type": "object", "properties": {"a": a}, "required": ["a"]});
    let form = Form::of_schema(&JsonText::from_value(&schema));
    let reading = form.fill(&JsonText::from_value(&json!({ "a": value }))).read(&form);
    assert_eq!(reading.json().is_none(), !reading.messages().is_empty());
    reading.messages().iter().map(|it| format!("{}: {}", it.path, it.text)).collect()
}

#[test]
fn a_value_that_matches_no_branch_gets_a_message() {
    let plain = json!({"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "object"}]});
    let sizes = json!({"anyOf": [
        {"enum": ["small", "large"]}, {"type": "string", "enum": ["s", "l"]}, {"type": "integer"}]});
    let nested = json!({"anyOf": [
        {"type": "string"},
        {"type": "object", "properties": {"q": {"anyOf": [{"type": "boolean"}, {"type": "integer"}]}}}]});
    for (schema, value, expected) in [
        (
            &plain,
            json!(true),
            "Expected text, a whole number or an object, found true or false (type).",
        ),
        (&plain, json!(1.5), "Expected text, a whole number or an object, found a number (type)."),
        (&plain, json!(null), "Expected text, a whole number or an object, found null (type)."),
        (&sizes, json!(1.5), r#"One of "small", "large"."#),
        (
            &sizes,
            json!("m"),
            r#"Matches none of the 3 alternatives. One of "small", "large". Or: One of "s", "l"."#,
        ),
        (&nested, json!([1]), "Expected text or an object, found a list (type)."),
        (
            &nested,
            json!({"q": "12345"}),
            "Expected a whole number or true or false, found text (type).",
        ),
    ] {
        let messages = messages(schema, &value);
        assert_eq!(messages.len(), 1, "{messages:?}");
        assert!(messages[0].ends_with(&format!(": {expected}")), "{messages:?}");
        let of_host = Check::of(&JsonText::from_value(schema)).expect("a schema");
        assert!(!of_host.admits(&value), "{schema} {value}");
    }
    for value in [json!("x"), json!(7), json!(7.0), json!({"b": 1})] {
        assert_eq!(messages(&plain, &value), [""; 0], "{value}");
    }
}

#[test]
fn null_is_not_an_option_if_the_type_excludes_it() {
    let offered = |schema: &Value| {
        let form = Form::of_schema(&JsonText::from_value(schema));
        let field = form.root().field();
        let FieldKind::Choice(options) = &field.kind else { panic!("{:?}", field.kind) };
        let labels: Vec<String> = options.iter().map(|it| it.label.clone()).collect();
        (labels, field.nullable)
    };
    let two = || vec!["a".to_owned(), "b".to_owned()];
    assert_eq!(offered(&json!({"type": "string", "enum": ["a", "b", null]})), (two(), false));
    assert_eq!(offered(&json!({"enum": ["a", "b", null]})), (two(), true));
    assert_eq!(
        offered(&json!({"enum": ["a", "b", null], "not": {"type": "null"}})),
        (two(), false)
    );
    let google = json!({"type": "STRING", "enum": ["a", "b"], "nullable": true});
    assert_eq!(offered(&google), (two(), true));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4 * ProptestConfig::default().cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Null is offered only where the validator accepts it.
    #[test]
    fn null_is_offered_only_where_it_is_valid(schema in any_schema()) {
        let text = JsonText::from_value(&schema);
        let Ok(whole) = Check::of(&text) else { return Ok(()) };
        // The host decides what `nullable` means beside other keywords.
        if text.as_str().contains("nullable") {
            return Ok(());
        }
        let form = Form::of_schema(&text);
        let field = form.root().field();
        let is_option = match &field.kind {
            FieldKind::Choice(options) => options.iter().any(|it| it.value == JsonText::null()),
            _ => false,
        };
        if field.nullable || is_option {
            prop_assert!(whole.admits(&Value::Null), "{} in {}", field.nullable, schema);
        }
    }

    /// Valid values have no message, in widgets and as JSON text.
    #[test]
    fn valid_values_have_no_message(schema in any_schema()) {
        let text = JsonText::from_value(&schema);
        let Ok(whole) = Check::of(&text) else { return Ok(()) };
        let form = Form::of_schema(&text);
        for value in pool().iter().filter(|value| whole.admits(value)) {
            let mut draft = form.fill(&JsonText::from_value(value));
            let reading = draft.read(&form);
            prop_assert_eq!(reading.messages(), &[], "{} of {}", value, &schema);
            prop_assert!(draft.edit(&form, &Path::root(), Edit::AsJson).is_ok());
            let reading = draft.read(&form);
            prop_assert_eq!(reading.messages(), &[], "{} of {}", value, &schema);
        }
    }
}
