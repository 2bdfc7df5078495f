//! [`read`]: the sessions that `adk web` keeps in `AGENT/.adk/session.db`, a SQLite file of google-adk.

use std::collections::HashSet;
use std::path::Path;

use evalset::Case;
use evalset::adk::{EvalCase, SessionInput};
use json_text::JsonText;
use serde_json::{Map, Value, json};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _, Row as _};

use crate::recorded_events::{EventFault, RecordedTurns};
use crate::recorded_session::{RecordedCase, SessionFacts};

/// How every SQLite file begins.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Whether a file with these first bytes is a SQLite file.
pub(crate) fn is_database(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// A session of `adk web`, in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedSession {
    /// Its id.
    pub id: String,
    /// The app that it is of: the name of the agent's folder.
    pub app: String,
    /// The user.
    pub user: String,
    /// When something happened in it last, in milliseconds since 1970.
    pub updated: i64,
    /// The number of its events.
    pub events: u64,
    /// The text of the user's first message; empty if it has none.
    pub first_message: String,
}

/// Why the sessions of a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SavedSessionsError {
    /// google-adk does not write such a file.
    #[error(
        "it is a database, and not one in which `adk web` keeps sessions; name AGENT/.adk/session.db"
    )]
    Foreign,
    /// An earlier google-adk has written it.
    #[error(
        "an earlier google-adk wrote it, which kept events in another way; start `adk web` once with google-adk 2.11 or later, and do what it says about the file"
    )]
    Old,
    /// It cannot be read.
    #[error("{0}")]
    Database(#[from] sqlx::Error),
    /// The thread that reads it has ended.
    #[error("reading it was given up")]
    GivenUp,
}

/// The sessions of a file, those with the latest events first.
///
/// # Errors
/// [`SavedSessionsError`].
pub async fn list(path: &Path) -> Result<Vec<SavedSession>, SavedSessionsError> {
    let mut database = open(path).await?;
    let rows = sqlx::query(
        "SELECT id, app_name, user_id, update_time, \
         (SELECT count(*) FROM events e WHERE e.app_name = s.app_name AND e.user_id = s.user_id AND e.session_id = s.id) \
         AS events, \
         (SELECT event_data FROM events e WHERE e.app_name = s.app_name AND e.user_id = s.user_id AND e.session_id = s.id \
         ORDER BY timestamp, rowid LIMIT 1) AS first \
         FROM sessions s ORDER BY update_time DESC, id",
    );
    let rows = rows.fetch_all(&mut database).await?;
    let session = |row: &sqlx::sqlite::SqliteRow| {
        let first: Option<String> = row.try_get("first")?;
        Ok(SavedSession {
            id: row.try_get("id")?,
            app: row.try_get("app_name")?,
            user: row.try_get("user_id")?,
            updated: milliseconds(row.try_get("update_time")?),
            events: row.try_get::<i64, _>("events")?.unsigned_abs(),
            first_message: first.as_deref().map(text_of).unwrap_or_default(),
        })
    };
    let sessions = rows.iter().map(session).collect();
    database.close().await?;
    sessions
}

/// The text of the message in an event.
fn text_of(event: &str) -> String {
    let event: Value = serde_json::from_str(event).unwrap_or_default();
    let parts = event.pointer("/content/parts").and_then(Value::as_array);
    let texts = parts.into_iter().flatten().filter_map(|part| part.get("text")?.as_str());
    texts.collect::<Vec<_>>().join("\n")
}

/// Seconds since 1970 in milliseconds.
#[expect(clippy::cast_possible_truncation, reason = "a time that is too large is the latest one")]
fn milliseconds(seconds: f64) -> i64 {
    (seconds * 1000.0) as i64
}

/// The sessions of a file as recorded cases, each with the session's id, in the order in which they began; with `only`, the
/// one of this id.
///
/// # Errors
/// Every event that cannot be read, with its place.
pub(crate) fn read(path: &Path, only: Option<&str>) -> Result<Vec<RecordedCase>, Vec<EventFault>> {
    let path = path.to_owned();
    // Who reads files waits for them, and the driver of the database is asynchronous.
    let reader = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(sqlx::Error::Io)?;
        runtime.block_on(stored(&path))
    });
    let stored = reader.join().unwrap_or(Err(SavedSessionsError::GivenUp));
    let stored = stored.map_err(|error| vec![EventFault::new("", error.to_string())])?;
    let (mut cases, mut faults) = (Vec::new(), Vec::new());
    let is_wanted = |session: &StoredSession| only.is_none_or(|only| session.id == only);
    for session in stored.into_iter().filter(is_wanted) {
        let id = session.id.clone();
        match session.case() {
            Ok(case) => cases.extend(case),
            Err(of_session) => {
                faults.extend(of_session.into_iter().map(|fault| fault.in_file(&id)));
            }
        }
    }
    if faults.is_empty() { Ok(cases) } else { Err(faults) }
}

