//! Numbers of other versions of YAML, such as `1_000` and `0b11`: in YAML 1.2 they are texts, and the reader takes some for
//! numbers.

use std::borrow::Cow;
use std::ops::Range;

use granit_parser::{Parser, ScalarStyle};

/// Stands before such a text where it is to be nothing else. No suite has this character.
const MARK: char = '\u{e000}';

/// The text with each of them marked, so that none is taken for a number; `None` if there are none.
pub(super) fn marked(text: &str) -> Option<String> {
    written(text, |number| format!("{MARK}{number}"))
}

/// The text with each of them in quotes.
pub(super) fn quoted(text: &str) -> Option<String> {
    written(text, |number| format!("'{number}'"))
}

/// A message about marked text, as it is without the marks.
pub(super) fn without_marks(message: &str) -> Cow<'_, str> {
    match message.contains(MARK) {
        true => Cow::Owned(message.replace(MARK, "")),
        false => Cow::Borrowed(message),
    }
}

/// The first of them in a line, counted from 1.
pub(super) fn in_line(text: &str, line: usize) -> Option<&str> {
    let (at, _) = texts(text).into_iter().find(|(_, of)| *of == line)?;
    text.get(at)
}

fn written(text: &str, write: impl Fn(&str) -> String) -> Option<String> {
    let texts = texts(text);
    let mut written = String::with_capacity(text.len() + 2 * texts.len());
    let mut end = 0;
    for (at, _) in &texts {
        written.push_str(text.get(end..at.start)?);
        written.push_str(&write(text.get(at.clone())?));
        end = at.end;
    }
    written.push_str(text.get(end..)?);
    (!texts.is_empty()).then_some(written)
}

/// Where they are, and in which lines.
fn texts(text: &str) -> Vec<(Range<usize>, usize)> {
    if !text.contains('_') && !text.contains("0b") {
        return Vec::new();
    }
    let events = Parser::new_from_str(text).map_while(Result::ok);
    let texts = events.filter_map(|(event, span)| match event.scalar() {
        Some((value, ScalarStyle::Plain)) if is_of_others(value) => {
            Some((span.byte_range()?, span.start.line()))
        }
        _ => None,
    });
    texts.collect()
}

/// Whether other versions of YAML read a number where YAML 1.2 reads a text. With capitals, as in `0B11`, the reader takes
/// none.
fn is_of_others(value: &str) -> bool {
    let unsigned = value.trim_start_matches(['-', '+']);
    let begins = unsigned.trim_start_matches('.').starts_with(|it: char| it.is_ascii_digit());
    let is_of_number = |it: char| it.is_ascii_alphanumeric() || "_.+-".contains(it);
    begins
        && unsigned.chars().all(is_of_number)
        && (unsigned.contains('_') || unsigned.starts_with("0b"))
}
