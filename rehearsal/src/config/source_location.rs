//! [`SourceLocation`]: a line and column of a file, with the line's text.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use json_text::Position;

/// A location in a text file, and the text of its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLocation {
    /// The file.
    pub path: PathBuf,
    /// From 1.
    pub line: u64,
    /// From 1, in characters.
    pub column: u64,
    /// The whole line, with `…` in place of a secret.
    pub text: String,
    /// The number of characters to mark, at least 1.
    pub width: usize,
}

impl SourceLocation {
    /// The location of `span`, in bytes, within `text`.
    #[must_use]
    pub fn of(path: &Path, text: &str, span: Range<usize>) -> Self {
        let mut start = span.start.min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_text = text[line_start..].lines().next().unwrap_or_default();
        let Position { line, column } = Position::START.after(&text.as_bytes()[..start]);
        let marked = text.get(start..span.end).unwrap_or_default();
        let marked = marked.lines().next().unwrap_or_default().chars().count();
        let location = Self {
            path: path.to_path_buf(),
            line,
            column,
            text: line_text.to_owned(),
            width: marked.max(1),
        };
        match before_secret(&text[..line_start], line_text) {
            Some(shown) => location.shown_up_to(shown.len()),
            None => location,
        }
    }

    /// Without the value of the key at this location, which nothing is known about: it may be a secret.
    #[must_use]
    pub(super) fn without_value(self) -> Self {
        let column = usize::try_from(self.column).unwrap_or(usize::MAX);
        let key = self.text.char_indices().nth(column - 1).map_or(0, |(start, _)| start);
        match self.text[key..].find('=') {
            Some(equals) => self.shown_up_to(key + equals + 1),
            None => self,
        }
    }

    /// With `…` instead of the line's text from this index on.
    fn shown_up_to(self, end: usize) -> Self {
        let shown = self.text.get(..end).unwrap_or_default().trim_end();
        let text = if shown.is_empty() { "…".to_owned() } else { format!("{shown} …") };
        let before_mark = usize::try_from(self.column).unwrap_or(usize::MAX).saturating_sub(1);
        let width = self.width.min(text.chars().count().saturating_sub(before_mark)).max(1);
        Self { text, width, ..self }
    }

    /// The line with carets under the marked characters, as compilers show it.
    #[must_use]
    pub fn excerpt(&self) -> String {
        // Tabs stay tabs, so that the carets are in place for any tab width.
        let indent: String = self
            .text
            .chars()
            .zip(1..self.column)
            .map(|(character, _)| if character == '\t' { '\t' } else { ' ' })
            .collect();
        format!("  | {}\n  | {indent}{}", self.text, "^".repeat(self.width))
    }
}

/// The beginning of a line up to a secret, which no log should have: the value of a password, a token or a key that
/// may be a misspelled one of them, and what an agent's servers get in their environment and headers.
fn before_secret<'a>(earlier: &str, line: &'a str) -> Option<&'a str> {
    let table = earlier.lines().rev().find_map(table_name).unwrap_or_default();
    let own = assignment(line);
    let ends = [
        own.as_ref().filter(|(keys, _)| is_secret(&table, keys)).map(|(_, value)| *value),
        // Of a value that began on an earlier line.
        (own.is_none() && table_name(line).is_none())
            .then(|| earlier.lines().rev().take_while(|it| table_name(it).is_none()))
            .and_then(|mut lines| lines.find_map(assignment))
            .and_then(|(keys, _)| is_secret(&table, &keys).then_some(0)),
        SECRETS.iter().filter_map(|key| value_in_line(line, key, |_| true)).min(),
        SECRET_TABLES.iter().filter_map(|key| value_in_line(line, key, is_whole)).min(),
        line.find("$argon2").map(|hash| line[..hash].trim_end_matches(['"', '\'', ' ']).len()),
    ];
    line.get(..ends.into_iter().flatten().min()?)
}

/// Keys whose values are secrets, in any table.
const SECRETS: [&str; 2] = ["password", "hash"];
/// Keys of tables that may hold secrets.
const SECRET_TABLES: [&str; 2] = ["env", "headers"];

/// Whether the value of a key, given with its parents, is one that a log must not have.
fn is_secret(table: &str, keys: &[String]) -> bool {
    let names = table.split('.').chain(keys.iter().map(String::as_str));
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    match names[..] {
        ["person" | "token", "name" | "id" | "responds_to"] => false,
        ["person" | "token", ..] => true,
        _ => names.iter().any(|name| SECRETS.contains(name) || SECRET_TABLES.contains(name)),
    }
}

