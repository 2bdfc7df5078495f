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
        for inner in ["tmp", "cache", "matplotlib"] {
            std::fs::create_dir(path.join(inner))?;
        }
        #[cfg(unix)]
        if let Some(caches) = caches() {
            // What is in a cache can be read, and a library can make a cache that is not there yet.
            for cache in std::fs::read_dir(caches).into_iter().flatten().flatten() {
                let link = path.join("cache").join(cache.file_name());
                std::os::unix::fs::symlink(cache.path(), link)?;
            }
        }
        Ok(Self { _folder: folder, path })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The variables with which libraries write there.
    pub(super) fn environment(&self) -> Vec<(&'static str, OsString)> {
        let mut all: Vec<_> = [
            ("TMPDIR", "tmp"),
            ("XDG_CACHE_HOME", "cache"),
            // It has a folder of its own, and writes there at every start.
            ("MPLCONFIGDIR", "matplotlib"),
        ]
        .map(|(name, inner)| (name, self.path.join(inner).into_os_string()))
        .into();
        // It keeps what it has loaded from the network in the folder for temporary files.
        let encodings = std::env::temp_dir().join("data-gym-cache");
        let is_set = |name| std::env::var_os(name).is_some();
        if encodings.is_dir() && !is_set("TIKTOKEN_CACHE_DIR") && !is_set("DATA_GYM_CACHE_DIR") {
            all.push(("TIKTOKEN_CACHE_DIR", encodings.into_os_string()));
        }
        all
    }
}

/// Where the user's programs keep their caches.
fn caches() -> Option<PathBuf> {
    let set = std::env::var_os("XDG_CACHE_HOME").filter(|it| !it.is_empty()).map(PathBuf::from);
    set.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))
}
