//! [`LineIndex`]: the line and column of any byte of a large file.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use evalset_file::LineColumn;

/// The distance between two stored positions, in bytes.
const STEP: u64 = 16 << 20;

/// Stores the position every 16 MiB, which bounds the cost of a lookup.
#[derive(Debug)]
pub(crate) struct LineIndex {
    path: PathBuf,
    /// The positions at each multiple of the step.
    passed: Vec<LineColumn>,
}

impl LineIndex {
    pub(crate) fn of(path: &Path) -> Self {
        Self { path: path.to_owned(), passed: vec![LineColumn::default()] }
    }

    /// The line of the byte at `at`, and its column in characters, both from 1.
    pub(crate) fn place(&mut self, at: u64) -> io::Result<(u64, u64)> {
        let file = File::open(&self.path)?;
        let wanted = usize::try_from(at / STEP).map_err(io::Error::other)?;
        while self.passed.len() <= wanted {
            let behind = self.passed.last().copied().unwrap_or_default();
            self.passed.push(behind.advance_to(&file, self.passed.len() as u64 * STEP)?);
        }
        let known = self.passed.get(wanted).copied().unwrap_or_default();
        let found = known.advance_to(&file, at)?;
        Ok((found.line, found.column))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_found_in_any_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("long");
        let lines = usize::try_from(STEP).expect("small") / 8 * 3;
        std::fs::write(&path, "é2345\n\n".repeat(lines * 2)).expect("written");
        let mut asked = LineIndex::of(&path);
        for line in [3 * lines / 2, 10, lines, 1, 0] {
            let at = line as u64 * 8;
            assert_eq!(asked.place(at).expect("read"), (line as u64 * 2 + 1, 1));
            assert_eq!(asked.place(at + 3).expect("read"), (line as u64 * 2 + 1, 3));
            assert_eq!(asked.place(at + 7).expect("read"), (line as u64 * 2 + 2, 1));
        }
    }

    #[test]
    fn columns_of_a_line_that_is_the_whole_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("long");
        let characters = usize::try_from(STEP).expect("small") / 2 + 10_000;
        std::fs::write(&path, "é".repeat(characters)).expect("written");
        let mut asked = LineIndex::of(&path);
        for character in [characters as u64, 5000, 0] {
            assert_eq!(asked.place(2 * character).expect("read"), (1, character + 1));
        }
    }
}
