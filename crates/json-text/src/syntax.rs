//! Finds the first syntax error of a text, with a readable message.
//!
//! `serde_json` decides what is JSON; this parses a rejected text again for the message.

use std::iter::Peekable;
use std::str::CharIndices;

/// A syntax error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    /// The offset of the wrong character, in bytes; the text's length if it ends too early.
    pub(crate) at: usize,
    /// What is wrong, as a clause without a full stop.
    pub(crate) reason: String,
}

/// The syntax error of `text`; `None` if it is one JSON value.
pub(crate) fn syntax_error(text: &str) -> Option<SyntaxError> {
    Reading { text, rest: text.char_indices().peekable(), open: Vec::new() }.read().err()
}

/// What is expected next.
#[derive(Clone, Copy)]
enum Next {
    Value,
    /// A value, or the end of an empty list.
    FirstItem,
    /// A member's name, or the end of an empty object.
    FirstName,
    Name,
    Colon,
    /// A comma, or the end of the container.
    AfterValue,
}

struct Reading<'t> {
    text: &'t str,
    rest: Peekable<CharIndices<'t>>,
    /// The closing brackets of the open containers, the innermost last.
    open: Vec<char>,
}

/// The start of the message for a text that ends too early.
const ENDS: &str = "the text ends here";

impl Reading<'_> {
    fn read(mut self) -> Result<(), SyntaxError> {
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
                    let reason = "expected a property name in double quotes";
                    return Err(error_at(at, comment_or(letter, &self.rest_of(at), reason)));
                }
                (Next::Colon, ':') => Next::Value,
                (Next::Colon, _) => {
                    let reason = "expected a colon between a property name and its value";
                    return Err(error_at(at, comment_or(letter, &self.rest_of(at), reason)));
                }
                (Next::AfterValue, ',') if self.open.last() == Some(&'}') => Next::Name,
                (Next::AfterValue, ',') if self.open.last() == Some(&']') => Next::Value,
                (Next::AfterValue, _) if self.open.last() == Some(&letter) => {
                    self.open.pop();
                    Next::AfterValue
                }
                (Next::AfterValue, _) => {
                    let reason = match self.open.last() {
                        Some(close) => format!("expected a comma or {close}"),
                        None => "unexpected text after the value".to_owned(),
                    };
                    return Err(error_at(at, comment_or(letter, &self.rest_of(at), &reason)));
                }
            };
        }
    }

    fn rest_of(&self, at: usize) -> String {
        self.text[at..].chars().take(2).collect()
    }

    /// The result at the end of the text, when `next` is expected.
    fn end(self, next: Next) -> Result<(), SyntaxError> {
        let wanted = match (next, self.open.last()) {
            (Next::AfterValue, None) => return Ok(()),
            (Next::AfterValue | Next::FirstItem | Next::FirstName, Some(close)) => {
                format!("{ENDS}, but {close} is missing")
            }
            (Next::Name, _) => format!("{ENDS}, but a property is missing after the comma"),
            (Next::Colon, _) => format!("{ENDS}, but a colon and a value are missing"),
            _ => format!("{ENDS}, but a value is missing"),
        };
        Err(error_at(self.text.len(), wanted))
    }

    /// Reads the rest of a string that begins at `at`.
    fn quoted(&mut self, at: usize) -> Result<(), SyntaxError> {
        while let Some((here, letter)) = self.rest.next() {
            match letter {
                '"' => return Ok(()),
                '\\' => match self.rest.next() {
                    Some((_, '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't')) => {}
                    Some((_, 'u')) => {
                        for _ in 0..4 {
                            if self.rest.next_if(|(_, it)| it.is_ascii_hexdigit()).is_none() {
                                let reason = "expected four hexadecimal digits after \\u";
                                return Err(error_at(here, reason));
                            }
                        }
                    }
                    Some((_, escaped)) => {
                        let reason = format!(
                            "\\{} is not an escape, so write a backslash as \\\\",
                            escaped.escape_debug()
                        );
                        return Err(error_at(here, reason));
                    }
                    None => break,
                },
                '\n' | '\r' => {
                    let reason = "the string is not closed at the end of its line, so close it with \", \
                                  or write the line break as \\n";
                    return Err(error_at(here, reason));
                }
                '\t' => return Err(error_at(here, "write a tab in a string as \\t")),
                '\0'..='\u{1f}' => {
                    let reason = format!(
                        "write a control character in a string as \\u{:04x}",
                        u32::from(letter)
                    );
                    return Err(error_at(here, reason));
                }
                _ => {}
            }
        }
        Err(error_at(at, "the string that begins here is not closed"))
    }

    /// Reads the rest of a number that begins with `first`.
    fn number(&mut self, first: char) -> Result<(), SyntaxError> {
        let here = |reading: &mut Self| reading.rest.peek().map_or(reading.text.len(), |it| it.0);
        let mut first = first;
        if first == '-' {
            match self.rest.next_if(|(_, it)| it.is_ascii_digit()) {
                Some((_, digit)) => first = digit,
                None => return Err(error_at(here(self), "expected a digit after the minus sign")),
            }
        }
        if first == '0' && self.rest.peek().is_some_and(|(_, it)| it.is_ascii_digit()) {
            return Err(error_at(here(self), "a number must not have leading zeros"));
        }
        self.digits();
        if self.rest.next_if(|(_, it)| *it == '.').is_some() && !self.digits() {
            return Err(error_at(here(self), "expected a digit after the decimal point"));
        }
        if self.rest.next_if(|(_, it)| matches!(it, 'e' | 'E')).is_some() {
            let _ = self.rest.next_if(|(_, it)| matches!(it, '+' | '-'));
            if !self.digits() {
                return Err(error_at(here(self), "expected a digit in the exponent"));
            }
        }
        Ok(())
    }

    /// Skips digits; returns whether there were any.
    fn digits(&mut self) -> bool {
        let mut any = false;
        while self.rest.next_if(|(_, it)| it.is_ascii_digit()).is_some() {
            any = true;
        }
        any
    }

    /// Reads `true`, `false` or `null`; anything else is an error.
    fn word(&mut self, at: usize, letter: char) -> Result<(), SyntaxError> {
        /// The most characters of a word that are shown.
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
            ',' | ':' | '}' => "expected a value".to_owned(),
            '\'' => "a string needs double quotes".to_owned(),
            '+' | '.' => "a number begins with a digit or a minus".to_owned(),
            _ if word.is_empty() => comment_or(letter, &self.rest_of(at), "expected a value"),
            _ => {
                let cut = if word.chars().count() > SHOWN { "…" } else { "" };
                let word: String = word.chars().take(SHOWN).collect();
                format!(
                    "{word}{cut} is not a number, true, false or null, and a string needs double quotes"
                )
            }
        };
        Err(error_at(at, reason))
    }
}

