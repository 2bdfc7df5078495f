//! Strings for schemas: words, formats, and text that a pattern matches.

use std::collections::HashMap;

use regex_syntax::hir::{Class, Hir, HirKind, Look};

use crate::lookaround;
use crate::random::SeededRandom;

/// Words that often break software: quotes, line ends, other scripts, text that looks like another
/// type.
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
pub(crate) fn word(random: &mut SeededRandom) -> String {
    random.one_of(&WORDS).map_or_else(String::new, |word| (*word).to_owned())
}

/// A string of this `format`, one of three; `None` for an unknown format.
pub(crate) fn text_of_format(format: &str, random: &mut SeededRandom) -> Option<String> {
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
    random.one_of(&texts).map(|text| (*text).to_owned())
}

/// A string that `pattern` matches; a guess for look-arounds and back references. `None` for other
/// unsupported syntax.
pub(crate) fn text_matching(pattern: &str, random: &mut SeededRandom) -> Option<String> {
    let Some(parsed) = parse_pattern(pattern) else {
        return lookaround::guess_match(pattern, random);
    };
    let mut builder = TextBuilder::default();
    builder.write(&parsed, random)?;
    let out = builder.text;
    // A pattern without an end anchor may continue: `^x-` matches more than one text.
    let is_anchored = parsed.properties().look_set_suffix().contains(Look::End);
    if !is_anchored && random.one_in(2) {
        let longer = format!("{out}{}", random.below(1000));
        if matches(pattern, &longer) {
            return Some(longer);
        }
    }
    Some(out)
}

/// The pattern as a regular expression without look-arounds and back references, else `None`.
pub(crate) fn parse_pattern(pattern: &str) -> Option<Hir> {
    regex_syntax::Parser::new().parse(pattern).ok()
}

/// Builds text that a pattern matches.
#[derive(Debug, Default)]
pub(crate) struct TextBuilder<'g> {
    pub(crate) text: String,
    /// Whether repetitions are written the fewest allowed times.
    brief: bool,
    /// The group numbers in the whole pattern, which back references use.
    groups: &'g [usize],
    /// The text captured by each group so far.
    captured: HashMap<usize, String>,
}

impl<'g> TextBuilder<'g> {
    /// With groups that [`lookaround::group_of`] letters refer to.
    pub(crate) fn of_groups(groups: &'g [usize], brief: bool) -> Self {
        Self { groups, brief, ..Self::default() }
    }

    /// Adds text that `part` matches.
    pub(crate) fn write(&mut self, part: &Hir, random: &mut SeededRandom) -> Option<()> {
        if self.text.len() > 10_000 {
            return None;
        }
        match part.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => {
                for letter in std::str::from_utf8(&literal.0).ok()?.chars() {
                    match lookaround::group_of(letter) {
                        Some(group) => {
                            let again = self.captured.get(&group).map_or("", String::as_str);
                            self.text.push_str(again);
                        }
                        None => self.text.push(letter),
                    }
                }
            }
            HirKind::Class(Class::Unicode(class)) => {
                // Printable ASCII, where the class has it.
                let readable: Vec<char> = (' '..='~')
                    .filter(|letter| {
                        class.iter().any(|range| (range.start()..=range.end()).contains(letter))
                    })
                    .collect();
                let letter = random.one_of(&readable).copied();
                self.text.push(letter.or_else(|| class.iter().next().map(|it| it.start()))?);
            }
            HirKind::Class(Class::Bytes(_)) => return None,
            HirKind::Repetition(repetition) => {
                let spare =
                    repetition.max.map_or(3, |max| max.saturating_sub(repetition.min).min(3));
                let spare = if self.brief { 0 } else { spare as usize };
                let times = repetition.min as usize + random.below(spare + 1);
                for _ in 0..times {
                    self.write(&repetition.sub, random)?;
                }
            }
            HirKind::Capture(capture) => {
                let start = self.text.len();
                self.write(&capture.sub, random)?;
                let number = usize::try_from(capture.index).ok()?.checked_sub(1)?;
                if let Some(group) = self.groups.get(number) {
                    self.captured.insert(*group, self.text[start..].to_owned());
                }
            }
            HirKind::Concat(parts) => {
                for part in parts {
                    self.write(part, random)?;
                }
            }
            HirKind::Alternation(parts) => {
                let part = random.one_of(parts)?;
                self.write(part, random)?;
            }
        }
        Some(())
    }
}

/// The lengths of the texts that `pattern` matches, in characters: the minimum, and the maximum if
/// bounded. `None` for patterns with look-arounds or back references.
///
/// ```
/// assert_eq!(schema_check::pattern_lengths("^[A-Z]{3}(-\\d)?$"), Some((3, Some(5))));
/// assert_eq!(schema_check::pattern_lengths("[A-Z]{3}"), Some((3, None)));
/// assert_eq!(schema_check::pattern_lengths("^(?=a)b"), None);
/// ```
#[must_use]
pub fn pattern_lengths(pattern: &str) -> Option<(usize, Option<usize>)> {
    let parsed = parse_pattern(pattern)?;
    let (least, most) = lengths(&parsed);
    // A pattern without both anchors also matches inside a longer text.
    let properties = parsed.properties();
    let is_anchored = properties.look_set_prefix().contains(Look::Start)
        && properties.look_set_suffix().contains(Look::End);
    Some((least, most.filter(|_| is_anchored)))
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

/// The percent-decoded URI fragment; `None` when it is not UTF-8.
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
    fn generated_text_matches_its_pattern() {
        for pattern in [
            "^[A-Z]{3}-\\d{4}$",
            "(a|bc)+x?",
            "^\\p{Greek}+$",
            "^(?:\\+|00)[1-9][0-9]{6,14}$",
            "\\bword\\b",
            "^$",
        ] {
            for seed in 0..20 {
                let generated =
                    text_matching(pattern, &mut SeededRandom::new(seed)).expect("a plain pattern");
                assert!(matches(pattern, &generated), "{pattern} does not match {generated:?}");
            }
        }
    }
}
