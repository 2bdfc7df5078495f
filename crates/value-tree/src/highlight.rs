//! Highlights comments, strings, numbers and keywords of code.
//!
//! A small scanner for every language instead of a grammar for each: it is right about what lines of
//! code look like and never about what they mean, costs one pass, and fits into a page.

use crate::detect::{Language, yaml_key};

/// The color of a piece of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyntaxColor {
    /// Names, signs, white space.
    Plain,
    /// A comment.
    Comment,
    /// A string.
    Text,
    /// A number.
    Number,
    /// A word of the language.
    Keyword,
}

/// What a line ends in the middle of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Within {
    #[default]
    Nothing,
    /// A comment that `*/` or `-->` ends.
    Comment,
    /// A string that this ends: three quotes, or one backtick.
    Text(&'static str),
}

/// Goes through code line by line.
#[derive(Debug, Clone)]
pub struct Highlighter {
    language: Language,
    within: Within,
}

impl Highlighter {
    /// At the beginning of a text in `language`.
    #[must_use]
    pub fn new(language: Language) -> Self {
        Self { language, within: Within::Nothing }
    }

    /// The pieces of the next line, in order; together they are the line.
    ///
    /// ```
    /// use value_tree::{Highlighter, SyntaxColor, Language};
    /// let mut code = Highlighter::new(Language::Python);
    /// let pieces = code.line("return 'a' # one");
    /// assert_eq!(pieces[0], (SyntaxColor::Keyword, "return"));
    /// assert_eq!(pieces[2], (SyntaxColor::Text, "'a'"));
    /// assert_eq!(pieces[4], (SyntaxColor::Comment, "# one"));
    /// ```
    pub fn line<'l>(&mut self, line: &'l str) -> Vec<(SyntaxColor, &'l str)> {
        let mut pieces: Vec<(SyntaxColor, &'l str)> = Vec::new();
        let (mut at, mut plain) = (0, 0);
        while at < line.len() {
            let (hue, end) = match self.piece(line, at) {
                Some((hue, length)) => (hue, at + length),
                None => {
                    at += line[at..].chars().next().map_or(1, char::len_utf8);
                    continue;
                }
            };
            // A word other than a keyword is plain as a whole.
            if hue != SyntaxColor::Plain {
                if plain < at {
                    pieces.push((SyntaxColor::Plain, &line[plain..at]));
                }
                pieces.push((hue, &line[at..end]));
                plain = end;
            }
            at = end;
        }
        if plain < line.len() {
            pieces.push((SyntaxColor::Plain, &line[plain..]));
        }
        pieces
    }

    /// The color and the length of the piece at `at`; `None` for plain text.
    fn piece(&mut self, line: &str, at: usize) -> Option<(SyntaxColor, usize)> {
        let rest = &line[at..];
        match self.within {
            Within::Comment => return Some((SyntaxColor::Comment, self.comment_end(rest, 0))),
            Within::Text(end) => return Some((SyntaxColor::Text, self.text_end(rest, 0, end))),
            Within::Nothing => {}
        }
        if self.line_comments().iter().any(|start| rest.starts_with(start)) {
            return Some((SyntaxColor::Comment, rest.len()));
        }
        let (opens, _) = self.block_comment();
        if !opens.is_empty() && rest.starts_with(opens) {
            self.within = Within::Comment;
            return Some((SyntaxColor::Comment, self.comment_end(rest, opens.len())));
        }
        for quotes in ["\"\"\"", "'''"] {
            if self.language == Language::Python && rest.starts_with(quotes) {
                self.within = Within::Text(quotes);
                return Some((SyntaxColor::Text, self.text_end(rest, 3, quotes)));
            }
        }
        let first = rest.chars().next()?;
        let is_yaml = self.language == Language::Yaml;
        if is_yaml
            && line[..at].chars().all(|it| " -".contains(it))
            && let Some(length) = yaml_key(rest)
        {
            return Some((SyntaxColor::Keyword, length));
        }
        // Within a word these mean nothing.
        if is_yaml && "#'\"".contains(first) && at > 0 && !line[..at].ends_with([' ', '[', '{']) {
            return None;
        }
        match first {
            '#' if is_yaml => Some((SyntaxColor::Comment, rest.len())),
            '`' if self.language == Language::JavaScript => {
                self.within = Within::Text("`");
                Some((SyntaxColor::Text, self.text_end(rest, 1, "`")))
            }
            '"' => Some((SyntaxColor::Text, quoted(rest, '"')?)),
            // In Rust a lone quote begins a lifetime as well.
            '\'' if self.language != Language::Rust => {
                Some((SyntaxColor::Text, quoted(rest, '\'')?))
            }
            '0'..='9' => {
                let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '_');
                Some((SyntaxColor::Number, rest.find(|it| !is_part(it)).unwrap_or(rest.len())))
            }
            it if it.is_alphabetic() || it == '_' => {
                let is_part = |it: char| it.is_alphanumeric() || it == '_';
                let length = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
                let hue = if self.is_keyword(&rest[..length]) {
                    SyntaxColor::Keyword
                } else {
                    SyntaxColor::Plain
                };
                Some((hue, length))
            }
            _ => None,
        }
    }

    fn comment_end(&mut self, rest: &str, from: usize) -> usize {
        let (_, closes) = self.block_comment();
        match rest[from..].find(closes) {
            Some(end) => {
                self.within = Within::Nothing;
                from + end + closes.len()
            }
            None => rest.len(),
        }
    }

    fn text_end(&mut self, rest: &str, from: usize, end: &str) -> usize {
        match rest[from..].find(end) {
            Some(found) => {
                self.within = Within::Nothing;
                from + found + end.len()
            }
            None => rest.len(),
        }
    }

    fn line_comments(&self) -> &'static [&'static str] {
        match self.language {
            Language::Python | Language::Shell => &["#"],
            Language::Sql => &["--"],
            Language::JavaScript | Language::Rust => &["//"],
            Language::Html | Language::Xml | Language::Css | Language::Yaml => &[],
            // With a space, because URLs contain `//`, too.
            Language::Other => &["// ", "# "],
        }
    }

    fn block_comment(&self) -> (&'static str, &'static str) {
        match self.language {
            Language::Python | Language::Shell | Language::Yaml => ("", ""),
            Language::Html | Language::Xml => ("<!--", "-->"),
            _ => ("/*", "*/"),
        }
    }

    fn is_keyword(&self, word: &str) -> bool {
        if self.language == Language::Sql {
            return SQL.contains(&word.to_ascii_uppercase().as_str());
        }
        let own: &[&str] = match self.language {
            Language::Python => PYTHON,
            Language::JavaScript => JAVASCRIPT,
            Language::Rust => RUST,
            Language::Shell => SHELL,
            // These contain plain prose.
            Language::Html | Language::Xml | Language::Css => return false,
            Language::Yaml => return matches!(word, "true" | "false" | "null"),
            Language::Sql | Language::Other => &[],
        };
        own.contains(&word) || COMMON.contains(&word)
    }
}

