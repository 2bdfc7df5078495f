//! [`Scratch`]: the folder for temporary files and caches of one process and its cases.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A folder that is removed when this is dropped.
pub(super) struct Scratch {
    /// Removes it.
    _folder: TempDir,
    /// With all links followed, as Python sees the paths in it.
    path: PathBuf,
}

impl Scratch {
    pub(super) fn new() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("rehearsal-eval-").tempdir()?;
        let path = folder.path().canonicalize()?;
        Ok(Self { _folder: folder, path })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
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
