//! [`Lines`]: the line and column of a byte, asked of a large file in any order.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

/// How far two remembered places are apart.
const STEP: u64 = 16 << 20;

/// Remembers the line at every 16 MiB that it has passed, so that no question costs more.
#[derive(Debug)]
pub(crate) struct Lines {
    path: PathBuf,
    /// The line at each multiple of the step.
    passed: Vec<u64>,
}

impl Lines {
    pub(crate) fn of(path: &Path) -> Self {
        Self { path: path.to_owned(), passed: vec![1] }
    }

    /// The line of the byte at `at`, and its column in characters, both from 1.
    pub(crate) fn place(&mut self, at: u64) -> io::Result<(u64, u64)> {
        let file = File::open(&self.path)?;
        let wanted = usize::try_from(at / STEP).map_err(io::Error::other)?;
        while self.passed.len() <= wanted {
            let done = self.passed.len() as u64 - 1;
            let line = self.passed.last().copied().unwrap_or(1);
            self.passed.push(line + feeds(&file, done * STEP, (done + 1) * STEP)?);
        }
        let known = self.passed.get(wanted).copied().unwrap_or(1);
        let line = known + feeds(&file, wanted as u64 * STEP, at)?;
        let from = at.saturating_sub(4096);
        let mut before = vec![0; usize::try_from(at - from).map_err(io::Error::other)?];
        file.read_exact_at(&mut before, from)?;
        let begins = memchr::memrchr(b'\n', &before).map_or(0, |feed| feed + 1);
        let characters = before[begins..].iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        Ok((line, characters as u64 + 1))
    }
}

/// How many line feeds stand between two places.
fn feeds(file: &File, mut from: u64, to: u64) -> io::Result<u64> {
    let mut buffer = vec![0; 128 << 10];
    let mut count = 0;
    while from < to {
        let wanted = usize::try_from(to - from).unwrap_or(buffer.len()).min(buffer.len());
        let Some(bytes) = buffer.get_mut(..wanted) else { break };
        file.read_exact_at(bytes, from)?;
        count += memchr::memchr_iter(b'\n', bytes).count() as u64;
        from += wanted as u64;
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_in_any_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("long");
        let lines = usize::try_from(STEP).expect("small") / 8 * 3;
        std::fs::write(&path, "é2345\n\n".repeat(lines * 2)).expect("written");
        let mut asked = Lines::of(&path);
        for line in [3 * lines / 2, 10, lines, 1, 0] {
            let at = line as u64 * 8;
            assert_eq!(asked.place(at).expect("read"), (line as u64 * 2 + 1, 1));
            assert_eq!(asked.place(at + 3).expect("read"), (line as u64 * 2 + 1, 3));
            assert_eq!(asked.place(at + 7).expect("read"), (line as u64 * 2 + 2, 1));
        }
    }
}
