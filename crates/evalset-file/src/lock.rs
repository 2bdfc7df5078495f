//! Opens an eval-set file with an exclusive advisory lock.
//!
//! The lock is an advisory one on the file itself (`flock`), so no lock file is left in the user's
//! folder. If the file is replaced during the wait, the path is opened again.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;

use crate::AppendError;
use crate::error::{IoContext as _, is_denied};
use crate::identity::Identity;
use crate::place::FilePaths;

/// Opens and locks the file; `None` if it does not exist.
pub(crate) fn open_locked(place: &FilePaths, wait: Duration) -> Result<Option<File>, AppendError> {
    let deadline = Instant::now() + wait;
    loop {
        if !place.exists()? {
            return Ok(None);
        }
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(flags(OFlags::NOFOLLOW | OFlags::NONBLOCK))
            .open(&place.file);
        let file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) if is_denied(&error) => {
                return Err(AppendError::ReadOnly { path: place.file.clone() });
            }
            Err(source) => return Err(source).during("opening", &place.file),
        };
        lock(&file, &place.file, deadline, wait)?;
        if is_at(&file, &place.file)? {
            return Ok(Some(file));
        }
    }
}

/// Waits for the lock until `deadline`.
pub(crate) fn lock(
    file: &File,
    path: &Path,
    deadline: Instant,
    waited: Duration,
) -> Result<(), AppendError> {
    let mut pause = Duration::from_millis(1);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(20));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(AppendError::Busy { path: path.to_owned(), waited });
            }
            Err(TryLockError::Error(source)) => return Err(source).during("locking", path),
        }
    }
}

/// Whether `path` still refers to `file`.
pub(crate) fn is_at(file: &File, path: &Path) -> Result<bool, AppendError> {
    let own = Identity::of(file).during("looking at", path)?;
    match std::fs::symlink_metadata(path) {
        Ok(metadata) => Ok(own.is_same_file(&Identity::from(&metadata))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(source).during("looking at", path),
    }
}

pub(crate) fn flags(flags: OFlags) -> i32 {
    flags.bits().cast_signed()
}
