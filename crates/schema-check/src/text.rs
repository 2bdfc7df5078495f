//! Strings for schemas: words, formats, and text that a pattern matches.

use std::collections::HashMap;

use regex_syntax::hir::{Class, Hir, HirKind, Look};

use crate::around;
use crate::chance::Chance;

/// Words that have gone wrong somewhere: quotes, line ends, other scripts, what looks like
/// something else.
const WORDS: [&str; 14] = [
    "tea",
    "Lisbon",
    "a longer sentence, with a comma",
    "Zoë",
    "北京",
    "\u{1f375}",
    "two\nlines",
    "\"quoted\"",
    "back\\slash",
    "null",
    "12",
    " ",
    "a\tb",
    "<b>",
];

/// A word.
pub(crate) fn word(chance: &mut Chance) -> String {
    chance.one_of(&WORDS).map_or_else(String::new, |word| (*word).to_owned())
}

/// A string of this `format`, one of three; `None` for one that is not known.
pub(crate) fn formatted(format: &str, chance: &mut Chance) -> Option<String> {
    let texts = match format {
        "date" => ["2026-11-21", "2024-02-29", "1999-12-31"],
        "time" => ["06:10:00Z", "23:59:59.5Z", "12:00:00+02:00"],
        "date-time" => {
            ["2026-11-21T06:10:00Z", "2024-02-29T23:59:59.5Z", "1999-12-31T12:00:00+02:00"]
        }
        "duration" => ["PT1H30M", "P1D", "P2W"],
        "email" | "idn-email" => ["ada@example.com", "grace.hopper@example.org", "x+y@example.net"],
        "hostname" | "idn-hostname" => ["example.com", "www.example.org", "localhost"],
        "ipv4" => ["192.0.2.1", "198.51.100.255", "203.0.113.7"],
        "ipv6" => ["2001:db8::1", "::1", "fe80::1:2"],
        "uri" | "url" | "uri-reference" | "iri" | "iri-reference" => {
            ["https://example.com/a?b=c", "http://example.org/", "https://example.net:8443/x#y"]
        }
        "uuid" => [
            "6f2b1c1e-8a53-4f0e-9d57-2f4a2f9b7c11",
            "0b8f5d1e-3c43-4c55-8e1b-7f2f7c9d4a02",
            "c2f1a7d4-91be-4b6a-a0d3-5e8c6b1f9e03",
        ],
        "json-pointer" => ["/a/0", "/b~1c", ""],
        "regex" => ["^a+$", "[0-9]{3}", "x|y"],
        "byte" => ["dGVh", "Y29mZmVl", "bWlsaw=="],
        _ => return None,
    };
    chance.one_of(&texts).map(|text| (*text).to_owned())
}

/// A string that `pattern` matches; where it looks around or refers back, a guess. `None` for
/// patterns with what is neither that nor known to regular expressions in the strict sense.
pub(crate) fn matching(pattern: &str, chance: &mut Chance) -> Option<String> {
    let Some(parsed) = parsed(pattern) else { return around::guessed(pattern, chance) };
    let mut written = Written::default();
    written.write(&parsed, chance)?;
    let out = written.text;
    // What is not held at its end may go on: `^x-` is not one text alone.
    let is_held = parsed.properties().look_set_suffix().contains(Look::End);
    if !is_held && chance.one_in(2) {
        let longer = format!("{out}{}", chance.below(1000));
        if matches(pattern, &longer) {
            return Some(longer);
        }
    }
    Some(out)
}

/// The pattern as a regular expression in the strict sense; `None` where it is none.
pub(crate) fn parsed(pattern: &str) -> Option<Hir> {
    regex_syntax::Parser::new().parse(pattern).ok()
}

/// Text under way that a pattern matches.
#[derive(Debug, Default)]
pub(crate) struct Written<'g> {
    pub(crate) text: String,
    /// Whether what may repeat is written as seldom as it may be.
    brief: bool,
    /// The numbers that the groups have for those who refer to them.
    groups: &'g [usize],
    /// What stands in the groups so far.
    captured: HashMap<usize, String>,
}

impl<'g> Written<'g> {
    /// With groups that [`around::group_of`] letters refer to.
    pub(crate) fn of_groups(groups: &'g [usize], brief: bool) -> Self {
        Self { groups, brief, ..Self::default() }
    }

