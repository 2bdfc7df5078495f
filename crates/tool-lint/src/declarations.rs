//! [`declarations_in`]: the declarations in a text, JSON lines or one JSON value.

use json_text::{JsonText, Kind, Node};

/// A declaration, or what stands where one should, with the line it begins at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The line, from 1; `None` inside a JSON value of several lines.
    pub line: Option<usize>,
    /// The declaration, or why the line holds none.
    pub declaration: Result<JsonText, String>,
}

/// The declarations in `text`: one JSON object a line; or one JSON value that is a declaration, an
/// array of declarations, or an object of declarations by name. Empty lines are passed over, and
/// lines that are not JSON are told without keeping the others back.
#[must_use]
pub fn declarations_in(text: &str) -> Vec<Found> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Some(whole) = JsonText::parse(text.trim()).ok().and_then(|whole| in_value(&whole)) {
        return whole;
    }
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| Found {
            line: Some(index + 1),
            declaration: JsonText::parse(line.trim()).map_err(|error| {
                let found = format!("Not JSON: {} at column {}.", error.reason, error.column);
                found + " Write one declaration a line, or the whole file as one JSON array."
            }),
        })
        .collect()
}

/// `None` for what is better read as lines.
fn in_value(whole: &JsonText) -> Option<Vec<Found>> {
    let found = |declaration| Found { line: None, declaration: Ok(declaration) };
    match whole.open() {
        Node::Array(items) => Some(items.into_iter().map(|item| found(item.into())).collect()),
        Node::Object(members) => {
            let named = members
                .iter()
                .any(|(key, value)| key == "name" && JsonText::from(*value).kind() == Kind::String);
            let by_name = !named
                && !members.is_empty()
                && members.iter().all(|(_, value)| JsonText::from(*value).kind() == Kind::Object);
            if !by_name {
                return Some(vec![Found { line: Some(1), declaration: Ok(whole.clone()) }]);
            }
            Some(members.into_iter().map(|(_, value)| found(value.into())).collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Vec<(Option<usize>, bool)> {
        declarations_in(text)
            .into_iter()
            .map(|found| (found.line, found.declaration.is_ok()))
            .collect()
    }

    #[test]
    fn lines_and_values_are_read() {
        assert_eq!(
            seen("{\"name\":\"a\"}\n\n{\"name\":\"b\"}\n"),
            [(Some(1), true), (Some(3), true)]
        );
        assert_eq!(
            seen("{\"name\":\"a\"}\nrubbish\n[1]"),
            [(Some(1), true), (Some(2), false), (Some(3), true)]
        );
        assert_eq!(seen("[{\"name\":\"a\"},\n 7]"), [(None, true), (None, true)]);
        assert_eq!(seen("{\"a\":{\"name\":\"a\"},\"b\":{}}"), [(None, true), (None, true)]);
        assert_eq!(seen("\u{feff}{\"name\":\n\"a\"}"), [(Some(1), true)]);
        assert_eq!(seen(" \n"), []);
    }
}
