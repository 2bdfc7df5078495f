//! Whether two JSON values are equal as Python sees it.
//!
//! Both formats come from Python, and their users compare as it does: `1 == 1.0 == true`, but
//! `2**53 + 1 != 2.0**53`; the order of keys does not count, and of a repeated key the last one does.

use std::collections::HashMap;

use json_text::{JsonText, Node};
use serde_json::value::RawValue;

/// Whether Python's `==` holds for the two once parsed.
///
/// ```
/// use evalset::same_value;
/// use json_text::JsonText;
/// let [one, other] = [r#"{"a": 1, "b": [true]}"#, r#"{"b":[1.0],"a":1}"#]
///     .map(|text| JsonText::parse(text).expect("JSON"));
/// assert!(same_value(&one, &other));
/// ```
#[must_use]
pub fn same_value(one: &JsonText, other: &JsonText) -> bool {
    one == other || same(&one.open(), &other.open())
}

fn same(one: &Node<'_>, other: &Node<'_>) -> bool {
    match (one, other) {
        (Node::Null, Node::Null) => true,
        (Node::String(one), Node::String(other)) => one == other,
        (Node::Array(one), Node::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| same_raw(one, other))
        }
        (Node::Object(one), Node::Object(other)) => same_members(one, other),
        (one, other) => match (number(one), number(other)) {
            (Some(one), Some(other)) => one == other,
            _ => false,
        },
    }
}

fn same_raw(one: &RawValue, other: &RawValue) -> bool {
    one.get() == other.get() || same(&Node::of(one), &Node::of(other))
}

fn same_members(one: &[(String, &RawValue)], other: &[(String, &RawValue)]) -> bool {
    let one: HashMap<&str, &RawValue> = one.iter().map(|(key, raw)| (key.as_str(), *raw)).collect();
    let other: HashMap<&str, &RawValue> =
        other.iter().map(|(key, raw)| (key.as_str(), *raw)).collect();
    one.len() == other.len()
        && one.iter().all(|(key, raw)| other.get(key).is_some_and(|other| same_raw(raw, other)))
}

/// A number as text that is equal for equal numbers.
fn number(node: &Node<'_>) -> Option<String> {
    let text = match node {
        Node::Bool(value) => return Some(u8::from(*value).to_string()),
        Node::Number(text) => *text,
        _ => return None,
    };
    let whole = |digits: &str| if digits == "-0" { "0".to_owned() } else { digits.to_owned() };
    if !text.contains(['.', 'e', 'E']) {
        return Some(whole(text));
    }
    let value: f64 = text.parse().ok()?;
    if value.is_finite() && value.fract() == 0.0 {
        // All digits of the binary number, as Python compares it with an integer.
        return Some(whole(&format!("{value:.0}")));
    }
    Some(format!("{value:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(one: &str, other: &str) -> bool {
        let [one, other] = [one, other].map(|text| JsonText::parse(text).expect("JSON"));
        assert_eq!(same_value(&one, &other), same_value(&other, &one));
        same_value(&one, &other)
    }

    #[test]
    fn values_are_equal_as_in_python() {
        for (one, other) in [
            ("1", "1.0"),
            ("1", "true"),
            ("0", "false"),
            ("-0", "0.0"),
            ("-0.0", "0"),
            ("1e2", "100"),
            ("9007199254740992", "9007199254740992.0"),
            ("1e23", "99999999999999991611392"),
            ("0.1", "0.10"),
            (r#""\u0061""#, r#""a""#),
            (r#"{"a":1,"b":[2,{"c":null}]}"#, r#"{"b":[2.0,{"c":null}],"a":true}"#),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
        ] {
            assert!(equal(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("9007199254740993", "9007199254740992.0"),
            ("123456789012345678901234567890", "123456789012345678901234567891"),
            ("1", "\"1\""),
            ("null", "false"),
            ("[]", "{}"),
            (r#"{"a":null}"#, "{}"),
            ("[1,2]", "[2,1]"),
        ] {
            assert!(!equal(one, other), "{one} {other}");
        }
    }
}
