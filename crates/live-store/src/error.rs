//! [`StoreError`]: why the store failed.

use std::path::PathBuf;

use database_file::Writer;

/// Why the store failed. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk is full.
    #[error(
        "the disk of the live sessions is full, and nothing was changed: free some space and retry"
    )]
    Full,
    /// Another host has it open.
    #[error(
        "another host uses the live sessions in {}: stop it, or set another file under [live] \
         database in rehearsal.toml", path.display()
    )]
    InUse {
        /// The database.
        path: PathBuf,
    },
    /// The folder or the lock file cannot be created.
    #[error(
        "the live sessions cannot be stored in {}: {cause}. Allow access to the folder, or set \
         another file under [live] database in rehearsal.toml", path.display()
    )]
    Unreachable {
        /// The database.
        path: PathBuf,
        /// The operating system's error.
        cause: std::io::Error,
    },
    /// Another version of Rehearsal wrote it.
    #[error(
        "the live sessions in {} cannot be opened: the file was written by {by}. Start that version, \
         or set another file under [live] database in rehearsal.toml", path.display()
    )]
    OtherVersion {
        /// The database.
        path: PathBuf,
        /// What wrote it.
        by: Writer,
    },
    /// The file is not a database.
    #[error(
        "the live sessions in {} cannot be opened ({cause}): move the file away, or set another one \
         under [live] database in rehearsal.toml", path.display()
    )]
    Unopened {
        /// The database.
        path: PathBuf,
        /// The database's error.
        cause: String,
    },
    /// The host is stopping and has closed the database.
    #[error("the host has closed the database of live sessions: retry after its restart")]
    Closed,
    /// A stored value cannot be decoded.
    #[error("the database of live sessions contains invalid data: {0}")]
    Damaged(String),
    /// The database failed.
    #[error("the database of live sessions failed, and nothing was changed: {0}")]
    Database(sqlx::Error),
}

/// SQLITE_FULL; the primary code is the low byte of an extended one.
const FULL: i64 = 13;

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let code = error.as_database_error().and_then(|it| it.code());
        let code = code.and_then(|code| code.parse::<i64>().ok());
        match code {
            Some(code) if code & 0xff == FULL => Self::Full,
            _ if matches!(error, sqlx::Error::PoolClosed) => Self::Closed,
            _ => Self::Database(error),
        }
    }
}

impl From<live::Invalid> for StoreError {
    fn from(invalid: live::Invalid) -> Self {
        Self::Damaged(invalid.to_string())
    }
}
