//! [`Pretty`]: a value over lines, a part at a time.

use crate::JsonText;
use crate::scan::{scalar_end, string_end};

/// Formats a value over lines with two spaces of indent, a part at a time; digits, escapes and key
/// order stay. The cost is proportional to the formatted part.
///
/// ```
/// use json_text::{JsonText, Pretty};
/// let mut pretty = Pretty::of(&JsonText::parse(r#"{"a":[1,{}]}"#)?);
/// let mut parts = Vec::new();
/// while let Some(part) = pretty.next_part(1) {
///     parts.push(part);
/// }
/// assert_eq!(parts.concat(), "{\n  \"a\": [\n    1,\n    {}\n  ]\n}");
/// # Ok::<(), json_text::JsonTextError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pretty {
    text: String,
    /// How far the text has been formatted, in bytes.
    at: usize,
    /// How many containers are open there.
    depth: usize,
    /// The end of the string being formatted, if any.
    string_end: usize,
}

/// Formats text like [`Pretty`], also where it is not JSON yet because parts are missing.
///
/// ```
/// assert_eq!(json_text::pretty_text(r#"{"a":?,"b":[1e]}"#), "{\n  \"a\": ?,\n  \"b\": [\n    1e\n  ]\n}");
/// ```
#[must_use]
pub fn pretty_text(text: &str) -> String {
    Pretty::of_text(text).next_part(usize::MAX).unwrap_or_default()
}

impl JsonText {
    /// The same value laid out over lines with two spaces of indent; digits, escapes and key order
    /// stay.
    #[must_use]
    pub fn pretty(&self) -> String {
        Pretty::of(self).next_part(usize::MAX).unwrap_or_default()
    }
}

impl Pretty {
    /// From the beginning.
    #[must_use]
    pub fn of(value: &JsonText) -> Self {
        Self::of_text(value.as_str())
    }

    fn of_text(text: &str) -> Self {
        Self { text: text.to_owned(), at: 0, depth: 0, string_end: 0 }
    }

    /// Starts about `before` bytes before the offset `at`, at the beginning of a name or a value.
    #[must_use]
    pub fn near(value: &JsonText, at: usize, before: usize) -> Self {
        let bytes = value.as_str().as_bytes();
        let wanted = at.saturating_sub(before);
        let (mut here, mut depth) = (0, 0_usize);
        let mut begin = (0, 0);
        while here <= wanted {
            let Some(byte) = bytes.get(here) else { break };
            match byte {
                b'"' => {
                    begin = (here, depth);
                    here = string_end(bytes, here);
                }
                b'{' | b'[' => {
                    begin = (here, depth);
                    depth += 1;
                    here += 1;
                }
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    here += 1;
                }
                _ => here += 1,
            }
        }
        Self { text: value.as_str().to_owned(), at: begin.0, depth: begin.1, string_end: 0 }
    }

    /// How much of the value's text has been formatted, in bytes.
    #[must_use]
    pub fn read(&self) -> usize {
        self.at
    }

    /// The next part, of about `bytes` bytes; `None` at the end.
    pub fn next_part(&mut self, bytes: usize) -> Option<String> {
        let text = self.text.as_str();
        if self.at >= text.len() {
            return None;
        }
        let mut out = String::with_capacity(bytes.min(text.len() - self.at).min(1 << 20));
        while out.len() < bytes
            && let Some(byte) = text.as_bytes().get(self.at).copied()
        {
            if self.at < self.string_end {
                let mut end =
                    self.string_end.min(self.at.saturating_add(bytes - out.len()).max(self.at + 1));
                while !text.is_char_boundary(end) {
                    end += 1;
                }
                out.push_str(&text[self.at..end]);
                self.at = end;
                continue;
            }
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'"' => self.string_end = string_end(text.as_bytes(), self.at),
                b'{' | b'[' => {
                    out.push(char::from(byte));
                    self.at = past_space(text, self.at + 1);
                    match text.as_bytes().get(self.at).copied() {
                        Some(close @ (b'}' | b']')) => {
                            out.push(char::from(close));
                            self.at += 1;
                        }
                        _ => {
                            self.depth += 1;
                            new_line(&mut out, self.depth);
                        }
                    }
                }
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    new_line(&mut out, self.depth);
                    out.push(char::from(byte));
                    self.at += 1;
                }
                b',' => {
                    out.push(',');
                    new_line(&mut out, self.depth);
                    self.at += 1;
                }
                b':' => {
                    out.push_str(": ");
                    self.at += 1;
                }
                _ => {
                    let end = scalar_end(text.as_bytes(), self.at);
                    out.push_str(&text[self.at..end]);
                    self.at = end;
                }
            }
        }
        Some(out)
    }
}

fn new_line(out: &mut String, depth: usize) {
    const SPACES: &str = "                                                                ";
    out.push('\n');
    let mut left = depth * 2;
    while left > 0 {
        let some = left.min(SPACES.len());
        out.push_str(&SPACES[..some]);
        left -= some;
    }
}

fn past_space(text: &str, mut at: usize) -> usize {
    while text.as_bytes().get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn pretty_lays_out() {
        let value = JsonText::parse(r#"{"a":[1,{ }],"b":"x, {y}: \"z\""}"#).expect("valid");
        assert_eq!(
            value.pretty(),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"x, {y}: \\\"z\\\"\"\n}"
        );
    }

    #[test]
    fn parts_of_any_size_join_to_the_whole() {
        let value =
            JsonText::parse(r#"{ "ä\"": [1, -2.50e3 ,{ }, [ ] ], "b": "x, {y}: \\ ž", "c":null}"#);
        let value = value.expect("valid");
        let whole = value.pretty();
        for bytes in 1..40 {
            let mut pretty = Pretty::of(&value);
            let parts: Vec<String> = std::iter::from_fn(|| pretty.next_part(bytes)).collect();
            assert_eq!(parts.concat(), whole, "{bytes}");
        }
        assert_eq!(JsonText::parse(&whole).expect("valid").compact(), value.compact());
    }

    #[test]
    fn a_part_in_the_middle_keeps_its_indent() {
        let items: Vec<String> =
            (0..500).map(|place| format!(r#"{{"n":"item {place}"}}"#)).collect();
        let value =
            JsonText::parse(&format!(r#"{{"rows":[{}]}}"#, items.join(","))).expect("valid");
        let at = value.as_str().find("item 300").expect("there");
        let part = Pretty::near(&value, at, 60).next_part(400).expect("more");
        assert!(part.contains("      \"n\": \"item 300\""), "{part}");
        assert!(!part.contains("item 250"), "{part}");
        let whole = Pretty::near(&value, 0, 60).next_part(usize::MAX).expect("more");
        assert_eq!(whole, value.pretty());
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..6)
                    .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn compact_and_pretty_are_the_same_value(value in any_value()) {
            let spaced = serde_json::to_string_pretty(&value).expect("serializes");
            let text = JsonText::parse(&spaced).expect("valid");
            prop_assert_eq!(text.compact(), JsonText::from_value(&value));
            prop_assert_eq!(text.pretty(), spaced);
        }
    }
}
