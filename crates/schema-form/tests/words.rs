//! What the host says of each keyword, in whose words, and that the form says the same.

use json_text::JsonText;
use schema_check::Check;
use schema_form::Form;

/// What the form says of the same value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    /// The same sentence at the same place.
    Same,
    /// Something else, because it knows more or stands elsewhere.
    More,
    /// Nothing: only the host can tell.
    HostAlone,
}
use Of::{HostAlone, More, Same};

/// A schema, a value that breaks it, the place, the host's sentence, and the form's part.
const TOLD: &[(&str, &str, &str, &str, Of)] = &[
    (
        r#"{"type":"integer"}"#,
        r#""a""#,
        "",
        "A whole number is expected; this is text (type).",
        Same,
    ),
    (
        r#"{"type":"integer"}"#,
        "1.5",
        "",
        "A whole number is expected; this is a number (type).",
        Same,
    ),
    (
        r#"{"type":["null","number","string"]}"#,
        "[]",
        "",
        "Text, a number or null is expected; this is a list (type).",
        Same,
    ),
    (r#"{"enum":["a",1]}"#, "2", "", r#"One of "a", 1."#, Same),
    (r#"{"const":"a"}"#, r#""b""#, "", r#"Only "a" fits here."#, Same),
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
        "At least 2 characters (minLength); here 1.",
        Same,
    ),
    (
        r#"{"type":"string","maxLength":1}"#,
        r#""añ""#,
        "",
        "At most 1 character (maxLength); here 2.",
        Same,
    ),
    (r#"{"type":"array","minItems":1}"#, "[]", "", "At least 1 item (minItems); here 0.", Same),
    (r#"{"type":"array","maxItems":1}"#, "[1,2]", "", "At most 1 item (maxItems); here 2.", Same),
    (
        r#"{"type":"object","minProperties":1}"#,
        "{}",
        "",
        "At least 1 member (minProperties); here 0.",
        Same,
    ),
    (
        r#"{"type":"object","maxProperties":1}"#,
        r#"{"a":1,"b":2}"#,
        "",
        "At most 1 member (maxProperties); here 2.",
        Same,
    ),
    (
        r#"{"type":"array","uniqueItems":true}"#,
        "[1,2,1]",
        "",
        "Each item only once: items 1 and 3 are equal (uniqueItems).",
        Same,
    ),
    (
        r#"{"type":"array","uniqueItems":true}"#,
        "[1,1.0]",
        "",
        "Each item only once: two of them are equal (uniqueItems).",
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
        r#"Must not be what the schema excludes: {"minimum":3} (not)."#,
        Same,
    ),
    (
        r#"{"type":"object","propertyNames":{"maxLength":3}}"#,
        r#"{"long":1}"#,
        "/long",
        "The name `long`: At most 3 characters (maxLength); here 4.",
        Same,
    ),
    (
        r#"{"type":"object","propertyNames":{"anyOf":[{"maxLength":1},{"pattern":"^x"}]}}"#,
        r#"{"ab":1}"#,
        "/ab",
        "The name `ab`: None of the 2 alternatives fits: At most 1 character (maxLength); here 2; or \
         Does not match ^x (pattern).",
        More,
    ),
    (r#"{"type":"object","required":["a"]}"#, "{}", "/a", "Required.", Same),
    (
        r#"{"type":"array","contains":{"const":1}}"#,
        "[2]",
        "",
        "No item is what the schema asks for (contains).",
        More,
    ),
    (
        r#"{"type":"array","contains":{"const":1},"minContains":2}"#,
        "[1]",
        "",
        "Too few items are what the schema asks for (minContains).",
        More,
    ),
    (
        r#"{"type":"array","contains":{"const":1},"maxContains":1}"#,
        "[1,1]",
        "",
        "Too many items are what the schema asks for (maxContains).",
        More,
    ),
    (
        r#"{"oneOf":[{"type":"integer"},{"minimum":2},{"type":"number"}]}"#,
        "1",
        "",
        "This fits alternatives 1 and 3, and only one may fit (oneOf).",
        More,
    ),
    (
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","items":[{}],"additionalItems":false}"#,
        "[1,2,3]",
        "/1",
        "At most 1 item: remove this one.",
        Same,
    ),
    (
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"string","format":"date"}"#,
        r#""soon""#,
        "",
        "Not a date such as 2026-11-21 (format).",
        HostAlone,
    ),
    (
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"string","format":"ipv4"}"#,
        r#""soon""#,
        "",
        "Not of the format ipv4 (format).",
        HostAlone,
    ),
    (
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"string","contentEncoding":"base64"}"#,
        r#""*""#,
        "",
        "Not encoded as base64 (contentEncoding).",
        HostAlone,
    ),
    (
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"string","contentMediaType":"application/json"}"#,
        r#""{""#,
        "",
        "Not of the kind application/json (contentMediaType).",
        HostAlone,
    ),
];

#[test]
fn the_host_tells_each_keyword_in_plain_words() {
    for (schema, value, place, told, of_form) in TOLD {
        let json = |text: &str| JsonText::parse(text).expect("JSON");
        let complaints = Check::of(&json(schema)).expect("a schema").complaints(&json(value));
        let first = complaints.first().map(|it| (it.pointer.as_str(), it.text.as_str()));
        assert_eq!(first, Some((*place, *told)), "{schema} {value}");

        let form = Form::of_schema(&json(schema));
        let draft = form.fill(&json(value));
        let reading = draft.read(&form);
        let said = reading.messages().first();
        match of_form {
            Same => {
                let said = said.map(|it| (&it.path, it.text.as_str()));
                assert_eq!(said, Some((&draft.locate(&form, place), *told)), "{schema} {value}");
            }
            More => assert!(said.is_some_and(|it| it.text != *told), "{schema}: {said:?}"),
            HostAlone => assert_eq!(said, None, "{schema}"),
        }
    }
}

#[test]
fn a_long_value_is_cut() {
    let long = format!("\"{}\"", "x".repeat(1000));
    let schema = JsonText::parse(&format!(r#"{{"enum":[{long},1]}}"#)).expect("JSON");
    let told = Check::of(&schema).expect("a schema").complaints(&JsonText::null());
    assert!(told[0].text.starts_with("One of \"xxx") && told[0].text.len() < 120, "{told:?}");
}

#[test]
fn the_form_names_the_count_that_is_broken() {
    for (limit, list, told) in [
        ("", "[2]", "At least one item must be {\"const\":1} (contains)."),
        (r#","minContains":2"#, "[1]", "At least 2 items must be {\"const\":1} (minContains)."),
        (r#","maxContains":1"#, "[1,1]", "At most 1 item may be {\"const\":1} (maxContains)."),
        (
            r#","minContains":1,"maxContains":2"#,
            "[2]",
            "At least 1 item must be {\"const\":1} (minContains).",
        ),
    ] {
        let schema = format!(r#"{{"type":"array","contains":{{"const":1}}{limit}}}"#);
        let form = Form::of_schema(&JsonText::parse(&schema).expect("JSON"));
        let draft = form.fill(&JsonText::parse(list).expect("JSON"));
        assert_eq!(draft.read(&form).messages()[0].text, told);
    }
}
