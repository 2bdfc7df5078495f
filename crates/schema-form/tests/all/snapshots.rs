//! Forms of families of schemas, as text.
#![expect(clippy::needless_pass_by_value, reason = "snapshots read best where they are written")]

use expect_test::{Expect, expect};
use json_text::JsonText;
use schema_form::Form;

fn check(schema: &str, expected: Expect) {
    expected.assert_eq(&Form::of_schema(&JsonText::parse(schema).expect("JSON")).to_string());
}

fn check_declaration(declaration: &str, expected: Expect) {
    let declaration = JsonText::parse(declaration).expect("JSON");
    expected.assert_eq(&Form::of_declaration(&declaration).to_string());
}

#[test]
fn scalars() {
    check(
        r#"{"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 40},
            "count": {"type": "integer", "minimum": 0, "exclusiveMaximum": 9007199254740993},
            "ratio": {"type": "number", "multipleOf": 0.10, "default": 1.10},
            "on": {"type": "boolean"},
            "when": {"type": "string", "format": "date-time"},
            "code": {"type": "string", "pattern": "^[a-z]+$"}}}"#,
        expect![[r#"
            .: object
              name*: text length 1..40
              count: integer ≥ 0 < 9007199254740993
              ratio: number step 0.10 = 1.10
              on: boolean
              when: text as date-time
              code: text
        "#]],
    );
}

/// inspector 445: `$defs` and `$ref`; 850 and 1928: `null`, nullable enums.
#[test]
fn pydantic() {
    check(
        r##"{"$defs": {
              "Unit": {"enum": ["celsius", "fahrenheit"], "title": "Unit", "type": "string"},
              "Schedule": {"type": "object", "title": "Schedule", "required": ["start"], "properties": {
                "start": {"type": "string"},
                "days": {"type": "array", "items": {"type": "string", "enum": ["mon", "tue"]}}}}},
            "type": "object", "required": ["room", "unit"], "properties": {
              "room": {"const": "office"},
              "unit": {"$ref": "#/$defs/Unit", "default": "celsius"},
              "fallback": {"anyOf": [{"$ref": "#/$defs/Unit"}, {"type": "null"}], "default": null},
              "schedule": {"anyOf": [{"$ref": "#/$defs/Schedule"}, {"type": "null"}], "default": null},
              "one": {"allOf": [{"$ref": "#/$defs/Schedule"}], "description": "outer"},
              "by_name": {"type": "object", "additionalProperties": {"type": "integer"}},
              "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}],
                       "minItems": 2, "maxItems": 2}}}"##,
        expect![[r#"
            .: object
              room*: one of "office"
              unit*: one of "celsius" "fahrenheit" = "celsius"
              fallback: one of "celsius" "fahrenheit" or null = null
              schedule: object or null = null
                start*: text
                days: list
                  []: one of "mon" "tue"
              one: object
                start*: text
                days: list
                  []: one of "mon" "tue"
              by_name: object
                <name>: integer
              pair: list items 2..2
                [0]: text
                [1]: integer
        "#]],
    );
}

#[test]
fn genai() {
    check_declaration(
        r#"{"name": "f", "parameters": {"type": "OBJECT", "required": ["b"],
            "property_ordering": ["c", "b", "a"], "properties": {
              "a": {"type": "STRING", "nullable": true},
              "b": {"type": "ARRAY", "items": {"type": "INTEGER"}, "min_items": "1", "max_items": "3"},
              "c": {"any_of": [{"type": "STRING"}, {"type": "INTEGER"}], "nullable": true},
              "d": {"type": "INTEGER", "enum": ["1", "2"], "format": "enum"}}}}"#,
        expect![[r#"
            .: object
              c: union of 2 or null
                | text: text
                | integer: integer
              b*: list items 1..3
                []: integer
              a: text or null
              d: one of 1 2
        "#]],
    );
}

#[test]
fn loose_types() {
    check_declaration(
        r#"{"name": "f", "parameters": {"type": "dict", "properties": {
              "a": {"type": "float"}, "b": {"type": "tuple", "items": {"type": "int"}},
              "c": {"type": "any"}, "d": {"type": "String"}, "e": {"type": "HashMap"}, "f": {}}}}"#,
        expect![[r#"
            .: object
              a: number
              b: list
                []: integer
              c: union of 5 or null
              d: text
              e: object
                <name>: union of 5 or null
              f: union of 5 or null
        "#]],
    );
}

