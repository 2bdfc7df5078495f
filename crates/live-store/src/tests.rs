//! SQLite stores all of a commit or nothing, rejects duplicates, and reads the data back.

use std::path::Path;

use live::{
    Closing, EventId, Fingerprint, InvocationId, LiveSession, LiveSessionId, Note, PayloadType,
    Sequence, Status, Timestamp, TurnId,
};
use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};

use super::sqlite::{SqliteStore, migrations};
use super::{Change, LiveStore, NewEvent, StoreError};

fn session(number: u8) -> LiveSession {
    LiveSession {
        id: LiveSessionId::from_random([number; 16]),
        created_at: Timestamp(1),
        description: Some(Note::cut("tea and weather")),
        owner: Some("token 7f3a".to_owned()),
        status: Status::Active,
    }
}

fn event(sequence: u64, turn: u8, kind: PayloadType) -> Change {
    let mut id = [turn; 16];
    id[0] = kind as u8;
    Change::Append(NewEvent {
        event_id: EventId::from_random(id),
        session_id: session(1).id,
        sequence: Sequence(sequence),
        at: Timestamp(10 + i64::try_from(sequence).expect("small")),
        turn_id: TurnId::from_random([turn; 16]),
        agent_name: "weather".to_owned(),
        invocation_id: InvocationId::default(),
        kind,
        fingerprint: Some(Fingerprint([turn; 32])),
        caller: None,
        bytes: vec![turn; 100],
    })
}

async fn opened(folder: &tempfile::TempDir) -> SqliteStore {
    SqliteStore::open(&folder.path().join("deep/live.sqlite")).await.expect("opens")
}

#[tokio::test]
async fn stored_data_survives_reopening() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = opened(&folder).await;
    let changes = [
        Change::Open(session(1)),
        event(1, 1, PayloadType::Request),
        event(2, 2, PayloadType::Request),
        event(3, 1, PayloadType::Response),
    ];
    store.commit(&changes).await.expect("stored");
    store.close().await;
    drop(store);

    let store = opened(&folder).await;
    let known = store.session(session(1).id).await.expect("reads").expect("is there");
    assert_eq!(
        (known.session, known.last, known.last_at),
        (session(1), Sequence(3), Timestamp(13))
    );
    let pending = store.pending().await.expect("reads");
    assert_eq!(pending.len(), 1);
    assert_eq!(pending[0].1.turn_id, TurnId::from_random([2; 16]));
    assert_eq!(pending[0].1.fingerprint, Fingerprint([2; 32]));
    let turn = store.turn(TurnId::from_random([1; 16])).await.expect("reads").expect("is there");
    let closed = turn.closed.expect("is answered");
    assert_eq!((closed.requested, closed.closed), (Sequence(1), Sequence(3)));
    assert_eq!(turn.owner, session(1).owner, "of its session");
    assert_eq!(closed.closing, Closing::Answered(Fingerprint([1; 32])));
    store.commit(&[Change::Complete(session(1).id)]).await.expect("stored");
    let known = store.session(session(1).id).await.expect("reads").expect("is there");
    assert_eq!(known.session.status, Status::Completed);
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_has_access_to_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("live.sqlite");
    for kept in ["new", "from an earlier version"] {
        let store = SqliteStore::open(&path).await.expect("opens");
        let stored =
            store.commit(&[Change::Open(session(if kept == "new" { 1 } else { 2 }))]).await;
        stored.expect("stored");
        let files: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").flatten().collect();
        assert_eq!(files.len(), 4, "{files:?}");
        for file in &files {
            let mode = file.metadata().expect("there").permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{:?}, {kept}", file.file_name());
            std::fs::set_permissions(file.path(), PermissionsExt::from_mode(0o644)).expect("set");
        }
        store.close().await;
    }
}

#[tokio::test]
async fn the_database_rejects_a_second_request_or_end_of_a_turn() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = opened(&folder).await;
    store
        .commit(&[Change::Open(session(1)), event(1, 1, PayloadType::Request)])
        .await
        .expect("stored");
    store.commit(&[event(2, 1, PayloadType::Response)]).await.expect("stored");
    for twice in [
        event(3, 1, PayloadType::Request),
        event(3, 1, PayloadType::Cancelled),
        event(2, 9, PayloadType::Request),
    ] {
        // Earlier changes of the same commit are not stored either.
        let refused = store.commit(&[event(4, 8, PayloadType::Request), twice]).await;
        assert!(matches!(refused, Err(StoreError::Database(_))), "{refused:?}");
    }
    assert_eq!(store.number("SELECT count(*) FROM events").await, 2);
    assert_eq!(store.number("SELECT count(*) FROM pending").await, 0);
}

