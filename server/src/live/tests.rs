//! The ledger over a store that fails: nothing is told that is not kept.

use std::sync::Arc;

use live::{
    AgentName, Content, DisplayName, HumanResponse, InvocationId, LiveSessionId, LlmRequest, Part,
    Role, Sequence, TurnId,
};

use super::ask::Waited;
use super::error::LiveError;
use super::sessions::LiveSessions;
use super::store::sqlite::SqliteStore;
use super::store::{LiveStore, StoreError};

struct Stage {
    store: Arc<SqliteStore>,
    sessions: LiveSessions,
    session: LiveSessionId,
    _folder: tempfile::TempDir,
}

impl Stage {
    async fn open() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("live.sqlite");
        let store = Arc::new(SqliteStore::open(&path).await.expect("opens"));
        let sessions = LiveSessions::over(Arc::clone(&store) as Arc<dyn LiveStore>).await;
        let sessions = sessions.expect("starts");
        let session = sessions.create(None, None).await.expect("creates").id;
        Self { store, sessions, session, _folder: folder }
    }

    async fn fill(&self) {
        let pages = self.store.number("PRAGMA page_count").await;
        self.store.limit(u32::try_from(pages).expect("small")).await;
    }

    async fn submit(&self, number: u8, bytes: usize) -> Result<Sequence, LiveError> {
        let request =
            LlmRequest { system_instruction: Some("x".repeat(bytes)), ..Default::default() };
        let agent = AgentName::parse("weather")?;
        let run = InvocationId::default();
        self.sessions.submit(self.session, turn(number), agent, run, request).await
    }

    async fn decide(&self, number: u8) -> Result<Sequence, LiveError> {
        let candidate = Content { role: Role::Model, parts: vec![Part::Text("yes".to_owned())] };
        let response = HumanResponse { candidates: vec![candidate] };
        let by = DisplayName::parse("Ann")?;
        self.sessions.decide(self.session, turn(number), response, by, None).await
    }
}

fn turn(number: u8) -> TurnId {
    TurnId::from_random([number; 16])
}

fn is_full(result: &Result<Sequence, LiveError>) -> bool {
    matches!(result, Err(LiveError::Store(error)) if matches!(**error, StoreError::Full))
}

#[tokio::test]
async fn a_full_disk_refuses_and_recovers_and_nothing_is_lost_or_told() {
    let stage = Stage::open().await;
    stage.submit(1, 10).await.expect("keeps");
    let Ok(Waited::Pending { mut outcome, .. }) = stage.sessions.wait(stage.session, turn(1)).await
    else {
        panic!("the first turn is pending")
    };
    let watch = stage.sessions.watch(stage.session).await.expect("watches");

    stage.fill().await;
    assert!(is_full(&stage.submit(2, 100_000).await));
    assert!(is_full(&stage.submit(2, 100_000).await), "and again, cleanly");
    assert!(outcome.try_recv().is_err(), "nobody was told of anything");
    assert_eq!(watch.standings.borrow().last, Sequence(1));
    assert_eq!(watch.feed.after(Sequence(0)).await.expect("reads").len(), 1);
    let summary = stage.sessions.session(stage.session).await.expect("reads");
    assert_eq!(summary.standing().depth, 1, "what was asked before still waits");

    stage.store.limit(1_000_000).await;
    assert_eq!(stage.submit(2, 100_000).await.expect("room again"), Sequence(2));
    assert_eq!(stage.decide(1).await.expect("room again"), Sequence(3));
    let told = outcome.await.expect("the one who waited through it is told");
    assert_eq!(told.sequence, 3);
}

#[tokio::test]
async fn a_session_that_is_watched_stays_in_memory_however_idle() {
    let stage = Stage::open().await;
    let mut watch = stage.sessions.watch(stage.session).await.expect("watches");
    // Longer than the ledger takes to leave what nobody uses to the store.
    tokio::time::sleep(super::ledger::SWEEP * 3).await;
    stage.submit(1, 10).await.expect("keeps");
    let told = watch.standings.wait_for(|standing| standing.last == Sequence(1));
    tokio::time::timeout(std::time::Duration::from_secs(10), told)
        .await
        .expect("the watcher is told")
        .expect("by the same ledger");
}

#[tokio::test]
async fn what_fits_is_kept_when_its_batch_does_not() {
    let stage = Stage::open().await;
    stage.submit(1, 10).await.expect("keeps");
    // Room for small things, not for a large one.
    let pages = stage.store.number("PRAGMA page_count").await;
    stage.store.limit(u32::try_from(pages).expect("small") + 3).await;
    // Sent together, so that they share a batch, or two.
    let (large, small, answer) =
        tokio::join!(stage.submit(2, 1_000_000), stage.submit(3, 10), stage.decide(1));
    assert!(is_full(&large), "{large:?}");
    let mut kept = [small.expect("fits"), answer.expect("fits")];
    kept.sort();
    assert_eq!(kept, [Sequence(2), Sequence(3)], "without a gap");
}

#[tokio::test]
async fn a_turn_of_two_sessions_in_one_batch_belongs_to_one() {
    let stage = Stage::open().await;
    let other = stage.sessions.create(None, None).await.expect("creates").id;
    let elsewhere = Stage {
        store: Arc::clone(&stage.store),
        sessions: stage.sessions.clone(),
        session: other,
        _folder: tempfile::tempdir().expect("a folder"),
    };
    let (here, there) = tokio::join!(stage.submit(1, 10), elsewhere.submit(1, 10));
    assert_eq!([here.is_ok(), there.is_ok()].iter().filter(|ok| **ok).count(), 1);
    assert_eq!(stage.store.number("SELECT count(*) FROM events").await, 1);
}
