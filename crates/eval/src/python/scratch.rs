//! [`Scratch`]: the folder for temporary files and caches of one process and its cases.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Where Linux keeps files in memory. Links take a twentieth of the time there that they take on a disk.
const MEMORY: &str = "/dev/shm";

/// Folders that are removed when this is dropped.
pub(super) struct Scratch {
    /// Removes them.
    _folders: [TempDir; 2],
    files: PathBuf,
    homes: PathBuf,
}

impl Scratch {
    pub(super) fn new() -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        let builder = builder.prefix("rehearsal-eval-");
        let files = builder.tempdir()?;
        let homes = builder.tempdir_in(MEMORY).or_else(|_| builder.tempdir())?;
        Ok(Self {
            // With all links followed, as Python sees the paths in them.
            files: files.path().canonicalize()?,
            homes: homes.path().canonicalize()?,
            _folders: [files, homes],
        })
    }

    /// The folder for temporary files.
    pub(super) fn files(&self) -> &Path {
        &self.files
    }

    /// The folder for homes, which have a link for each entry of the user's.
    pub(super) fn homes(&self) -> &Path {
        &self.homes
    }
}

/// The variable for what tiktoken has loaded from the network, which it otherwise keeps in the folder for temporary files.
pub(super) fn encodings() -> Option<(&'static str, OsString)> {
    let encodings = std::env::temp_dir().join("data-gym-cache");
    let is_set = |name| std::env::var_os(name).is_some();
    let is_kept =
        encodings.is_dir() && !is_set("TIKTOKEN_CACHE_DIR") && !is_set("DATA_GYM_CACHE_DIR");
    is_kept.then(|| ("TIKTOKEN_CACHE_DIR", encodings.into_os_string()))
}
