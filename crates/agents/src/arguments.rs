//! Arguments for tools that take `serde_json::Value`.

use json_text::{JsonText, Kind, Node};
use serde_json::Value;
use session::ToolError;

use super::ToolFailure;

/// The arguments as the `serde_json::Value` that tools take which are reached through a Rust
/// library, when that loses no digit.
///
/// # Errors
/// [`ToolError::INVALID_ARGUMENTS`], with the first number that does not fit.
pub(super) fn exact_value(arguments: &JsonText) -> Result<Value, ToolFailure> {
    let refuse = |why: String| ToolFailure::new(ToolError::INVALID_ARGUMENTS, why);
    let value = arguments.to_value().map_err(|error| refuse(format!("{error}")))?;
    match inexact_integer(arguments) {
        None => Ok(value),
        Some(number) => Err(refuse(format!(
            "{number} does not fit in 64 bits, and no larger integer reaches the tool without \
             losing digits: send it as a string or choose a smaller one"
        ))),
    }
}

fn inexact_integer(value: &JsonText) -> Option<String> {
    fn look(node: Node<'_>) -> Option<String> {
        match node {
            Node::Number(digits) => {
                let integer = !digits.contains(['.', 'e', 'E']);
                let fits = digits.parse::<i64>().is_ok() || digits.parse::<u64>().is_ok();
                (integer && !fits).then(|| digits.to_owned())
            }
            Node::Array(items) => items.into_iter().find_map(|item| look(Node::of(item))),
            Node::Object(members) => {
                members.into_iter().find_map(|(_, member)| look(Node::of(member)))
            }
            Node::Null | Node::Bool(_) | Node::String(_) => None,
        }
    }
    if matches!(value.kind(), Kind::Object | Kind::Array | Kind::Number) {
        look(value.open())
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_integers_of_more_than_64_bits() {
        let value = |text| exact_value(&JsonText::parse(text).expect("valid"));
        assert_eq!(
            value(r#"{"n":9007199254740993}"#).expect("fits")["n"],
            Value::from(9_007_199_254_740_993_u64)
        );
        let failure = value(r#"{"n":[123456789012345678901234567890]}"#).expect_err("too large");
        assert_eq!(failure.error_type, ToolError::INVALID_ARGUMENTS);
        assert!(failure.message.contains("123456789012345678901234567890"));
    }
}
