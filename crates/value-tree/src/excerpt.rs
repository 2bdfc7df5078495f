//! Text from tools, made safe to draw: cut to what an eye can take in, and with the characters that
//! show as nothing or turn the line around written out.

pub use json_text::written_out::{Lines, visible_name, visible_text, written_out};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_fall_between_characters() {
        assert_eq!(beginning("añb", 2), "a");
        assert_eq!(beginning("añb", 3), "añ");
        assert_eq!(beginning("ab", 10), "ab");
    }
}
