//! [`RunStore`]: keeps the results of runs in a SQLite file.
//!
//! Each result is committed as its case ends, and a commit waits for the disk: a killed suite loses the cases that
//! were running, and nothing else. Several processes may use one file.

mod error;

use std::borrow::Cow;
use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteRow,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, Connection as _, Row as _, SqlSafeStr as _};

pub use self::error::StoreError;
use crate::case::{CaseRun, EvalCase};
use crate::fork::ForkOf;
use crate::person_verdict::set_verdict;
use crate::recorded_source::RecordedSource;
use crate::result::{EvalResult, ResultSummary, Status};

/// Where runs are stored if nothing else is chosen, relative to the working directory.
pub const DEFAULT_STORE: &str = ".rehearsal/eval.sqlite";

/// How often a claim is tried, since [`RunStore::is_claimed`] has the lock for a moment, and the time between two tries.
const LOOKS: usize = 5;
/// See [`LOOKS`].
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// The table in which migrations note themselves.
const MIGRATIONS: &str = "_sqlx_migrations";

/// A file of runs.
pub struct RunStore {
    path: PathBuf,
    pool: SqlitePool,
}

/// A run in a store: some suites, and the results so far.
#[derive(Debug, Clone, PartialEq)]
pub struct RunInfo {
    /// Its number in the store, from 1.
    pub number: i64,
    /// When it began, in milliseconds since 1970.
    pub created_at: i64,
    /// Its suites.
    pub suites: Vec<String>,
    /// What it is a fork of.
    pub fork_of: Option<ForkOf>,
    /// The recorded case that it gives again.
    pub recorded: Option<RecordedSource>,
}

impl RunInfo {
    /// Whether it has run its suites: it is neither a fork, nor a recorded case that is given again.
    #[must_use]
    pub fn is_of_suites(&self) -> bool {
        self.fork_of.is_none() && self.recorded.is_none()
    }
}

/// A run that this process continues, and no other.
#[derive(Debug)]
pub struct RunClaim {
    path: PathBuf,
    _file: Option<std::fs::File>,
}

impl Drop for RunClaim {
    fn drop(&mut self) {
        // While it is locked. An empty file that stays does no harm.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether the file is still the one at this path.
fn is_at(file: &std::fs::File, path: &Path) -> bool {
    let identity = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    let own = file.metadata().map(identity);
    let at_path = std::fs::metadata(path).map(identity);
    matches!((own, at_path), (Ok(own), Ok(at_path)) if own == at_path)
}

/// What names a result within a run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ResultKey {
    /// The suite.
    pub suite: String,
    /// The case.
    pub name: String,
    /// The repeat, from 1.
    pub repeat: u32,
}

impl ResultKey {
    /// The key of a run's result.
    #[must_use]
    pub fn of(run: &CaseRun<'_>) -> Self {
        let suite = run.case.source.suite.clone();
        Self { suite, name: run.case.name.clone(), repeat: run.repeat }
    }
}

/// A stored result.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredResult {
    /// What the case was made from when it ran, see [`crate::CaseSource::hashes`].
    pub hashes: String,
    /// The result.
    pub result: EvalResult,
}

/// A result without its ledger, by its key.
pub type Summaries = Vec<(ResultKey, ResultSummary)>;

/// How many results of a run have a verdict, and what they took together.
#[derive(Debug, Clone, PartialEq)]
pub struct StatusTotals {
    /// The run.
    pub run: i64,
    /// The verdict.
    pub status: Status,
    /// The number of results.
    pub results: u64,
    /// Their durations together, in milliseconds.
    pub duration_ms: u64,
    /// The tokens that the models of their subjects used.
    pub tokens: u64,
    /// What all their models cost, as far as their cases have prices.
    pub cost: Option<f64>,
}

/// The stored results of a run.
pub type StoredResults = HashMap<ResultKey, StoredResult>;

