//! Watching a session: history, its end, then live events.

use std::time::Duration;

use rpc::wire;

use crate::live::stage::{Stage, Watcher, await_turn, decide, outcome, submit};

#[tokio::test]
async fn watcher_gets_every_event_once_from_any_start() {
    let stage = Stage::open().await;
    let session = stage.session().await;
    let mut writer = stage.client().await;
    // More than stays in memory, so that both the store and the memory are read.
    const TURNS: u64 = 400;
    let mut watchers = tokio::task::JoinSet::new();
    for begin in [0, 1, 57, 200, 399] {
        let mut client = stage.client().await;
        let session = session.clone();
        watchers.spawn(async move {
            // Opened while events arrive.
            let mut watcher = loop {
                let asked = wire::GetSessionRequest { session_id: session.clone() };
                let summary = client.get_session(asked).await.unwrap().into_inner().summary;
                if summary.unwrap().last_sequence >= begin {
                    break Watcher::open(&mut client, &session, begin).await;
                }
            };
            watcher.until(|it| it.events.last().is_some_and(|last| last.sequence == TURNS)).await;
            watcher.until(|it| it.history.is_some()).await;
            let expected: Vec<_> = (begin + 1..=TURNS).collect();
            assert_eq!(watcher.sequences(), expected);
            let times: Vec<_> = watcher.events.iter().map(|event| event.timestamp_ms).collect();
            assert!(times.is_sorted());
        });
    }
    for number in 0..TURNS {
        submit(&mut writer, &session, &format!("request {number}")).await;
    }
    watchers.join_all().await;
}

#[tokio::test]
async fn marks_the_end_of_the_history_once_before_live_events() {
    let stage = Stage::open().await;
    let session = stage.session().await;
    let mut client = stage.client().await;
    let turn = submit(&mut client, &session, "before").await;
    let mut watcher = Watcher::open(&mut client, &session, 0).await;
    watcher.until(|it| it.history.is_some()).await;
    assert_eq!((watcher.history, watcher.sequences()), (Some(1), vec![1]));
    decide(&mut client, &session, &turn, "after").await.unwrap();
    watcher.until(|it| it.events.len() == 2).await;
    watcher.until(|it| it.queue().depth == 0).await;

    let mut empty = Watcher::open(&mut client, &session, 2).await;
    empty.until(|it| it.state.is_some()).await;
    assert_eq!((empty.history, empty.sequences()), (Some(2), vec![]));
}

#[tokio::test]
async fn slow_watcher_delays_no_other_and_misses_nothing() {
    let stage = Stage::open().await;
    let session = stage.session().await;
    let (mut agent, mut lazy) = (stage.client().await, stage.client().await);
    let mut sleeper = Watcher::open(&mut lazy, &session, 0).await;
    let vanished = Watcher::open(&mut stage.client().await, &session, 0).await;
    drop(vanished);
    let mut awake = Watcher::open(&mut stage.client().await, &session, 0).await;
    // Far more than any buffer on the way to a client that does not read.
    let long = "x".repeat(256 * 1024);
    for _ in 0..40 {
        let turn = submit(&mut agent, &session, &long).await;
        decide(&mut agent, &session, &turn, "next").await.unwrap();
    }
    awake.until(|it| it.events.len() == 80).await;
    sleeper.until(|it| it.events.len() == 80).await;
    assert_eq!(sleeper.sequences(), (1..=80).collect::<Vec<_>>());
}

#[tokio::test]
async fn idle_stream_sends_keep_alives() {
    let stage = Stage::with_pace(Duration::from_secs(30), Duration::from_millis(50)).await;
    let session = stage.session().await;
    let mut client = stage.client().await;
    let turn = submit(&mut client, &session, "one").await;
    let mut watcher = Watcher::open(&mut client, &session, 0).await;
    watcher.until(|it| it.keep_alives >= 2).await;
    let mut waiting = await_turn(&mut client, &session, &turn).await;
    for _ in 0..3 {
        assert!(waiting.message().await.unwrap().is_some());
    }
    decide(&mut client, &session, &turn, "done").await.unwrap();
    outcome(&mut waiting).await;
}

#[tokio::test]
async fn shows_whether_an_agent_is_waiting() {
    let stage = Stage::open().await;
    let session = stage.session().await;
    let mut client = stage.client().await;
    let turn = submit(&mut client, &session, "one").await;
    let mut watcher = Watcher::open(&mut client, &session, 0).await;
    watcher.until(|it| it.state.is_some() && !it.queue().up.unwrap().awaited).await;
    let waiting = await_turn(&mut client, &session, &turn).await;
    watcher.until(|it| it.queue().up.unwrap().awaited).await;
    drop(waiting);
    watcher.until(|it| !it.queue().up.unwrap().awaited).await;
}
