//! A value on one line: the tokens of its beginning, each with its colour.

use json_text::{JsonText, Node};

use super::excerpt::{Lines, beginning, written_out};
use super::tool_content::{Block, ToolContent, tool_content};

/// What a token is, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
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

impl Ink {
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
    /// Its colour.
    pub ink: Ink,
    /// Its text, safe to draw.
    pub text: String,
}

/// How many characters of one string a line shows.
const STRING: usize = 80;

/// The beginning of `value` in about `budget` characters.
#[must_use]
pub fn preview(value: &JsonText, budget: usize) -> Vec<Token> {
    let mut line = Line { tokens: Vec::new(), left: budget };
    match tool_content(value) {
        Some(content) => line.content(&content),
        None => line.node(&value.open(), 2),
    }
    line.tokens
}

/// The members of a call's arguments as they stand between its parentheses: `a: 5, b: 3`.
#[must_use]
pub fn arguments(value: &JsonText, budget: usize) -> Vec<Token> {
    let mut line = Line { tokens: Vec::new(), left: budget };
    match value.open() {
        Node::Object(members) => line.members(&members, Ink::Plain, 1),
        other => line.node(&other, 1),
    }
    line.tokens
}

/// The tokens as text.
#[must_use]
pub fn plain(tokens: &[Token]) -> String {
    tokens.iter().map(|token| token.text.as_str()).collect()
}

struct Line {
    tokens: Vec<Token>,
    left: usize,
}

impl Line {
    fn push(&mut self, ink: Ink, text: impl Into<String>) {
        let text = text.into();
        self.left = self.left.saturating_sub(text.chars().count());
        self.tokens.push(Token { ink, text });
    }

    /// What an MCP tool answered: its data if it has any, else its first block, and how many more.
    fn content(&mut self, content: &ToolContent) {
        let ToolContent { blocks, structured } = content;
        if let Some(structured) = structured {
            return self.node(&structured.open(), 2);
        }
        match blocks.first() {
            None => self.push(Ink::Plain, "nothing"),
            Some(Block::Text(text)) => {
                let shown = beginning(text, STRING);
                let end = if shown.len() < text.len() { "…" } else { "" };
                self.push(Ink::Text, format!("{}{end}", written_out(shown, Lines::Escaped)));
            }
            Some(Block::Json(value) | Block::Other(value)) => self.node(&value.open(), 2),
            Some(Block::Image { mime_type, .. } | Block::Audio { mime_type, .. }) => {
                self.push(Ink::Key, mime_type.clone());
            }
            Some(Block::Link { uri, .. } | Block::Resource { uri, .. }) => {
                self.push(Ink::Key, cut(&written_out(uri, Lines::Escaped), STRING));
            }
        }
        if blocks.len() > 1 {
            self.push(Ink::Plain, format!(" +{}", blocks.len() - 1));
        }
    }

    fn node(&mut self, node: &Node<'_>, depth: usize) {
        match node {
            Node::Null => self.push(Ink::Nothing, "null"),
            Node::Bool(value) => self.push(Ink::Number, value.to_string()),
            Node::Number(digits) => self.push(Ink::Number, cut(digits, STRING)),
            Node::String(content) => {
                let shown = beginning(content, STRING);
                let end = if shown.len() < content.len() { "…\"" } else { "\"" };
                self.push(Ink::Text, format!("\"{}{end}", written_out(shown, Lines::Escaped)));
            }
            Node::Array(items) if items.is_empty() => self.push(Ink::Plain, "[]"),
            Node::Object(members) if members.is_empty() => self.push(Ink::Plain, "{}"),
            Node::Array(items) if depth == 0 => self.push(Ink::Plain, format!("[{}]", items.len())),
            Node::Object(members) if depth == 0 => {
                self.push(Ink::Plain, format!("{{{}}}", members.len()));
            }
            Node::Array(items) => {
                self.push(Ink::Plain, "[");
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.push(Ink::Plain, ", ");
                    }
                    if self.left == 0 {
                        self.push(Ink::Plain, "…");
                        break;
                    }
                    self.node(&Node::of(item), depth - 1);
                }
                self.push(Ink::Plain, "]");
            }
            Node::Object(members) => {
                self.push(Ink::Plain, "{ ");
                self.members(members, Ink::Key, depth);
                self.push(Ink::Plain, " }");
            }
        }
    }

    fn members(
        &mut self,
        members: &[(String, &serde_json::value::RawValue)],
        ink: Ink,
        depth: usize,
    ) {
        for (index, (key, value)) in members.iter().enumerate() {
            if index > 0 {
                self.push(Ink::Plain, ", ");
            }
            if self.left == 0 {
                self.push(Ink::Plain, "…");
                break;
            }
            self.push(ink, cut(&written_out(beginning(key, STRING), Lines::Escaped), STRING));
            self.push(Ink::Plain, ": ");
            self.node(&Node::of(value), depth.saturating_sub(1));
        }
    }
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
        check(r#"{"a":{"b":{"c":1}},"d":[[1,2]]}"#, 80, "{ a: { b: {1} }, d: [[2]] }");
        check("[]", 80, "[]");
        check("9007199254740993", 80, "9007199254740993");
    }

    #[test]
    fn a_line_shows_what_an_mcp_tool_answered() {
        check(
            r#"{"content":[{"type":"text","text":"Echo: hi"},{"type":"text","text":"x"}],"isError":false}"#,
            80,
            "Echo: hi +1",
        );
        check(
            r#"{"content":[{"type":"text","text":"x"}],"structuredContent":{"t":3.50},"isError":false}"#,
            80,
            "{ t: 3.50 }",
        );
        check(r#"{"content":[],"isError":false}"#, 80, "nothing");
    }

    #[test]
    fn a_line_ends() {
        let many = format!("[{}]", vec!["123456"; 1000].join(","));
        check(&many, 20, "[123456, 123456, 123456, …]");
        let long = format!("\"{}\"", "x".repeat(1_000_000));
        let value = JsonText::parse(&long).expect("valid");
        assert_eq!(plain(&preview(&value, 80)).chars().count(), STRING + 3);
    }

    #[test]
    fn arguments_stand_without_braces() {
        let value = JsonText::parse(r#"{"a":5,"s":{"x":1},"t":"q\n\u202e"}"#).expect("valid");
        assert_eq!(plain(&arguments(&value, 80)), "a: 5, s: {1}, t: \"q\\n\\u202e\"");
        assert_eq!(arguments(&value, 80)[0].ink, Ink::Plain);
    }
}
