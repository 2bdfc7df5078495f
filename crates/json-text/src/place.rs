//! [`place`]: the position of a JSON pointer's target in a text.

use std::fmt;

use crate::{JsonText, JsonTextError, Node, pointer};

/// A place in JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonPlace {
    /// Its display name, such as `days[1].from`; empty for the outermost value.
    pub name: String,
    /// 1-based line of the value's first character.
    pub line: usize,
    /// 1-based column of the value's first character, in characters.
    pub column: usize,
}

impl fmt::Display for JsonPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, line, column } = self;
        let space = if name.is_empty() { "" } else { " " };
        write!(f, "{name}{space}at line {line}, column {column}")
    }
}

/// The place in `text` of the JSON pointer `pointer`, or of its innermost existing ancestor. `None`
/// if `text` is not JSON.
///
/// ```
/// let text = "{\"days\": [{\"from\": 8},\n {\"from\": 9}]}";
/// let message = |pointer| json_text::place(text, pointer).map(|place| place.to_string());
/// assert_eq!(message("/days/1/from").as_deref(), Some("days[1].from at line 2, column 11"));
/// assert_eq!(message("/days/1/to").as_deref(), Some("days[1] at line 2, column 2"));
/// ```
#[must_use]
pub fn place(text: &str, pointer: &str) -> Option<JsonPlace> {
    let value = JsonText::parse(text).ok()?;
    let mut name = String::new();
    let mut inner = value.as_str();
    let mut level = value.open();
    for token in pointer.split('/').skip(1) {
        let next = match &level {
            Node::Object(members) => {
                let key = pointer::name(token);
                let member = members.iter().find(|(name, _)| *name == key);
                member.map(|(_, raw)| {
                    name += if name.is_empty() { "" } else { "." };
                    name += &key;
                    *raw
                })
            }
            Node::Array(items) => {
                let item = token.parse::<usize>().ok().and_then(|index| items.get(index));
                item.map(|raw| {
                    name += &format!("[{token}]");
                    *raw
                })
            }
            _ => None,
        };
        let Some(next) = next else { break };
        inner = next.get();
        level = Node::of(next);
    }
    // An inner value is a slice of the outer text.
    let within = inner.as_ptr().addr() - value.as_str().as_ptr().addr();
    let before = text.len() - text.trim_start().len();
    let JsonTextError { line, column, .. } =
        JsonTextError::at(text, before + within, String::new());
    Some(JsonPlace { name, line, column })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, pointer: &str, message: Option<&str>) {
        let found = place(text, pointer).map(|place| place.to_string());
        assert_eq!(found.as_deref(), message, "{text} {pointer}");
    }

    #[test]
    fn a_pointer_gives_a_line_and_a_column() {
        check("\n\n {\"a\": 1}", "/a", Some("a at line 3, column 8"));
        check("\n\n {\"a\": 1}", "", Some("at line 3, column 2"));
        check(r#"{"ä": {"b c": [[], 2]}}"#, "/ä/b c/1", Some("ä.b c[1] at line 1, column 20"));
        check(r#"{"a/b": {"~": 1}}"#, "/a~1b/~0", Some("a/b.~ at line 1, column 15"));
        check(r#"{"\u0061": 1}"#, "/a", Some("a at line 1, column 12"));
    }

    #[test]
    fn a_missing_target_gives_its_ancestor() {
        check(r#"{"a": [1]}"#, "/a/7", Some("a at line 1, column 7"));
        check(r#"{"a": [1]}"#, "/a/x/y", Some("a at line 1, column 7"));
        check(r#"{"a": 1}"#, "/b/c", Some("at line 1, column 1"));
        check("{", "/a", None);
    }
}
