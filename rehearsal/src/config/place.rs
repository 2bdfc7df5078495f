//! [`Place`]: where in a file something stands.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A place in a text file, and the line that stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
    /// The whole line.
    pub text: String,
    /// How many characters of the line are meant, at least 1.
    pub width: usize,
}

impl Place {
    /// The place of `span`, in bytes, within `text`.
    #[must_use]
    pub fn of(path: &Path, text: &str, span: Range<usize>) -> Self {
        let mut start = span.start.min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_text = text[line_start..].lines().next().unwrap_or_default();
        let before = text[line_start..start].chars().count();
        let meant = text.get(start..span.end).unwrap_or_default();
        Self {
            path: path.to_path_buf(),
            line: text[..start].matches('\n').count() + 1,
            column: before + 1,
            text: line_text.to_owned(),
            width: meant.lines().next().unwrap_or_default().chars().count().max(1),
        }
    }

    /// The line with a mark under what is meant, as compilers show it.
    #[must_use]
    pub fn excerpt(&self) -> String {
        // Tabs stay tabs, so that the mark stands right whatever their width is.
        let indent: String = self
            .text
            .chars()
            .take(self.column - 1)
            .map(|character| if character == '\t' { '\t' } else { ' ' })
            .collect();
        format!("  | {}\n  | {indent}{}", self.text, "^".repeat(self.width))
    }
}

/// `rehearsal.toml:3:1`, as editors and terminals make it a link.
impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}:{}", self.path.display(), self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_characters_and_marks_them() {
        let text = "a = 1\nname = \"Größe\" # é\n";
        let start = text.find('#').expect("there is one");
        let place = Place::of(Path::new("r.toml"), text, start..start + 1);
        assert_eq!(place.to_string(), "r.toml:2:16");
        assert_eq!(place.excerpt(), "  | name = \"Größe\" # é\n  |                ^");
    }

    #[test]
    fn the_end_of_a_file_is_a_place() {
        let place = Place::of(Path::new("r.toml"), "x = [", 5..5);
        assert_eq!((place.line, place.column, place.width), (1, 6, 1));
        let place = Place::of(Path::new("r.toml"), "x = 1\n", 6..9);
        assert_eq!((place.line, place.column, place.text.as_str()), (2, 1, ""));
    }
}
