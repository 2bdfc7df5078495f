//! Violations are reported at the place to correct, those of a union at its nearest branch.

use json_text::JsonText;
use schema_check::Check;

/// Checks the pointers and texts of the violations of each value in `cases`.
#[track_caller]
fn check(schema: &str, cases: &[(&str, &[(&str, &str)])]) {
    let check = Check::of(&JsonText::parse(schema).expect("JSON")).expect("a schema");
    for (value, expected) in cases {
        let violations = check.violations(&JsonText::parse(value).expect("JSON"));
        let found: Vec<(&str, &str)> =
            violations.iter().map(|it| (it.pointer.as_str(), it.text.as_str())).collect();
        assert_eq!(found, *expected, "{value}");
    }
}

#[test]
fn a_tag_selects_the_branch() {
    let shapes = r##"{"type":"object","properties":{"shape":{"oneOf":[
        {"$ref":"#/$defs/circle"},
        {"type":"object","required":["kind","width","height"],"properties":
            {"kind":{"const":"box"},"width":{"type":"number"},"height":{"type":"number"}}}]}},
        "$defs":{"circle":{"type":"object","required":["kind","radius"],"properties":
            {"kind":{"const":"circle"},"radius":{"type":"number","maximum":9}}}}}"##;
    check(
        shapes,
        &[
            (r#"{"shape":{"kind":"circle","radius":1}}"#, &[]),
            (
                r#"{"shape":{"kind":"circle","radius":12}}"#,
                &[("/shape/radius", "At most 9 (maximum).")],
            ),
            // The selected branch has more errors than the other.
            (
                r#"{"shape":{"kind":"box"}}"#,
                &[("/shape/width", "Required."), ("/shape/height", "Required.")],
            ),
            (
                r#"{"shape":{"radius":""}}"#,
                &[
                    ("/shape/kind", "Required."),
                    ("/shape/radius", "Expected a number, found text (type)."),
                ],
            ),
            // Required by all branches.
            (r#"{"shape":{}}"#, &[("/shape/kind", "Required.")]),
            (r#"{"shape":7}"#, &[("/shape", "Expected an object, found a number (type).")]),
        ],
    );
    let several = r#"{"oneOf":[{"properties":{"op":{"enum":["add","sub"]},"n":{"type":"integer"}}},
        {"properties":{"op":{"enum":["not","neg"]}},"required":["a","b"]},
        {"properties":{"op":{"const":"nop"}}}]}"#;
    check(
        several,
        &[
            (r#"{"op":"not"}"#, &[("/a", "Required."), ("/b", "Required.")]),
            (r#"{"op":"sub","n":"x"}"#, &[("/n", "Expected a whole number, found text (type).")]),
        ],
    );
}

#[test]
fn without_a_tag_the_present_members_select_the_branch() {
    check(
        r#"{"anyOf":[{"type":"object","required":["name"]},
            {"type":"object","required":["zip","city"],"properties":
                {"zip":{"type":"string"},"city":{"type":"string"}}},
            {"type":"null"}]}"#,
        &[
            (
                r#"{"zip":1,"city":2}"#,
                &[
                    ("/zip", "Expected text, found a number (type)."),
                    ("/city", "Expected text, found a number (type)."),
                ],
            ),
            ("[]", &[("", "Expected an object or null, found a list (type).")]),
        ],
    );
    check(
        r#"{"anyOf":[{"type":"integer","minimum":3},{"type":"string","pattern":"^a"},{"type":"array","items":
            {"anyOf":[{"type":"integer"},{"type":"object","properties":{"n":{"type":"integer"}}}]}}]}"#,
        &[
            ("1", &[("", "At least 3 (minimum).")]),
            (r#"[1,{"n":""}]"#, &[("/1/n", "Expected a whole number, found text (type).")]),
            ("null", &[("", "Expected text, a whole number or a list, found null (type).")]),
        ],
    );
}

#[test]
fn without_a_nearest_branch_the_union_is_reported() {
    check(
        r#"{"properties":{"a/b":{"anyOf":[{"minimum":10},{"maximum":5}]},
            "c":{"anyOf":[{"required":["x"]},{"required":["y/z"]}]},
            "d":{"oneOf":[{"type":"integer"},{"minimum":2},{"type":"number"}]}}}"#,
        &[
            (
                r#"{"a/b":7}"#,
                &[(
                    "/a~1b",
                    "Matches none of the 2 alternatives. At least 10 (minimum). Or: At most 5 \
                     (maximum).",
                )],
            ),
            (
                r#"{"c":{}}"#,
                &[(
                    "/c",
                    "Matches none of the 2 alternatives. `x`: Required. Or: `y/z`: Required.",
                )],
            ),
            (
                r#"{"d":1}"#,
                &[("/d", "Matches alternatives 1 and 3, but only one may match (oneOf).")],
            ),
        ],
    );
}

#[test]
fn unexpected_members_and_items_are_reported_at_their_pointers() {
    check(
        r#"{"prefixItems":[{},{}],"unevaluatedItems":{"type":"integer"}}"#,
        &[(
            r#"["x","x",1,"x","y","x"]"#,
            &[
                ("/3", "The schema does not allow this item (unevaluatedItems)."),
                ("/4", "The schema does not allow this item (unevaluatedItems)."),
                ("/5", "The schema does not allow this item (unevaluatedItems)."),
            ],
        )],
    );
    check(
        r#"{"contains":{"type":"string"},"unevaluatedItems":false}"#,
        &[(
            r#"["x",1,"x",1,"x"]"#,
            &[
                ("/1", "The schema does not allow this item (unevaluatedItems)."),
                ("/3", "The schema does not allow this item (unevaluatedItems)."),
            ],
        )],
    );
    check(
        r#"{"properties":{"a":{"properties":{"b":{}},"additionalProperties":false},
            "none":{"additionalProperties":false}},"unevaluatedProperties":false,
            "propertyNames":{"maxLength":4}}"#,
        &[(
            r#"{"a":{"b/c":1},"d":2,"none":{"x":1}}"#,
            &[
                (
                    "/a/b~1c",
                    "The schema does not allow the property `b/c` here (additionalProperties).",
                ),
                ("/none", "The schema allows no properties here (additionalProperties)."),
                ("/d", "The schema does not allow the property `d` here (unevaluatedProperties)."),
            ],
        )],
    );
    check(
        r#"{"propertyNames":{"maxLength":3}}"#,
        &[(
            r#"{"long":1}"#,
            &[("/long", "The name `long`: At most 3 characters (maxLength), found 4.")],
        )],
    );
}

#[test]
fn an_unusable_schema_gives_a_readable_reason() {
    let fault = |schema: &str| {
        Check::of(&JsonText::parse(schema).expect("JSON")).expect_err("none").to_string()
    };
    let foreign = fault(r#"{"$ref":"https://example.org/remote.json"}"#);
    assert_eq!(
        foreign,
        "the schema cannot be used: the reference https://example.org/remote.json is external \
         and is not fetched: copy its target into the schema, under `$defs`"
    );
    assert!(fault(r#"{"$ref":"other.json"}"#).contains("reference other.json is external"));
    assert!(
        fault(r##"{"$ref":"#/$defs/a"}"##).contains("reference target /$defs/a does not exist")
    );
    assert!(fault(r##"{"$ref":"#a"}"##).contains("the anchor a does not exist"));
    assert!(fault(r#"{"pattern":"a("}"#).contains(r#""a(" is not a supported regular expression"#));
    assert!(!fault(r#"{"additionalProperties":7}"#).contains("valid under"));
}
