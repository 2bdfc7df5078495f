//! [`copy`] and [`check`]: complete copies of a database, also while a host uses it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};

/// Why a database was not copied, or a copy is not complete.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The new file cannot be written.
    #[error("{} cannot be written: {cause}", path.display())]
    Unwritable {
        /// The copy.
        path: PathBuf,
        /// The operating system's error.
        cause: io::Error,
    },
    /// Another program holds a lock on the database.
    #[error("another program has locked {}: {cause}. End that program", path.display())]
    Locked {
        /// The database.
        path: PathBuf,
        /// What SQLite found.
        cause: String,
    },
    /// The file is not a database, or damaged.
    #[error("{} is damaged: {cause}", path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What SQLite found.
        cause: String,
    },
}

/// Writes everything that is committed in the database `from` into the new file `to`, which only its owner can read.
/// A host may use `from` meanwhile.
///
/// # Errors
/// [`CopyError`]. `to` may be incomplete then.
pub async fn copy(from: &Path, to: &Path) -> Result<(), CopyError> {
    let unwritable = |cause| CopyError::Unwritable { path: to.to_owned(), cause };
    // SQLite fills an empty file, and keeps its permissions.
    private_files::open_file(to).map_err(unwritable)?;
    let Some(name) = to.to_str() else {
        return Err(unwritable(io::Error::other("its path is not Unicode")));
    };
    let mut connection = open(from).await?;
    let copies = AssertSqlSafe(format!("VACUUM INTO '{}'", name.replace('\'', "''")));
    let copied = sqlx::query(copies).execute(&mut connection).await;
    copied.map_err(|error| failed(from, to, &error))?;
    let closed = connection.close().await;
    closed.map_err(|error| failed(from, to, &error))?;
    File::open(to).and_then(|file| file.sync_all()).map_err(unwritable)
}

/// Reads the whole database at `path`, and compares it with its indexes.
///
/// # Errors
/// [`CopyError::Locked`] and [`CopyError::Damaged`].
pub async fn check(path: &Path) -> Result<(), CopyError> {
    let damaged = |cause| CopyError::Damaged { path: path.to_owned(), cause };
    let mut connection = open(path).await?;
    let found = sqlx::query_scalar("PRAGMA integrity_check(1)").fetch_one(&mut connection).await;
    let found: String = found.map_err(|error| unreadable(path, &error))?;
    connection.close().await.map_err(|error| unreadable(path, &error))?;
    if found == "ok" { Ok(()) } else { Err(damaged(found)) }
}

async fn open(path: &Path) -> Result<SqliteConnection, CopyError> {
    let options = SqliteConnectOptions::new().filename(path).busy_timeout(Duration::from_secs(30));
    options.connect().await.map_err(|error| unreadable(path, &error))
}

/// `SQLITE_FULL`, `SQLITE_IOERR`, `SQLITE_CANTOPEN` and `SQLITE_READONLY` are the new file's.
const OF_TARGET: [i64; 4] = [13, 10, 14, 8];

/// `SQLITE_BUSY` and `SQLITE_LOCKED`.
const OF_LOCK: [i64; 2] = [5, 6];

fn failed(from: &Path, to: &Path, error: &sqlx::Error) -> CopyError {
    match code_of(error) {
        Some(code) if OF_TARGET.contains(&code) => {
            CopyError::Unwritable { path: to.to_owned(), cause: io::Error::other(cause_of(error)) }
        }
        _ => unreadable(from, error),
    }
}

/// Why the database at `path` cannot be read.
fn unreadable(path: &Path, error: &sqlx::Error) -> CopyError {
    let (path, cause) = (path.to_owned(), cause_of(error));
    match code_of(error) {
        Some(code) if OF_LOCK.contains(&code) => CopyError::Locked { path, cause },
        _ => CopyError::Damaged { path, cause },
    }
}

/// SQLite's primary result code.
fn code_of(error: &sqlx::Error) -> Option<i64> {
    let code = error.as_database_error()?.code()?.parse::<i64>().ok()?;
    Some(code & 0xff)
}

fn cause_of(error: &sqlx::Error) -> String {
    error.as_database_error().map_or_else(|| error.to_string(), |it| it.message().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn database(path: &Path) -> SqliteConnection {
        let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
        let options = options.journal_mode(sqlx::sqlite::SqliteJournalMode::Wal);
        let mut connection = options.connect().await.expect("opens");
        for statement in ["CREATE TABLE notes (text TEXT)", "INSERT INTO notes VALUES ('kept')"] {
            sqlx::query(statement).execute(&mut connection).await.expect("written");
        }
        connection
    }

    #[tokio::test]
    async fn a_copy_has_what_is_committed_while_the_database_is_open() {
        let folder = tempfile::tempdir().expect("a folder");
        let [from, to] = ["live.sqlite", "it's a copy.sqlite"].map(|name| folder.path().join(name));
        let _open = database(&from).await;
        copy(&from, &to).await.expect("copied");
        check(&to).await.expect("complete");
        let mut copied = open(&to).await.expect("opens");
        let text = sqlx::query_scalar("SELECT text FROM notes").fetch_one(&mut copied).await;
        assert_eq!(text.map_err(|error| error.to_string()), Ok("kept".to_owned()));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = to.metadata().expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[tokio::test]
    async fn a_lock_is_told_from_damage() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("live.sqlite");
        database(&path).await.close().await.expect("closed");
        // A journal that lets nobody read meanwhile.
        let options = SqliteConnectOptions::new().filename(&path).busy_timeout(Duration::ZERO);
        let options = options.journal_mode(sqlx::sqlite::SqliteJournalMode::Delete);
        let mut locks = options.connect().await.expect("opens");
        sqlx::query("BEGIN EXCLUSIVE").execute(&mut locks).await.expect("locked");
        let options = SqliteConnectOptions::new().filename(&path).busy_timeout(Duration::ZERO);
        let mut reads = options.connect().await.expect("opens");
        let read = sqlx::query("SELECT text FROM notes").fetch_one(&mut reads).await;
        let error = unreadable(&path, &read.expect_err("locked"));
        assert!(matches!(error, CopyError::Locked { .. }), "{error}");
    }

    #[tokio::test]
    async fn what_is_not_a_database_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let [text, to, cut] = ["a.txt", "copy", "cut"].map(|name| folder.path().join(name));
        std::fs::write(&text, "not a database, whatever its name says ".repeat(30))
            .expect("written");
        let refused = copy(&text, &to).await.expect_err("refused").to_string();
        assert_eq!(refused, format!("{} is damaged: file is not a database", text.display()));
        let missing = folder.path().join("none").join("copy");
        let from = folder.path().join("live.sqlite");
        drop(database(&from).await);
        let refused = copy(&from, &missing).await.expect_err("refused").to_string();
        assert!(
            refused.starts_with(&format!("{} cannot be written: ", missing.display())),
            "{refused}"
        );
        copy(&from, &cut).await.expect("copied");
        let bytes = std::fs::read(&cut).expect("read");
        std::fs::write(&cut, &bytes[..bytes.len() / 2]).expect("cut");
        let refused = check(&cut).await.expect_err("refused").to_string();
        assert!(refused.starts_with(&format!("{} is damaged: ", cut.display())), "{refused}");
    }
}