#[tokio::test]
async fn a_commit_waits_for_the_disk() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = opened(&folder).await;
    assert_eq!(store.number("PRAGMA synchronous").await, 2, "FULL");
    assert_eq!(
        store.number("SELECT journal_mode = 'wal' FROM pragma_journal_mode").await,
        1,
        "readers do not wait for the writer"
    );
}

#[tokio::test]
async fn reports_a_full_disk_and_stores_nothing_of_the_commit() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = opened(&folder).await;
    store.commit(&[Change::Open(session(1))]).await.expect("stored");
    let pages = store.number("PRAGMA page_count").await;
    store.limit(u32::try_from(pages).expect("small")).await;
    let large = |sequence, turn| {
        let Change::Append(event) = event(sequence, turn, PayloadType::Request) else {
            unreachable!("an event is appended")
        };
        Change::Append(NewEvent { bytes: vec![0; 100_000], ..event })
    };
    let refused = store.commit(&[large(1, 1), large(2, 2)]).await;
    assert!(matches!(refused, Err(StoreError::Full)), "{refused:?}");
    assert_eq!(store.number("SELECT count(*) FROM events").await, 0);
    store.limit(1_000_000).await;
    store.commit(&[large(1, 1), large(2, 2)]).await.expect("there is room again");
}

#[tokio::test]
async fn rejects_a_database_of_a_later_version_unchanged() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = opened(&folder).await;
    let later = "INSERT INTO _sqlx_migrations (version, description, success, checksum, \
                 execution_time) VALUES (99, 'later', 1, x'00', 0) RETURNING version";
    assert_eq!(store.number(later).await, 99);
    store.close().await;
    drop(store);
    let path = folder.path().join("deep/live.sqlite");
    let bytes = std::fs::read(&path).expect("read");
    let Err(refused) = SqliteStore::open(&path).await else { panic!("opened") };
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        refused.to_string(),
        format!(
            "the live sessions in {} cannot be opened: the file was written by another build of \
             rehearsal {version}. Start that version, or set another file under [live] database in \
             rehearsal.toml",
            path.display()
        )
    );
    assert_eq!(std::fs::read(&path).expect("read"), bytes);
}

#[tokio::test]
async fn sessions_from_before_owners_were_stored_have_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("live.sqlite");
    let mut first = migrations();
    first.truncate(1);
    let options = SqliteConnectOptions::new().filename(&path).create_if_missing(true);
    let pool = SqlitePool::connect_with(options).await.expect("opens");
    database_file::migrate(&pool, &Migrator::with_migrations(first)).await.expect("made");
    let insert = sqlx::query("INSERT INTO sessions (id, created_at) VALUES (?, 1)");
    insert.bind(session(1).id.to_string()).execute(&pool).await.expect("stored");
    pool.close().await;

    let store = SqliteStore::open(&path).await.expect("opens");
    let known = store.session(session(1).id).await.expect("reads").expect("is there");
    assert_eq!(known.session.owner, None);
    store.commit(&[Change::Open(session(2))]).await.expect("stored");
    let known = store.session(session(2).id).await.expect("reads").expect("is there");
    assert_eq!(known.session.owner, session(2).owner);
}

#[tokio::test]
async fn lists_the_sessions_of_the_given_owners_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = opened(&folder).await;
    let owned = |number: u8, owner: Option<&str>| {
        Change::Open(LiveSession { owner: owner.map(str::to_owned), ..session(number) })
    };
    let changes =
        [owned(1, Some("token a")), owned(2, Some("token b")), owned(3, None), owned(4, Some("b"))];
    store.commit(&changes).await.expect("stored");
    let listed = async |owners: Option<&[&str]>, count| {
        let owners: Option<Vec<String>> =
            owners.map(|owners| owners.iter().map(|&owner| owner.to_owned()).collect());
        let listed = store.sessions(None, "tea", owners.as_deref(), count).await.expect("reads");
        listed.iter().map(|it| it.session.id).collect::<Vec<_>>()
    };
    let ids = |numbers: &[u8]| numbers.iter().map(|&it| session(it).id).collect::<Vec<_>>();
    assert_eq!(listed(None, 10).await, ids(&[4, 3, 2, 1]));
    assert_eq!(listed(Some(&["token a"]), 10).await, ids(&[1]));
    assert_eq!(listed(Some(&["token b", "token a"]), 10).await, ids(&[2, 1]));
    assert_eq!(listed(Some(&["token b", "token a"]), 1).await, ids(&[2]), "the newest of them");
    assert_eq!(listed(Some(&["token"]), 10).await, []);
    assert_eq!(listed(Some(&[]), 10).await, []);
}

