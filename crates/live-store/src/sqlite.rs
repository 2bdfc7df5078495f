//! [`SqliteStore`]: stores one host's live sessions in one file.
//!
//! One connection writes and others read concurrently (WAL). `PRAGMA synchronous` is FULL: a commit
//! waits for the disk, so that what a client has seen survives a power loss.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use database_file::{Lock, LockError, MigrateError};
use live::{
    AgentName, ClosedTurn, Closing, EventId, Fingerprint, InvocationId, LiveSession, LiveSessionId,
    Note, PayloadType, PendingTurn, Recorded, Sequence, Status, Timestamp, TurnId,
};
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::sqlite::{
    SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteRow, SqliteSynchronous,
};
use sqlx::{Executor, Row, SqlSafeStr, SqliteConnection};

use super::{Change, LiveStore, NewEvent, StoreError, StoredSession, StoredTurn};

/// A database file with one writer.
pub struct SqliteStore {
    writer: SqlitePool,
    readers: SqlitePool,
    path: PathBuf,
    _lock: Lock,
}

/// So much space is left on a disk that is not full, in bytes.
const ROOM: u64 = 1024 * 1024;

impl SqliteStore {
    /// Opens or creates the database and migrates it to the current version.
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        let path = prepared(path)?;
        let lock = Lock::take(&path).map_err(|error| match error {
            LockError::InUse => StoreError::InUse { path: path.clone() },
            LockError::Unreachable(cause) => StoreError::Unreachable { path: path.clone(), cause },
        })?;
        // SQLite gives its other files the permissions of this one.
        let unreachable = |cause| StoreError::Unreachable { path: path.clone(), cause };
        private_files::open_file(&path).map_err(unreachable)?;
        let options = SqliteConnectOptions::new()
            .filename(&path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(Duration::from_secs(5))
            .pragma("journal_size_limit", (64 * 1024 * 1024).to_string());
        let lasting = || SqlitePoolOptions::new().idle_timeout(None).max_lifetime(None);
        // Deleted sessions leave their space to the file system.
        let writable = options.clone().auto_vacuum(SqliteAutoVacuum::Incremental);
        let writer = async {
            let writer = lasting().max_connections(1).connect_with(writable).await?;
            database_file::migrate(&writer, &Migrator::with_migrations(migrations())).await?;
            Ok(writer)
        };
        let writer = writer.await.map_err(|error| unopened(&path, error))?;
        for end in ["", "-wal", "-shm", ".lock"] {
            let mut file = path.clone().into_os_string();
            file.push(end);
            private_files::restrict(Path::new(&file));
        }
        let readers = lasting().max_connections(4).connect_lazy_with(options.read_only(true));
        Ok(Self { writer, readers, path, _lock: lock })
    }

    /// Limits the database to this many pages, to simulate a full disk: SQLite reports SQLITE_FULL
    /// for both.
    #[cfg(any(test, feature = "testing"))]
    pub async fn limit(&self, pages: u32) {
        let limit = sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {pages}"));
        sqlx::query(limit).fetch_one(&self.writer).await.expect("a pragma is accepted");
    }

    /// The number that `query` selects.
    #[cfg(any(test, feature = "testing"))]
    pub async fn number(&self, query: &'static str) -> i64 {
        sqlx::query_scalar(query).fetch_one(&self.writer).await.expect("a number")
    }
}

fn unopened(path: &Path, error: MigrateError) -> StoreError {
    let path_of = || path.to_path_buf();
    let error = match error {
        MigrateError::Newer(by) => return StoreError::OtherVersion { path: path_of(), by },
        MigrateError::Foreign(cause) => return StoreError::Unopened { path: path_of(), cause },
        MigrateError::Database(error) => error,
    };
    let message = error.as_database_error().map(|it| it.message().to_owned());
    let cause = message.unwrap_or_else(|| error.to_string());
    match error.into() {
        StoreError::Full => StoreError::Full,
        _ => StoreError::Unopened { path: path.to_path_buf(), cause },
    }
}

/// The path, after creating its folder.
fn prepared(path: &Path) -> Result<PathBuf, StoreError> {
    let unreachable = |cause| StoreError::Unreachable { path: path.to_path_buf(), cause };
    let path = std::path::absolute(path).map_err(unreachable)?;
    if let Some(folder) = path.parent() {
        private_files::make_folder(folder).map_err(unreachable)?;
    }
    Ok(path)
}

