//! Value to draft to value is the identity, for schemas and values of every shape.

use json_text::{JsonText, Node};
use proptest::prelude::*;
use schema_form::{Draft, Edit, Form, Path};
use serde_json::{Value, json};

/// The value with members sorted and strings in one spelling; the digits of numbers as written.
fn sorted(node: &Node<'_>) -> String {
    match node {
        Node::Null => "null".into(),
        Node::Bool(value) => value.to_string(),
        Node::Number(digits) => (*digits).to_owned(),
        Node::String(content) => JsonText::string(content).as_str().to_owned(),
        Node::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| sorted(&Node::of(item))).collect();
            format!("[{}]", items.join(","))
        }
        Node::Object(members) => {
            let mut members: Vec<_> = members
                .iter()
                .map(|(key, value)| format!("{key:?}:{}", sorted(&Node::of(value))))
                .collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
    }
}

fn check(form: &Form, value: &JsonText) -> Result<(), TestCaseError> {
    let draft = form.fill(value);
    let reading = draft.read(form);
    let back = JsonText::parse(reading.text())
        .map_err(|error| TestCaseError::fail(format!("{error}: {}", reading.text())))?;
    prop_assert_eq!(sorted(&back.open()), sorted(&value.open()), "form: {}", form);
    // Switching to text and back is the identity, too.
    let mut there = draft;
    there.edit(form, &Path::root(), Edit::AsJson).expect("always possible");
    let again = there.read(form);
    prop_assert_eq!(
        again.json().is_some(),
        reading.json().is_some(),
        "{:?} and {:?}",
        again.messages(),
        reading.messages()
    );
    there.edit(form, &Path::root(), Edit::AsWidgets).expect("it is JSON");
    let back = there.read(form);
    prop_assert_eq!(back.text(), reading.text());
    Ok(())
}

const KEYS: [&str; 5] = ["a", "b", "c", "a/b", ""];

fn any_key() -> impl Strategy<Value = String> {
    prop_oneof![4 => prop::sample::select(&KEYS[..]).prop_map(str::to_owned), 1 => any::<String>()]
}

fn any_number() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|value| value.to_string()),
        (any::<i64>(), any::<u32>(), -400..400_i32)
            .prop_map(|(whole, fraction, power)| format!("{whole}.{fraction}e{power}")),
        Just("-0".to_owned()),
        Just("5.0".to_owned()),
        Just("123456789012345678901234567890".to_owned()),
    ]
}

/// A value's text, with numbers that no floating-point number holds.
fn any_value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any_number(),
        any_key().prop_map(|text| JsonText::string(&text).as_str().to_owned()),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5)
                .prop_map(|items| format!("[{}]", items.join(", "))),
            prop::collection::btree_map(any_key(), inner, 0..5).prop_map(|members| {
                let members: Vec<_> = members
                    .iter()
                    .map(|(key, value)| format!("{}: {value}", JsonText::string(key)))
                    .collect();
                format!("{{{}}}", members.join(", "))
            }),
        ]
    })
}

const PATTERNS: [&str; 6] = ["^a", "b$", "^[a-c]$", "^$", "/", "(?=a)"];

/// The keywords of objects whose members depend on names and on each other.
fn any_object_of_conditions(
    inner: impl Strategy<Value = Value> + Clone + 'static,
) -> impl Strategy<Value = Value> {
    let name = || prop::sample::select(&KEYS[..]);
    let schema = || prop::option::of(inner.clone());
    let pattern = prop::sample::select(&PATTERNS[..]);
    (
        prop::collection::btree_map(any_key(), inner.clone(), 0..3),
        prop::collection::btree_map(pattern.clone(), inner.clone(), 0..3),
        (schema(), schema(), schema()),
        prop::collection::btree_map(name(), prop::collection::vec(name(), 0..2), 0..2),
        prop::collection::btree_map(name(), inner.clone(), 0..2),
        (prop::option::of(pattern), prop::option::of(any::<bool>())),
        prop::sample::select(&[None, None, Some("http://json-schema.org/draft-07/schema#")][..]),
    )
        .prop_map(
            |(properties, patterns, (test, then, other), needs, given, names, dialect)| {
                let mut schema = json!({"properties": properties, "patternProperties": patterns});
                let branches = [("if", test), ("then", then), ("else", other)];
                for (keyword, branch) in branches {
                    if let Some(branch) = branch {
                        schema[keyword] = branch;
                    }
                }
                if dialect.is_some() {
                    schema["$schema"] = dialect.into();
                    let mut both = serde_json::to_value(given).unwrap_or_default();
                    for (name, needed) in needs {
                        both[name] = needed.into();
                    }
                    schema["dependencies"] = both;
                } else {
                    schema["dependentRequired"] = serde_json::to_value(needs).unwrap_or_default();
                    schema["dependentSchemas"] = serde_json::to_value(given).unwrap_or_default();
                }
                let (name, closed) = names;
                if let Some(pattern) = name {
                    schema["propertyNames"] = json!({"pattern": pattern, "maxLength": 3});
                }
                if closed == Some(true) {
                    schema["additionalProperties"] = false.into();
                }
                schema
            },
        )
}

fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({})),
        Just(json!(true)),
        Just(json!({"$ref": "#"})),
        Just(json!({"$ref": "#/$defs/absent"})),
        prop::sample::select(vec![
            "string", "integer", "number", "boolean", "null", "object", "array", "STRING", "float",
            "dict", "tuple", "any", "quaternion",
        ])
        .prop_map(|name| json!({"type": name})),
        Just(json!({"type": ["string", "integer", "null"]})),
        Just(json!({"enum": ["a", 1, null, [1], {"a": 1}]})),
        Just(json!({"const": "a"})),
        (any::<i32>(), any::<i32>()).prop_map(
            |(low, high)| json!({"type": "integer", "minimum": low, "maximum": high, "multipleOf": 3})
        ),
        (0..4_u32, 0..4_u32).prop_map(
            |(low, high)| json!({"type": "string", "minLength": low, "maxLength": high})
        ),
        prop::sample::select(&PATTERNS[..]).prop_map(|pattern| json!({"pattern": pattern})),
        prop::collection::vec(any_key(), 0..2).prop_map(|names| json!({"required": names})),
        Just(json!(false)),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let schemas = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            (
                prop::collection::btree_map(any_key(), inner.clone(), 0..5),
                prop::collection::vec(any_key(), 0..3),
                prop::option::of(inner.clone()),
            )
                .prop_map(|(properties, required, additional)| {
                    let mut schema =
                        json!({"type": "object", "properties": properties, "required": required});
                    if let Some(additional) = additional {
                        schema["additionalProperties"] = additional;
                    }
                    schema
                }),
            inner.clone().prop_map(|items| json!({"type": "array", "items": items, "maxItems": 3})),
            schemas.clone().prop_map(|heads| json!({"prefixItems": heads, "uniqueItems": true})),
            schemas.clone().prop_map(|branches| json!({"anyOf": branches})),
            schemas.clone().prop_map(|branches| json!({"oneOf": branches, "default": null})),
            schemas.clone().prop_map(|layers| json!({"allOf": layers})),
            inner.clone().prop_map(|schema| json!({"anyOf": [schema, {"type": "null"}]})),
            any_object_of_conditions(inner.clone()),
            (inner.clone(), schemas).prop_map(|(not, all)| json!({"not": not, "allOf": all})),
            (inner, 0..3_u32, prop::option::of(0..3_u32)).prop_map(|(contains, least, most)| {
                let mut schema = json!({"contains": contains, "minContains": least});
                if let Some(most) = most {
                    schema["maxContains"] = most.into();
                }
                schema
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2 * ProptestConfig::default().cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn value_to_draft_to_value_is_the_identity(schema in any_schema(), value in any_value()) {
        let form = Form::of_schema(&JsonText::from_value(&schema));
        check(&form, &JsonText::parse(&value).expect("JSON"))?;
    }

    #[test]
    fn a_blank_draft_reads_quickly(schema in any_schema()) {
        let form = Form::of_schema(&JsonText::from_value(&schema));
        let reading = Draft::blank(&form).read(&form);
        prop_assert_eq!(reading.json().is_some(), reading.messages().is_empty());
        let pieces: String = reading.pieces().map(|(piece, _)| piece).collect();
        prop_assert_eq!(pieces.as_str(), reading.text());
    }

    /// Valid values are sent: the form's own checks never contradict the validator.
    #[test]
    fn values_that_the_validator_accepts_have_no_message(schema in any_schema(), value in any_value()) {
        let parsed: Value = serde_json::from_str(&value).unwrap_or(Value::Null);
        let text = JsonText::parse(&value).expect("JSON");
        // The validator here rounds numbers; the form does not.
        if JsonText::from_value(&parsed).as_str() != text.compact().as_str() {
            return Ok(());
        }
        let Ok(validator) = jsonschema::validator_for(&schema) else { return Ok(()) };
        let form = Form::of_schema(&JsonText::from_value(&schema));
        let is_valid = validator.is_valid(&parsed);
        if is_valid {
            let reading = form.fill(&text).read(&form);
            prop_assert_eq!(reading.messages(), &[]);
        }
        if let Some(admitted) = form.admits(&text) {
            prop_assert_eq!(admitted, is_valid);
        }
    }

    /// No text panics, whether a schema or not.
    #[test]
    fn any_value_as_a_schema_does_not_panic(schema in any_value(), value in any_value()) {
        let schema = JsonText::parse(&schema).expect("JSON");
        check(&Form::of_schema(&schema), &JsonText::parse(&value).expect("JSON"))?;
        let _ = Form::of_declaration(&schema).to_string();
    }
}

#[test]
fn a_repeated_member_is_kept() {
    let form = Form::of_schema(&JsonText::parse(r#"{"type": "object"}"#).expect("JSON"));
    let value = JsonText::parse(r#"{"a":1,"a":2}"#).expect("JSON");
    let reading = form.fill(&value).read(&form);
    assert_eq!(reading.text(), value.as_str());
    assert_eq!(reading.json(), None, "and is not sent");
}

#[test]
fn deep_nesting_does_not_overflow() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let any = Form::of_schema(&JsonText::parse("{}").expect("JSON"));
    let value = JsonText::parse(&deep).expect("JSON");
    assert_eq!(any.fill(&value).read(&any).json(), Some(&value));

    let schema = format!(r#"{}{{}}{}"#, r#"{"items":"#.repeat(10_000), "}".repeat(10_000));
    let form = Form::of_schema(&JsonText::parse(&schema).expect("JSON"));
    assert_eq!(form.diagnostics()[0].reason.name(), "too_deep");
    assert_eq!(form.fill(&value).read(&form).json(), Some(&value));

    // A chain of references as long as the document, and a widely shared one.
    let chain: Vec<_> =
        (0..5_000).map(|n| format!(r##""d{n}": {{"$ref": "#/$defs/d{}"}}"##, n + 1)).collect();
    let schema =
        format!(r##"{{"$defs": {{{}, "d5000": {{}}}}, "$ref": "#/$defs/d0"}}"##, chain.join(","));
    let form = Form::of_schema(&JsonText::parse(&schema).expect("JSON"));
    let actual = &form.diagnostics()[0];
    assert_eq!((actual.pointer.as_str(), actual.reason.name()), ("", "long_chain"));
    let sentence = "The schema starts a chain of more than 100 references (`$ref`, `allOf`).";
    assert_eq!(actual.reason.to_string(), sentence);
    let doubling: Vec<_> = (0..60)
        .map(|n| {
            let next = n + 1;
            format!(
                r##""d{n}": {{"type": "object", "required": ["x", "y"], "properties": {{
                    "x": {{"$ref": "#/$defs/d{next}"}}, "y": {{"$ref": "#/$defs/d{next}"}}}}}}"##
            )
        })
        .collect();
    let schema =
        format!(r##"{{"$defs": {{{}, "d60": {{}}}}, "$ref": "#/$defs/d0"}}"##, doubling.join(","));
    let form = Form::of_schema(&JsonText::parse(&schema).expect("JSON"));
    let reading = Draft::blank(&form).read(&form);
    assert!(reading.json().is_none() && reading.messages().len() < 20_000);
}

#[test]
fn a_rejected_edit_changes_nothing() {
    let form = Form::of_schema(&JsonText::parse(r#"{"type": "object"}"#).expect("JSON"));
    let mut draft = Draft::blank(&form);
    for edit in [Edit::AsJson, Edit::Unset] {
        draft.edit(&form, &Path::root(), edit).expect("it fits");
    }
    let before = draft.clone();
    assert!(draft.edit(&form, &Path::root(), Edit::AddEntry).is_err());
    assert_eq!(draft, before);

    let schema = r#"{"type": "array", "prefixItems": [], "items": false}"#;
    let form = Form::of_schema(&JsonText::parse(schema).expect("JSON"));
    let mut draft = Draft::blank(&form);
    let before = draft.clone();
    assert!(draft.edit(&form, &Path::root(), Edit::AddItem).is_err());
    assert_eq!(draft, before);
}
