//! [`Index`]: looks up ids, and is updated after an append.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::format::{PER_PAGE, RECENT_MOST, RUNS_MOST, Run, read_recent, write_recent};
use super::{
    Entry, Header, Kind, PAGE, corrupt, fingerprint, read_page, read_run, recent_hash, write_pages,
};
use crate::identity::Identity;
use crate::scan::Outline;

/// Runs up to this size are merged with new entries.
const MERGED_BELOW: u64 = 64 << 10;

/// An index that is valid for the current file.
#[derive(Debug)]
pub(crate) struct Index {
    file: File,
    header: Header,
    recent: Vec<Entry>,
}

impl Index {
    /// `None` if there is no index, or it is damaged or of another version of the file.
    pub(crate) fn open(path: &Path, identity: &Identity) -> Option<Self> {
        let file = OpenOptions::new().read(true).write(true).open(path).ok()?;
        let header = Header::read(&file).ok()?;
        if header.identity != *identity {
            return None;
        }
        let recent = read_recent(&file, &header).ok()?;
        Some(Self { file, header, recent })
    }

    pub(crate) fn outline(&self) -> Outline {
        self.header.outline
    }

    /// The case in `eval_set` that has, or has an invocation with, this id.
    ///
    /// # Errors
    /// The index is damaged.
    pub(crate) fn find(&self, eval_set: &File, kind: Kind, id: &str) -> io::Result<Option<u64>> {
        let wanted = fingerprint(kind, id);
        for entry in self.recent.iter().filter(|entry| entry.fingerprint == wanted) {
            if is_at(eval_set, entry.at, id)? {
                return Ok(Some(entry.case));
            }
        }
        for run in &self.header.runs {
            if let Some(case) = self.find_in(run, eval_set, wanted, id)? {
                return Ok(Some(case));
            }
        }
        Ok(None)
    }

    fn find_in(
        &self,
        run: &Run,
        eval_set: &File,
        wanted: u64,
        id: &str,
    ) -> io::Result<Option<u64>> {
        let page =
            |number: u64| read_page(&self.file, run.offset + number * PAGE as u64, run.entries);
        let pages = run.entries.div_ceil(PER_PAGE as u64);
        // The first page whose last entry is not below the wanted one.
        let (mut low, mut high) = (0, pages);
        while low < high {
            let middle = low + (high - low) / 2;
            let below = page(middle)?.last().is_some_and(|entry| entry.fingerprint < wanted);
            if below {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        for number in low..pages {
            for entry in page(number)? {
                if entry.fingerprint > wanted {
                    return Ok(None);
                }
                if entry.fingerprint == wanted && is_at(eval_set, entry.at, id)? {
                    return Ok(Some(entry.case));
                }
            }
        }
        Ok(None)
    }

    /// Updates the index after an append.
    ///
    /// # Errors
    /// The index could not be written, and is now invalid.
    pub(crate) fn add(
        mut self,
        entries: &[Entry],
        identity: Identity,
        outline: Outline,
    ) -> io::Result<()> {
        self.recent.extend_from_slice(entries);
        if self.recent.len() > RECENT_MOST {
            self.settle_recent()?;
        }
        self.header.identity = identity;
        self.header.outline = outline;
        self.header.recent = self.recent.len() as u64;
        self.header.recent_hash = recent_hash(&self.recent);
        write_recent(&self.file, &self.recent)?;
        self.header.write(&self.file)
    }

    /// Converts the recent entries to a run, merged with the last one if that is small.
    fn settle_recent(&mut self) -> io::Result<()> {
        let mut run = std::mem::take(&mut self.recent);
        let mut end = self.file.metadata()?.len();
        if let Some(last) = self.header.runs.pop_if(|last| last.entries <= MERGED_BELOW) {
            run.extend(read_run(&self.file, last.offset, last.entries)?);
            end = last.offset;
        }
        if self.header.runs.len() >= RUNS_MOST {
            return Err(corrupt());
        }
        run.sort_unstable();
        write_pages(&self.file, end, &run)?;
        self.header.runs.push(Run { offset: end, entries: run.len() as u64 });
        Ok(())
    }
}

/// Whether the JSON string at `at` is `id`.
fn is_at(eval_set: &File, at: u64, id: &str) -> io::Result<bool> {
    // A byte of a string takes at most six bytes in JSON, as `\u0000`.
    let mut bytes = vec![0; id.len() * 6 + 2];
    let mut length = 0;
    while length < bytes.len() {
        match eval_set.read_at(&mut bytes[length..], at + length as u64)? {
            0 => break,
            read => length += read,
        }
    }
    let mut strings = serde_json::Deserializer::from_slice(&bytes[..length]).into_iter::<String>();
    Ok(strings.next().is_some_and(|string| string.is_ok_and(|string| string == id)))
}
