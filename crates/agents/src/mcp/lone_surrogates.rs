//! [`replace_lone_surrogates`]: replaces the lone surrogates of a message.
//!
//! JavaScript may cut a text inside of an emoji and write the rest as `\ud83d`. The library's parser rejects
//! the whole message then.

use std::borrow::Cow;

/// The log line for a message with lone surrogates.
pub(super) const REPLACED: &str =
    "A message of the server contains a lone surrogate, which is read as \u{fffd}.";
/// The characters of an escape such as `\ud83d`.
const ESCAPE: usize = 6;

/// The JSON `message` with U+FFFD for each lone surrogate.
pub(super) fn replace_lone_surrogates(message: &str) -> Cow<'_, str> {
    if !message.contains("\\ud") && !message.contains("\\uD") {
        return Cow::Borrowed(message);
    }
    let mut whole = String::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(found) = message[at..].find('\\') {
        at += found;
        let next = &message[at..];
        match surrogate(next) {
            Some(Surrogate::High)
                if matches!(next.get(ESCAPE..).and_then(surrogate), Some(Surrogate::Low)) =>
            {
                at += 2 * ESCAPE;
            }
            Some(_) => {
                whole.push_str(&message[kept..at]);
                whole.push('\u{fffd}');
                at += ESCAPE;
                kept = at;
            }
            // A backslash and what it escapes.
            None => at += 1 + next.chars().nth(1).map_or(0, char::len_utf8),
        }
    }
    if kept == 0 {
        return Cow::Borrowed(message);
    }
    whole.push_str(&message[kept..]);
    Cow::Owned(whole)
}

#[derive(Debug, PartialEq, Eq)]
enum Surrogate {
    High,
    Low,
}

/// Which surrogate is escaped at the beginning of the text.
fn surrogate(text: &str) -> Option<Surrogate> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xd800..=0xdbff => Some(Surrogate::High),
        0xdc00..=0xdfff => Some(Surrogate::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_only_lone_surrogates() {
        for (written, read) in [
            (r#""a\ud83d b""#, "\"a\u{fffd} b\""),
            (r#""\uDE00\ud83d""#, "\"\u{fffd}\u{fffd}\""),
            (r#""\ud83d\ud83d\ude00""#, "\"\u{fffd}\\ud83d\\ude00\""),
            (r#""\ud83d\n\\ud83d\ud7ff\u00e9""#, "\"\u{fffd}\\n\\\\ud83d\\ud7ff\\u00e9\""),
            (r#""\ud83d\ude00 \\ude00""#, r#""\ud83d\ude00 \\ude00""#),
            (r"\ud8", r"\ud8"),
            (r"\é\ud83d", "\\é\u{fffd}"),
            (r"\ud83d\", "\u{fffd}\\"),
        ] {
            assert_eq!(replace_lone_surrogates(written), read, "{written}");
        }
    }
}
