//! The host's message for each keyword, and the form's.

use json_text::JsonText;
use schema_check::Check;
use schema_form::Form;

/// How the form's message compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    /// The same sentence at the same place.
    Same,
    /// Another message, more specific or at another place.
    More,
    /// None: only the host can decide.
    HostAlone,
}
use Of::{HostAlone, More, Same};

/// A schema, an invalid value, its pointer, the host's message, and the form's.
const MESSAGES: &[(&str, &str, &str, &str, Of)] = &[
    (r#"{"type":"integer"}"#, r#""a""#, "", "Expected a whole number, found text (type).", Same),
    (r#"{"type":"integer"}"#, "1.5", "", "Expected a whole number, found a number (type).", Same),
    (
        r#"{"type":["null","number","string"]}"#,
        "[]",
        "",
        "Expected text, a number or null, found a list (type).",
        Same,
    ),
    (r#"{"enum":["a",1]}"#, "2", "", r#"One of "a", 1."#, Same),
    (r#"{"const":"a"}"#, r#""b""#, "", r#"Must be "a"."#, Same),
    (r#"{"type":"number","minimum":3}"#, "1", "", "At least 3 (minimum).", Same),
    (r#"{"type":"number","maximum":3}"#, "4", "", "At most 3 (maximum).", Same),
    (
        r#"{"type":"number","exclusiveMinimum":0.5}"#,
        "0.5",
        "",
        "More than 0.5 (exclusiveMinimum).",
        Same,
    ),
    (r#"{"type":"number","exclusiveMaximum":3}"#, "3", "", "Less than 3 (exclusiveMaximum).", Same),
    (r#"{"type":"number","multipleOf":0.5}"#, "0.7", "", "A multiple of 0.5 (multipleOf).", Same),
    (r#"{"type":"integer","multipleOf":2}"#, "3", "", "A multiple of 2 (multipleOf).", Same),
    (
        r#"{"type":"string","minLength":2}"#,
        r#""a""#,
        "",
        "At least 2 characters (minLength), found 1.",
        Same,
    ),
    (
        r#"{"type":"string","maxLength":1}"#,
        r#""añ""#,
        "",
        "At most 1 character (maxLength), found 2.",
        Same,
    ),
    (r#"{"type":"array","minItems":1}"#, "[]", "", "At least 1 item (minItems), found 0.", Same),
    (r#"{"type":"array","maxItems":1}"#, "[1,2]", "", "At most 1 item (maxItems), found 2.", Same),
    (
        r#"{"type":"object","minProperties":1}"#,
        "{}",
        "",
        "At least 1 property (minProperties), found 0.",
        Same,
    ),
    (
        r#"{"type":"object","maxProperties":1}"#,
        r#"{"a":1,"b":2}"#,
        "",
        "At most 1 property (maxProperties), found 2.",
        Same,
    ),
    (
        r#"{"type":"array","uniqueItems":true}"#,
        "[1,2,1]",
        "",
        "Items must be unique. Items 1 and 3 are equal (uniqueItems).",
        Same,
    ),
    (
        r#"{"type":"array","uniqueItems":true}"#,
        "[1,1.0]",
        "",
        "Items must be unique. Two are equal (uniqueItems).",
        More,
    ),
    (r#"{"type":"string","pattern":"^a"}"#, r#""b""#, "", "Does not match ^a (pattern).", Same),
    (
        r#"{"type":"string","pattern":"^(?!b)"}"#,
        r#""b""#,
        "",
        "Does not match ^(?!b) (pattern).",
        HostAlone,
    ),
    (r#"{"type":"string","not":{"const":"a"}}"#, r#""a""#, "", r#"Anything but "a" (not)."#, Same),
    (
        r#"{"type":"object","not":{"required":["a"]}}"#,
        r#"{"a":1}"#,
        "",
        "`a` must not be sent here (not).",
        Same,
    ),
    (
        r#"{"type":"number","not":{"minimum":3}}"#,
        "4",
        "",
        r#"Must not match the excluded schema {"minimum":3} (not)."#,
        Same,
    ),
    (
        r#"{"type":"object","propertyNames":{"maxLength":3}}"#,
        r#"{"long":1}"#,
        "/long",
        "The name `long`: At most 3 characters (maxLength), found 4.",
        Same,
    ),
    (
        r#"{"type":"object","propertyNames":{"anyOf":[{"maxLength":1},{"pattern":"^x"}]}}"#,
        r#"{"ab":1}"#,
        "/ab",
        "The name `ab`: Matches none of the 2 alternatives. At most 1 character (maxLength), found 2. Or: \
         Does not match ^x (pattern).",
        More,
    ),
    (r#"{"type":"object","required":["a"]}"#, "{}", "/a", "Required.", Same),
    (
        r#"{"type":"array","contains":{"const":1}}"#,
        "[2]",
        "",
        "No item matches the schema (contains).",
        More,
    ),
    (
        r#"{"type":"array","contains":{"const":1},"minContains":2}"#,
        "[1]",
        "",
        "Too few items match the schema (minContains).",
        More,
    ),
    (
        r#"{"type":"array","contains":{"const":1},"maxContains":1}"#,
        "[1,1]",
        "",
        "Too many items match the schema (maxContains).",
        More,
    ),
    (
        r#"{"oneOf":[{"type":"integer"},{"minimum":2},{"type":"number"}]}"#,
        "1",
        "",
        "Matches alternatives 1 and 3, but only one may match (oneOf).",
        More,
    ),
    (
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","items":[{}],"additionalItems":false}"#,
        "[1,2,3]",
        "/1",
        "At most 1 item: remove this one.",
        Same,
    ),
];

#[test]
fn the_host_has_a_message_for_each_keyword() {
    for (schema, value, place, expected, of_form) in MESSAGES {
        let json = |text: &str| JsonText::parse(text).expect("JSON");
        let violations = Check::of(&json(schema)).expect("a schema").violations(&json(value));
        let first = violations.first().map(|it| (it.pointer.as_str(), it.text.as_str()));
        assert_eq!(first, Some((*place, *expected)), "{schema} {value}");

        let form = Form::of_schema(&json(schema));
        let draft = form.fill(&json(value));
        let reading = draft.read(&form);
        let message = reading.messages().first();
        match of_form {
            Same => {
                let message = message.map(|it| (&it.path, it.text.as_str()));
                assert_eq!(
                    message,
                    Some((&draft.locate(&form, place), *expected)),
                    "{schema} {value}"
                );
            }
            More => {
                assert!(message.is_some_and(|it| it.text != *expected), "{schema}: {message:?}");
            }
            HostAlone => assert_eq!(message, None, "{schema}"),
        }
    }
}

#[test]
fn a_long_value_is_cut() {
    let long = format!("\"{}\"", "x".repeat(1000));
    let schema = JsonText::parse(&format!(r#"{{"enum":[{long},1]}}"#)).expect("JSON");
    let actual = Check::of(&schema).expect("a schema").violations(&JsonText::null());
    assert!(actual[0].text.starts_with("One of \"xxx") && actual[0].text.len() < 120, "{actual:?}");
}

#[test]
fn the_form_names_the_violated_count() {
    for (limit, list, expected) in [
        ("", "[2]", "At least one item must match {\"const\":1} (contains)."),
        (r#","minContains":2"#, "[1]", "At least 2 items must match {\"const\":1} (minContains)."),
        (r#","maxContains":1"#, "[1,1]", "At most 1 item may match {\"const\":1} (maxContains)."),
        (
            r#","minContains":1,"maxContains":2"#,
            "[2]",
            "At least 1 item must match {\"const\":1} (minContains).",
        ),
    ] {
        let schema = format!(r#"{{"type":"array","contains":{{"const":1}}{limit}}}"#);
        let form = Form::of_schema(&JsonText::parse(&schema).expect("JSON"));
        let draft = form.fill(&JsonText::parse(list).expect("JSON"));
        assert_eq!(draft.read(&form).messages()[0].text, expected);
    }
}