/// The migrations, in order. A released one is never edited.
pub(super) fn migrations() -> Vec<Migration> {
    let version = |number, name, sql: &'static str| {
        let kind = MigrationType::Simple;
        Migration::new(number, Cow::Borrowed(name), kind, sql.into_sql_str(), false)
    };
    vec![
        version(1, "live sessions", include_str!("0001_live_sessions.sql")),
        version(2, "owners", include_str!("0002_owners.sql")),
    ]
}

/// The text in the form that is searched.
fn folded(text: &str) -> String {
    text.to_lowercase()
}

/// Sessions with the names of their agents as a JSON list.
const SESSIONS: &str = "SELECT s.*, (SELECT json_group_array(agent_name) FROM (SELECT agent_name \
                        FROM agents WHERE session_id = s.id ORDER BY number LIMIT 20)) AS agents \
                        FROM sessions s";

#[async_trait]
impl LiveStore for SqliteStore {
    async fn commit(&self, changes: &[Change]) -> Result<(), StoreError> {
        let mut connection = self.writer.acquire().await?;
        // Not with sqlx's transactions: when the disk is full SQLite ends the transaction by
        // itself, which sqlx does not notice.
        match carry_out(&mut connection, changes).await {
            Ok(()) => {
                if changes.iter().any(|change| matches!(change, Change::Delete(_)))
                    && let Err(error) = connection.execute("PRAGMA incremental_vacuum").await
                {
                    tracing::warn!("the file keeps the space of deleted sessions: {error}");
                }
                Ok(())
            }
            Err(error) => {
                let open = connection.execute("ROLLBACK").await;
                if let Err(already) = open {
                    tracing::debug!("nothing was left to roll back: {already}");
                }
                Err(error.into())
            }
        }
    }

    async fn pending(&self) -> Result<Vec<(LiveSessionId, PendingTurn)>, StoreError> {
        let rows = sqlx::query(
            "SELECT e.session_id, e.turn_id, e.sequence, e.timestamp, e.agent_name, \
             e.invocation_id, e.fingerprint FROM pending p JOIN events e \
             ON e.session_id = p.session_id AND e.sequence = p.sequence",
        );
        rows.fetch_all(&self.readers).await?.iter().map(pending_turn).collect()
    }

    async fn pending_of(&self, session: LiveSessionId) -> Result<Vec<PendingTurn>, StoreError> {
        let rows = sqlx::query(
            "SELECT e.session_id, e.turn_id, e.sequence, e.timestamp, e.agent_name, \
             e.invocation_id, e.fingerprint FROM pending p JOIN events e \
             ON e.session_id = p.session_id AND e.sequence = p.sequence WHERE p.session_id = ?",
        );
        let rows = rows.bind(session.to_string()).fetch_all(&self.readers).await?;
        rows.iter().map(|row| pending_turn(row).map(|(_, turn)| turn)).collect()
    }

    async fn session(&self, id: LiveSessionId) -> Result<Option<StoredSession>, StoreError> {
        let row = sqlx::query(sqlx::AssertSqlSafe(format!("{SESSIONS} WHERE s.id = ?")));
        let row = row.bind(id.to_string()).fetch_optional(&self.readers).await?;
        row.as_ref().map(stored_session).transpose()
    }

    async fn sessions(
        &self,
        before: Option<i64>,
        search: &str,
        owners: Option<&[String]>,
        count: u32,
    ) -> Result<Vec<StoredSession>, StoreError> {
        let rows = sqlx::query(sqlx::AssertSqlSafe(format!(
            "{SESSIONS} WHERE s.number < ?1 AND (?2 = '' OR instr(s.folded, ?2) > 0 OR EXISTS \
             (SELECT 1 FROM agents a WHERE a.session_id = s.id AND instr(a.folded, ?2) > 0)) \
             AND (?3 IS NULL OR s.owner IN (SELECT value FROM json_each(?3))) \
             ORDER BY s.number DESC LIMIT ?4"
        )));
        let owners = owners.map(|owners| serde_json::Value::from(owners).to_string());
        let rows = rows.bind(before.unwrap_or(i64::MAX)).bind(folded(search)).bind(owners);
        let rows = rows.bind(count).fetch_all(&self.readers).await?;
        rows.iter().map(stored_session).collect()
    }