/// Waits until no other process creates a store in the folder, for which SQLite does not wait. A folder that cannot be
/// locked is used without a lock.
async fn lock_folder(path: &Path) -> Option<std::fs::File> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new(".")).to_owned();
    let locked = tokio::task::spawn_blocking(move || {
        let folder = std::fs::File::open(folder)?;
        folder.lock()?;
        std::io::Result::Ok(folder)
    });
    locked.await.ok()?.ok()
}

/// Whether the file is a database that has tables and was not made by migrations. It stays as it is. What cannot be
/// read is left to who opens it.
async fn is_of_another_program(path: &Path) -> bool {
    let tables = async {
        let options = SqliteConnectOptions::new().filename(path).read_only(true);
        let mut database = options.connect().await?;
        let names = "SELECT name FROM sqlite_master WHERE type = 'table'";
        let tables = sqlx::query_scalar::<_, String>(names).fetch_all(&mut database).await?;
        database.close().await?;
        Ok::<_, sqlx::Error>(tables)
    };
    let tables = tables.await.unwrap_or_default();
    !tables.is_empty() && tables.iter().all(|table| table != MIGRATIONS)
}

impl RunStore {
    /// Opens or creates the file, and migrates it to the current version.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be opened, is damaged or of another version.
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        if let Some(folder) = path.parent() {
            let unreachable = |cause| StoreError::Unreachable { path: path.to_owned(), cause };
            std::fs::create_dir_all(folder).map_err(unreachable)?;
        }
        Self::connect(path, true).await
    }

    /// Opens a file that must exist.
    ///
    /// # Errors
    /// As [`RunStore::open`].
    pub async fn open_existing(path: &Path) -> Result<Self, StoreError> {
        if !path.is_file() {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        Self::connect(path, false).await
    }

    async fn connect(path: &Path, creates: bool) -> Result<Self, StoreError> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(creates)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(Duration::from_secs(30));
        let pool =
            SqlitePoolOptions::new().max_connections(1).idle_timeout(None).max_lifetime(None);
        let alone = lock_folder(path).await;
        if is_of_another_program(path).await {
            return Err(StoreError::Foreign { path: path.to_owned() });
        }
        if creates {
            // Conversations are their owner's. SQLite's further files get the permissions of this one.
            let unreachable = |cause| StoreError::Unreachable { path: path.to_owned(), cause };
            private_files::open_file(path).map_err(unreachable)?;
        }
        let opened = async {
            let pool = pool.connect_with(options).await?;
            database_file::migrate(&pool, &migrator()).await?;
            Ok(pool)
        };
        let opened = opened.await;
        drop(alone);
        let pool = opened.map_err(|error| StoreError::of_migration(path, error))?;
        Ok(Self { path: path.to_owned(), pool })
    }

    /// Begins a run of these suites.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn begin(&self, suites: &[String]) -> Result<StoredRun<'_>, StoreError> {
        self.begin_run(suites, None, None).await
    }

    /// Begins the continuations of a fork.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn begin_fork(&self, of: &ForkOf) -> Result<StoredRun<'_>, StoreError> {
        self.begin_run(std::slice::from_ref(&of.suite), Some(of), None).await
    }

    /// Begins a run that gives a recorded case of `suite` again.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn begin_recorded(
        &self,
        suite: &str,
        of: &RecordedSource,
    ) -> Result<StoredRun<'_>, StoreError> {
        self.begin_run(&[suite.to_owned()], None, Some(of)).await
    }

    /// What the run gives again, or the one that it is a fork of.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn recorded_source(
        &self,
        run: &RunInfo,
    ) -> Result<Option<RecordedSource>, StoreError> {
        let mut recorded = run.recorded.clone();
        let mut of = run.fork_of.clone();
        while let Some(fork) = of {
            let source = self.run(fork.run).await?;
            (recorded, of) = (source.recorded, source.fork_of);
        }
        Ok(recorded)
    }

    /// Notes that a fork is to have `times` continuations.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn set_times(&self, number: i64, of: &ForkOf, times: u32) -> Result<(), StoreError> {
        let of = ForkOf { times: Some(times), ..of.clone() };
        let update = sqlx::query("UPDATE runs SET fork_of = ? WHERE number = ?");
        // Texts and numbers always serialize.
        let update = update.bind(serde_json::to_string(&of).ok()).bind(number);
        update.execute(&self.pool).await.map(drop).map_err(|error| self.failed(&error))
    }

    async fn begin_run(
        &self,
        suites: &[String],
        fork_of: Option<&ForkOf>,
        recorded: Option<&RecordedSource>,
    ) -> Result<StoredRun<'_>, StoreError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let insert = "INSERT INTO runs (created_at, suites, fork_of, recorded) VALUES (?, ?, ?, ?)";
        let insert = sqlx::query(insert)
            .bind(i64::try_from(now).unwrap_or(i64::MAX))
            .bind(list(suites))
            // Texts and numbers always serialize.
            .bind(fork_of.and_then(|of| serde_json::to_string(of).ok()))
            .bind(recorded.and_then(|of| serde_json::to_string(of).ok()));
        let inserted = insert.execute(&self.pool).await.map_err(|error| self.failed(&error))?;
        Ok(StoredRun { store: self, number: inserted.last_insert_rowid() })
    }

    /// The run of this number.
    ///
    /// # Errors
    /// [`StoreError::NoRun`] among others.
    pub async fn run(&self, number: i64) -> Result<RunInfo, StoreError> {
        let row = sqlx::query("SELECT * FROM runs WHERE number = ?").bind(number);
        let row = row.fetch_optional(&self.pool).await.map_err(|error| self.failed(&error))?;
        match row {
            Some(row) => self.info(&row),
            None => {
                let (path, last) = (self.path.clone(), self.newest().await?);
                Err(StoreError::NoRun { path, number, last })
            }
        }
    }

    /// The last run of these suites that is neither a fork nor a recorded case.
    ///
    /// # Errors
    /// [`StoreError::NoRunOf`] among others.
    pub async fn last_run_of(&self, suites: &[String]) -> Result<RunInfo, StoreError> {
        let row = sqlx::query(
            "SELECT * FROM runs WHERE suites = ? AND fork_of IS NULL AND recorded IS NULL \
             ORDER BY number DESC LIMIT 1",
        );
        let row = row.bind(list(suites)).fetch_optional(&self.pool).await;
        match row.map_err(|error| self.failed(&error))? {
            Some(row) => self.info(&row),
            None => {
                let (path, last) = (self.path.clone(), self.newest().await?);
                Err(StoreError::NoRunOf { path, suites: suites.to_vec(), last })
            }
        }
    }

    /// All runs, the oldest first.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn runs(&self) -> Result<Vec<RunInfo>, StoreError> {
        let rows = sqlx::query("SELECT * FROM runs ORDER BY number").fetch_all(&self.pool).await;
        rows.map_err(|error| self.failed(&error))?.iter().map(|row| self.info(row)).collect()
    }

    /// Keeps other processes from continuing a run until the claim is dropped, or this process has ended.
    ///
    /// # Errors
    /// [`StoreError::Running`] if another process has the run. A file that cannot be locked is not an error.
    pub fn claim(&self, number: i64) -> Result<RunClaim, StoreError> {
        let path = self.claim_path(number);
        let mut looks = 0;
        loop {
            let Ok(file) = std::fs::File::create(&path) else {
                return Ok(RunClaim { path, _file: None });
            };
            if let Err(std::fs::TryLockError::WouldBlock) = file.try_lock() {
                looks += 1;
                if looks == LOOKS {
                    return Err(StoreError::Running { path: self.path.clone(), number });
                }
                std::thread::sleep(BETWEEN_LOOKS);
                continue;
            }
            // Whoever had the run may have deleted the file between both steps, and others may lock a new one.
            if is_at(&file, &path) {
                return Ok(RunClaim { path, _file: Some(file) });
            }
        }
    }

    /// The file that is locked while a process has the run.
    fn claim_path(&self, number: i64) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".run-{number}"));
        PathBuf::from(name)
    }

    /// Continues a run.
    #[must_use]
    pub fn resume(&self, run: &RunInfo) -> StoredRun<'_> {
        self.resume_number(run.number)
    }

    /// Continues the run of this number.
    #[must_use]
    pub fn resume_number(&self, number: i64) -> StoredRun<'_> {
        StoredRun { store: self, number }
    }

    /// The results of a run.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn results(&self, number: i64) -> Result<StoredResults, StoreError> {
        let rows = sqlx::query("SELECT * FROM results WHERE run = ?").bind(number);
        let rows = rows.fetch_all(&self.pool).await.map_err(|error| self.failed(&error))?;
        let mut results = HashMap::new();
        for row in &rows {
            let key = key_of(row).map_err(|error| self.failed(&error))?;
            let result = self.stored_result(number, &key, row)?;
            results.insert(key, result);
        }
        Ok(results)
    }

    fn stored_result(
        &self,
        number: i64,
        key: &ResultKey,
        row: &SqliteRow,
    ) -> Result<StoredResult, StoreError> {
        let read = || Ok((row.try_get("hashes")?, row.try_get::<&str, _>("result")?));
        let (hashes, text) = read().map_err(|error| self.failed(&error))?;
        let result = serde_json::from_str(text);
        let result = result.map_err(|error| self.damaged(number, key, &error))?;
        Ok(StoredResult { hashes, result })
    }

    fn damaged(&self, number: i64, key: &ResultKey, error: &serde_json::Error) -> StoreError {
        let ResultKey { name, repeat, .. } = key;
        let cause = format!("repeat {repeat} of {name} in run {number}: {error}");
        StoreError::Damaged { path: self.path.clone(), cause }
    }

    /// The results of a run without their ledgers, by suite, name and repeat.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn summaries(&self, number: i64) -> Result<Summaries, StoreError> {
        let rows = sqlx::query(
            "SELECT suite, name, repeat, summary FROM summaries WHERE run = ? ORDER BY suite, name, repeat",
        );
        let rows = rows.bind(number).fetch_all(&self.pool).await;
        let rows = rows.map_err(|error| self.failed(&error))?;
        let mut summaries = Vec::with_capacity(rows.len());
        for row in &rows {
            let key = key_of(row).map_err(|error| self.failed(&error))?;
            let text: &str = row.try_get("summary").map_err(|error| self.failed(&error))?;
            let summary = serde_json::from_str(text);
            let summary = summary.map_err(|error| self.damaged(number, &key, &error))?;
            summaries.push((key, summary));
        }
        Ok(summaries)
    }

    /// A result; `None` if the run has none of this key.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn result(
        &self,
        number: i64,
        key: &ResultKey,
    ) -> Result<Option<StoredResult>, StoreError> {
        let row = sqlx::query(
            "SELECT hashes, result FROM results WHERE run = ? AND suite = ? AND name = ? AND repeat = ?",
        );
        let row = row.bind(number).bind(&key.suite).bind(&key.name).bind(key.repeat);
        let row = row.fetch_optional(&self.pool).await.map_err(|error| self.failed(&error))?;
        row.map(|row| self.stored_result(number, key, &row)).transpose()
    }

    /// What the results of all runs add up to, by run and verdict.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn totals(&self) -> Result<Vec<StatusTotals>, StoreError> {
        let rows = sqlx::query(
            "SELECT run, status, count(*) AS results, sum(duration_ms) AS duration_ms, sum(tokens) AS tokens, \
             sum(json_extract(summary, '$.cost')) AS cost \
             FROM summaries GROUP BY run, status ORDER BY run",
        );
        let rows = rows.fetch_all(&self.pool).await.map_err(|error| self.failed(&error))?;
        let mut totals = Vec::with_capacity(rows.len());
        for row in &rows {
            let read = || {
                let status: &str = row.try_get("status")?;
                let number =
                    |name| Ok::<_, sqlx::Error>(row.try_get::<i64, _>(name)?.unsigned_abs());
                Ok((
                    row.try_get("run")?,
                    status.to_owned(),
                    number("results")?,
                    number("duration_ms")?,
                    number("tokens")?,
                    row.try_get("cost")?,
                ))
            };
            let (run, status, results, duration_ms, tokens, cost) =
                read().map_err(|error| self.failed(&error))?;
            let status = serde_json::from_value(status.into());
            let status = status.map_err(|error| StoreError::Damaged {
                path: self.path.clone(),
                cause: format!("a verdict of run {run}: {error}"),
            })?;
            totals.push(StatusTotals { run, status, results, duration_ms, tokens, cost });
        }
        Ok(totals)
    }

    /// Whether a process has claimed the run, this one included.
    #[must_use]
    pub fn is_claimed(&self, number: i64) -> bool {
        let file = std::fs::File::open(self.claim_path(number));
        file.is_ok_and(|file| {
            matches!(file.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock))
        })
    }

    /// Waits until everything is in the file, and closes it.
    pub async fn close(self) {
        self.pool.close().await;
    }

    fn info(&self, row: &SqliteRow) -> Result<RunInfo, StoreError> {
        let read = || {
            let suites: &str = row.try_get("suites")?;
            let (fork_of, recorded) = (row.try_get("fork_of")?, row.try_get("recorded")?);
            let (number, created_at) = (row.try_get("number")?, row.try_get("created_at")?);
            Ok((number, created_at, suites.to_owned(), fork_of, recorded))
        };
        let read: Result<(_, _, _, Option<String>, Option<String>), _> = read();
        let (number, created_at, suites, fork_of, recorded) =
            read.map_err(|error| self.failed(&error))?;
        let damaged = |what: &str, error: &serde_json::Error| StoreError::Damaged {
            path: self.path.clone(),
            cause: format!("{what} of run {number}: {error}"),
        };
        let suites =
            serde_json::from_str(&suites).map_err(|error| damaged("the suites", &error))?;
        let fork_of = fork_of.map(|of| serde_json::from_str(&of)).transpose();
        let fork_of = fork_of.map_err(|error| damaged("the source", &error))?;
        let recorded = recorded.map(|of| serde_json::from_str(&of)).transpose();
        let recorded = recorded.map_err(|error| damaged("the recorded case", &error))?;
        Ok(RunInfo { number, created_at, suites, fork_of, recorded })
    }

    async fn newest(&self) -> Result<Option<i64>, StoreError> {
        let newest = sqlx::query_scalar("SELECT max(number) FROM runs").fetch_one(&self.pool).await;
        newest.map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &sqlx::Error) -> StoreError {
        StoreError::of(&self.path, error)
    }
}

