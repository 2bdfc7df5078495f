//! [`strings`]: the string literals of a file in Python, and [`Literal::with_value`]: one of them with another value.

use std::ops::Range;

/// A string literal whose value is known: no bytes, and nothing that is put in when it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Literal {
    /// Its place in the file, with prefix and quotes.
    pub(super) place: Range<usize>,
    /// What it stands for.
    pub(super) value: String,
    /// `"`, `'` or three of them.
    quotes: String,
    /// Whether backslashes stand for themselves.
    is_raw: bool,
    /// Whether it begins with a backslash and the end of the line, which are no part of the value.
    begins_below: bool,
}

/// The string literals of a text in Python.
pub(super) fn strings(text: &str) -> Vec<Literal> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        match next {
            '#' => at += text[at..].find('\n').unwrap_or(text.len() - at),
            '"' | '\'' => match literal(text, at, at) {
                Some((literal, end)) => {
                    found.extend(literal);
                    at = end;
                }
                None => return found,
            },
            it if it.is_alphanumeric() || it == '_' => {
                let word = text[at..].find(|it: char| !it.is_alphanumeric() && it != '_');
                let end = word.map_or(text.len(), |length| at + length);
                let is_prefix = end - at <= 2 && text[end..].starts_with(['"', '\'']);
                match is_prefix.then(|| literal(text, at, end)) {
                    None => at = end,
                    Some(Some((literal, end))) => {
                        found.extend(literal);
                        at = end;
                    }
                    Some(None) => return found,
                }
            }
            it => at += it.len_utf8(),
        }
    }
    found
}

/// The literal with a prefix at `begin` and quotes at `opens`, and where it ends; `None` if it does not end.
fn literal(text: &str, begin: usize, opens: usize) -> Option<(Option<Literal>, usize)> {
    let prefix = text[begin..opens].to_lowercase();
    let quote = &text[opens..=opens];
    let triple = quote.repeat(3);
    let quotes = if text[opens..].starts_with(&triple) { triple } else { quote.to_owned() };
    let from = opens + quotes.len();
    let mut length = 0;
    let inner = loop {
        let rest = &text[from + length..];
        if rest.starts_with(&quotes) {
            break &text[from..from + length];
        }
        let mut characters = rest.chars();
        let first = characters.next()?;
        if first == '\n' && quotes.len() == 1 {
            return None;
        }
        length += first.len_utf8();
        if first == '\\' {
            length += characters.next()?.len_utf8();
        }
    };
    let end = from + length + quotes.len();
    let is_raw = prefix.contains('r');
    let is_known = prefix.chars().all(|it| matches!(it, 'r' | 'u'));
    let inner = inner.replace("\r\n", "\n");
    let value = match is_raw {
        true => Some(inner.clone()),
        false => decoded(&inner),
    };
    let begins_below = !is_raw && inner.starts_with("\\\n");
    let literal = value.filter(|_| is_known).map(|value| Literal {
        place: begin..end,
        value,
        quotes,
        is_raw,
        begins_below,
    });
    Some((literal, end))
}

/// The value of what is between quotes; `None` where it has an escape that is not read here.
fn decoded(inner: &str) -> Option<String> {
    let mut value = String::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(next) = rest.next() {
        if next != '\\' {
            value.push(next);
            continue;
        }
        match rest.next()? {
            '\n' => {}
            it @ ('\\' | '\'' | '"') => value.push(it),
            'n' => value.push('\n'),
            't' => value.push('\t'),
            'r' => value.push('\r'),
            it @ ('x' | 'u' | 'U') => {
                let digits = match it {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                let written: String = rest.by_ref().take(digits).collect();
                let code = u32::from_str_radix(&written, 16).ok();
                value.push(code.filter(|_| written.len() == digits).and_then(char::from_u32)?);
            }
            'N' | 'a' | 'b' | 'f' | 'v' | '0'..='7' => return None,
            other => value.extend(['\\', other]),
        }
    }
    Some(value)
}

impl Literal {
    /// The literal with another value, as the file would have it.
    pub(super) fn with_value(&self, value: &str) -> String {
        let quotes = &self.quotes;
        let quote = &quotes[..1];
        if self.is_raw && !value.contains('\\') && !value.contains(quote) && self.fits(value) {
            return format!("r{quotes}{value}{quotes}");
        }
        let mut inner = value.replace('\\', "\\\\").replace('\r', "\\r");
        if quotes.len() == 1 {
            inner = inner.replace(quote, &format!("\\{quote}"));
            inner = inner.replace('\n', "\\n").replace('\t', "\\t");
        } else {
            inner = inner.replace(quotes, &format!("\\{quote}").repeat(3));
            let last = inner.len().saturating_sub(1);
            let before = inner.get(..last).unwrap_or_default();
            let slashes = before.len() - before.trim_end_matches('\\').len();
            if inner.ends_with(quote) && slashes.is_multiple_of(2) {
                inner.insert(last, '\\');
            }
        }
        let begin = if self.begins_below { "\\\n" } else { "" };
        format!("{quotes}{begin}{inner}{quotes}")
    }

    fn fits(&self, value: &str) -> bool {
        self.quotes.len() == 3 || !value.contains(['\n', '\r', '\t'])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        strings(text).into_iter().map(|literal| literal.value).collect()
    }

    #[test]
    fn literals_are_read_as_python_reads_them() {
        for (text, expected) in [
            (r#"a = "one"  # "no""#, &["one"][..]),
            ("x = 'it\\'s' + \"\\\"q\\\"\\n\"", &["it's", "\"q\"\n"]),
            ("\"\"\"\\\nTwo\nlines \"quoted\".\"\"\"", &["Two\nlines \"quoted\"."]),
            (r#"r"a\d" + R'\'' + u'ü'"#, &[r"a\d", r"\'", "ü"]),
            (r#"b"no", f"no {x}", rb'no', "yes""#, &["yes"]),
            (r#"myr"a" '\x41é\q'"#, &["a", "Aé\\q"]),
            (r#"'\N{BULLET}' '\101' "seen""#, &["seen"]),
            ("f(\"a\r\nb\")", &[]),
            ("'''a\r\nb'''", &["a\nb"]),
            ("\"open", &[]),
            ("", &[]),
        ] {
            assert_eq!(values(text), expected, "{text}");
        }
    }

    #[test]
    fn another_value_is_read_again_as_it_is() {
        let written = ["'a'", "\"a\"", "'''a'''", "\"\"\"\\\na\"\"\"", "r'a'", "r\"\"\"a\"\"\""];
        let quoted = "\"\"\"'''";
        for text in written {
            let [literal] = &strings(text)[..] else { panic!("{text}") };
            for value in ["b", "it's \"so\"", "two\nlines\\d", quoted, "ends\"", "'", "\t\r\\"] {
                let other = literal.with_value(value);
                assert_eq!(values(&other), [value], "{text} becomes {other}");
            }
        }
    }
}
