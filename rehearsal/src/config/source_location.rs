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
    /// The whole line, but for a secret.
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
        let (text, marked) = match before_secret(line_text) {
            Some(shown) => (format!("{shown} …"), 1),
            None => (line_text.to_owned(), marked),
        };
        Self { path: path.to_path_buf(), line, column, text, width: marked.max(1) }
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

/// The beginning of a line up to the value of a password or a token, which no log should have.
fn before_secret(line: &str) -> Option<&str> {
    let ends = ["password", "hash"].into_iter().filter_map(|key| {
        let after = line.find(key)? + key.len();
        let rest = line.get(after..)?;
        rest.trim_start().starts_with('=').then(|| after + rest.find('=').unwrap_or_default() + 1)
    });
    line.get(..ends.min()?)
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
    fn locates_the_end_of_a_file() {
        let location = SourceLocation::of(Path::new("r.toml"), "x = [", 5..5);
        assert_eq!((location.line, location.column, location.width), (1, 6, 1));
        let location = SourceLocation::of(Path::new("r.toml"), "x = 1\n", 6..9);
        assert_eq!((location.line, location.column, location.text.as_str()), (2, 1, ""));
    }
}
