//! Steps over the bytes of valid JSON text: where strings and values end, and what a string contains.
//!
//! All functions expect text that is known to be valid JSON, and return the end of the text for
//! anything else.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

/// The offset after the string that begins, with its quote, at `at`.
///
/// ```
/// assert_eq!(json_text::scan::string_end(br#"["a\"b",1]"#, 1), 7);
/// ```
#[must_use]
pub fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut here = at + 1;
    while let Some(found) = bytes.get(here..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        if bytes.get(here + found) == Some(&b'"') {
            return here + found + 1;
        }
        here += found + 2;
    }
    bytes.len()
}

/// The offset after the number, boolean or null that begins at `at`.
#[must_use]
pub fn scalar_end(bytes: &[u8], at: usize) -> usize {
    let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r');
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().position(ends).map_or(bytes.len(), |length| at + length.max(1))
}

/// The offset after the value that begins at `at`, without recursion.
#[must_use]
pub fn value_end(bytes: &[u8], at: usize) -> usize {
    let mut here = at;
    let mut depth = 0_usize;
    while let Some(byte) = bytes.get(here) {
        here = match byte {
            b'"' => string_end(bytes, here),
            b'{' | b'[' => {
                depth += 1;
                here + 1
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                here + 1
            }
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => {
                here += 1;
                continue;
            }
            _ => scalar_end(bytes, here),
        };
        if depth == 0 {
            return here;
        }
    }
    bytes.len()
}

/// The content of the JSON string `quoted`, escapes resolved; `None` for a lone surrogate escape,
/// which Unicode does not allow.
///
/// ```
/// use json_text::scan::string_content;
/// assert_eq!(string_content(r#""a\n""#).as_deref(), Some("a\n"));
/// assert_eq!(string_content(r#""\ud800""#), None);
/// ```
#[must_use]
pub fn string_content(quoted: &str) -> Option<Cow<'_, str>> {
    let inner = inside_quotes(quoted);
    if memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str::<String>(quoted).ok().map(Cow::Owned)
}

/// The text between the quotes of the JSON string `quoted`, escapes as written.
#[must_use]
pub fn inside_quotes(quoted: &str) -> &str {
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default()
}
