//! [`repeated_member`]: finds members that JSON parsers drop silently.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::JsonTextError;
use crate::scan::string_end;

/// The first member of the JSON text `text`, at any depth, whose name occurred in its object before,
/// with the position of the second one. Most parsers keep only one of the two.
///
/// ```
/// let message = json_text::repeated_member("{\"a\": [{\"b\": 1,\n\"b\": 2}]}").map(|it| it.to_string());
/// assert_eq!(message.as_deref(), Some("the property `b` is repeated at line 2, column 1"));
/// assert_eq!(json_text::repeated_member(r#"{"a": {"a": 1}}"#), None);
/// ```
#[must_use]
pub fn repeated_member(text: &str) -> Option<JsonTextError> {
    // The names of each object that is open; a list has none.
    let mut open: Vec<Option<HashSet<Cow<'_, str>>>> = Vec::new();
    let mut is_name = false;
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' => open.push(Some(HashSet::new())),
            b'[' => open.push(None),
            b'}' | b']' => {
                open.pop();
            }
            b'"' => {
                let end = string_end(bytes, at);
                if is_name && let Some(Some(names)) = open.last_mut() {
                    let name = content(&text[at..end]);
                    if !names.insert(name.clone()) {
                        let reason = format!("the property `{name}` is repeated");
                        return Some(JsonTextError::at(text, at, reason));
                    }
                }
                at = end;
                is_name = false;
                continue;
            }
            _ => {}
        }
        is_name = match byte {
            b'{' => true,
            b',' => matches!(open.last(), Some(Some(_))),
            b' ' | b'\t' | b'\n' | b'\r' => is_name,
            _ => false,
        };
        at += 1;
    }
    None
}

/// The content of a quoted name, escapes resolved.
fn content(quoted: &str) -> Cow<'_, str> {
    if quoted.contains('\\')
        && let Ok(name) = serde_json::from_str::<String>(quoted)
    {
        return Cow::Owned(name);
    }
    Cow::Borrowed(quoted.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, place: Option<(usize, usize)>) {
        let found = repeated_member(text).map(|found| (found.line, found.column));
        assert_eq!(found, place, "{text}");
    }

    #[test]
    fn the_second_of_two_members_is_found_at_any_depth() {
        check(r#"{"n":1,"n":2}"#, Some((1, 8)));
        check("{\n  \"ä\": 1, \"ä\": 2}", Some((2, 11)));
        check(r#"[{"a":{"b":[],"c":{"b":1},"b":{}}}]"#, Some((1, 27)));
        check(r#"{"a":1,"\u0061":2}"#, Some((1, 8)));
        check(r#"{"":1,"":2}"#, Some((1, 7)));
    }

    #[test]
    fn distinct_members_are_accepted() {
        for fine in [
            r#"{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}"#,
            r#"["a","a"]"#,
            r#"{"a":"b","b":"a","c":["a","b"]}"#,
            r#"{"a":"{\"b\":1,\"b\":2}","\"":1,"\\":2}"#,
            r#"{"A":1,"a":2}"#,
            "12",
            "",
        ] {
            check(fine, None);
        }
        check(&format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)), None);
    }
}
