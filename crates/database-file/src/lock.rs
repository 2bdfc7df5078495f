//! [`Lock`]: only one host writes a database at a time.
//!
//! The queues are in the memory of the writing host, so a second host would use outdated ones. The
//! operating system releases the lock when the process ends.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Held while the database is open.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Why a database cannot be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has it.
    #[error("another host uses it")]
    InUse,
    /// The file of the lock cannot be opened.
    #[error(transparent)]
    Unreachable(io::Error),
}

impl Lock {
    /// Locks the file beside `database`, and creates it if it is missing.
    ///
    /// # Errors
    /// [`LockError`].
    pub fn take(database: &Path) -> Result<Self, LockError> {
        let file = private_files::open_file(&beside(database)).map_err(LockError::Unreachable)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(LockError::InUse),
            Err(TryLockError::Error(cause)) => Err(LockError::Unreachable(cause)),
        }
    }
}

fn beside(database: &Path) -> PathBuf {
    let mut name = database.file_name().map(OsString::from).unwrap_or_default();
    name.push(".lock");
    database.with_file_name(name)
}
