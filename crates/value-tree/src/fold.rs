//! Finding words whatever their case.

use std::ops::Range;

use memchr::{memchr, memchr2};

/// What is searched, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Needle {
    lower: Vec<char>,
}

impl Needle {
    /// White space around it does not count. `None` when nothing is searched.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let lower: Vec<char> = text.trim().chars().flat_map(char::to_lowercase).collect();
        (!lower.is_empty()).then_some(Self { lower })
    }

    /// The first place in `text` from `from` on.
    pub(crate) fn find(&self, text: &str, from: usize) -> Option<Range<usize>> {
        let first = *self.lower.first()?;
        let bytes = text.as_bytes();
        let mut at = from;
        // Letters of ASCII are looked for at the speed of memory. Two others become one of ASCII
        // in lower case, the Kelvin sign and the dotted capital I: those take the slow way.
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

    /// Where the words end if they begin at `start`.
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

/// Where `searched` stands in `text`, whatever the case; nothing when nothing is searched.
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

/// Where `searched` first stands in `text` from byte `from` on, a character's beginning, whatever the
/// case.
#[must_use]
pub fn find_first(text: &str, searched: &str, from: usize) -> Option<usize> {
    Needle::new(searched)?.find(text, from).map(|range| range.start)
}

/// How many finds are marked in one text: each becomes an element of the page.
const MARKS: usize = 500;

/// `text` cut at what is searched: each piece, and whether it was found. Beyond the first
/// 500 finds nothing is marked.
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