    async fn turn(&self, turn_id: TurnId) -> Result<Option<StoredTurn>, StoreError> {
        let rows = sqlx::query(
            "SELECT e.session_id, e.payload_type, e.sequence, e.fingerprint, s.owner \
             FROM events e JOIN sessions s ON s.id = e.session_id WHERE e.turn_id = ? \
             AND e.payload_type IN ('request', 'response', 'cancelled')",
        );
        let rows = rows.bind(turn_id.to_string()).fetch_all(&self.readers).await?;
        let of_kind = |kind: PayloadType| {
            rows.iter().find(|row| row.get::<&str, _>("payload_type") == kind.name())
        };
        let Some(request) = of_kind(PayloadType::Request) else { return Ok(None) };
        let (requested, first) = (sequence(request), fingerprint(request)?);
        let closing = match (of_kind(PayloadType::Response), of_kind(PayloadType::Cancelled)) {
            (Some(row), _) => Some((row, Closing::Answered(fingerprint(row)?))),
            // A turn that ended with its session has no fingerprint.
            (None, Some(row)) => Some((row, Closing::Cancelled(fingerprint(row).ok()))),
            (None, None) => None,
        };
        let closed = closing.map(|(row, closing)| ClosedTurn {
            requested,
            request: first,
            closed: sequence(row),
            closing,
        });
        let owner = request.get("owner");
        Ok(Some(StoredTurn { session_id: session_id(request)?, owner, requested, closed }))
    }

    async fn recorded(
        &self,
        event_id: EventId,
    ) -> Result<Option<(LiveSessionId, Recorded)>, StoreError> {
        let row =
            sqlx::query("SELECT session_id, sequence, fingerprint FROM events WHERE event_id = ?");
        let row = row.bind(event_id.to_string()).fetch_optional(&self.readers).await?;
        let Some(row) = row else { return Ok(None) };
        // Events created by the host have no fingerprint: no client can repeat them.
        let fingerprint = fingerprint(&row).unwrap_or(Fingerprint([0; 32]));
        Ok(Some((session_id(&row)?, Recorded { sequence: sequence(&row), fingerprint })))
    }

    async fn undelivered(
        &self,
        ended_before: Timestamp,
    ) -> Result<Vec<(TurnId, Fingerprint)>, StoreError> {
        let old = sqlx::query(
            "DELETE FROM undelivered WHERE EXISTS (SELECT 1 FROM events e \
             WHERE e.turn_id = undelivered.turn_id \
             AND e.payload_type IN ('response', 'cancelled') AND e.timestamp < ?)",
        );
        old.bind(ended_before.0).execute(&self.writer).await?;
        let rows = sqlx::query("SELECT turn_id, fingerprint FROM undelivered ORDER BY number");
        let rows = rows.fetch_all(&self.readers).await?;
        let turn = |row: &SqliteRow| Ok((TurnId::parse(row.get("turn_id"))?, fingerprint(row)?));
        rows.iter().map(turn).collect()
    }

    async fn events_after(
        &self,
        session: LiveSessionId,
        after: Sequence,
        count: u32,
        bytes: usize,
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        use futures::TryStreamExt;
        let rows = sqlx::query(
            "SELECT proto_blob FROM events WHERE session_id = ? AND sequence > ? \
             ORDER BY sequence LIMIT ?",
        );
        let rows = rows.bind(session.to_string()).bind(number(after)).bind(count);
        let mut rows = rows.fetch(&self.readers);
        let (mut events, mut taken) = (Vec::new(), 0);
        while let Some(row) = rows.try_next().await? {
            let event: Vec<u8> = row.get(0);
            taken += event.len();
            events.push(event);
            if taken > bytes {
                break;
            }
        }
        Ok(events)
    }

    async fn recorded_of(
        &self,
        session: LiveSessionId,
        turn_id: TurnId,
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        let events = sqlx::query_scalar(
            "SELECT proto_blob FROM events WHERE turn_id = ? AND session_id = ? \
             AND payload_type IN ('tool_result', 'run_ended') ORDER BY sequence LIMIT 1000",
        );
        let events = events.bind(turn_id.to_string()).bind(session.to_string());
        Ok(events.fetch_all(&self.readers).await?)
    }

    async fn unused(
        &self,
        before: Timestamp,
        count: u32,
    ) -> Result<Vec<LiveSessionId>, StoreError> {
        let rows = sqlx::query(
            "SELECT id AS session_id, max(created_at, last_timestamp) AS used FROM sessions s \
             WHERE used < ? AND NOT EXISTS (SELECT 1 FROM pending p WHERE p.session_id = s.id) \
             ORDER BY used LIMIT ?",
        );
        let rows = rows.bind(before.0).bind(count).fetch_all(&self.readers).await?;
        rows.iter().map(session_id).collect()
    }

