//! [`Cursor`]: walks valid JSON text and knows the offset of each value.
//!
//! `serde_json` checks the text. The offsets give faults their positions, and slices of the text.

use std::borrow::Cow;

use json_text::Kind;

/// A place in valid JSON text.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

/// A skipped value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Passed<'a> {
    /// The value's text.
    pub(crate) text: &'a str,
    /// How many levels of nesting it has; none for a scalar.
    pub(crate) depth: usize,
}

impl<'a> Cursor<'a> {
    /// At the start of `text`, which must be one JSON value.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Where the next token begins, in bytes.
    pub(crate) fn offset(&mut self) -> usize {
        while self.byte().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
        self.at
    }

    /// Goes to `offset`, where a value must begin.
    pub(crate) fn go_to(&mut self, offset: usize) {
        self.at = offset;
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The kind of the next value.
    pub(crate) fn kind(&mut self) -> Kind {
        self.offset();
        match self.byte() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') | None => Kind::Null,
            Some(_) => Kind::Number,
        }
    }

    /// Enters the next object or list.
    pub(crate) fn enter(&mut self) {
        self.offset();
        self.at += 1;
    }

    /// Whether another item or key follows; passes the comma before it, or the closing bracket.
    pub(crate) fn more(&mut self) -> bool {
        self.offset();
        match self.byte() {
            Some(b',') => {
                self.at += 1;
                true
            }
            Some(b'}' | b']') | None => {
                self.at += 1;
                false
            }
            Some(_) => true,
        }
    }

    /// Reads the next key and its colon. A key with half of a surrogate pair gives
    /// its source text.
    pub(crate) fn key(&mut self) -> Cow<'a, str> {
        let key = self.string();
        self.offset();
        self.at += 1;
        key.unwrap_or_else(Cow::Borrowed)
    }

    /// The next string, unescaped; its source text when an escape is half of a
    /// surrogate pair.
    pub(crate) fn string(&mut self) -> Result<Cow<'a, str>, &'a str> {
        let start = self.offset();
        let escapes = self.pass_string();
        let raw = self.text.get(start..self.at).unwrap_or_default();
        if !escapes {
            let inner = raw.len().saturating_sub(1);
            return Ok(Cow::Borrowed(raw.get(1..inner).unwrap_or_default()));
        }
        serde_json::from_str::<String>(raw).map(Cow::Owned).map_err(|_| raw)
    }

    /// Skips the string at the cursor, and returns whether it has an escape.
    fn pass_string(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let mut escapes = false;
        self.at += 1;
        loop {
            let rest = bytes.get(self.at..).unwrap_or_default();
            match memchr::memchr2(b'"', b'\\', rest) {
                Some(found) if rest.get(found) == Some(&b'"') => {
                    self.at += found + 1;
                    return escapes;
                }
                Some(found) => {
                    escapes = true;
                    self.at += found + 2;
                }
                None => {
                    self.at = bytes.len();
                    return escapes;
                }
            }
        }
    }

    /// Skips the next value.
    pub(crate) fn pass(&mut self) -> Passed<'a> {
        let start = self.offset();
        let (mut open, mut depth) = (0_usize, 0);
        loop {
            match self.byte() {
                Some(b'"') => {
                    self.pass_string();
                }
                Some(b'{' | b'[') => {
                    open += 1;
                    depth = depth.max(open);
                    self.at += 1;
                }
                Some(b'}' | b']') => {
                    open = open.saturating_sub(1);
                    self.at += 1;
                }
                Some(b',' | b':' | b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(_) => {
                    let scalar = |byte: &u8| !b"{}[],:\" \t\r\n".contains(byte);
                    while self.text.as_bytes().get(self.at).is_some_and(scalar) {
                        self.at += 1;
                    }
                }
                None => break,
            }
            if open == 0 {
                break;
            }
        }
        Passed { text: self.text.get(start..self.at).unwrap_or_default(), depth }
    }

    /// The end of what was just read or passed.
    pub(crate) fn passed(&self) -> usize {
        self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_skips_whole_values() {
        for value in ["1.50e3", "null", r#""a\"b]""#, r#"{"a": [1, {"b": "}"}], "c": "\\"}"#, "[]"]
        {
            let text = format!("  [ {value} , 2]");
            let mut cursor = Cursor::new(&text);
            cursor.enter();
            assert!(cursor.more());
            assert_eq!(cursor.pass().text, value);
            assert!(cursor.more());
            assert_eq!(cursor.pass().text, "2");
            assert!(!cursor.more());
        }
    }

    #[test]
    fn keys_and_strings_resolve_escapes() {
        let mut cursor = Cursor::new(r#"{"\u0061b" : "x\n", "c":"\ud800"}"#);
        cursor.enter();
        assert!(cursor.more());
        assert_eq!(cursor.key(), "ab");
        assert_eq!(cursor.string().as_deref(), Ok("x\n"));
        assert!(cursor.more());
        assert_eq!(cursor.key(), "c");
        assert_eq!(cursor.string(), Err(r#""\ud800""#));
        assert!(!cursor.more());
    }

    #[test]
    fn depth_counts_levels() {
        for (text, depth) in [("1", 0), ("[]", 1), (r#"{"a":[[]], "b":"[["}"#, 3)] {
            assert_eq!(Cursor::new(text).pass().depth, depth, "{text}");
        }
    }
}
