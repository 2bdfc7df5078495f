//! Finds the end of a string across several ranges, and its content.

/// Longer ids are ignored, because they cannot equal an id of this program.
pub(super) const LONGEST_ID: usize = 16 << 10;

/// The content of a string; `None` if it is not valid, or too long.
pub(super) fn unescaped(raw: &[u8], escapes: bool) -> Option<std::borrow::Cow<'_, str>> {
    if raw.len() > LONGEST_ID {
        return None;
    }
    let text = simdutf8::basic::from_utf8(raw).ok()?;
    if !escapes {
        return Some(text.into());
    }
    serde_json::from_str::<String>(&format!("\"{text}\"")).ok().map(Into::into)
}

/// Finds the closing quote of a string across several ranges.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ClosingQuote {
    /// The next byte is escaped.
    escaped: bool,
    /// A backslash was in the string.
    pub(super) passed_escape: bool,
}

impl ClosingQuote {
    pub(super) fn find(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        loop {
            if std::mem::take(&mut self.escaped) {
                at += 1;
            }
            let found = at + memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
            if bytes[found] == b'"' {
                return Some(found);
            }
            self.escaped = true;
            self.passed_escape = true;
            at = found + 1;
            if at == bytes.len() {
                return None;
            }
        }
    }
}
