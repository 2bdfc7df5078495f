//! [`Position`]: a line and a column.

/// A line and a column of a text, both from 1; columns count characters.
///
/// ```
/// use json_text::Position;
/// let position = Position::START.after("{\n \"ä\": ".as_bytes());
/// assert_eq!((position.line, position.column), (2, 7));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line, from 1.
    pub line: u64,
    /// The column, from 1.
    pub column: u64,
}

impl Position {
    /// The first character of a text.
    pub const START: Self = Self { line: 1, column: 1 };

    /// The position after the UTF-8 `bytes` that begin at this position. They may end within a
    /// character, so a file can be counted in parts.
    #[must_use]
    pub fn after(self, bytes: &[u8]) -> Self {
        let Self { mut line, mut column } = self;
        let last = memchr::memrchr(b'\n', bytes);
        if let Some(last) = last {
            line +=
                memchr::memchr_iter(b'\n', bytes.get(..=last).unwrap_or_default()).count() as u64;
            column = 1;
        }
        let behind = bytes.get(last.map_or(0, |feed| feed + 1)..).unwrap_or_default();
        // Continuation bytes of UTF-8 belong to the character before.
        column += behind.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u64;
        Self { line, column }
    }
}

impl Default for Position {
    fn default() -> Self {
        Self::START
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_count_like_the_whole() {
        let text = "a\n\nbä\u{1f375}\r\nend";
        let whole = Position::START.after(text.as_bytes());
        assert_eq!(whole, Position { line: 4, column: 4 });
        for at in 0..=text.len() {
            let (first, second) = text.as_bytes().split_at(at);
            assert_eq!(Position::START.after(first).after(second), whole, "{at}");
        }
    }
}