#[tokio::test]
async fn a_deleted_session_leaves_nothing_but_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = opened(&folder).await;
    let large = |sequence, turn| {
        let Change::Append(event) = event(sequence, turn, PayloadType::Request) else {
            unreachable!("an event is appended")
        };
        Change::Append(NewEvent { bytes: vec![0; 500_000], ..event })
    };
    let other = LiveSession { created_at: Timestamp(5), ..session(2) };
    let changes = [
        Change::Open(session(1)),
        Change::Open(other),
        large(1, 1),
        Change::Await(TurnId::from_random([1; 16]), Fingerprint([1; 32])),
    ];
    store.commit(&changes).await.expect("stored");
    let unused = |before| {
        let unused = store.unused(Timestamp(before), 10);
        async { unused.await.expect("reads") }
    };
    assert_eq!(unused(100).await, [session(2).id], "an agent waits in the other");
    store.commit(&[event(2, 1, PayloadType::Response)]).await.expect("stored");
    assert_eq!(unused(100).await, [session(2).id, session(1).id], "the longest unused first");
    assert_eq!(unused(12).await, [session(2).id], "its last event is at 12");
    assert_eq!(unused(5).await, []);
    let before = store.bytes().await.expect("reads");
    assert!(before > 500_000, "{before}");
    store.commit(&[Change::Delete(session(1).id)]).await.expect("deleted");
    for table in ["events", "agents", "pending", "undelivered"] {
        let rows = format!("SELECT count(*) FROM {table}");
        assert_eq!(store.number(rows.leak()).await, 0, "{table}");
    }
    assert_eq!(store.session(session(1).id).await.expect("reads"), None);
    assert!(store.session(session(2).id).await.expect("reads").is_some());
    let after = store.bytes().await.expect("reads");
    assert!(after < 200_000, "{after}");
    let pages = store.number("PRAGMA freelist_count").await;
    assert_eq!(pages, 0, "the file has no space of deleted sessions");
}

#[tokio::test]
async fn rejects_a_file_that_is_not_a_database_unchanged() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("live.sqlite");
    let text = "not a database, but as long as the header of one, and some more text".repeat(9);
    std::fs::write(&path, &text).expect("written");
    let actual = is_not_opened(&path).await;
    assert!(actual.contains("(file is not a database)"), "{actual}");
    assert_eq!(std::fs::read_to_string(&path).expect("read"), text);
}

async fn is_not_opened(path: &Path) -> String {
    let Err(refused) = SqliteStore::open(path).await else { panic!("opened") };
    assert!(matches!(refused, StoreError::Unopened { .. }), "{refused:?}");
    let actual = refused.to_string();
    assert!(
        actual.starts_with(&format!("the live sessions in {} cannot", path.display())),
        "{actual}"
    );
    assert!(actual.contains("move the file away, or set another one under [live]"), "{actual}");
    actual
}

#[tokio::test]
async fn searches_agents_and_descriptions_ignoring_case() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = opened(&folder).await;
    let named = |number: u8, description: &str| {
        Change::Open(LiveSession { description: Some(Note::cut(description)), ..session(number) })
    };
    let asks = |sequence, turn, agent: &str| {
        let Change::Append(event) = event(sequence, turn, PayloadType::Request) else {
            unreachable!("an event is appended")
        };
        Change::Append(NewEvent { agent_name: agent.to_owned(), ..event })
    };
    let changes = [
        named(1, "Été à Lisbonne"),
        named(2, "rain"),
        asks(1, 1, "Größe"),
        asks(2, 2, "north"),
        asks(3, 3, "Größe"),
    ];
    store.commit(&changes).await.expect("stored");
    for (search, found) in
        [("été", 1), ("ÉTÉ", 1), ("GRÖSSE", 0), ("GRÖß", 1), ("North", 1), ("RAIN", 2)]
    {
        let listed = store.sessions(None, search, None, 10).await.expect("reads");
        let ids: Vec<_> = listed.iter().map(|it| it.session.id).collect();
        let wanted: Vec<_> = (found > 0).then(|| session(found).id).into_iter().collect();
        assert_eq!(ids, wanted, "{search}");
    }
    let of = store.session(session(1).id).await.expect("reads").expect("is there");
    assert_eq!(of.agents, ["Größe", "north"], "in the order in which they first asked");
}
