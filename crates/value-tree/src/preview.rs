//! A value on one line: the tokens of its beginning, each with its color.
//!
//! The time depends on what is shown, not on the size of the value: members are read one by one until
//! the line is full, and large containers are shown without a count.

use json_text::{JsonText, Kind};

use crate::excerpt::{Lines, beginning, written_out};
use crate::scan::{self, Members};

/// What a token is, which decides its color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenColor {
    /// Brackets, commas, counts.
    Plain,
    /// A member's name.
    Key,
    /// A string.
    Text,
    /// A number or a boolean.
    Number,
    /// `null`
    Nothing,
}

impl TokenColor {
    /// The class in the stylesheet.
    #[must_use]
    pub fn class(self) -> &'static str {
        match self {
            Self::Plain => "ink-plain",
            Self::Key => "ink-key",
            Self::Text => "ink-text",
            Self::Number => "ink-number",
            Self::Nothing => "ink-nothing",
        }
    }
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its color.
    pub ink: TokenColor,
    /// Its text, safe to draw.
    pub text: String,
}

/// How many characters of one string a line shows.
const STRING: usize = 80;
/// How far into a container the counting of its members goes, in bytes.
const COUNTED: usize = 16 * 1024;

/// The beginning of `value` in about `budget` characters.
#[must_use]
pub fn preview(value: &JsonText, budget: usize) -> Vec<Token> {
    of_text(value.as_str(), budget, 2)
}

/// The beginning of the value whose text is `text`, with so many levels of it.
pub(crate) fn of_text(text: &str, budget: usize, levels: usize) -> Vec<Token> {
    let mut line = Line { tokens: Vec::new(), left: budget };
    line.value(text, levels);
    line.tokens
}

/// The members of the container whose text is `text`, without its brackets.
pub(crate) fn inside(text: &str, budget: usize) -> Vec<Token> {
    let mut line = Line { tokens: Vec::new(), left: budget };
    line.members(text, TokenColor::Key, 1);
    line.tokens
}

/// The members of a call's arguments, for between the parentheses: `a: 5, b: 3`.
#[must_use]
pub fn arguments(value: &JsonText, budget: usize) -> Vec<Token> {
    let mut line = Line { tokens: Vec::new(), left: budget };
    match value.kind() {
        Kind::Object => line.members(value.as_str(), TokenColor::Plain, 2),
        _ => line.value(value.as_str(), 2),
    }
    line.tokens
}

/// The tokens as text.
#[must_use]
pub fn plain(tokens: &[Token]) -> String {
    tokens.iter().map(|token| token.text.as_str()).collect()
}

/// The name whose literal is `key`, on one line and not too long.
pub(crate) fn name(key: &str) -> String {
    let (content, is_whole) = scan::content_head(key, STRING);
    let shown = written_out(&content, Lines::Escaped).into_owned();
    if is_whole { cut(&shown, STRING) } else { format!("{shown}…") }
}

struct Line {
    tokens: Vec<Token>,
    left: usize,
}

impl Line {
    fn push(&mut self, ink: TokenColor, text: impl Into<String>) {
        let text = text.into();
        self.left = self.left.saturating_sub(text.chars().count());
        self.tokens.push(Token { ink, text });
    }

    fn value(&mut self, text: &str, levels: usize) {
        match text.as_bytes().first() {
            Some(b'n') | None => self.push(TokenColor::Nothing, "null"),
            Some(b'"') => {
                let (content, is_whole) = scan::content_head(text, STRING);
                let shown = beginning(&content, STRING);
                let end = if is_whole && shown.len() == content.len() { "\"" } else { "…\"" };
                self.push(
                    TokenColor::Text,
                    format!("\"{}{end}", written_out(shown, Lines::Quoted)),
                );
            }
            Some(b'[' | b'{') => {
                let is_list = text.starts_with('[');
                if levels == 0 || scan::is_empty(text) {
                    self.push(TokenColor::Plain, counted(text));
                } else {
                    self.push(TokenColor::Plain, if is_list { "[" } else { "{ " });
                    self.members(text, TokenColor::Key, levels);
                    self.push(TokenColor::Plain, if is_list { "]" } else { " }" });
                }
            }
            Some(_) => self.push(TokenColor::Number, cut(text, STRING)),
        }
    }

