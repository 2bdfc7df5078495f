//! [`Pattern`]: an ECMA-262 regular expression that this crate can match.
//!
//! Patterns are matched with `regex-lite`, which is small enough for the page. Syntax that it lacks
//! or reads differently (look-around, back references, Unicode classes, `.` and `\s`) is not
//! compiled: such a pattern is left to the host.

use regex_lite::{Regex, RegexBuilder};

/// How large a compiled pattern may be, in bytes; a larger one is left to the host.
const LARGEST: usize = 256 * 1024;

/// Longer texts are not matched while typing.
const LONGEST: usize = 20_000;

/// A regular expression with the same meaning as in ECMA-262.
#[derive(Debug, Clone)]
pub(crate) struct Pattern(Regex);

impl Pattern {
    /// Compiles `source`; `None` when it is not portable.
    pub(crate) fn compile(source: &str) -> Option<Self> {
        if !is_portable(source) {
            return None;
        }
        RegexBuilder::new(source).size_limit(LARGEST).build().ok().map(Self)
    }

    /// Whether the pattern matches anywhere in `text`. `None` when the text is too long to search
    /// while typing.
    pub(crate) fn is_found_in(&self, text: &str) -> Option<bool> {
        (text.len() <= LONGEST).then(|| self.0.is_match(text))
    }
}

/// Whether both dialects read every construct of `source` alike.
fn is_portable(source: &str) -> bool {
    let mut letters = source.chars().peekable();
    let mut in_class = false;
    let mut class_start = false;
    // A quantifier may be followed by one `?` and by no other quantifier.
    let mut quantified = false;
    while let Some(letter) = letters.next() {
        let starts = std::mem::take(&mut class_start);
        let again = std::mem::take(&mut quantified);
        match letter {
            '\\' => match letters.next() {
                Some('d' | 'D' | 'w' | 'W' | 't' | 'n' | 'r' | 'f' | 'v') => {}
                // `\b` is a backspace in a class.
                Some('b' | 'B') if !in_class => {}
                Some(escaped) if escaped.is_ascii_punctuation() => {}
                _ => return false,
            },
            '[' if in_class => return false,
            '[' => {
                in_class = true;
                class_start = true;
                if letters.next_if_eq(&'^').is_some() && letters.peek() == Some(&']') {
                    return false;
                }
            }
            // `[]` is an empty class here and a `]` there.
            ']' if in_class && starts => return false,
            ']' if in_class => in_class = false,
            ']' | '}' => return false,
            // Sets of classes.
            '&' | '~' | '-' if in_class && letters.peek() == Some(&letter) => return false,
            _ if in_class => {}
            '.' => return false,
            '(' if letters.peek() == Some(&'?') => {
                letters.next();
                if letters.next() != Some(':') {
                    return false;
                }
            }
            '*' | '+' | '{' if again => return false,
            '?' if again => {}
            '*' | '+' | '?' => quantified = true,
            '{' => {
                quantified = true;
                let mut digits = 0;
                let mut commas = 0;
                loop {
                    match letters.next() {
                        Some('0'..='9') => digits += 1,
                        Some(',') if digits > 0 && commas == 0 => commas += 1,
                        Some('}') if digits > 0 => break,
                        _ => return false,
                    }
                }
            }
            _ => {}
        }
    }
    !in_class
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portable_patterns_are_matched() {
        for (pattern, text, found) in [
            ("^x-", "x-tag", true),
            ("^x-", "tag x-", false),
            (r"^\d{4}-\d{2}$", "2026-11", true),
            (r"^\d{4}-\d{2}$", "2026-11\n", false),
            (r"^[A-Z]{3}$", "OSL", true),
            (r"^(?:a|b)+$", "abba", true),
            (r"^[^/\]]+$", "a]", false),
            (r"^\d+$", "١", false),
            ("^é$", "é", true),
        ] {
            let compiled = Pattern::compile(pattern).expect(pattern);
            assert_eq!(compiled.is_found_in(text), Some(found), "{pattern} in {text}");
        }
    }

    #[test]
    fn patterns_that_may_differ_are_left_to_the_host() {
        for pattern in [
            "(?=a)", "(?i)a", r"\p{L}", r"(a)\1", "a.b", r"\s", "[]a]", "[^]", "[[a]", "[a&&b]",
            "a{", "a}", r"\u0041", "(?<n>a)", "[a", "(", "a**", r"[\b]", r"\cA", "a{,3}",
        ] {
            assert!(Pattern::compile(pattern).is_none(), "{pattern}");
        }
        assert_eq!(Pattern::compile("a").and_then(|a| a.is_found_in(&"b".repeat(30_000))), None);
    }
}
