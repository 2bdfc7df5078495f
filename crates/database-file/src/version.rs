//! [`migrate`]: brings a database to the newest version, and records which version of the program did.

use std::fmt;

use sqlx::migrate::Migrator;
use sqlx::sqlite::SqlitePool;

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The version of the program that last wrote a database, if the database says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writer(pub Option<String>);

impl fmt::Display for Writer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_deref() {
            Some(VERSION) => write!(formatter, "another build of rehearsal {VERSION}"),
            Some(version) => write!(formatter, "rehearsal {version}, and this is {VERSION}"),
            None => write!(formatter, "another version of rehearsal, and this is {VERSION}"),
        }
    }
}

/// Why a database was not migrated. It is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// A version of the program wrote it that this one does not know.
    #[error("it was written by {0}")]
    Newer(Writer),
    /// Its tables are not those that this program made.
    #[error("{0}")]
    Foreign(String),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// Brings the database to the newest version that `migrator` has.
///
/// # Errors
/// [`MigrateError`].
pub async fn migrate(pool: &SqlitePool, migrator: &Migrator) -> Result<(), MigrateError> {
    use sqlx::migrate::MigrateError as Cause;
    match migrator.run(pool).await {
        Ok(()) => Ok(record(pool).await?),
        Err(Cause::VersionMissing(_)) => Err(MigrateError::Newer(writer(pool).await)),
        Err(Cause::Execute(error)) => Err(error.into()),
        Err(error) => Err(MigrateError::Foreign(error.to_string())),
    }
}

async fn writer(pool: &SqlitePool) -> Writer {
    // A database without the table is of a version that does not record itself.
    let found = sqlx::query_scalar("SELECT version FROM written_by").fetch_optional(pool).await;
    Writer(found.unwrap_or_default())
}

async fn record(pool: &SqlitePool) -> Result<(), sqlx::Error> {
    if writer(pool).await == Writer(Some(VERSION.to_owned())) {
        return Ok(());
    }
    let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await?;
    for statement in
        ["CREATE TABLE IF NOT EXISTS written_by (version TEXT NOT NULL)", "DELETE FROM written_by"]
    {
        sqlx::query(statement).execute(&mut *transaction).await?;
    }
    let insert = sqlx::query("INSERT INTO written_by (version) VALUES (?)").bind(VERSION);
    insert.execute(&mut *transaction).await?;
    transaction.commit().await
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use sqlx::SqlSafeStr as _;
    use sqlx::migrate::{Migration, MigrationType};

    use super::*;

    fn migrator() -> Migrator {
        let sql = "CREATE TABLE notes (text TEXT)".into_sql_str();
        let kind = MigrationType::Simple;
        Migrator::with_migrations(vec![Migration::new(1, Cow::Borrowed("notes"), kind, sql, false)])
    }

    async fn pool() -> SqlitePool {
        let pool = sqlx::sqlite::SqlitePoolOptions::new().max_connections(1);
        pool.connect("sqlite::memory:").await.expect("opens")
    }

    #[tokio::test]
    async fn a_database_names_the_version_that_wrote_it() {
        let pool = pool().await;
        migrate(&pool, &migrator()).await.expect("migrates");
        assert_eq!(writer(&pool).await, Writer(Some(VERSION.to_owned())));
        let later = "INSERT INTO _sqlx_migrations (version, description, success, checksum, \
                     execution_time) VALUES (99, 'later', 1, x'00', 0)";
        sqlx::query(later).execute(&pool).await.expect("written");
        let refused = |pool: SqlitePool| async move {
            migrate(&pool, &migrator()).await.expect_err("refused").to_string()
        };
        let same = refused(pool.clone()).await;
        assert_eq!(same, format!("it was written by another build of rehearsal {VERSION}"));
        sqlx::query("UPDATE written_by SET version = '9.8.7'").execute(&pool).await.expect("set");
        let newer = refused(pool.clone()).await;
        assert_eq!(newer, format!("it was written by rehearsal 9.8.7, and this is {VERSION}"));
        sqlx::query("DROP TABLE written_by").execute(&pool).await.expect("dropped");
        let unnamed = refused(pool).await;
        let wanted =
            format!("it was written by another version of rehearsal, and this is {VERSION}");
        assert_eq!(unnamed, wanted);
    }
}