#[test]
fn declarations_without_arguments() {
    check_declaration(
        r#"{"name": "list_rooms", "description": "Lists."}"#,
        expect![[r#"
        .: object closed
    "#]],
    );
    check_declaration(
        r#"{"name": "f", "parameters": null}"#,
        expect![[r#"
        .: object closed
    "#]],
    );
    check_declaration(
        r#"[1]"#,
        expect![[r#"
        .: JSON, not_a_schema
        ! : The schema must be an object or a boolean.
    "#]],
    );
}

/// inspector 2123 and 2007: `anyOf` at the root, lists of unions.
#[test]
fn unions() {
    check(
        r##"{"anyOf": [
              {"type": "object", "title": "Card", "required": ["kind"], "properties": {
                "kind": {"const": "card"}, "number": {"type": "string"}}},
              {"type": "object", "required": ["kind"], "properties": {
                "kind": {"const": "cash"}, "coins": {"type": "array", "items": {
                  "anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]}}}}]}"##,
        expect![[r#"
            .: union of 2
              | Card: object
                kind*: one of "card"
                number: text
              | cash: object
                kind*: one of "cash"
                coins: list
                  []: union of 2 or null
                    | integer: integer
                    | text: text
        "#]],
    );
    check(
        r#"{"type": ["string", "integer", "null"]}"#,
        expect![[r#"
        .: union of 2 or null
          | text: text
          | integer: integer
    "#]],
    );
    check(
        r#"{"oneOf": [{"const": "a", "title": "First"}, {"const": 1}, {"enum": [true, null]}]}"#,
        expect![[r#"
            .: one of "a" 1 true or null
        "#]],
    );
}

#[test]
fn recursion_is_opened_lazily() {
    check(
        r##"{"$defs": {"Node": {"type": "object", "required": ["value", "next"], "properties": {
              "value": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"},
              "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}}},
            "$ref": "#/$defs/Node"}"##,
        expect![[r#"
            .: object
              value*: integer
              next*: object
                value*: integer
                next*: object …
                children: list
                  []: object
                    value*: integer
                    next*: object …
                    children: list …
              children: list
                []: object
                  value*: integer
                  next*: object
                    value*: integer
                    next*: object …
                    children: list …
                  children: list …
        "#]],
    );
}

#[test]
fn layers_are_merged() {
    check(
        r#"{"allOf": [
              {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer", "minimum": 1}}},
              {"properties": {"a": {"minimum": 3, "maximum": 9}, "b": {"type": ["string", "null"]}}}],
            "properties": {"b": {"maxLength": 4}}, "required": ["b"]}"#,
        expect![[r#"
            .: object
              b*: text length ..4 or null
              a*: integer ≥ 3 ≤ 9
        "#]],
    );
}

#[test]
fn faulty_schemas_give_a_reason() {
    check(
        r##"{"properties": {"a": {"$ref": "#/properties/a"}}}"##,
        expect![[r#"
        .: object
          a: JSON, ref_cycle
        ! /properties/a: The schema's $ref `#/properties/a` leads back to itself.
    "#]],
    );
    check(
        r##"{"properties": {"a": {"$ref": "#/properties/b"}, "b": {"$ref": "#/properties/a"}}}"##,
        expect![[r#"
            .: object
              a: JSON, ref_cycle
              b: JSON, ref_cycle
            ! /properties/b: The schema's $ref `#/properties/a` leads back to itself.
            ! /properties/a: The schema's $ref `#/properties/b` leads back to itself.
        "#]],
    );
    check(
        r##"{"properties": {"a": {"$ref": "https://example.com/x"}}}"##,
        expect![[r#"
        .: object
          a: JSON, ref_not_found
        ! /properties/a: The schema's $ref `https://example.com/x` is not in its document.
    "#]],
    );
    check(
        r#"{"properties": {"a": {"type": "quaternion"}, "b": 5, "c": false}}"#,
        expect![[r#"
        .: object
          a: JSON, unknown_type
          b: JSON, not_a_schema
          c: JSON, nothing_valid
        ! /properties/a/type: The schema's type `quaternion` is unknown.
        ! /properties/b: The schema must be an object or a boolean.
    "#]],
    );
    check(
        r#"{"type": 7}"#,
        expect![[r#"
        .: JSON, wrong_shape
        ! /type: The schema's `type` has a value of the wrong type.
    "#]],
    );
    check(
        r#"{"type": "object", "properties": [], "required": "a"}"#,
        expect![[r#"
        .: JSON, wrong_shape
        ! /properties: The schema's `properties` has a value of the wrong type.
        ! /required: The schema's `required` has a value of the wrong type.
    "#]],
    );
    check(
        r#"{"type": "object", "properties": {"a": {"properties": [1, 2]}, "b": {"type": "string",
            "enum": 7}, "c": {"type": "string"}}}"#,
        expect![[r#"
        .: object
          a: JSON, wrong_shape
          b: JSON, wrong_shape
          c: text
        ! /properties/a/properties: The schema's `properties` has a value of the wrong type.
        ! /properties/b/enum: The schema's `enum` has a value of the wrong type.
    "#]],
    );
    check(
        r#"{"allOf": [{"type": "string"}, {"type": "integer"}]}"#,
        expect![[r#"
        .: JSON, nothing_valid
        ! : No value is valid for this schema.
    "#]],
    );
    check(
        "5",
        expect![[r#"
        .: JSON, not_a_schema
        ! : The schema must be an object or a boolean.
    "#]],
    );
    check(
        "true",
        expect![[r#"
        .: union of 5 or null
    "#]],
    );
}
