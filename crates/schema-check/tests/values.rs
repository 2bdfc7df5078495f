//! Values are generated for every kind of schema, and all of them pass the check.

use json_text::JsonText;
use schema_check::{Check, values, values_of_part};

fn generate(schema: &str, wanted: usize) -> Vec<JsonText> {
    let schema = JsonText::parse(schema).expect("JSON");
    let check = Check::of(&schema).expect("a schema");
    let values = values(&schema, &check, wanted);
    for value in &values {
        assert_eq!(check.violations(value), [], "{value} in {schema}");
    }
    values
}

#[test]
fn every_kind_of_schema_gets_values() {
    for schema in [
        "{}",
        "true",
        r#"{"type":"string","minLength":30,"maxLength":31}"#,
        r#"{"type":"string","pattern":"^[A-Z]{3}-[0-9]{4}$"}"#,
        r#"{"type":"integer","minimum":7,"exclusiveMaximum":30,"multipleOf":7}"#,
        r#"{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":0.5}"#,
        r#"{"type":"number","exclusiveMinimum":1,"maximum":1.001}"#,
        r#"{"type":["integer","null"]}"#,
        r#"{"type":"array","items":{"type":"integer"},"uniqueItems":true,"minItems":3}"#,
        r#"{"type":"array","prefixItems":[{"type":"string"},{"type":"boolean"}],"items":false,"minItems":1}"#,
        r#"{"type":"array","contains":{"const":"x"},"minContains":2}"#,
        r#"{"type":"object","propertyNames":{"pattern":"^[a-z]{4}$"},"minProperties":2}"#,
        r#"{"type":"object","patternProperties":{"^n_[a-z]+$":{"type":"integer"}},"additionalProperties":false,"minProperties":1}"#,
        r#"{"type":"object","properties":{"a":{},"b":{}},"dependentRequired":{"a":["b"]},"required":["a"]}"#,
        r#"{"if":{"properties":{"k":{"const":1}},"required":["k"]},"then":{"required":["x"]},"else":{"required":["y"]},"type":"object"}"#,
        r#"{"allOf":[{"type":"object","required":["a"]},{"properties":{"a":{"type":"integer"}}}]}"#,
        r#"{"oneOf":[{"type":"integer"},{"type":"number","minimum":2}]}"#,
        r#"{"type":"integer","not":{"const":0}}"#,
        r##"{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","required":["next"],"properties":{"next":{"anyOf":[{"$ref":"#/$defs/node"},{"type":"null"}]}}}}}"##,
        r##"{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#z","definitions":{"z":{"$id":"#z","type":"string","pattern":"^z{9}$"}}}"##,
        // A required member may require another.
        r#"{"type":"object","required":["a"],"properties":{"a":{},"b":{},"c":{}},"dependentRequired":{"a":["b"],"b":["c"]}}"#,
        // More than one value of a format, and several names with a pattern.
        r#"{"type":"array","items":{"type":"string","format":"date"},"minItems":3,"uniqueItems":true}"#,
        r#"{"type":"array","items":{"type":"object","properties":{"d":{"type":"string","format":"uuid"}},"required":["d"],"additionalProperties":false},"minItems":2,"uniqueItems":true}"#,
        r#"{"type":"array","items":{"type":"string","pattern":"^x-"},"minItems":2,"uniqueItems":true}"#,
        r#"{"type":"object","propertyNames":{"pattern":"^x-"},"minProperties":2}"#,
        // Schemas that apply when a member is present.
        r#"{"type":"object","properties":{"a":{},"n":{"type":"integer","minimum":0,"maximum":9}},"required":["a","n"],"dependentSchemas":{"a":{"properties":{"n":{"minimum":9}}}}}"#,
        r#"{"type":"object","properties":{"a":{}},"required":["a"],"dependentSchemas":{"a":{"required":["b"]},"b":{"properties":{"c":{"const":3}},"required":["c"]}},"minProperties":3}"#,
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{}},"required":["a"],"dependencies":{"a":{"properties":{"b":{"const":1}},"required":["b"]}}}"#,
        conditions_of_many_values().as_str(),
        r#"{"type":"OBJECT","properties":{"a":{"type":"ARRAY","min_items":"1","items":{"any_of":[{"type":"STRING"}]}}},"required":["a"]}"#,
    ] {
        assert!(!generate(schema, 5).is_empty(), "no value for {schema}");
    }
}

