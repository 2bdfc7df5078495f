//! One spelling for all JSON values that are equal as JSON Schema compares them: numbers by value,
//! objects without regard to order.

use json_text::{Decimal, JsonText, Node, nesting};
use serde_json::value::RawValue;

/// The one spelling of `value`. Values nested too deep are unchanged.
pub(crate) fn canonical(value: &JsonText) -> String {
    if nesting(value.as_str()) > 128 {
        return value.compact().as_str().to_owned();
    }
    let mut out = String::new();
    write(&value.open(), &mut out);
    out
}

fn write(node: &Node<'_>, out: &mut String) {
    let list = |raws: &[&RawValue], out: &mut String| {
        for (index, raw) in raws.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            write(&Node::of(raw), out);
        }
    };
    match node {
        Node::Null => out.push_str("null"),
        Node::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Node::Number(text) => match Decimal::parse(text) {
            Some(decimal) => out.push_str(&decimal.canonical()),
            None => out.push_str(text),
        },
        Node::String(content) => out.push_str(JsonText::string(content).as_str()),
        Node::Array(items) => {
            out.push('[');
            list(items, out);
            out.push(']');
        }
        Node::Object(members) => {
            // Of a repeated key the last counts.
            let sorted: std::collections::BTreeMap<&str, &RawValue> =
                members.iter().map(|(key, value)| (key.as_str(), *value)).collect();
            out.push('{');
            for (key, value) in sorted {
                out.push_str(JsonText::string(key).as_str());
                out.push(':');
                write(&Node::of(value), out);
                out.push(',');
            }
            out.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_one_spelling() {
        let spelled = |text| canonical(&JsonText::parse(text).expect("valid"));
        assert_eq!(
            spelled(r#"{"b": [1.0, 2], "a": "\u0041"}"#),
            spelled(r#"{"a":"A","b":[1,2e0]}"#)
        );
        assert_ne!(spelled("1"), spelled("true"));
        assert_ne!(spelled(r#""1""#), spelled("1"));
        assert_ne!(spelled("9007199254740993"), spelled("9007199254740992"));
    }
}
