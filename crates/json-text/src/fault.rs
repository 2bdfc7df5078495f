//! Where a text stops being JSON, and why, in words for whoever wrote it.
//!
//! `serde_json` decides what is JSON; this reads a text again that it refused.

use std::iter::Peekable;
use std::str::CharIndices;

/// What keeps a text from being JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The place of the character that is wrong, in bytes; the text's length where it ends too soon.
    pub(crate) at: usize,
    /// What is wrong there: a clause, without a full stop.
    pub(crate) reason: String,
}

/// What keeps `text` from being JSON; `None` where it is one JSON value.
pub(crate) fn fault(text: &str) -> Option<Fault> {
    Reading { text, rest: text.char_indices().peekable(), open: Vec::new() }.read().err()
}

/// What may come next.
#[derive(Clone, Copy)]
enum Next {
    Value,
    /// A value, or the end of the list that has just begun.
    FirstItem,
    /// A member's name, or the end of the object that has just begun.
    FirstName,
    Name,
    Colon,
    /// A comma, or the end of what is open.
    AfterValue,
}

struct Reading<'t> {
    text: &'t str,
    rest: Peekable<CharIndices<'t>>,
    /// The brackets that close what is open, the innermost last.
    open: Vec<char>,
}

/// The end of a text that breaks off.
const ENDS: &str = "the text ends here";

