//! [`StoreError`]: why the store of eval runs failed.

use std::path::{Path, PathBuf};

use database_file::{MigrateError, Writer};

/// Why the store failed. What was stored before is kept.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder cannot be created.
    #[error("eval runs cannot be stored in {}: {cause}. Choose another file with --store", path.display())]
    Unreachable {
        /// The store.
        path: PathBuf,
        /// The operating system's error.
        cause: std::io::Error,
    },
    /// There is no such file.
    #[error("the store of eval runs {} does not exist; check the path", path.display())]
    Missing {
        /// The store.
        path: PathBuf,
    },
    /// Another version of Rehearsal wrote it.
    #[error(
        "the eval runs in {} cannot be opened: the file was written by {by}. Use that version, or choose another \
         file with --store",
        path.display()
    )]
    OtherVersion {
        /// The store.
        path: PathBuf,
        /// What wrote it.
        by: Writer,
    },
    /// It is a database with tables of another program.
    #[error(
        "{} is a database of another program; it was not changed. Choose another file with --store", path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// It is not a database, or something in it cannot be read.
    #[error(
        "the eval runs in {} are damaged ({cause}): move the file away, or choose another one with --store",
        path.display()
    )]
    Damaged {
        /// The store.
        path: PathBuf,
        /// What is wrong.
        cause: String,
    },
    /// The disk is full.
    #[error("the disk is full: free some space, and continue the run with --resume. The store is {}", path.display())]
    Full {
        /// The store.
        path: PathBuf,
    },
    /// The database failed.
    #[error("the store of eval runs {} failed: {cause}", path.display())]
    Database {
        /// The store.
        path: PathBuf,
        /// The database's error.
        cause: String,
    },
    /// Another process runs the run.
    #[error("run {number} in {} is still running in another process; wait until it ends, or end it", .path.display())]
    Running {
        /// The store.
        path: PathBuf,
        /// The run.
        number: i64,
    },
    /// No person is to decide on the result, or there is none.
    #[error("run {number} has no repeat {repeat} of {name} that waits for the verdict of a person")]
    NoVerdict {
        /// The run.
        number: i64,
        /// The case.
        name: String,
        /// The repeat.
        repeat: u32,
    },
    /// There is no such run.
    #[error("{} has no run {number}; {}", path.display(), known(*last))]
    NoRun {
        /// The store.
        path: PathBuf,
        /// The run that was asked for.
        number: i64,
        /// The newest run.
        last: Option<i64>,
    },
    /// There is no run of these suites.
    #[error("{} has no run of {}; {}", path.display(), suites.join(", "), known(*last))]
    NoRunOf {
        /// The store.
        path: PathBuf,
        /// The suites.
        suites: Vec<String>,
        /// The newest run.
        last: Option<i64>,
    },
}

fn known(last: Option<i64>) -> String {
    last.map_or("it has no runs".to_owned(), |last| format!("the last run is {last}"))
}

/// `SQLITE_CORRUPT`, `SQLITE_FULL` and `SQLITE_NOTADB`; the primary code is the low byte of an extended one.
const CORRUPT: i64 = 11;
const FULL: i64 = 13;
const NOT_A_DATABASE: i64 = 26;

impl StoreError {
    /// Why the database at `path` was not migrated.
    pub(super) fn of_migration(path: &Path, error: MigrateError) -> Self {
        match error {
            MigrateError::Newer(by) => Self::OtherVersion { path: path.to_owned(), by },
            MigrateError::Foreign(cause) => Self::Damaged { path: path.to_owned(), cause },
            MigrateError::Database(error) => Self::of(path, &error),
        }
    }

    /// The error of the database at `path`.
    pub(super) fn of(path: &Path, error: &sqlx::Error) -> Self {
        let path = path.to_owned();
        let of_database = error.as_database_error();
        let code = of_database.and_then(|it| it.code()?.parse::<i64>().ok());
        let cause = of_database.map_or_else(|| error.to_string(), |it| it.message().to_owned());
        match code.map(|code| code & 0xff) {
            Some(FULL) => Self::Full { path },
            Some(CORRUPT | NOT_A_DATABASE) => Self::Damaged { path, cause },
            _ if matches!(error, sqlx::Error::ColumnDecode { .. }) => Self::Damaged { path, cause },
            _ => Self::Database { path, cause },
        }
    }
}
