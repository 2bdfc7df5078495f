//! Text from tools and files, made safe to read: the characters that show as nothing or turn the
//! line around are written out.

use std::borrow::Cow;
use std::ops::RangeInclusive;

/// What becomes of line breaks and tabs in [`written_out`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// They are kept, a carriage return only as part of a line break: the text is drawn as a block.
    Kept,
    /// They are written `\n`, `\r`, `\t`: the text is drawn on one line.
    Escaped,
    /// The same between quotes: a backslash and a quote are written out as well, so that what is
    /// read is what is there.
    Quoted,
}

/// The characters that are written out wherever they are: control characters except tab and line
/// feed, embeddings, overrides, isolates and marks of direction (Unicode Bidirectional Algorithm,
/// section 2), zero-width characters, line and paragraph separators.
pub const HIDDEN: &[RangeInclusive<char>] = &[
    '\0'..='\u{8}',
    '\u{b}'..='\u{1f}',
    '\u{7f}'..='\u{9f}',
    '\u{61c}'..='\u{61c}',
    '\u{200b}'..='\u{200b}',
    '\u{200e}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{2069}',
    '\u{feff}'..='\u{feff}',
];

/// `text` with control characters and those that reorder or hide text written as escapes.
#[must_use]
pub fn written_out(text: &str, lines: Lines) -> Cow<'_, str> {
    if !text.chars().any(|character| is_hidden(character, lines)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let ends_line = character == '\r' && characters.peek() == Some(&'\n');
        if !is_hidden(character, lines) || ends_line && lines == Lines::Kept {
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

/// A text that may have several lines, with such characters written as escapes.
#[must_use]
pub fn visible_text(text: &str) -> String {
    written_out(text, Lines::Kept).into_owned()
}

fn is_hidden(character: char, lines: Lines) -> bool {
    match character {
        '\n' | '\t' => lines != Lines::Kept,
        '\\' | '"' => lines == Lines::Quoted,
        ' '..='~' => false,
        other => HIDDEN.iter().any(|range| range.contains(&other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_escaped() {
        assert_eq!(written_out("a\u{202e}b\u{0}", Lines::Kept), "a\\u202eb\\u0000");
        assert_eq!(written_out("a\nb\tc", Lines::Escaped), "a\\nb\\tc");
        assert_eq!(written_out("a\nb", Lines::Kept), "a\nb");
        assert_eq!(written_out("a\r\nb\rc", Lines::Kept), "a\r\nb\\rc");
        assert_eq!(written_out("a\r\n", Lines::Escaped), "a\\r\\n");
        assert_eq!(written_out("a\\n\"\n", Lines::Quoted), "a\\\\n\\\"\\n");
        assert_eq!(written_out("a\\\"", Lines::Escaped), "a\\\"");
        assert!(matches!(written_out("שלום", Lines::Escaped), Cow::Borrowed(_)));
    }

    #[test]
    fn every_explicit_control_of_direction_is_escaped() {
        let controls = "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}";
        for control in controls.chars() {
            let shown = visible_text(&control.to_string());
            assert_eq!(shown, format!("\\u{:04x}", u32::from(control)));
        }
        assert!(matches!(written_out("مرحبا بالعالم", Lines::Escaped), Cow::Borrowed(_)));
    }

    #[test]
    fn every_control_character_is_escaped() {
        for control in ('\0'..='\u{ff}').filter(|it| it.is_control()) {
            assert!(visible_name(&control.to_string()).starts_with('\\'), "{control:?}");
        }
    }
}
