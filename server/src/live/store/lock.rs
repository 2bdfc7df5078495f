//! [`Lock`]: only one host writes a database at a time.
//!
//! The queues are in the memory of the writing host, so a second host would use outdated ones. The
//! operating system releases the lock when the process ends.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use super::StoreError;

/// Held while the database is open.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Locks the file beside `database`.
    pub(super) fn take(database: &Path) -> Result<Self, StoreError> {
        let unreachable = |cause| StoreError::Unreachable { path: database.to_path_buf(), cause };
        let file = crate::private::open_file(&beside(database)).map_err(unreachable)?;
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