    async fn last_used(&self) -> Result<Option<Timestamp>, StoreError> {
        let used: Option<i64> =
            sqlx::query_scalar("SELECT max(max(created_at, last_timestamp)) FROM sessions")
                .fetch_one(&self.readers)
                .await?;
        Ok(used.map(Timestamp))
    }

    fn disk_is_full(&self) -> bool {
        rustix::fs::statvfs(&self.path)
            .is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) < ROOM)
    }

    async fn bytes(&self) -> Result<u64, StoreError> {
        let bytes: i64 = sqlx::query_scalar(
            "SELECT (pages.page_count - free.freelist_count) * size.page_size \
             FROM pragma_page_count pages, pragma_freelist_count free, pragma_page_size size",
        )
        .fetch_one(&self.readers)
        .await?;
        Ok(bytes.unsigned_abs())
    }

    async fn durability(&self) -> Result<String, StoreError> {
        let synchronous: i64 =
            sqlx::query_scalar("PRAGMA synchronous").fetch_one(&self.writer).await?;
        let journal: String =
            sqlx::query_scalar("PRAGMA journal_mode").fetch_one(&self.writer).await?;
        let name = match synchronous {
            0 => "OFF",
            1 => "NORMAL",
            2 => "FULL",
            _ => "EXTRA",
        };
        Ok(format!("PRAGMA synchronous = {synchronous} ({name}), journal_mode = {journal}"))
    }

    async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

async fn carry_out(
    connection: &mut SqliteConnection,
    changes: &[Change],
) -> Result<(), sqlx::Error> {
    connection.execute("BEGIN IMMEDIATE").await?;
    for change in changes {
        match change {
            Change::Open(session) => open_session(connection, session).await?,
            Change::Append(event) => append(connection, event).await?,
            Change::Complete(id) => complete(connection, *id).await?,
            Change::Delete(id) => delete(connection, *id).await?,
            Change::Await(turn_id, content) => await_turn(connection, *turn_id, content).await?,
            Change::Deliver(turn_id) => deliver(connection, *turn_id).await?,
        }
    }
    connection.execute("COMMIT").await.map(drop)
}

async fn open_session(
    connection: &mut SqliteConnection,
    session: &LiveSession,
) -> Result<(), sqlx::Error> {
    let insert = sqlx::query(
        "INSERT INTO sessions (id, created_at, description, status, folded, owner) \
         VALUES (?, ?, ?, ?, ?, ?)",
    );
    let insert = insert
        .bind(session.id.to_string())
        .bind(session.created_at.0)
        .bind(session.description.as_ref().map(Note::to_string))
        .bind(status_name(session.status))
        .bind(session.description.as_ref().map(|it| folded(it.as_str())).unwrap_or_default())
        .bind(&session.owner);
    connection.execute(insert).await.map(drop)
}