fn key_of(row: &SqliteRow) -> Result<ResultKey, sqlx::Error> {
    Ok(ResultKey {
        suite: row.try_get("suite")?,
        name: row.try_get("name")?,
        repeat: row.try_get("repeat")?,
    })
}

fn list(suites: &[String]) -> String {
    // Strings always serialize.
    serde_json::to_string(suites).unwrap_or_default()
}

/// The migrations, in order. A released one is never edited.
fn migrator() -> Migrator {
    let migration = |number, name, sql: &'static str| {
        let kind = MigrationType::Simple;
        Migration::new(number, Cow::Borrowed(name), kind, sql.into_sql_str(), false)
    };
    Migrator::with_migrations(vec![
        migration(1, "runs", include_str!("0001_runs.sql")),
        migration(2, "forks", include_str!("0002_forks.sql")),
        migration(3, "summaries", include_str!("0003_summaries.sql")),
        migration(4, "recorded", include_str!("0004_recorded.sql")),
    ])
}

/// A run whose results are stored.
#[derive(Clone, Copy)]
pub struct StoredRun<'s> {
    store: &'s RunStore,
    number: i64,
}

impl StoredRun<'_> {
    /// Its number in the store.
    #[must_use]
    pub fn number(&self) -> i64 {
        self.number
    }

    /// Stores a result of `case`, in place of an earlier one of the same repeat. It is on the disk when this returns.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn keep(&self, case: &EvalCase, result: &EvalResult) -> Result<(), StoreError> {
        self.keep_as(case, &case.source.hashes(), result).await
    }

    /// As [`StoredRun::keep`], of a case that had these hashes when it ran, so that it is run again when the run is resumed
    /// and the case has changed since.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn keep_as(
        &self,
        case: &EvalCase,
        hashes: &str,
        result: &EvalResult,
    ) -> Result<(), StoreError> {
        let suite = case.source.suite.clone();
        let key = ResultKey { suite, name: case.name.clone(), repeat: result.repeat };
        let cost = case.prices.cost(&result.events).map(|cost| cost.amount);
        self.put(&key, hashes, result, cost).await
    }

    /// Sets what a person says of a continuation, with a note, which may be empty.
    ///
    /// # Errors
    /// [`StoreError`], such as [`StoreError::NoVerdict`] if no person is to decide on the result.
    pub async fn set_verdict(
        &self,
        key: &ResultKey,
        passed: bool,
        note: &str,
    ) -> Result<(), StoreError> {
        let refused = || StoreError::NoVerdict {
            number: self.number,
            name: key.name.clone(),
            repeat: key.repeat,
        };
        let found = self.store.result(self.number, key).await?;
        let mut stored = found.ok_or_else(refused)?;
        if !set_verdict(&mut stored.result, passed, note) {
            return Err(refused());
        }
        self.put(key, &stored.hashes, &stored.result, self.cost(key).await?).await
    }

    /// What a stored result has cost.
    async fn cost(&self, key: &ResultKey) -> Result<Option<f64>, StoreError> {
        let cost = sqlx::query_scalar(
            "SELECT json_extract(summary, '$.cost') FROM summaries WHERE run = ? AND suite = ? AND name = ? AND repeat = ?",
        );
        let cost = cost.bind(self.number).bind(&key.suite).bind(&key.name).bind(key.repeat);
        cost.fetch_one(&self.store.pool).await.map_err(|error| self.store.failed(&error))
    }

    async fn put(
        &self,
        key: &ResultKey,
        hashes: &str,
        result: &EvalResult,
        cost: Option<f64>,
    ) -> Result<(), StoreError> {
        let failed = |error: sqlx::Error| self.store.failed(&error);
        let unwritable = |error: serde_json::Error| StoreError::Database {
            path: self.store.path.clone(),
            cause: error.to_string(),
        };
        let text = serde_json::to_string(result).map_err(unwritable)?;
        let summary = ResultSummary { cost, ..ResultSummary::of(result) };
        let summary_text = serde_json::to_string(&summary).map_err(unwritable)?;
        let mut transaction = self.store.pool.begin().await.map_err(failed)?;
        let insert = sqlx::query(
            "INSERT OR REPLACE INTO results (run, suite, name, repeat, hashes, result) \
             VALUES (?, ?, ?, ?, ?, ?)",
        );
        let insert = insert
            .bind(self.number)
            .bind(&key.suite)
            .bind(&key.name)
            .bind(key.repeat)
            .bind(hashes)
            .bind(text);
        insert.execute(&mut *transaction).await.map_err(failed)?;
        let number = |it: u64| i64::try_from(it).unwrap_or(i64::MAX);
        let insert = sqlx::query(
            "INSERT OR REPLACE INTO summaries \
             (run, suite, name, repeat, status, duration_ms, tokens, summary) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        );
        let insert = insert
            .bind(self.number)
            .bind(&key.suite)
            .bind(&key.name)
            .bind(key.repeat)
            .bind(status_name(result.status))
            .bind(number(summary.duration_ms))
            .bind(number(summary.token_usage.input + summary.token_usage.output))
            .bind(summary_text);
        insert.execute(&mut *transaction).await.map_err(failed)?;
        transaction.commit().await.map_err(failed)
    }
}

/// The verdict as results have it.
fn status_name(status: Status) -> String {
    let name = serde_json::to_value(status).ok();
    name.and_then(|name| Some(name.as_str()?.to_owned())).unwrap_or_default()
}
