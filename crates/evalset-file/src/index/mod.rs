//! A small index of a large file, so that the next append need not read it.
//!
//! It has the end of the file's last case and the ids, is in a cache folder, and is valid for one
//! [`Identity`] of the file only. If it is damaged, the file is read again. It is not flushed; the checksum
//! of each page detects an interrupted write.
//!
//! ```text
//! header   16 KiB   identity, outline, table of runs, checksum
//! recent   48 KiB   the entries of recent appends, unsorted
//! runs     pages of 170 entries, sorted by fingerprint within each run
//! ```
//!
//! An entry is a fingerprint of an id, the offset of the id, and the offset of its case. Fingerprints
//! may collide, so the id is compared with the file.

mod build;
mod format;
mod probe;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{xxh3_64_with_seed, xxh3_128};

pub(crate) use build::Builder;
use format::{Header, PAGE, RUN_LARGEST, read_page, recent_hash, write_pages};
pub(crate) use probe::Index;

/// What the id identifies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Case,
    Invocation,
}

/// The position of an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    pub(crate) fingerprint: u64,
    /// Its opening quote.
    pub(crate) at: u64,
    /// Its case's opening bracket.
    pub(crate) case: u64,
}

impl Entry {
    pub(crate) fn new(kind: Kind, id: &str, at: u64, case: u64) -> Self {
        Self { fingerprint: fingerprint(kind, id), at, case }
    }
}

fn fingerprint(kind: Kind, id: &str) -> u64 {
    let seed = match kind {
        Kind::Case => 1,
        Kind::Invocation => 2,
    };
    xxh3_64_with_seed(id.as_bytes(), seed)
}

/// The index's name in the cache folder: one for each path.
pub(crate) fn path_of(cache: &Path, file: &Path) -> PathBuf {
    let name = xxh3_128(file.as_os_str().as_encoded_bytes());
    cache.join(format!("{name:032x}.cases"))
}

fn corrupt() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the index is damaged")
}

/// The entries of a whole run, in order.
fn read_run(index: &File, offset: u64, entries: u64) -> io::Result<Vec<Entry>> {
    let mut all = Vec::with_capacity(usize::try_from(entries).map_err(|_| corrupt())?);
    let mut at = offset;
    while (all.len() as u64) < entries {
        all.extend(read_page(index, at, entries)?);
        at += PAGE as u64;
    }
    Ok(all)
}
