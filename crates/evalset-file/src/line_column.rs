//! [`LineColumn`]: the line and column of a byte of a file.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use json_text::Position;

/// How much of the file is read at a time, in bytes.
const PART: usize = 128 << 10;

/// A byte of a file with its line and its column in characters, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineColumn {
    /// The byte, from 0.
    pub at: u64,
    /// Its line.
    pub line: u64,
    /// Its column.
    pub column: u64,
}

impl Default for LineColumn {
    /// The beginning of a file.
    fn default() -> Self {
        Self { at: 0, line: 1, column: 1 }
    }
}

impl LineColumn {
    /// Advances to the byte `to`, which must not be before this one.
    ///
    /// # Errors
    /// The file cannot be read, or ends before `to`.
    pub fn advance_to(self, file: &File, to: u64) -> io::Result<Self> {
        let Self { mut at, line, column } = self;
        let mut position = Position { line, column };
        let ahead = usize::try_from(to.saturating_sub(at)).unwrap_or(PART);
        let mut buffer = vec![0; ahead.min(PART)];
        while at < to {
            let wanted = usize::try_from(to - at).unwrap_or(buffer.len()).min(buffer.len());
            let Some(bytes) = buffer.get_mut(..wanted) else { break };
            file.read_exact_at(bytes, at)?;
            position = position.after(bytes);
            at += wanted as u64;
        }
        let Position { line, column } = position;
        Ok(Self { at, line, column })
    }
}
