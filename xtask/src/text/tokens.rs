//! Rust sources as the few kinds of token that matter to [`super`]. Comments and numbers are left
//! out. It reads what the compiler has accepted, so it reports no errors.

/// A token of Rust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name, a keyword or a number.
    Word(String),
    /// A string literal. Line ends in it are drawn as `⏎`, `\"` as `"`, and continuations joined.
    Str {
        line: usize,
        text: String,
    },
    Open(char),
    Close,
    Punct(char),
}

/// The tokens of `source`, in their order.
pub(super) fn tokens(source: &str) -> Vec<Token> {
    let mut rest = source;
    let mut found = Vec::new();
    while let Some(c) = rest.chars().next() {
        let line = 1 + source[..source.len() - rest.len()].matches('\n').count();
        let length = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => {
                let length = quoted(rest);
                found.push(Token::Str { line, text: unescaped(&rest[1..length.max(2) - 1]) });
                length
            }
            '\'' => character(rest),
            _ if c == '_' || c.is_alphanumeric() => {
                if let Some((length, text)) = raw_string(rest) {
                    found.push(Token::Str { line, text: text.replace('\n', "⏎") });
                    length
                } else {
                    let is_part = |c: char| c == '_' || c.is_alphanumeric();
                    let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                    found.push(Token::Word(rest[..length].to_owned()));
                    length
                }
            }
            '(' | '[' | '{' => {
                found.push(Token::Open(c));
                1
            }
            ')' | ']' | '}' => {
                found.push(Token::Close);
                1
            }
            _ => {
                if !c.is_whitespace() {
                    found.push(Token::Punct(c));
                }
                c.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    found
}

/// The length of the string literal at the start of `rest`, with both quotes.
fn quoted(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The length of the character literal or lifetime at the start of `rest`.
fn character(rest: &str) -> usize {
    if rest[1..].starts_with('\\') {
        return rest[3..].find('\'').map_or(rest.len(), |end| end + 4);
    }
    let inner = rest[1..].chars().next().map_or(0, char::len_utf8);
    if rest[1 + inner..].starts_with('\'') { inner + 2 } else { 1 }
}

/// The raw string at the start of `rest`, such as `r#"…"#`: its length and its text.
fn raw_string(rest: &str) -> Option<(usize, &str)> {
    let after = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let text = after[hashes..].strip_prefix('"')?;
    let end = text.find(&format!("\"{}", "#".repeat(hashes)))?;
    let start = rest.len() - text.len();
    Some((start + end + 1 + hashes, &text[..end]))
}

fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('\\', Some('\n')) => while rest.next_if(|c| c.is_whitespace()).is_some() {},
            ('\\', Some('"' | '\'')) => plain.extend(rest.next()),
            ('\\', Some('n')) => {
                rest.next();
                plain.push('⏎');
            }
            ('\n', _) => plain.push('⏎'),
            _ => plain.push(c),
        }
    }
    plain
}
