//! [`Scratch`]: the folder for temporary files and caches of one process and its cases.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// The folders in a home in which programs make folders of their own.
const NESTED: [&str; 5] = [".cache", ".config", ".local", ".local/share", ".local/state"];

/// The variables that name such folders, wherever they are.
const VARIABLES: [&str; 4] =
    ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];

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
        std::fs::create_dir(path.join("tmp"))?;
        Ok(Self { _folder: folder, path })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The variables with which programs write there. Where `with_home`, the home is a folder in it too: what is in the
    /// real one can be read through links, and what is not there yet can be made.
    ///
    /// # Errors
    /// The system's, if the links cannot be made.
    pub(super) fn environment(&self, with_home: bool) -> io::Result<Vec<(&'static str, OsString)>> {
        let mut all = vec![("TMPDIR", self.path.join("tmp").into_os_string())];
        if with_home {
            let nested_of_variables = VARIABLES.map(|name| (name, [].as_slice()));
            for (name, nested) in
                [("HOME", NESTED.as_slice())].into_iter().chain(nested_of_variables)
            {
                let real = std::env::var_os(name).filter(|it| !it.is_empty());
                if let Some(real) = real {
                    let folder = self.path.join(name.to_lowercase());
                    link_entries(Path::new(&real), &folder, nested)?;
                    all.push((name, folder.into_os_string()));
                }
            }
        }
        // tiktoken keeps what it has loaded from the network in the folder for temporary files.
        let encodings = std::env::temp_dir().join("data-gym-cache");
        let is_set = |name| std::env::var_os(name).is_some();
        if encodings.is_dir() && !is_set("TIKTOKEN_CACHE_DIR") && !is_set("DATA_GYM_CACHE_DIR") {
            all.push(("TIKTOKEN_CACHE_DIR", encodings.into_os_string()));
        }
        Ok(all)
    }
}

/// Makes `folder` with a link to each entry of `real`, and folders in it whose entries are links, at the paths `nested`.
fn link_entries(real: &Path, folder: &Path, nested: &[&str]) -> io::Result<()> {
    std::fs::create_dir(folder)?;
    for inner in nested {
        std::fs::create_dir_all(folder.join(inner))?;
    }
    for inner in nested.iter().copied().chain([""]) {
        // What cannot be read is not there for the agent's programs either.
        for entry in std::fs::read_dir(real.join(inner)).into_iter().flatten().flatten() {
            let link = folder.join(inner).join(entry.file_name());
            if link.symlink_metadata().is_err() {
                std::os::unix::fs::symlink(entry.path(), link)?;
            }
        }
    }
    Ok(())
}
