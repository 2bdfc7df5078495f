//! Case-insensitive search.

use std::ops::Range;

use memchr::{memchr, memchr2};

/// The searched text, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Needle {
    lower: Vec<char>,
}

impl Needle {
    /// Trims white space around `text`; `None` if nothing remains.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let lower: Vec<char> = text.trim().chars().flat_map(char::to_lowercase).collect();
        (!lower.is_empty()).then_some(Self { lower })
    }

    /// The first place in `text` from `from` on.
    pub(crate) fn find(&self, text: &str, from: usize) -> Option<Range<usize>> {
        let first = *self.lower.first()?;
        let bytes = text.as_bytes();
        let mut at = from;
        // `memchr` finds ASCII letters fast. Two other characters have an ASCII lower case, the Kelvin
        // sign and the dotted capital I, so `k` and `i` are searched character by character.
        let is_quick = first.is_ascii() && !matches!(first, 'k' | 'i');
        while at < text.len() {
            if is_quick {
                let (lower, upper) = (first as u8, first.to_ascii_uppercase() as u8);
                let rest = bytes.get(at..)?;
                at +=
                    if lower == upper { memchr(lower, rest) } else { memchr2(lower, upper, rest) }?;
            }
            if let Some(end) = self.ends(text, at) {
                return Some(at..end);
            }
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
        None
    }

    /// Where the match ends if it begins at `start`.
    fn ends(&self, text: &str, start: usize) -> Option<usize> {
        let mut wanted = self.lower.iter();
        let mut end = start;
        for character in text[start..].chars() {
            if wanted.as_slice().is_empty() {
                break;
            }
            if !character.to_lowercase().all(|lower| wanted.next() == Some(&lower)) {
                return None;
            }
            end += character.len_utf8();
        }
        wanted.as_slice().is_empty().then_some(end)
    }
}

/// All matches of `searched` in `text`; none when `searched` is blank.
#[must_use]
pub fn find_all(text: &str, searched: &str) -> Vec<Range<usize>> {
    let Some(needle) = Needle::new(searched) else { return Vec::new() };
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(range) = needle.find(text, from) {
        from = range.end;
        found.push(range);
    }
    found
}

/// The first match of `searched` in `text` from byte `from` on, which must begin a character.
#[must_use]
pub fn find_first(text: &str, searched: &str, from: usize) -> Option<usize> {
    Needle::new(searched)?.find(text, from).map(|range| range.start)
}

/// The most matches marked in one text: each becomes an element of the page.
const MARKS: usize = 500;

/// `text` split at the matches of `searched`: each piece, and whether it is a match. Only the first 500
/// matches are marked.
#[must_use]
pub fn marked<'a>(text: &'a str, searched: &str) -> Vec<(&'a str, bool)> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for found in find_all(text, searched).into_iter().take(MARKS) {
        pieces.push((&text[from..found.start], false));
        pieces.push((&text[found.clone()], true));
        from = found.end;
    }
    pieces.push((&text[from..], false));
    pieces.retain(|(piece, _)| !piece.is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_does_not_count() {
        assert_eq!(find_all("aaaa", "aa"), [0..2, 2..4]);
        assert_eq!(find_all("ÄÖ äö", "äö"), [0..4, 5..9]);
        assert_eq!(find_all("Lisbon, LISBON", " lisbon "), [0..6, 8..14]);
        assert_eq!(marked("\u{212a}elvin", "k"), [("\u{212a}", true), ("elvin", false)]);
        assert_eq!(find_all("abc", ""), []);
        assert_eq!(find_first("Lisbon, LISBON", "lisbon", 3), Some(8));
        assert_eq!(find_first("Lisbon", "lisbon", 1), None);
        assert_eq!(find_first("Lisbon", " ", 0), None);
        assert_eq!(marked("a room", "ROOM"), [("a ", false), ("room", true)]);
        assert_eq!(marked("", "x"), []);
        assert_eq!(marked(&"x".repeat(800), "x").len(), MARKS + 1);
    }
}
