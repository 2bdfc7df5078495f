//! Strings for schemas: words, formats, and text that a pattern matches.

use regex_syntax::hir::Look;

use crate::lookaround;
use crate::pattern::{TextBuilder, matches, parse_pattern};
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

    #[test]
    fn text_is_generated_for_lookaround_patterns() {
        for pattern in [
            r"^(?=.*[A-Z])(?=.*\d).{8,}$",
            r"^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[@$!%*?&])[A-Za-z\d@$!%*?&]{8,20}$",
            r"^(?!.*foo)(?!bar)[a-z]+$",
            r"^(?=.{8,}$)[a-z]+$",
            r"^(?=[a-c])\w+$",
            r"^(?!0)\d{3,}$",
            r"^\w+(?<!x)$",
            r"(?<=a)b",
            r"^(['\x22]).*\1$",
            r"^(?<q>[a-z]{3})-(?:\1)$",
            r"^(?:(a)|(b))[[]?\2$",
            r"^(?=(?=.*x).*y)[xyz]{2,}$",
            r"^(?=(a))a(b)\2$",
        ] {
            let found =
                (0..40).filter_map(|seed| text_matching(pattern, &mut SeededRandom::new(seed)));
            assert!(found.filter(|text| matches(pattern, text)).count() > 3, "{pattern}");
        }
    }

    #[test]
    fn malformed_patterns_do_not_panic() {
        let deep = "(?=".repeat(10_000);
        for pattern in ["(?=a", "(?=a))", r"\", r"\1", r"(a)\99999999999", "[", "(?<", ")", &deep] {
            let _ = text_matching(pattern, &mut SeededRandom::new(1));
        }
        assert_eq!(
            text_matching(r"a(?=b)c", &mut SeededRandom::new(0)).map(|it| matches("^abc$", &it)),
            Some(false)
        );
    }
}
