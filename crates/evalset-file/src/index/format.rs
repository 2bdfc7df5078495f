//! The file format of an index.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::{Entry, corrupt};
use crate::identity::Identity;
use crate::scan::{LastCase, Outline};

const MAGIC: u64 = u64::from_le_bytes(*b"RHSLIDX1");
const HEADER: usize = 16 << 10;
const ENTRY: usize = 24;

/// The offset of the recent entries, and their maximum number.
const RECENT_AT: u64 = HEADER as u64;
pub(super) const RECENT_MOST: usize = 2048;

/// The offset of the first run.
pub(super) const RUNS_AT: u64 = RECENT_AT + (RECENT_MOST * ENTRY) as u64;

pub(super) const PAGE: usize = 4096;
pub(super) const PER_PAGE: usize = (PAGE - 16) / ENTRY;

/// The entries of one run of a new index, which are sorted in memory.
pub(super) const RUN_LARGEST: usize = 256 << 10;

/// The maximum number of runs in the header.
pub(super) const RUNS_MOST: usize = 900;

/// A range of sorted pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) offset: u64,
    pub(super) entries: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) identity: Identity,
    pub(super) outline: Outline,
    pub(super) recent: u64,
    pub(super) recent_hash: u64,
    pub(super) runs: Vec<Run>,
}

impl Header {
    pub(super) fn write(&self, index: &File) -> io::Result<()> {
        let Identity { device, inode, size, modified, changed } = self.identity;
        let last = self.outline.last.unwrap_or(LastCase { parting: 0, start: 0, end: 0 });
        let mut words = vec![
            MAGIC,
            device,
            inode,
            size,
            modified.0.cast_unsigned(),
            modified.1.cast_unsigned(),
            changed.0.cast_unsigned(),
            changed.1.cast_unsigned(),
            self.outline.list_open,
            self.outline.list_close,
            self.outline.cases,
            last.parting,
            last.start,
            last.end,
            self.recent,
            self.recent_hash,
            self.runs.len() as u64,
        ];
        words.extend(self.runs.iter().flat_map(|run| [run.offset, run.entries]));
        let mut bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
        let hash = xxh3_64(&bytes);
        bytes.extend_from_slice(&hash.to_le_bytes());
        if bytes.len() > HEADER {
            return Err(corrupt());
        }
        index.write_all_at(&bytes, 0)
    }

    pub(super) fn read(index: &File) -> io::Result<Self> {
        let mut bytes = vec![0; HEADER];
        index.read_exact_at(&mut bytes, 0)?;
        let words: Vec<u64> =
            bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let [
            MAGIC,
            device,
            inode,
            size,
            modified_s,
            modified_ns,
            changed_s,
            changed_ns,
            list_open,
            list_close,
            cases,
            parting,
            start,
            end,
            recent,
            recent_hash,
            runs,
            rest @ ..,
        ] = words.as_slice()
        else {
            return Err(corrupt());
        };
        let runs =
            usize::try_from(*runs).ok().filter(|&runs| runs <= RUNS_MOST).ok_or_else(corrupt)?;
        let length = (words.len() - rest.len() + runs * 2) * 8;
        if rest.get(runs * 2) != Some(&xxh3_64(&bytes[..length])) {
            return Err(corrupt());
        }
        let seconds = |s: &u64, ns: &u64| (s.cast_signed(), ns.cast_signed());
        Ok(Self {
            identity: Identity {
                device: *device,
                inode: *inode,
                size: *size,
                modified: seconds(modified_s, modified_ns),
                changed: seconds(changed_s, changed_ns),
            },
            outline: Outline {
                list_open: *list_open,
                list_close: *list_close,
                cases: *cases,
                last: (*cases > 0).then_some(LastCase {
                    parting: *parting,
                    start: *start,
                    end: *end,
                }),
            },
            recent: *recent,
            recent_hash: *recent_hash,
            runs: rest[..runs * 2]
                .chunks_exact(2)
                .map(|run| Run { offset: run[0], entries: run[1] })
                .collect(),
        })
    }
}

fn to_bytes(entries: &[Entry]) -> Vec<u8> {
    let words = entries.iter().flat_map(|entry| [entry.fingerprint, entry.at, entry.case]);
    words.flat_map(u64::to_le_bytes).collect()
}

fn from_bytes(bytes: &[u8]) -> Vec<Entry> {
    let word = |bytes: &[u8], index: usize| {
        bytes.as_chunks::<8>().0.get(index).map_or(0, |word| u64::from_le_bytes(*word))
    };
    let entries = bytes.chunks_exact(ENTRY);
    entries
        .map(|bytes| Entry {
            fingerprint: word(bytes, 0),
            at: word(bytes, 1),
            case: word(bytes, 2),
        })
        .collect()
}

pub(super) fn recent_hash(entries: &[Entry]) -> u64 {
    xxh3_64(&to_bytes(entries))
}

pub(super) fn write_recent(index: &File, entries: &[Entry]) -> io::Result<()> {
    index.write_all_at(&to_bytes(entries), RECENT_AT)
}

pub(super) fn read_recent(index: &File, header: &Header) -> io::Result<Vec<Entry>> {
    let count = usize::try_from(header.recent).ok().filter(|&count| count <= RECENT_MOST);
    let mut bytes = vec![0; count.ok_or_else(corrupt)? * ENTRY];
    index.read_exact_at(&mut bytes, RECENT_AT)?;
    let entries = from_bytes(&bytes);
    if recent_hash(&entries) == header.recent_hash { Ok(entries) } else { Err(corrupt()) }
}

/// Writes sorted entries as pages at `offset`, and returns the offset after them. The number of entries is part
/// of each checksum, so that a page of an earlier, shorter run in this place is not taken for one.
pub(super) fn write_pages(index: &File, offset: u64, entries: &[Entry]) -> io::Result<u64> {
    let mut bytes = Vec::with_capacity(entries.len().div_ceil(PER_PAGE) * PAGE);
    for page in entries.chunks(PER_PAGE) {
        let start = bytes.len();
        bytes.extend_from_slice(&(page.len() as u64).to_le_bytes());
        bytes.extend(to_bytes(page));
        bytes.resize(start + PAGE - 8, 0);
        let hash = xxh3_64_with_seed(&bytes[start..], entries.len() as u64);
        bytes.extend_from_slice(&hash.to_le_bytes());
    }
    index.write_all_at(&bytes, offset)?;
    Ok(offset + bytes.len() as u64)
}

pub(super) fn read_page(index: &File, offset: u64, of_run: u64) -> io::Result<Vec<Entry>> {
    let mut page = [0; PAGE];
    index.read_exact_at(&mut page, offset)?;
    let (body, hash) = page.split_at(PAGE - 8);
    if xxh3_64_with_seed(body, of_run).to_le_bytes() != *hash {
        return Err(corrupt());
    }
    let (count, entries) = body.split_at(8);
    let count = count.first().map_or(0, |&count| usize::from(count));
    if count == 0 || count > PER_PAGE {
        return Err(corrupt());
    }
    Ok(from_bytes(&entries[..count * ENTRY]))
}
