//! [`FilePaths`]: the real path of a file, and whether it may be written.

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Component, Path, PathBuf};

use crate::AppendError;
use crate::error::IoContext as _;

/// The writable folders.
#[derive(Debug, Clone)]
pub(crate) enum Roots {
    Anywhere,
    /// In these folders and below.
    Within(Vec<PathBuf>),
}

/// A file, and the temporary files beside it during a write.
#[derive(Debug, Clone)]
pub(crate) struct FilePaths {
    /// The real file, which need not exist.
    pub(crate) file: PathBuf,
    /// Its folder.
    pub(crate) folder: PathBuf,
    /// The undo journal.
    pub(crate) journal: PathBuf,
    /// A new file until it is complete.
    pub(crate) draft: PathBuf,
}

/// The most symbolic links that are followed, as in the kernel.
const LINKS: usize = 40;

impl FilePaths {
    /// Resolves every symbolic link, also to a file that does not exist yet.
    pub(crate) fn of(path: &Path, roots: &Roots) -> Result<Self, AppendError> {
        let file = real_path(path)?;
        if let Roots::Within(folders) = roots {
            let real_folders: Vec<PathBuf> =
                folders.iter().filter_map(|folder| real_path(folder).ok()).collect();
            if !real_folders.iter().any(|folder| file.starts_with(folder)) {
                return Err(AppendError::OutsideRoots { path: file, roots: folders.clone() });
            }
        }
        let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
            return Err(AppendError::Directory { path: file });
        };
        let beside = |what: &str| {
            let mut hidden = OsString::from(".");
            hidden.push(name);
            hidden.push(what);
            folder.join(hidden)
        };
        Ok(Self {
            folder: folder.to_owned(),
            journal: beside(".rehearsal-journal"),
            draft: beside(".rehearsal-new"),
            file,
        })
    }

    /// Whether the file is there; an error when something else is.
    pub(crate) fn exists(&self) -> Result<bool, AppendError> {
        let metadata = match std::fs::symlink_metadata(&self.file) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(source) => return Err(source).during("looking at", &self.file),
        };
        let path = self.file.clone();
        let kind = metadata.file_type();
        if kind.is_dir() {
            return Err(AppendError::Directory { path });
        }
        if !kind.is_file() {
            let kind = if kind.is_fifo() {
                "named pipe"
            } else if kind.is_socket() {
                "socket"
            } else if kind.is_symlink() {
                "symbolic link that was just made"
            } else {
                "device"
            };
            return Err(AppendError::NotAFile { path, kind });
        }
        // Asked here because a superuser may write what its owner has protected.
        if metadata.permissions().readonly() {
            return Err(AppendError::ReadOnly { path });
        }
        Ok(true)
    }
}

/// The path without links and dots; what does not exist yet is taken as it is written.
fn real_path(path: &Path) -> Result<PathBuf, AppendError> {
    let mut current = std::path::absolute(path).during("resolving", path)?;
    for _ in 0..LINKS {
        match current.canonicalize() {
            Ok(real) => return Ok(real),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(source).during("resolving", path),
        }
        // The longest part that exists, and the names after it.
        let Some((real, rest)) = existing_part(&current) else {
            return Err(io::Error::from(io::ErrorKind::NotFound)).during("resolving", path);
        };
        let next = real.join(rest.iter().collect::<PathBuf>());
        match rest.first().map(|first| std::fs::read_link(real.join(first))) {
            // A link to nothing: the file is made where it points.
            Some(Ok(target)) => {
                current = real.join(target).join(rest[1..].iter().collect::<PathBuf>());
            }
            _ if next.components().any(|part| part == Component::ParentDir) => {
                return Err(io::Error::from(io::ErrorKind::NotFound)).during("resolving", path);
            }
            _ => return Ok(next),
        }
    }
    Err(io::Error::other("too many symbolic links")).during("resolving", path)
}

fn existing_part(path: &Path) -> Option<(PathBuf, Vec<OsString>)> {
    let mut rest = Vec::new();
    let mut part = path;
    loop {
        if let Ok(real) = part.canonicalize() {
            rest.reverse();
            return Some((real, rest));
        }
        // `..` after something that does not exist has no name and stays in the list as it is.
        rest.push(part.components().next_back()?.as_os_str().to_owned());
        part = part.parent()?;
    }
}
