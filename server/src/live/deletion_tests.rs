//! Sessions are deleted by people and by age or size, and never one in which an agent waits.

use std::time::Duration;

use api::host::{LiveHost, LiveTurnHost};
use api::{ApiError, HostEvent, LiveId, LiveWatch};
use live::Timestamp;
use live_store::LiveStore as _;

use super::clock::now;
use super::error::LiveError;
use super::page_updates::PageUpdates;
use super::retention::Retention;
use super::tests::{TestSession, pages};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[tokio::test]
async fn a_person_deletes_a_session_in_which_no_agent_waits() {
    let test = TestSession::open().await;
    let (pages, id) = (pages(&test), LiveId::new(test.session.to_string()));
    test.submit(1, 10).await.expect("stored");
    let waiting = pages.delete_live_session(id.clone(), "Ann".to_owned()).await;
    assert_eq!(waiting, Err(ApiError::LiveWaiting(1)));
    test.decide(1).await.expect("stored");
    let mut watch = test.sessions.watch(test.session).await.expect("watches");
    let mut updates = PageUpdates::new(test.sessions.clone());
    updates.watch(&LiveWatch { all: true, sessions: Vec::new() });
    updates.next().await;
    pages.delete_live_session(id.clone(), "Ann".to_owned()).await.expect("deleted");
    watch.states.wait_for(|state| state.is_deleted).await.expect("watchers are notified");
    let HostEvent::Live(update) = updates.next().await else { panic!("an update of the list") };
    assert!(update.more, "the page fetches the list again");
    let unknown = Err(ApiError::UnknownLiveSession(id.to_string()));
    assert_eq!(pages.read_live_session(id.clone()).await.map(drop), unknown);
    assert_eq!(pages.delete_live_session(id, "Ann".to_owned()).await, unknown, "once");
    assert!(matches!(test.submit(2, 10).await, Err(LiveError::UnknownSession(_))));
}

#[tokio::test]
async fn requests_of_one_batch_meet_a_deleted_session_in_their_order() {
    let test = TestSession::open().await;
    test.submit(1, 10).await.expect("stored");
    test.decide(1).await.expect("stored");
    let (deleted, late) =
        tokio::join!(test.sessions.delete(test.session, None), test.submit(2, 10));
    deleted.expect("no agent waited yet");
    assert!(matches!(late, Err(LiveError::UnknownSession(_))), "{late:?}");
    let again = test.sessions.create(Some(test.session), None).await.expect("a new session");
    assert_eq!(again.id, test.session);
}

#[tokio::test]
async fn sessions_are_deleted_by_age_unless_an_agent_waits() {
    let test = TestSession::open().await;
    test.submit(1, 10).await.expect("stored");
    let retention = Retention { keep_for: Some(DAY), keep_bytes: None };
    let after = |days: i64| Timestamp(now().0 + days * 24 * 60 * 60 * 1000 + 1000);
    let deleted = async |retention, now| {
        test.sessions.delete_expired_at(retention, now).await.expect("deletes")
    };
    assert_eq!(deleted(retention, after(2)).await, 0, "its agent waits");
    test.decide(1).await.expect("stored");
    assert_eq!(deleted(Retention::default(), after(9999)).await, 0, "everything is kept");
    assert_eq!(deleted(retention, after(0)).await, 0, "it was used today");
    assert_eq!(deleted(retention, after(2)).await, 1);
    assert!(matches!(
        test.sessions.session(test.session).await.map(drop),
        Err(LiveError::UnknownSession(_))
    ));
}

#[tokio::test]
async fn the_longest_unused_sessions_are_deleted_until_the_rest_is_small() {
    let test = TestSession::open().await;
    let mut ids = Vec::new();
    for number in 1..=4 {
        ids.push(test.sessions.create(None, None).await.expect("creates").id);
        let session = TestSession { session: ids[ids.len() - 1], ..test.clone() };
        session.submit(number, 300_000).await.expect("stored");
        if number != 2 {
            session.decide(number).await.expect("stored");
        }
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
    let bytes = test.store.bytes().await.expect("reads");
    assert!(bytes > 1_200_000, "{bytes}");
    let retention = Retention { keep_for: None, keep_bytes: Some(bytes - 400_000) };
    // The one without requests is the oldest, the second one still waits.
    let deleted = test.sessions.delete_expired_at(retention, now()).await.expect("deletes");
    assert_eq!(deleted, 3);
    let is_left = async |number: usize| test.sessions.session(ids[number]).await.is_ok();
    assert_eq!(
        [is_left(0).await, is_left(1).await, is_left(2).await, is_left(3).await],
        [false, true, false, true]
    );
    let nothing = Retention { keep_for: None, keep_bytes: Some(0) };
    assert_eq!(test.sessions.delete_expired_at(nothing, now()).await.expect("deletes"), 1);
    assert!(is_left(1).await, "its agent waits");
}