    /// Adds text that `part` matches.
    pub(crate) fn write(&mut self, part: &Hir, chance: &mut Chance) -> Option<()> {
        if self.text.len() > 10_000 {
            return None;
        }
        match part.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => {
                for letter in std::str::from_utf8(&literal.0).ok()?.chars() {
                    match around::group_of(letter) {
                        Some(group) => {
                            let again = self.captured.get(&group).map_or("", String::as_str);
                            self.text.push_str(again);
                        }
                        None => self.text.push(letter),
                    }
                }
            }
            HirKind::Class(Class::Unicode(class)) => {
                // What can be read, where the class has it.
                let readable: Vec<char> = (' '..='~')
                    .filter(|letter| {
                        class.iter().any(|range| (range.start()..=range.end()).contains(letter))
                    })
                    .collect();
                let letter = chance.one_of(&readable).copied();
                self.text.push(letter.or_else(|| class.iter().next().map(|it| it.start()))?);
            }
            HirKind::Class(Class::Bytes(_)) => return None,
            HirKind::Repetition(repetition) => {
                let spare =
                    repetition.max.map_or(3, |max| max.saturating_sub(repetition.min).min(3));
                let spare = if self.brief { 0 } else { spare as usize };
                let times = repetition.min as usize + chance.below(spare + 1);
                for _ in 0..times {
                    self.write(&repetition.sub, chance)?;
                }
            }
            HirKind::Capture(capture) => {
                let start = self.text.len();
                self.write(&capture.sub, chance)?;
                let number = usize::try_from(capture.index).ok()?.checked_sub(1)?;
                if let Some(group) = self.groups.get(number) {
                    self.captured.insert(*group, self.text[start..].to_owned());
                }
            }
            HirKind::Concat(parts) => {
                for part in parts {
                    self.write(part, chance)?;
                }
            }
            HirKind::Alternation(parts) => {
                let part = chance.one_of(parts)?;
                self.write(part, chance)?;
            }
        }
        Some(())
    }
}

/// How long texts are that `pattern` matches, in characters: the least, and the most where there is
/// an end to it. `None` for patterns with what regular expressions in the strict sense do not have.
///
/// ```
/// assert_eq!(schema_check::pattern_lengths("^[A-Z]{3}(-\\d)?$"), Some((3, Some(5))));
/// assert_eq!(schema_check::pattern_lengths("[A-Z]{3}"), Some((3, None)));
/// assert_eq!(schema_check::pattern_lengths("^(?=a)b"), None);
/// ```
#[must_use]
pub fn pattern_lengths(pattern: &str) -> Option<(usize, Option<usize>)> {
    let parsed = parsed(pattern)?;
    let (least, most) = lengths(&parsed);
    // What is not held at both ends may stand in a longer text.
    let properties = parsed.properties();
    let is_held = properties.look_set_prefix().contains(Look::Start)
        && properties.look_set_suffix().contains(Look::End);
    Some((least, most.filter(|_| is_held)))
}

fn lengths(part: &Hir) -> (usize, Option<usize>) {
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) => (0, Some(0)),
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => (text.chars().count(), Some(text.chars().count())),
            Err(_) => (0, None),
        },
        HirKind::Class(_) => (1, Some(1)),
        HirKind::Repetition(repetition) => {
            let (least, most) = lengths(&repetition.sub);
            let times = repetition.max.and_then(|max| usize::try_from(max).ok());
            let most = most.zip(times).map(|(most, times)| most.saturating_mul(times));
            (least.saturating_mul(repetition.min as usize), most)
        }
        HirKind::Capture(capture) => lengths(&capture.sub),
        HirKind::Concat(parts) => parts.iter().map(lengths).fold((0, Some(0)), |sum, part| {
            let most = sum.1.zip(part.1).map(|(sum, part)| sum.saturating_add(part));
            (sum.0.saturating_add(part.0), most)
        }),
        HirKind::Alternation(parts) => {
            let each: Vec<_> = parts.iter().map(lengths).collect();
            let least = each.iter().map(|(least, _)| *least).min().unwrap_or(0);
            let most: Option<Vec<usize>> = each.into_iter().map(|(_, most)| most).collect();
            (least, most.and_then(|most| most.into_iter().max()))
        }
    }
}

/// Whether `pattern` matches `text`; `false` for patterns that do not compile.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let schema = serde_json::json!({ "pattern": pattern });
    let check = jsonschema::validator_for(&schema);
    check.is_ok_and(|check| check.is_valid(&serde_json::Value::from(text)))
}

/// The text of a URI's fragment; `None` where that is not text.
pub(crate) fn percent_decoded(fragment: &str) -> Option<String> {
    let bytes = fragment.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while let Some(byte) = bytes.get(index) {
        let pair = bytes.get(index + 1..index + 3).and_then(|pair| std::str::from_utf8(pair).ok());
        let code = pair.and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match code.filter(|_| *byte == b'%') {
            Some(code) => {
                out.push(code);
                index += 3;
            }
            None => {
                out.push(*byte);
                index += 1;
            }
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_for_a_pattern_matches_it() {
        for pattern in [
            "^[A-Z]{3}-\\d{4}$",
            "(a|bc)+x?",
            "^\\p{Greek}+$",
            "^(?:\\+|00)[1-9][0-9]{6,14}$",
            "\\bword\\b",
            "^$",
        ] {
            for seed in 0..20 {
                let made = matching(pattern, &mut Chance::new(seed)).expect("a plain pattern");
                assert!(matches(pattern, &made), "{pattern} does not match {made:?}");
            }
        }
    }
}