/// An enum with a condition for each of its values, each requiring another member.
fn conditions_of_many_values() -> String {
    let names: Vec<String> = (0..16).map(|place| format!("v{place}")).collect();
    let each: Vec<String> = names
        .iter()
        .map(|name| {
            format!(
                r#"{{"if":{{"properties":{{"mode":{{"const":"{name}"}}}}}},"then":{{"required":["{name}"]}}}}"#
            )
        })
        .collect();
    let depends: Vec<String> = names.iter().map(|name| format!(r#""{name}":["unit"]"#)).collect();
    format!(
        r#"{{"type":"object","properties":{{"mode":{{"enum":{names:?}}},"unit":{{"enum":["s","ms"]}}}},
            "required":["mode"],"allOf":[{}],"dependentRequired":{{{}}}}}"#,
        each.join(","),
        depends.join(",")
    )
}

#[test]
fn values_of_a_part_match_the_part() {
    let schema = JsonText::parse(
        r##"{"$defs":{"d":{"type":"string","pattern":"^a+$"}},"properties":{"x":{"$ref":"#/$defs/d"},
            "never":{"type":"string","pattern":"^a$","minLength":3}}}"##,
    )
    .expect("JSON");
    let of = |part: &str| {
        let check = Check::of_part(&schema, part).expect("a schema");
        values_of_part(&schema, part, &check, 3)
    };
    assert!(of("/properties/x").iter().all(|value| value.as_str().starts_with("\"a")));
    assert!(!of("/properties/x").is_empty());
    assert_eq!(of("/properties/never"), []);
}

#[test]
fn the_first_value_is_minimal_and_the_second_maximal() {
    let schema = r#"{"type":"object","required":["a"],"properties":
        {"a":{"const":1},"b":{"const":2},"c":{"const":3}}}"#;
    let texts: Vec<_> = generate(schema, 2).iter().map(|value| value.as_str().to_owned()).collect();
    assert_eq!(texts, [r#"{"a":1}"#, r#"{"a":1,"b":2,"c":3}"#]);
}

#[test]
fn every_format_has_three_values() {
    for format in [
        "date",
        "time",
        "date-time",
        "duration",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "uri",
        "uri-reference",
        "uuid",
        "json-pointer",
        "regex",
    ] {
        let schema = format!(r#"{{"type":"string","format":"{format}"}}"#);
        let texts = generate(&schema, 3);
        assert_eq!(texts.len(), 3, "{format}");
        let strict = jsonschema::options()
            .should_validate_formats(true)
            .build(&serde_json::json!({ "format": format }))
            .expect("a schema");
        for text in texts {
            assert!(strict.is_valid(&text.to_value().expect("JSON")), "{format}: {text}");
        }
    }
}

#[test]
fn no_more_values_are_returned_than_exist() {
    assert_eq!(generate(r#"{"enum":["a","b"]}"#, 5).len(), 2);
    assert_eq!(generate(r#"{"type":"boolean"}"#, 5).len(), 2);
    assert_eq!(generate("false", 5).len(), 0);
    assert_eq!(generate(r#"{"type":"integer","minimum":2,"maximum":1}"#, 5).len(), 0);
    // It requires itself: no value is finite.
    let endless = r##"{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]}"##;
    assert_eq!(generate(endless, 5).len(), 0);
}

#[test]
fn the_same_schema_gives_the_same_values() {
    let schema = r#"{"type":"object","additionalProperties":true}"#;
    assert_eq!(generate(schema, 8), generate(schema, 8));
}
