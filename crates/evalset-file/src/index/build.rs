//! [`Builder`]: builds an index during the first scan of a file.
//!
//! Several threads may add entries. Each sorts and writes one run at a time, so that memory does not grow
//! with the file.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::format::{RUNS_AT, RUNS_MOST, Run};
use super::{Entry, Header, RUN_LARGEST, recent_hash, write_pages};
use crate::identity::Identity;
use crate::scan::Outline;

/// An index being built, in a temporary file until it is complete.
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
    /// Begins the index at `path`, and creates its folder.
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

    /// Adds an entry to `run`, and writes the run when it is full.
    pub(crate) fn take(&self, run: &mut Vec<Entry>, entry: Entry) {
        run.push(entry);
        if run.len() >= RUN_LARGEST {
            self.write(run);
        }
    }

    /// Writes the entries of `run`. After a failure, `finish` fails too.
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

    /// Renames the finished index.
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
        // At least as long as the space for recent entries, so that an index without runs is complete.
        let length = self.file.metadata()?.len().max(RUNS_AT);
        self.file.set_len(length)?;
        std::fs::rename(&self.draft, &self.path)
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        // After `finish` the draft is renamed and does not exist.
        let _ = std::fs::remove_file(&self.draft);
    }
}