/// The length of the one-line string that `rest` begins with; `None` if it does not end.
fn quoted(rest: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if letter == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

const COMMON: &[&str] =
    &["if", "else", "for", "while", "return", "break", "continue", "true", "false", "null", "in"];
const PYTHON: &[&str] = &[
    "def", "class", "import", "from", "as", "elif", "try", "except", "finally", "raise", "with",
    "lambda", "yield", "pass", "not", "and", "or", "is", "None", "True", "False", "async", "await",
    "global", "del", "assert", "match", "case",
];
const JAVASCRIPT: &[&str] = &[
    "const",
    "let",
    "var",
    "function",
    "class",
    "extends",
    "import",
    "export",
    "from",
    "default",
    "new",
    "this",
    "async",
    "await",
    "try",
    "catch",
    "finally",
    "throw",
    "typeof",
    "instanceof",
    "of",
    "switch",
    "case",
    "undefined",
    "interface",
    "type",
];
const RUST: &[&str] = &[
    "fn", "let", "mut", "pub", "use", "mod", "impl", "struct", "enum", "trait", "match", "where",
    "self", "Self", "crate", "super", "move", "ref", "async", "await", "dyn", "const", "static",
    "type", "loop", "unsafe", "as",
];
const SHELL: &[&str] = &[
    "then", "fi", "do", "done", "case", "esac", "echo", "export", "local", "elif", "set",
    "function",
];
const SQL: &[&str] = &[
    "SELECT",
    "FROM",
    "WHERE",
    "JOIN",
    "LEFT",
    "RIGHT",
    "INNER",
    "OUTER",
    "ON",
    "GROUP",
    "ORDER",
    "BY",
    "HAVING",
    "LIMIT",
    "INSERT",
    "INTO",
    "VALUES",
    "UPDATE",
    "SET",
    "DELETE",
    "CREATE",
    "TABLE",
    "INDEX",
    "AND",
    "OR",
    "NOT",
    "NULL",
    "AS",
    "DISTINCT",
    "UNION",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "WITH",
    "IN",
    "IS",
    "LIKE",
    "BETWEEN",
    "PRIMARY",
    "KEY",
    "REFERENCES",
    "DEFAULT",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn colored_pieces(language: Language, text: &str) -> Vec<String> {
        let mut code = Highlighter::new(language);
        let mut pieces_found = Vec::new();
        for line in text.lines() {
            let pieces = code.line(line);
            let whole: String = pieces.iter().map(|(_, piece)| *piece).collect();
            assert_eq!(whole, line);
            let colored = pieces.into_iter().filter(|(hue, _)| *hue != SyntaxColor::Plain);
            pieces_found.extend(colored.map(|(hue, piece)| format!("{hue:?} {piece}")));
        }
        pieces_found
    }

    #[test]
    fn tokens_over_several_lines_keep_their_color() {
        assert_eq!(
            colored_pieces(
                Language::Python,
                "def f(n1):\n    \"\"\"two\n    lines\"\"\"\n    return n1 # 1"
            ),
            [
                "Keyword def",
                "Text \"\"\"two",
                "Text     lines\"\"\"",
                "Keyword return",
                "Comment # 1"
            ]
        );
        assert_eq!(
            colored_pieces(Language::JavaScript, "const a = `x\ny` /* z\n*/ + 1.5e3"),
            ["Keyword const", "Text `x", "Text y`", "Comment /* z", "Comment */", "Number 1.5e3"]
        );
    }

    #[test]
    fn apostrophes_are_not_highlighted_as_strings() {
        assert_eq!(colored_pieces(Language::Rust, "fn f<'a>(x: &'a str) {}"), ["Keyword fn"]);
        assert_eq!(
            colored_pieces(Language::Sql, "select 'it''s' from t"),
            ["Keyword select", "Text 'it'", "Text 's'", "Keyword from"]
        );
        assert_eq!(
            colored_pieces(
                Language::Yaml,
                "a-b: it's # 'c'\n- 'd': 1 # e\n  f: https://g/#h\n  null: true if"
            ),
            [
                "Keyword a-b",
                "Comment # 'c'",
                "Keyword 'd'",
                "Number 1",
                "Comment # e",
                "Keyword f",
                "Keyword null",
                "Keyword true"
            ]
        );
        assert_eq!(colored_pieces(Language::Python, "x = \"no end é"), [""; 0]);
        assert_eq!(colored_pieces(Language::Python, r#"x = "a\"b""#), [r#"Text "a\"b""#]);
    }
}