async fn append(connection: &mut SqliteConnection, event: &NewEvent) -> Result<(), sqlx::Error> {
    let (session_id, turn_id) = (event.session_id.to_string(), event.turn_id.to_string());
    let insert = sqlx::query(
        "INSERT INTO events (event_id, session_id, timestamp, turn_id, agent_name, invocation_id, \
         payload_type, sequence, fingerprint, caller, proto_blob) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
    let insert = insert
        .bind(event.event_id.to_string())
        .bind(&session_id)
        .bind(event.at.0)
        .bind(&turn_id)
        .bind(&event.agent_name)
        .bind(event.invocation_id.as_str())
        .bind(event.kind.name())
        .bind(number(event.sequence))
        .bind(event.fingerprint.as_ref().map(|it| it.0.as_slice()))
        .bind(&event.caller)
        .bind(&event.bytes);
    connection.execute(insert).await?;
    let moved =
        sqlx::query("UPDATE sessions SET last_sequence = ?, last_timestamp = ? WHERE id = ?");
    let moved = moved.bind(number(event.sequence)).bind(event.at.0).bind(&session_id);
    connection.execute(moved).await?;
    match event.kind {
        PayloadType::Request => {
            let joins =
                sqlx::query("INSERT INTO pending (turn_id, session_id, sequence) VALUES (?, ?, ?)");
            let joins = joins.bind(&turn_id).bind(&session_id).bind(number(event.sequence));
            connection.execute(joins).await?;
            let known = sqlx::query(
                "INSERT OR IGNORE INTO agents (session_id, agent_name, folded) VALUES (?, ?, ?)",
            );
            let known = known.bind(&session_id).bind(&event.agent_name);
            connection.execute(known.bind(folded(&event.agent_name))).await.map(drop)
        }
        PayloadType::Response | PayloadType::Cancelled => {
            let leaves = sqlx::query("DELETE FROM pending WHERE turn_id = ?").bind(&turn_id);
            connection.execute(leaves).await.map(drop)
        }
        PayloadType::ToolResult | PayloadType::RunEnded => Ok(()),
    }
}

async fn complete(connection: &mut SqliteConnection, id: LiveSessionId) -> Result<(), sqlx::Error> {
    let ends = sqlx::query("UPDATE sessions SET status = 'completed' WHERE id = ?");
    connection.execute(ends.bind(id.to_string())).await.map(drop)
}

async fn delete(connection: &mut SqliteConnection, id: LiveSessionId) -> Result<(), sqlx::Error> {
    for statement in [
        "DELETE FROM undelivered WHERE turn_id IN (SELECT turn_id FROM events WHERE session_id = ?)",
        "DELETE FROM pending WHERE session_id = ?",
        "DELETE FROM agents WHERE session_id = ?",
        "DELETE FROM events WHERE session_id = ?",
        "DELETE FROM sessions WHERE id = ?",
    ] {
        connection.execute(sqlx::query(statement).bind(id.to_string())).await?;
    }
    Ok(())
}

async fn await_turn(
    connection: &mut SqliteConnection,
    turn_id: TurnId,
    content: &Fingerprint,
) -> Result<(), sqlx::Error> {
    let insert =
        sqlx::query("INSERT OR IGNORE INTO undelivered (turn_id, fingerprint) VALUES (?, ?)");
    let insert = insert.bind(turn_id.to_string()).bind(content.0.as_slice());
    connection.execute(insert).await.map(drop)
}

async fn deliver(connection: &mut SqliteConnection, turn_id: TurnId) -> Result<(), sqlx::Error> {
    let delete = sqlx::query("DELETE FROM undelivered WHERE turn_id = ?");
    connection.execute(delete.bind(turn_id.to_string())).await.map(drop)
}

fn pending_turn(row: &SqliteRow) -> Result<(LiveSessionId, PendingTurn), StoreError> {
    let turn = PendingTurn {
        turn_id: TurnId::parse(row.get("turn_id"))?,
        sequence: sequence(row),
        since: Timestamp(row.get("timestamp")),
        agent_name: AgentName::parse(row.get("agent_name"))?,
        invocation_id: InvocationId::parse(row.get("invocation_id"))?,
        fingerprint: fingerprint(row)?,
    };
    Ok((session_id(row)?, turn))
}

fn stored_session(row: &SqliteRow) -> Result<StoredSession, StoreError> {
    let status = match row.get("status") {
        "active" => Status::Active,
        "completed" => Status::Completed,
        other => return Err(StoreError::Damaged(format!("a session with status {other:?}"))),
    };
    let session = LiveSession {
        id: LiveSessionId::parse(row.get("id"))?,
        created_at: Timestamp(row.get("created_at")),
        description: row.get::<Option<&str>, _>("description").map(Note::cut),
        owner: row.get("owner"),
        status,
    };
    let last = row.get::<i64, _>("last_sequence");
    let agents = serde_json::from_str(row.get("agents"));
    let agents = agents.map_err(|fault| StoreError::Damaged(format!("agents' names: {fault}")))?;
    Ok(StoredSession {
        session,
        number: row.get("number"),
        agents,
        last: Sequence(last.unsigned_abs()),
        last_at: Timestamp(row.get("last_timestamp")),
    })
}

fn status_name(status: Status) -> &'static str {
    match status {
        Status::Active => "active",
        Status::Completed => "completed",
    }
}

fn session_id(row: &SqliteRow) -> Result<LiveSessionId, StoreError> {
    Ok(LiveSessionId::parse(row.get("session_id"))?)
}

fn sequence(row: &SqliteRow) -> Sequence {
    Sequence(row.get::<i64, _>("sequence").unsigned_abs())
}

fn fingerprint(row: &SqliteRow) -> Result<Fingerprint, StoreError> {
    let bytes: Option<&[u8]> = row.get("fingerprint");
    let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
    bytes.map(Fingerprint).ok_or_else(|| StoreError::Damaged("an event without fingerprint".into()))
}

/// SQLite's integers are signed; no sequence number gets that large.
fn number(sequence: Sequence) -> i64 {
    i64::try_from(sequence.0).unwrap_or(i64::MAX)
}
