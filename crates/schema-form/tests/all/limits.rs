//! Limits as google.genai's `Schema` writes them: types in upper case, digits in quotes, keywords
//! of either spelling. The form, its JSON mode and the host agree on each.

use json_text::JsonText;
use schema_check::Check;
use schema_form::Form;

/// A keyword in both spellings, the type it limits, an invalid value, a valid value, and the message
/// for the invalid one.
const LIMITS: [(&str, &str, &str, &str, &str, &str); 7] = [
    ("minLength", "min_length", "STRING", r#""a""#, r#""ab""#, "At least 2 characters"),
    ("maxLength", "max_length", "STRING", r#""abc""#, r#""ab""#, "At most 2 characters"),
    ("minItems", "min_items", "ARRAY", "[1]", "[1,2]", "At least 2 items"),
    ("maxItems", "max_items", "ARRAY", "[1,2,3]", "[1,2]", "At most 2 items"),
    (
        "minProperties",
        "min_properties",
        "OBJECT",
        r#"{"a":1}"#,
        r#"{"a":1,"b":2}"#,
        "At least 2 properties",
    ),
    (
        "maxProperties",
        "max_properties",
        "OBJECT",
        r#"{"a":1,"b":2,"c":3}"#,
        r#"{"a":1}"#,
        "At most 2 properties",
    ),
    ("multipleOf", "multiple_of", "NUMBER", "3", "4", "A multiple of 2"),
];

/// Schemas around the limited one, values around the limited one, and its place in those.
const PLACES: [(&str, &str, &str); 5] = [
    ("SCHEMA", "VALUE", ""),
    (r#"{"type":"OBJECT","properties":{"v":SCHEMA}}"#, r#"{"v":VALUE}"#, "/v"),
    (r#"{"type":"ARRAY","items":SCHEMA}"#, "[VALUE]", "/0"),
    (
        r#"{"type":"OBJECT","properties":{"list":{"type":"ARRAY","items":{"type":"OBJECT","properties":{"v":SCHEMA}}}}}"#,
        r#"{"list":[{"v":VALUE}]}"#,
        "/list/0/v",
    ),
    (
        r#"{"type":"OBJECT","properties":{"v":{"any_of":[{"type":"BOOLEAN"},SCHEMA]}}}"#,
        r#"{"v":VALUE}"#,
        "/v",
    ),
];

fn json(text: &str) -> JsonText {
    JsonText::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn quoted_limits_work_like_numbers() {
    for (camel, snake, kind, broken, kept, expected) in LIMITS {
        for keyword in [camel, snake] {
            for limit in ["2", r#""2""#] {
                let limited = format!(r#"{{"type":"{kind}","{keyword}":{limit}}}"#);
                for (of_slot, values, place) in PLACES {
                    let schema = json(&of_slot.replace("SCHEMA", &limited));
                    let value = |inner| json(&values.replace("VALUE", inner));
                    let form = Form::of_schema(&schema);
                    let check = Check::of(&schema).expect("a schema");
                    let draft = form.fill(&value(kept));
                    assert_eq!(draft.read(&form).messages(), [], "{schema}");
                    assert_eq!(check.violations(&value(kept)), [], "{schema}");

                    let draft = form.fill(&value(broken));
                    let reading = draft.read(&form);
                    let [message] = reading.messages() else {
                        panic!("{schema}: {:?}", reading.messages())
                    };
                    assert!(message.text.starts_with(expected), "{schema}: {}", message.text);
                    let violations = check.violations(&value(broken));
                    let [violation] = violations.as_slice() else {
                        panic!("{schema}: {violations:?}")
                    };
                    assert_eq!(violation.pointer, place, "{schema}");
                }
            }
        }
    }
}

#[test]
fn whole_value_keywords_read_quoted_limits() {
    for (camel, snake, kind, broken, kept, _) in LIMITS {
        for keyword in [camel, snake] {
            let schema = json(&format!(r#"{{"not":{{"type":"{kind}","{keyword}":"2"}}}}"#));
            let form = Form::of_schema(&schema);
            let check = Check::of(&schema).expect("a schema");
            for (value, fits) in [(broken, true), (kept, false)] {
                let value = json(value);
                let draft = form.fill(&value);
                assert_eq!(draft.read(&form).messages().is_empty(), fits, "{schema} {value}");
                assert_eq!(check.violations(&value).is_empty(), fits, "{schema} {value}");
            }
        }
    }
}

/// Other keywords in either spelling: an invalid value and a valid one.
#[test]
fn other_keywords_have_both_spellings() {
    for (camel, snake, value, broken, kept) in [
        ("uniqueItems", "unique_items", "true", "[1,1]", "[1,2]"),
        ("prefixItems", "prefix_items", r#"[{"type":"STRING"}]"#, "[1]", r#"["a"]"#),
        ("anyOf", "any_of", r#"[{"maxItems":1},{"minItems":3}]"#, "[1,2]", "[1]"),
    ] {
        for keyword in [camel, snake] {
            for turned in [false, true] {
                let schema = format!(r#"{{"type":"ARRAY","{keyword}":{value}}}"#);
                let schema = if turned { format!(r#"{{"not":{schema}}}"#) } else { schema };
                let schema = json(&schema);
                let form = Form::of_schema(&schema);
                let check = Check::of(&schema).expect("a schema");
                for (value, fits) in [(broken, turned), (kept, !turned)] {
                    let value = json(value);
                    let actual = form.fill(&value).read(&form).messages().len();
                    assert_eq!(actual == 0, fits, "{schema} {value}");
                    assert_eq!(check.violations(&value).is_empty(), fits, "{schema} {value}");
                }
            }
        }
    }
}

#[test]
fn google_references_work_in_form_and_host() {
    let schema = json(
        r##"{"type":"OBJECT","defs":{"Pet":{"type":"STRING","min_length":"2"},
            "Node":{"type":"OBJECT","properties":{"next":{"ref":"#/defs/Node"},"n":{"type":"INTEGER"}}}},
            "properties":{"pet":{"ref":"#/defs/Pet"},"maybe":{"ref":"#/defs/Pet","nullable":true},
            "node":{"ref":"#/defs/Node"},
            "other":{"any_of":[{"type":"INTEGER"},{"type":"ARRAY","items":{"ref":"#/defs/Pet"}}]}}}"##,
    );
    let form = Form::of_schema(&schema);
    assert_eq!(form.diagnostics(), []);
    let check = Check::of(&schema).expect("a schema");
    for (value, fits) in [
        (r#"{"pet":"Rex"}"#, true),
        (r#"{"pet":"R"}"#, false),
        (r#"{"pet":null}"#, false),
        (r#"{"maybe":null}"#, true),
        (r#"{"maybe":"R"}"#, false),
        (r#"{"node":{"next":{"next":{"n":1}}}}"#, true),
        (r#"{"node":{"next":{"next":{"n":"x"}}}}"#, false),
        (r#"{"other":["Rex"]}"#, true),
        (r#"{"other":["R"]}"#, false),
    ] {
        let value = json(value);
        assert_eq!(form.fill(&value).read(&form).messages().is_empty(), fits, "{value}");
        assert_eq!(check.violations(&value).is_empty(), fits, "{value}");
    }
    // Also for keywords about a whole value.
    let not = json(r##"{"defs":{"Pet":{"type":"STRING"}},"not":{"ref":"#/defs/Pet"}}"##);
    let (form, check) = (Form::of_schema(&not), Check::of(&not).expect("a schema"));
    for (value, fits) in [("1", true), (r#""Rex""#, false)] {
        let value = json(value);
        assert_eq!(form.fill(&value).read(&form).messages().is_empty(), fits, "{value}");
        assert_eq!(check.violations(&value).is_empty(), fits, "{value}");
    }
}