impl Reading<'_> {
    fn read(mut self) -> Result<(), Fault> {
        let mut next = Next::Value;
        loop {
            while self.rest.next_if(|(_, it)| matches!(it, ' ' | '\t' | '\n' | '\r')).is_some() {}
            let Some((at, letter)) = self.rest.next() else { return self.end(next) };
            next = match (next, letter) {
                (Next::Value | Next::FirstItem, '{') => {
                    self.open.push('}');
                    Next::FirstName
                }
                (Next::Value | Next::FirstItem, '[') => {
                    self.open.push(']');
                    Next::FirstItem
                }
                (Next::FirstItem, ']') | (Next::FirstName, '}') => {
                    self.open.pop();
                    Next::AfterValue
                }
                (Next::Value | Next::FirstItem, '"') => {
                    self.quoted(at)?;
                    Next::AfterValue
                }
                (Next::Value | Next::FirstItem, '-' | '0'..='9') => {
                    self.number(letter)?;
                    Next::AfterValue
                }
                (Next::Value | Next::FirstItem, _) => {
                    self.word(at, letter)?;
                    Next::AfterValue
                }
                (Next::FirstName | Next::Name, '"') => {
                    self.quoted(at)?;
                    Next::Colon
                }
                (Next::Name, '}') => return Err(spare_comma(at, '}')),
                (Next::FirstName | Next::Name, _) => {
                    let reason = "a member's name in double quotes belongs here";
                    return Err(fault_at(at, comment_or(letter, &self.rest_of(at), reason)));
                }
                (Next::Colon, ':') => Next::Value,
                (Next::Colon, _) => {
                    let reason = "a colon belongs here, between a member's name and its value";
                    return Err(fault_at(at, comment_or(letter, &self.rest_of(at), reason)));
                }
                (Next::AfterValue, ',') if self.open.last() == Some(&'}') => Next::Name,
                (Next::AfterValue, ',') if self.open.last() == Some(&']') => Next::Value,
                (Next::AfterValue, _) if self.open.last() == Some(&letter) => {
                    self.open.pop();
                    Next::AfterValue
                }
                (Next::AfterValue, _) => {
                    let reason = match self.open.last() {
                        Some(close) => format!("a comma or {close} belongs here"),
                        None => "the value has ended, and something stands behind it".to_owned(),
                    };
                    return Err(fault_at(at, comment_or(letter, &self.rest_of(at), &reason)));
                }
            };
        }
    }

    fn rest_of(&self, at: usize) -> String {
        self.text[at..].chars().take(2).collect()
    }

    /// The text is at its end where `next` was awaited.
    fn end(self, next: Next) -> Result<(), Fault> {
        let wanted = match (next, self.open.last()) {
            (Next::AfterValue, None) => return Ok(()),
            (Next::AfterValue | Next::FirstItem | Next::FirstName, Some(close)) => {
                format!("{ENDS}, and {close} is missing")
            }
            (Next::Name, _) => format!("{ENDS}, and a member is missing after the comma"),
            (Next::Colon, _) => format!("{ENDS}, and a colon and a value are missing"),
            _ => format!("{ENDS}, and a value is missing"),
        };
        Err(fault_at(self.text.len(), wanted))
    }

    /// The rest of a text in quotes that begins `at`.
    fn quoted(&mut self, at: usize) -> Result<(), Fault> {
        while let Some((here, letter)) = self.rest.next() {
            match letter {
                '"' => return Ok(()),
                '\\' => match self.rest.next() {
                    Some((_, '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't')) => {}
                    Some((_, 'u')) => {
                        for _ in 0..4 {
                            if self.rest.next_if(|(_, it)| it.is_ascii_hexdigit()).is_none() {
                                let reason = "four hexadecimal digits belong after \\u";
                                return Err(fault_at(here, reason));
                            }
                        }
                    }
                    Some((_, escaped)) => {
                        let reason = format!(
                            "\\{} means nothing; a backslash itself is written \\\\",
                            escaped.escape_debug()
                        );
                        return Err(fault_at(here, reason));
                    }
                    None => break,
                },
                '\n' | '\r' => {
                    let reason = "a text in quotes runs over the end of its line; close it with \", \
                                  or write the line's end as \\n";
                    return Err(fault_at(here, reason));
                }
                '\t' => return Err(fault_at(here, "a tab in a text is written \\t")),
                '\0'..='\u{1f}' => {
                    let reason = format!(
                        "a control character in a text is written \\u{:04x}",
                        u32::from(letter)
                    );
                    return Err(fault_at(here, reason));
                }
                _ => {}
            }
        }
        Err(fault_at(at, "the text in quotes that begins here is not closed"))
    }

    /// The rest of a number that begins with `first`.
    fn number(&mut self, first: char) -> Result<(), Fault> {
        let here = |reading: &mut Self| reading.rest.peek().map_or(reading.text.len(), |it| it.0);
        let mut first = first;
        if first == '-' {
            match self.rest.next_if(|(_, it)| it.is_ascii_digit()) {
                Some((_, digit)) => first = digit,
                None => return Err(fault_at(here(self), "a digit belongs after the minus")),
            }
        }
        if first == '0' && self.rest.peek().is_some_and(|(_, it)| it.is_ascii_digit()) {
            return Err(fault_at(here(self), "a number cannot begin with 0 and go on with digits"));
        }
        self.digits();
        if self.rest.next_if(|(_, it)| *it == '.').is_some() && !self.digits() {
            return Err(fault_at(here(self), "a digit belongs after the point of a number"));
        }
        if self.rest.next_if(|(_, it)| matches!(it, 'e' | 'E')).is_some() {
            let _ = self.rest.next_if(|(_, it)| matches!(it, '+' | '-'));
            if !self.digits() {
                return Err(fault_at(here(self), "a digit belongs into the exponent of a number"));
            }
        }
        Ok(())
    }

    /// Whether digits stood here; they are passed.
    fn digits(&mut self) -> bool {
        let mut any = false;
        while self.rest.next_if(|(_, it)| it.is_ascii_digit()).is_some() {
            any = true;
        }
        any
    }

    /// `true`, `false` or `null`; anything else is no value.
    fn word(&mut self, at: usize, letter: char) -> Result<(), Fault> {
        /// How much of a word is repeated.
        const SHOWN: usize = 20;
        for word in ["true", "false", "null"] {
            if self.text[at..].starts_with(word) {
                // The first letter has been taken.
                self.rest.nth(word.len() - 2);
                return Ok(());
            }
        }
        let word: String =
            self.text[at..].chars().take_while(|it| it.is_alphanumeric() || *it == '_').collect();
        let reason = match letter {
            ']' => return Err(spare_comma(at, ']')),
            ',' | ':' | '}' => "a value belongs here".to_owned(),
            '\'' => "a text needs double quotes".to_owned(),
            '+' | '.' => "a number begins with a digit or a minus".to_owned(),
            _ if word.is_empty() => comment_or(letter, &self.rest_of(at), "a value belongs here"),
            _ => {
                let cut = if word.chars().count() > SHOWN { "…" } else { "" };
                let word: String = word.chars().take(SHOWN).collect();
                format!(
                    "{word}{cut} is no number, nor true, false or null; a text needs double quotes"
                )
            }
        };
        Err(fault_at(at, reason))
    }
}

fn fault_at(at: usize, reason: impl Into<String>) -> Fault {
    Fault { at, reason: reason.into() }
}

fn spare_comma(at: usize, close: char) -> Fault {
    fault_at(at, format!("no comma may stand before {close}"))
}

/// `reason`, or that what begins here is a comment.
fn comment_or(letter: char, start: &str, reason: &str) -> String {
    if letter == '#' || start == "//" || start == "/*" {
        "JSON has no comments".to_owned()
    } else {
        reason.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    use super::*;

    #[track_caller]
    fn check(text: &str, at: usize, reason: &str) {
        let fault = fault(text).map(|fault| (fault.at, fault.reason));
        assert_eq!(fault, Some((at, reason.to_owned())), "{text}");
    }

    #[test]
    fn what_is_wrong_is_told_in_words_at_its_place() {
        check(r#"{"a": 1 "b": 2}"#, 8, "a comma or } belongs here");
        check("[1 2]", 3, "a comma or ] belongs here");
        check("[1}", 2, "a comma or ] belongs here");
        check("[1,]", 3, "no comma may stand before ]");
        check(r#"{"a":1,}"#, 7, "no comma may stand before }");
        check("[,1]", 1, "a value belongs here");
        check(r#"{"a":}"#, 5, "a value belongs here");
        check("{'a': 1}", 1, "a member's name in double quotes belongs here");
        check("{a: 1}", 1, "a member's name in double quotes belongs here");
        check(r#"{"a" 1}"#, 5, "a colon belongs here, between a member's name and its value");
        check("['a']", 1, "a text needs double quotes");
        let nope = "nope is no number, nor true, false or null; a text needs double quotes";
        check("nope", 0, nope);
        check("[tru]", 1, &nope.replace("nope", "tru"));
        check("truer", 4, "the value has ended, and something stands behind it");
        check("1 2", 2, "the value has ended, and something stands behind it");
        check("01", 1, "a number cannot begin with 0 and go on with digits");
        check("[-]", 2, "a digit belongs after the minus");
        check("1.", 2, "a digit belongs after the point of a number");
        check("1e+", 3, "a digit belongs into the exponent of a number");
        check("+1", 0, "a number begins with a digit or a minus");
        check("", 0, "the text ends here, and a value is missing");
        check("[1", 2, "the text ends here, and ] is missing");
        check(r#"{"a":1,"#, 7, "the text ends here, and a member is missing after the comma");
        check(r#"{"a"#, 1, "the text in quotes that begins here is not closed");
        check(
            "\"a\nb\"",
            2,
            "a text in quotes runs over the end of its line; close it with \", or write the line's end as \\n",
        );
        check("\"\tb\"", 1, "a tab in a text is written \\t");
        check("\"\u{1}\"", 1, "a control character in a text is written \\u0001");
        check(r#""\d""#, 1, "\\d means nothing; a backslash itself is written \\\\");
        check(r#""\u12g4""#, 1, "four hexadecimal digits belong after \\u");
        check("[1] // one", 4, "JSON has no comments");
        check("{ /* a */ }", 2, "JSON has no comments");
    }

    proptest! {
        #[test]
        fn what_the_parser_takes_has_no_fault(text in "[\\[\\]{}:,\"\\\\ \\n0-9.eE+tfnrualse-]{0,24}") {
            let taken = serde_json::from_str::<&RawValue>(&text).is_ok();
            prop_assert_eq!(fault(&text).is_none(), taken, "{:?}", fault(&text));
        }
    }
}