async fn open(path: &Path) -> Result<SqliteConnection, SavedSessionsError> {
    // Whoever writes it may go on.
    let options = SqliteConnectOptions::new().filename(path).read_only(true);
    let mut database = options.connect().await?;
    let columns = sqlx::query_scalar::<_, String>(
        "SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'",
    );
    let columns: HashSet<String> = columns.fetch_all(&mut database).await?.into_iter().collect();
    let has = |column: &str| columns.contains(column);
    match () {
        () if !has("sessions.app_name") || !has("events.session_id") => {
            Err(SavedSessionsError::Foreign)
        }
        () if !has("events.event_data") => Err(SavedSessionsError::Old),
        () => Ok(database),
    }
}

/// A session as it is stored.
struct StoredSession {
    app: String,
    user: String,
    id: String,
    /// The state after the last event.
    state: Map<String, Value>,
    events: Vec<String>,
}

async fn stored(path: &Path) -> Result<Vec<StoredSession>, SavedSessionsError> {
    let mut database = open(path).await?;
    let rows = sqlx::query(
        "SELECT s.app_name, s.user_id, s.id, s.state, a.state AS app_state, u.state AS user_state FROM sessions s \
         LEFT JOIN app_states a ON a.app_name = s.app_name \
         LEFT JOIN user_states u ON u.app_name = s.app_name AND u.user_id = s.user_id \
         ORDER BY s.create_time, s.id",
    );
    let rows = rows.fetch_all(&mut database).await?;
    let mut sessions = Vec::with_capacity(rows.len());
    for row in &rows {
        let (app, user): (String, String) = (row.try_get("app_name")?, row.try_get("user_id")?);
        let id: String = row.try_get("id")?;
        let events = sqlx::query_scalar(
            "SELECT event_data FROM events WHERE app_name = ? AND user_id = ? AND session_id = ? ORDER BY timestamp, rowid",
        );
        let events = events.bind(&app).bind(&user).bind(&id).fetch_all(&mut database).await?;
        let mut state = Map::new();
        for (prefix, column) in [("app:", "app_state"), ("user:", "user_state"), ("", "state")] {
            let text: Option<String> = row.try_get(column)?;
            let kept: Map<String, Value> =
                text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
            state.extend(kept.into_iter().map(|(key, value)| (format!("{prefix}{key}"), value)));
        }
        sessions.push(StoredSession { app, user, id, state, events });
    }
    database.close().await?;
    Ok(sessions)
}

impl StoredSession {
    /// The case; `None` if nothing was sent in the session.
    fn case(self) -> Result<Option<RecordedCase>, Vec<EventFault>> {
        let Self { app, user, id, mut state, events } = self;
        if events.is_empty() {
            return Ok(None);
        }
        let session = JsonText::parse(&format!("{{\"events\":[{}]}}", events.join(",")));
        let session =
            session.map_err(|error| vec![EventFault::new("events", error.to_string())])?;
        // The state is that of the end. What no event has changed was there before the first message.
        for event in &events {
            let event: Value = serde_json::from_str(event).unwrap_or_default();
            let changes = event.pointer("/actions/state_delta").and_then(Value::as_object);
            for key in changes.into_iter().flat_map(Map::keys) {
                state.remove(key);
            }
        }
        let RecordedTurns { turns, facts, changes } = RecordedTurns::read(&session)?;
        let mut case = EvalCase::new(id, turns);
        let state = JsonText::from_value(&json!(state));
        case.session_input = Some(SessionInput::new(app, user, state));
        let facts = SessionFacts { calls: facts, changes, ..SessionFacts::default() };
        Ok(Some(RecordedCase { case: Case::Adk(case), session: Some(facts) }))
    }
}
