//! [`Lock`]: one host at a time writes a database.
//!
//! The queues live in the memory of the host that writes; a second one would answer from its own.
//! The operating system lets go of the lock when the process ends, however it ends.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use super::StoreError;

/// Held as long as the database is open.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock beside `database`.
    pub(super) fn take(database: &Path) -> Result<Self, StoreError> {
        let unreachable = |cause| StoreError::Unreachable { path: database.to_path_buf(), cause };
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(beside(database))
            .map_err(unreachable)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => {
                Err(StoreError::InUse { path: database.to_path_buf() })
            }
            Err(TryLockError::Error(cause)) => Err(unreachable(cause)),
        }
    }
}

fn beside(database: &Path) -> PathBuf {
    let mut name = database.file_name().map(OsString::from).unwrap_or_default();
    name.push(".lock");
    database.with_file_name(name)
}