    fn members(&mut self, text: &str, ink: TokenColor, levels: usize) {
        let mut members = Members::of(text);
        let mut is_first = true;
        let mut before = None;
        loop {
            if self.left == 0 && !is_first && !members.is_at_end() {
                self.push(TokenColor::Plain, ", ");
                self.push(TokenColor::Plain, "…");
                return;
            }
            let Some(member) = members.next() else { return };
            if member.key.is_none() && levels == 1 && member.value.starts_with(['[', '{']) {
                let counted = counted(member.value);
                // Items with the same preview add nothing.
                if before.as_ref() == Some(&counted) {
                    self.push(TokenColor::Plain, ", …");
                    return;
                }
                before = Some(counted);
            }
            if !is_first {
                self.push(TokenColor::Plain, ", ");
            }
            is_first = false;
            if let Some(key) = member.key {
                self.push(ink, name(key));
                self.push(TokenColor::Plain, ": ");
            }
            self.value(member.value, levels.saturating_sub(1));
        }
    }
}

/// A container by the count of what is in it. In words: a number in brackets would read as a list
/// of that number.
fn counted(text: &str) -> String {
    let is_list = text.starts_with('[');
    let (open, close) = if is_list { ("[", "]") } else { ("{", "}") };
    if scan::is_empty(text) {
        return format!("{open}{close}");
    }
    let count = match (count(text).as_str(), is_list) {
        ("…", _) => "…".to_owned(),
        ("1", true) => "1 item".to_owned(),
        ("1", false) => "1 property".to_owned(),
        (count, true) => format!("{count} items"),
        (count, false) => format!("{count} properties"),
    };
    format!("{open}{count}{close}")
}

/// How many members the container has, or `…` when there are too many to count here.
fn count(text: &str) -> String {
    let mut members = Members::of(text);
    let mut count = 0_usize;
    while members.read() < COUNTED {
        if members.next().is_none() {
            return count.to_string();
        }
        count += 1;
    }
    if members.is_at_end() { count.to_string() } else { "…".to_owned() }
}

fn cut(text: &str, bytes: usize) -> String {
    let shown = beginning(text, bytes);
    if shown.len() < text.len() { format!("{shown}…") } else { shown.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, budget: usize, expected: &str) {
        let value = JsonText::parse(text).expect("valid");
        assert_eq!(plain(&preview(&value, budget)), expected);
    }

    #[test]
    fn a_line_shows_two_levels() {
        check(r#"["kitchen","bedroom"]"#, 80, r#"["kitchen", "bedroom"]"#);
        check(
            r#"{"t":18.40,"window":{"open":false}}"#,
            80,
            "{ t: 18.40, window: { open: false } }",
        );
        check(
            r#"{"a":{"b":{"c":1}},"d":[[1,2]]}"#,
            80,
            "{ a: { b: {1 property} }, d: [[2 items]] }",
        );
        check("[]", 80, "[]");
        check(r#"{"rows":[{"a":1},{"a":2},{"a":3}]}"#, 80, "{ rows: [{1 property}, …] }");
        check(r#"{"rows":[{},[1],[2,3]]}"#, 80, "{ rows: [{}, [1 item], [2 items]] }");
        check("9007199254740993", 80, "9007199254740993");
    }

    #[test]
    fn a_line_ends() {
        let many = format!("[{}]", vec!["123456"; 1000].join(","));
        check(&many, 20, "[123456, 123456, 123456, …]");
        check(&format!("[[[{}]]]", vec!["0"; 90_000].join(",")), 20, "[[[…]]]");
        let long = format!("\"{}\"", "x".repeat(1_000_000));
        let value = JsonText::parse(&long).expect("valid");
        assert_eq!(plain(&preview(&value, 80)).chars().count(), STRING + 3);
    }

    #[test]
    fn arguments_stand_without_braces() {
        let value = JsonText::parse(r#"{"a":5,"s":{"x":1},"t":"q\n\u202e"}"#).expect("valid");
        assert_eq!(plain(&arguments(&value, 80)), "a: 5, s: { x: 1 }, t: \"q\\n\\u202e\"");
        // A backslash differs from an escaped line break, and a quote from the end.
        let value = JsonText::parse(r#"{"t":"a\\nb\"c"}"#).expect("valid");
        assert_eq!(plain(&arguments(&value, 80)), r#"t: "a\\nb\"c""#);
        assert_eq!(arguments(&value, 80)[0].ink, TokenColor::Plain);
    }
}
