//! Text from tools, made safe to draw: cut to what an eye can take in, and with the characters that
//! show as nothing or turn the line around written out.

use std::borrow::Cow;

/// How much text is drawn before the reader asks for more, in bytes.
pub const STEP: usize = 64 * 1024;

/// The beginning of `text`, at most `bytes` long, cut at a character.
#[must_use]
pub fn beginning(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// What becomes of line breaks and tabs in [`written_out`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// They are kept: the text is drawn as a block.
    Kept,
    /// They are written `\n`, `\r`, `\t`: the text is drawn on one line.
    Escaped,
    /// The same between quotes: a backslash and a quote are written out as well, so that what is
    /// read is what is there.
    Quoted,
}

/// `text` with control characters and those that reorder or hide text written as escapes.
#[must_use]
pub fn written_out(text: &str, lines: Lines) -> Cow<'_, str> {
    if !text.chars().any(|character| is_hidden(character, lines)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if !is_hidden(character, lines) {
            out.push(character);
            continue;
        }
        match character {
            '\\' | '"' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            other => out.push_str(&format!("\\u{:04x}", u32::from(other))),
        }
    }
    Cow::Owned(out)
}

/// A name on one line, with such characters written as escapes.
#[must_use]
pub fn visible_name(name: &str) -> String {
    written_out(name, Lines::Escaped).into_owned()
}

fn is_hidden(character: char, lines: Lines) -> bool {
    match character {
        '\n' | '\t' => lines != Lines::Kept,
        '\\' | '"' => lines == Lines::Quoted,
        // Embeddings, overrides, isolates and marks of direction (Unicode Bidirectional Algorithm,
        // section 2), zero-width characters, line and paragraph separators.
        '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}' => true,
        other => other.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_fall_between_characters() {
        assert_eq!(beginning("añb", 2), "a");
        assert_eq!(beginning("añb", 3), "añ");
        assert_eq!(beginning("ab", 10), "ab");
    }

    #[test]
    fn invisible_characters_are_escaped() {
        assert_eq!(written_out("a\u{202e}b\u{0}", Lines::Kept), "a\\u202eb\\u0000");
        assert_eq!(written_out("a\nb\tc", Lines::Escaped), "a\\nb\\tc");
        assert_eq!(written_out("a\nb", Lines::Kept), "a\nb");
        assert_eq!(written_out("a\\n\"\n", Lines::Quoted), "a\\\\n\\\"\\n");
        assert_eq!(written_out("a\\\"", Lines::Escaped), "a\\\"");
        assert!(matches!(written_out("שלום", Lines::Escaped), Cow::Borrowed(_)));
    }
}
