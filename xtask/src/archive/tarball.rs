//! A tar archive in the format `ustar` of POSIX.1-1988, compressed with gzip.
//!
//! What differs between machines is left out: owner, time and order of the files, and the time in gzip's header.

use std::io::Write as _;

use anyhow::{Result, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;

const BLOCK: usize = 512;
/// The longest path in the header's first field. The second one, for longer paths, is not used.
const LONGEST_PATH: usize = 100;
/// Eleven octal digits.
const LARGEST_NUMBER: u64 = 0o77_777_777_777;

/// A file of the archive.
pub(super) struct Entry {
    path: String,
    contents: Vec<u8>,
    mode: u64,
}

impl Entry {
    /// A file that everyone may read.
    pub(super) fn file(path: &str, contents: Vec<u8>) -> Self {
        Self { path: path.to_owned(), contents, mode: 0o644 }
    }

    /// A file that everyone may read and run.
    pub(super) fn program(path: &str, contents: Vec<u8>) -> Self {
        Self { path: path.to_owned(), contents, mode: 0o755 }
    }
}

/// The archive's bytes: `entries` in the folder `top`, sorted by path, all with the time `time` in seconds since
/// 1970.
pub(super) fn compressed(top: &str, mut entries: Vec<Entry>, time: u64) -> Result<Vec<u8>> {
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    for entry in &entries {
        gzip.write_all(&header(&format!("{top}/{}", entry.path), entry, time)?)?;
        gzip.write_all(&entry.contents)?;
        let padding = entry.contents.len().next_multiple_of(BLOCK) - entry.contents.len();
        gzip.write_all(&[0; BLOCK][..padding])?;
    }
    // The end of an archive is two empty blocks.
    gzip.write_all(&[0; 2 * BLOCK])?;
    Ok(gzip.finish()?)
}

fn header(path: &str, entry: &Entry, time: u64) -> Result<[u8; BLOCK]> {
    let size = entry.contents.len() as u64;
    ensure!(path.len() <= LONGEST_PATH, "`{path}` is longer than {LONGEST_PATH} bytes");
    ensure!(size <= LARGEST_NUMBER, "`{path}` is too large for a tar archive");
    ensure!(time <= LARGEST_NUMBER, "the time {time} is too late for a tar archive");
    let mut header = [0; BLOCK];
    let mut put = |at: usize, text: &str| {
        header[at..at + text.len()].copy_from_slice(text.as_bytes());
    };
    put(0, path);
    put(100, &format!("{:07o}", entry.mode));
    // User and group.
    put(108, &format!("{:07o}", 0));
    put(116, &format!("{:07o}", 0));
    put(124, &format!("{size:011o}"));
    put(136, &format!("{time:011o}"));
    // The checksum is computed with spaces in its own place.
    put(148, "        ");
    // A regular file.
    put(156, "0");
    put(257, "ustar\x0000");
    put(265, "root");
    put(297, "root");
    let checksum: u64 = header.iter().map(|byte| u64::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{checksum:06o}\0").as_bytes());
    Ok(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_has_the_fields_of_ustar() -> Result<()> {
        let entry = Entry::program("a", b"text".to_vec());
        let header = header("top/a", &entry, 0o17)?;
        assert_eq!(&header[..6], b"top/a\0");
        assert_eq!(&header[100..108], b"0000755\0");
        assert_eq!(&header[124..148], b"00000000004\x0000000000017\0");
        let other: u64 = header[..148].iter().chain(&header[156..]).map(|it| u64::from(*it)).sum();
        // Eight spaces stand for the checksum.
        assert_eq!(&header[148..156], format!("{:06o}\0 ", other + 8 * 32).as_bytes());
        Ok(())
    }

    #[test]
    fn a_path_that_does_not_fit_is_an_error() {
        let entry = Entry::file(&"a".repeat(100), Vec::new());
        let error = compressed("top", vec![entry], 0).expect_err("104 bytes do not fit");
        assert!(error.to_string().contains("longer than 100 bytes"), "{error}");
    }
}