fn error_at(at: usize, reason: impl Into<String>) -> SyntaxError {
    SyntaxError { at, reason: reason.into() }
}

fn spare_comma(at: usize, close: char) -> SyntaxError {
    error_at(at, format!("remove the comma before {close}"))
}

/// `reason`, or that JSON has no comments if one begins here.
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
        let fault = syntax_error(text).map(|fault| (fault.at, fault.reason));
        assert_eq!(fault, Some((at, reason.to_owned())), "{text}");
    }

    #[test]
    fn syntax_errors_have_messages_and_offsets() {
        check(r#"{"a": 1 "b": 2}"#, 8, "expected a comma or }");
        check("[1 2]", 3, "expected a comma or ]");
        check("[1}", 2, "expected a comma or ]");
        check("[1,]", 3, "remove the comma before ]");
        check(r#"{"a":1,}"#, 7, "remove the comma before }");
        check("[,1]", 1, "expected a value");
        check(r#"{"a":}"#, 5, "expected a value");
        check("{'a': 1}", 1, "expected a property name in double quotes");
        check("{a: 1}", 1, "expected a property name in double quotes");
        check(r#"{"a" 1}"#, 5, "expected a colon between a property name and its value");
        check("['a']", 1, "a string needs double quotes");
        let nope = "nope is not a number, true, false or null, and a string needs double quotes";
        check("nope", 0, nope);
        check("[tru]", 1, &nope.replace("nope", "tru"));
        check("truer", 4, "unexpected text after the value");
        check("1 2", 2, "unexpected text after the value");
        check("01", 1, "a number must not have leading zeros");
        check("[-]", 2, "expected a digit after the minus sign");
        check("1.", 2, "expected a digit after the decimal point");
        check("1e+", 3, "expected a digit in the exponent");
        check("+1", 0, "a number begins with a digit or a minus");
        check("", 0, "the text ends here, but a value is missing");
        check("[1", 2, "the text ends here, but ] is missing");
        check(r#"{"a":1,"#, 7, "the text ends here, but a property is missing after the comma");
        check(r#"{"a"#, 1, "the string that begins here is not closed");
        check(
            "\"a\nb\"",
            2,
            "the string is not closed at the end of its line, so close it with \", or write the line break as \\n",
        );
        check("\"\tb\"", 1, "write a tab in a string as \\t");
        check("\"\u{1}\"", 1, "write a control character in a string as \\u0001");
        check(r#""\d""#, 1, "\\d is not an escape, so write a backslash as \\\\");
        check(r#""\u12g4""#, 1, "expected four hexadecimal digits after \\u");
        check("[1] // one", 4, "JSON has no comments");
        check("{ /* a */ }", 2, "JSON has no comments");
    }

    proptest! {
        #[test]
        fn text_that_the_parser_accepts_has_no_error(text in "[\\[\\]{}:,\"\\\\ \\n0-9.eE+tfnrualse-]{0,24}") {
            let taken = serde_json::from_str::<&RawValue>(&text).is_ok();
            prop_assert_eq!(syntax_error(&text).is_none(), taken, "{:?}", syntax_error(&text));
        }
    }
}