/// The name of the table whose header the line is, without quotes.
fn table_name(line: &str) -> Option<String> {
    let header = line.trim_start().strip_prefix('[')?;
    let header = header.strip_prefix('[').unwrap_or(header);
    let (name, _) = header.split_once(']')?;
    Some(bare_keys(name)?.join("."))
}

/// The keys of the line `a.b = value`, and the index after its `=`.
fn assignment(line: &str) -> Option<(Vec<String>, usize)> {
    let (keys, _) = line.split_once('=')?;
    Some((bare_keys(keys)?, keys.len() + 1))
}

/// The parts of a dotted key, without quotes; `None` for anything else.
fn bare_keys(written: &str) -> Option<Vec<String>> {
    let parts = written.split('.').map(|part| part.trim().trim_matches(['"', '\'']));
    let is_bare = |part: &str| {
        let allowed = |it: char| it.is_ascii_alphanumeric() || "-_".contains(it);
        !part.is_empty() && part.chars().all(allowed)
    };
    parts.map(|part| is_bare(part).then(|| part.to_owned())).collect()
}

/// The index after the `=` of a key that the line has anywhere, such as in `{ password = "..." }`, if what is before the
/// key is accepted.
fn value_in_line(line: &str, key: &str, accepts: impl Fn(&str) -> bool) -> Option<usize> {
    line.match_indices(key).filter(|(start, _)| accepts(&line[..*start])).find_map(|(start, _)| {
        let after = &line[start + key.len()..];
        let value = after.trim_start_matches(['"', '\'']).trim_start().strip_prefix('=')?;
        Some(line.len() - value.len())
    })
}

/// Whether a key that follows is not the end of a longer one, such as `pass_env`.
fn is_whole(before: &str) -> bool {
    !before.ends_with(|it: char| it.is_ascii_alphanumeric() || "-_".contains(it))
}

/// `rehearsal.toml:3:1`, which editors and terminals turn into a link.
impl fmt::Display for SourceLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}:{}", self.path.display(), self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_characters_and_marks_them() {
        let text = "a = 1\nname = \"Größe\" # é\n";
        let start = text.find('#').expect("there is one");
        let location = SourceLocation::of(Path::new("r.toml"), text, start..start + 1);
        assert_eq!(location.to_string(), "r.toml:2:16");
        assert_eq!(location.excerpt(), "  | name = \"Größe\" # é\n  |                ^");
    }

    #[test]
    fn secrets_are_not_shown() {
        let text = r#"
[[ "token" ]]
hasj = "s3cret"
name = "nightly"
responds_to = [
    "desk",
]
more = """
s3cret
a = s3cret"""
[person]
'passwrd' = "s3cret"
[[agent.server]]
pass_env = ["TOKEN"]
url = "https://a.example"
env.TOKEN = "s3cret"
tools = [{ env = { TOKEN = "s3cret" } }]
[agent.server.headers]
Authorization = "Bearer s3cret"
[live]
note = "$argon2id$s3cret"
all = [{ name = "password", "password" = "s3cret" }]
old_password = "s3cret"
database = "a = b"
"#;
        let shown = |(number, line): (usize, &str)| {
            let start = text.split_inclusive('\n').take(number).map(str::len).sum::<usize>();
            let location = SourceLocation::of(Path::new("r.toml"), text, start..start + line.len());
            assert!(location.width <= location.text.chars().count().max(1), "{line}");
            location.text
        };
        let shown: Vec<String> = text.lines().enumerate().map(shown).collect();
        expect_test::expect![[r#"

            [[ "token" ]]
            hasj = …
            name = "nightly"
            responds_to = [
                "desk",
            ]
            more = …
            …
            a = …
            [person]
            'passwrd' = …
            [[agent.server]]
            pass_env = ["TOKEN"]
            url = "https://a.example"
            env.TOKEN = …
            tools = [{ env = …
            [agent.server.headers]
            Authorization = …
            [live]
            note = …
            all = [{ name = "password", "password" = …
            old_password = …
            database = "a = b""#]]
        .assert_eq(&shown.join("\n"));
    }

    #[test]
    fn locates_the_end_of_a_file() {
        let location = SourceLocation::of(Path::new("r.toml"), "x = [", 5..5);
        assert_eq!((location.line, location.column, location.width), (1, 6, 1));
        let location = SourceLocation::of(Path::new("r.toml"), "x = 1\n", 6..9);
        assert_eq!((location.line, location.column, location.text.as_str()), (2, 1, ""));
    }
}
