//! Making an index while the file is read for the first time.
//!
//! Several threads may hand in entries. Each keeps one run's worth, sorts it and writes it out: the
//! memory needed does not grow with the file.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::format::{RUNS_AT, RUNS_MOST, Run};
use super::{Entry, Header, RUN_LARGEST, recent_hash, write_pages};
use crate::identity::Identity;
use crate::scan::Outline;

/// An index in the making, under a name of its own until it is whole.
#[derive(Debug)]
pub(crate) struct Builder {
    draft: PathBuf,
    path: PathBuf,
    file: File,
    written: Mutex<Written>,
}

#[derive(Debug)]
struct Written {
    runs: Vec<Run>,
    end: u64,
    failed: bool,
}

impl Builder {
    /// Begins the index at `path`; makes its folder.
    pub(crate) fn begin(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let draft = path.with_extension(format!("new-{}", std::process::id()));
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&draft)?;
        let written = Mutex::new(Written { runs: Vec::new(), end: RUNS_AT, failed: false });
        Ok(Self { draft, path: path.to_owned(), file, written })
    }

    /// Takes one more entry into `run`, and writes the run out when it is full.
    pub(crate) fn take(&self, run: &mut Vec<Entry>, entry: Entry) {
        run.push(entry);
        if run.len() >= RUN_LARGEST {
            self.write(run);
        }
    }

    /// Writes out what `run` holds. A failure is remembered: the index will not be finished.
    pub(crate) fn write(&self, run: &mut Vec<Entry>) {
        if run.is_empty() {
            return;
        }
        run.sort_unstable();
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let offset = written.end;
        match write_pages(&self.file, offset, run) {
            Ok(end) if written.runs.len() < RUNS_MOST / 2 => {
                written.end = end;
                written.runs.push(Run { offset, entries: run.len() as u64 });
            }
            _ => written.failed = true,
        }
        run.clear();
    }

    /// Gives the index its name.
    pub(crate) fn finish(self, identity: Identity, outline: Outline) -> io::Result<()> {
        let (runs, failed) = {
            let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
            (written.runs.clone(), written.failed)
        };
        if failed {
            return Err(io::Error::other("the index could not be written"));
        }
        let header = Header { identity, outline, recent: 0, recent_hash: recent_hash(&[]), runs };
        header.write(&self.file)?;
        // As long as the recent entries' room, so that an index without runs can be read whole.
        let length = self.file.metadata()?.len().max(RUNS_AT);
        self.file.set_len(length)?;
        std::fs::rename(&self.draft, &self.path)
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        // After `finish` the draft has another name and this finds nothing.
        let _ = std::fs::remove_file(&self.draft);
    }
}
