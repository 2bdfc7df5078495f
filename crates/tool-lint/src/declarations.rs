//! [`declarations_in`]: the declarations in a text, JSON lines or one JSON value.

use json_text::{JsonText, JsonTextError, Kind, Node, Position};
use serde_json::value::RawValue;

use crate::DeclarationError;

/// A declaration, or the error in its place, with its first line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundDeclaration {
    /// The line, from 1; `None` without a file.
    pub line: Option<usize>,
    /// The declaration, or why there is none.
    pub declaration: Result<JsonText, DeclarationError>,
}

/// The declarations in `text`: one JSON object per line, or one JSON value that is a declaration, an
/// array of declarations, or an object of declarations by name. Empty lines are skipped. Each line
/// that is not JSON is an error of its own; an invalid JSON value over several lines is one error. For
/// a tool of OpenAI's API, `{"type": "function", "function": …}`, the function is the declaration.
#[must_use]
pub fn declarations_in(text: &str) -> Vec<FoundDeclaration> {
    let found = found_in(text).into_iter();
    found
        .map(|found| FoundDeclaration { declaration: found.declaration.map(unwrapped), ..found })
        .collect()
}

/// The function of a tool that wraps one; anything else as it is.
fn unwrapped(declaration: JsonText) -> JsonText {
    let Node::Object(members) = declaration.open() else { return declaration };
    let member = |name: &str| {
        members.iter().find(|(key, _)| key == name).map(|(_, value)| JsonText::from(*value))
    };
    let is_function = member("type").is_some_and(|kind| kind == JsonText::string("function"));
    match member("function").filter(|function| function.kind() == Kind::Object) {
        Some(function) if is_function && member("name").is_none() => function,
        _ => declaration,
    }
}

fn found_in(text: &str) -> Vec<FoundDeclaration> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let broken = match JsonText::parse(text.trim_end()) {
        Ok(whole) => match in_value(text, &whole) {
            Some(found) => return found,
            None => None,
        },
        Err(error) => Some(error),
    };
    if let Some(error) = broken.filter(|_| spans_lines(text)) {
        let line = Some(error.line);
        return vec![FoundDeclaration { line, declaration: Err(DeclarationError::Value(error)) }];
    }
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| FoundDeclaration {
            line: Some(index + 1),
            declaration: JsonText::parse(line.trim()).map_err(DeclarationError::Line),
        })
        .collect()
}

/// Whether the text begins with a bracket that its first line does not close: a value written over
/// lines, in which no line is a declaration.
fn spans_lines(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let opens = |line: &str| line.starts_with(['[', '{']) && JsonText::parse(line).is_err();
    lines.next().is_some_and(opens) && !lines.any(is_object)
}

fn is_object(line: &str) -> bool {
    let value: Result<JsonText, JsonTextError> = JsonText::parse(line);
    value.is_ok_and(|value| value.kind() == Kind::Object)
}

/// The declarations in the value `whole` of `text`; `None` if `text` has to be read as lines.
fn in_value(text: &str, whole: &JsonText) -> Option<Vec<FoundDeclaration>> {
    let before = text.len() - text.trim_start().len();
    // Parts come in the order of the text, so each is counted from the one before.
    let (mut counted, mut position) = (0, Position::START);
    let mut line_at = |place: usize| {
        position = position.after(text.as_bytes().get(counted..place)?);
        counted = place;
        usize::try_from(position.line).ok()
    };
    let mut line_of = |part: &RawValue| {
        let start = part.get().as_ptr().addr().checked_sub(whole.as_str().as_ptr().addr())?;
        line_at(before + start)
    };
    let mut found =
        |part: &RawValue| FoundDeclaration { line: line_of(part), declaration: Ok(part.into()) };
    match whole.open() {
        Node::Array(items) => Some(items.into_iter().map(found).collect()),
        Node::Object(members) => {
            let named = members
                .iter()
                .any(|(key, value)| key == "name" && JsonText::from(*value).kind() == Kind::String);
            let by_name = !named
                && !members.is_empty()
                && members.iter().all(|(_, value)| JsonText::from(*value).kind() == Kind::Object);
            if !by_name {
                let line = line_at(before);
                return Some(vec![FoundDeclaration { line, declaration: Ok(whole.clone()) }]);
            }
            Some(members.into_iter().map(|(_, value)| found(value)).collect())
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
    fn a_function_is_taken_out_of_its_wrapping() {
        let wrapped = r#"{"type":"function","function":{"name":"f","parameters":{}}}"#;
        let bare = r#"{"name":"f","parameters":{}}"#;
        for text in [wrapped.to_owned(), format!("[{wrapped}]"), format!("{wrapped}\n{wrapped}")] {
            for found in declarations_in(&text) {
                assert_eq!(found.declaration.expect("JSON").as_str(), bare, "{text}");
            }
        }
        let own = r#"{"name":"g","type":"function","function":{}}"#;
        assert_eq!(declarations_in(own)[0].declaration.as_ref().expect("JSON").as_str(), own);
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
        let in_array = [(Some(2), true), (Some(4), true), (Some(5), true)];
        assert_eq!(seen("\n[{\"name\":\n\"a\"},\n 7,\r\n\"ä\"\n]\n"), in_array);
        assert_eq!(seen("{\"a\":{\"name\":\"a\"},\"b\":\n{}}"), [(Some(1), true), (Some(2), true)]);
        assert_eq!(seen("\u{feff}{\"name\":\n\"a\"}"), [(Some(1), true)]);
        assert_eq!(seen(" \n"), []);
    }

    fn errors(text: &str) -> Vec<(Option<usize>, String)> {
        let found = declarations_in(text).into_iter();
        found.filter_map(|it| Some((it.line, it.declaration.err()?.to_string()))).collect()
    }

    #[test]
    fn invalid_json_is_reported_with_position_and_remedy() {
        let lines = errors("{\"name\":\"a\"}\n{\"name\":\"b\",}\n");
        let [(Some(2), message)] = lines.as_slice() else { panic!("{lines:?}") };
        assert!(message.starts_with("Not JSON: "), "{message}");
        assert!(message.contains(" at column 13. Write one declaration per line"), "{message}");

        let value = errors("[\n  {\"name\": \"a\",\n   \"description\": \"b\",}\n]\n");
        let [(Some(3), message)] = value.as_slice() else { panic!("{value:?}") };
        assert!(message.contains(" at line 3, column "), "{message}");
        assert!(message.ends_with("or write one declaration per line."), "{message}");
    }
}
