//! Steps over JSON text that is known to be valid, without reading more of it than asked.

use std::borrow::Cow;

use json_text::scan::{string_content, string_end, value_end};

/// A member of a container: its key with the quotes, in an object, and its value's text.
pub(crate) struct Member<'a> {
    pub(crate) key: Option<&'a str>,
    pub(crate) value: &'a str,
}

/// The members of an object or the items of an array, one by one. Costs what is looked at.
pub(crate) struct Members<'a> {
    text: &'a str,
    at: usize,
    has_keys: bool,
}

impl<'a> Members<'a> {
    /// The members of the container whose text is `text`.
    pub(crate) fn of(text: &'a str) -> Self {
        Self { text, at: 1, has_keys: text.starts_with('{') }
    }

    /// How far into the text the reading has come, in bytes.
    pub(crate) fn read(&self) -> usize {
        self.at
    }

    /// Whether there is nothing more.
    pub(crate) fn is_at_end(&mut self) -> bool {
        self.skip().is_none_or(|byte| matches!(byte, b'}' | b']'))
    }

    fn skip(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            if !matches!(byte, b',' | b':' | b' ' | b'\t' | b'\n' | b'\r') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Member<'a>;

    fn next(&mut self) -> Option<Member<'a>> {
        let bytes = self.text.as_bytes();
        if matches!(self.skip()?, b'}' | b']') {
            return None;
        }
        let key = if self.has_keys {
            let start = self.at;
            self.at = string_end(bytes, start);
            let key = self.text.get(start..self.at);
            self.skip()?;
            key
        } else {
            None
        };
        let start = self.at;
        self.at = value_end(bytes, start);
        Some(Member { key, value: self.text.get(start..self.at)? })
    }
}

/// Whether a container whose text is `text` has no members.
pub(crate) fn is_empty(text: &str) -> bool {
    Members::of(text).is_at_end()
}

/// The content of the JSON string whose text, quotes included, is `literal`.
///
/// A string with a lone surrogate escape, which Unicode does not allow, is its own text.
pub(crate) fn content(literal: &str) -> Cow<'_, str> {
    string_content(literal).unwrap_or(Cow::Borrowed(literal))
}

/// The beginning of the content of `literal`: at most about `bytes` of it, and whether that is all.
///
/// Costs what is returned, however long the string is.
pub(crate) fn content_head(literal: &str, bytes: usize) -> (Cow<'_, str>, bool) {
    if literal.len() <= bytes + 2 {
        return (content(literal), true);
    }
    let mut end = (bytes.max(16) + 1).min(literal.len() - 1);
    while !literal.is_char_boundary(end) {
        end -= 1;
    }
    // An escape is at most twelve bytes long (a pair of surrogates); it must not be cut.
    let tail = &literal.as_bytes()[..end];
    if let Some(escape) = last_escape(tail) {
        end = escape;
    }
    let head = format!("{}\"", &literal[..end]);
    (Cow::Owned(content(&head).into_owned()), false)
}

/// Where the last escape begins that `bytes`, the beginning of a string, may have cut through.
fn last_escape(bytes: &[u8]) -> Option<usize> {
    let near = bytes.len().saturating_sub(12).max(1);
    let mut at = 1;
    let mut last = None;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        let escape = at + found;
        let length = if bytes.get(escape + 1) == Some(&b'u') { 6 } else { 2 };
        if escape >= near && (escape + length >= bytes.len() || is_high(bytes, escape)) {
            last.get_or_insert(escape);
        }
        at = escape + length;
    }
    last
}

/// Whether the escape at `at` is the first half of a pair of surrogates.
fn is_high(bytes: &[u8], at: usize) -> bool {
    matches!(
        bytes.get(at + 1..at + 4),
        Some([b'u', b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B'])
    )
}

#[cfg(test)]
mod tests {
    use json_text::JsonText;

    use super::*;

    #[test]
    fn members_come_one_by_one() {
        let text = r#"{ "a" : [1, {"x": "}"}] , "b\"": "y" }"#;
        let seen: Vec<_> =
            Members::of(text).map(|member| (member.key.unwrap_or(""), member.value)).collect();
        assert_eq!(seen, [("\"a\"", r#"[1, {"x": "}"}]"#), (r#""b\"""#, "\"y\"")]);
        let items: Vec<_> = Members::of("[1,[],null ]").map(|member| member.value).collect();
        assert_eq!(items, ["1", "[]", "null"]);
        assert!(is_empty("{ }") && is_empty("[]") && !is_empty("[0]"));
    }

    #[test]
    fn a_head_never_cuts_an_escape() {
        let literal = JsonText::string(&"ab\n\u{1f600}\"".repeat(50));
        for bytes in 0..literal.byte_len() {
            let (head, _) = content_head(literal.as_str(), bytes);
            assert!("ab\n\u{1f600}\"".repeat(50).starts_with(head.as_ref()), "{bytes}: {head:?}");
        }
        let escaped = format!("\"{}\"", r"\ud83d\ude00x\\".repeat(50));
        let whole = content(&escaped).into_owned();
        for bytes in 0..escaped.len() {
            let (head, _) = content_head(&escaped, bytes);
            assert!(whole.starts_with(head.as_ref()), "{bytes}: {head:?}");
        }
    }
}
