//! [`Counted`]: lines and columns of a file, counted from one place to another.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

/// How much of the file is read at a time, in bytes.
const PART: usize = 128 << 10;

/// A place in a file: a byte, its line, and its column in characters, lines and columns from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// The byte, from 0.
    pub at: u64,
    /// Its line.
    pub line: u64,
    /// Its column.
    pub column: u64,
}

impl Default for Counted {
    /// The beginning of a file.
    fn default() -> Self {
        Self { at: 0, line: 1, column: 1 }
    }
}

impl Counted {
    /// The place of the byte `to`, which is not before this one.
    ///
    /// # Errors
    /// The operating system's, when the file cannot be read or ends before `to`.
    pub fn on_to(self, file: &File, to: u64) -> io::Result<Self> {
        let Self { mut at, mut line, mut column } = self;
        let ahead = usize::try_from(to.saturating_sub(at)).unwrap_or(PART);
        let mut buffer = vec![0; ahead.min(PART)];
        while at < to {
            let wanted = usize::try_from(to - at).unwrap_or(buffer.len()).min(buffer.len());
            let Some(bytes) = buffer.get_mut(..wanted) else { break };
            file.read_exact_at(bytes, at)?;
            let last = memchr::memrchr(b'\n', bytes);
            if last.is_some() {
                line += memchr::memchr_iter(b'\n', bytes).count() as u64;
                column = 1;
            }
            let behind = bytes.get(last.map_or(0, |feed| feed + 1)..).unwrap_or_default();
            column += behind.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u64;
            at += wanted as u64;
        }
        Ok(Self { at, line, column })
    }
}
