//! A host that stops and starts again.

use rpc::wire;
use tonic::Code;

use crate::live::stage::{
    Stage, Watcher, answered_text, await_turn, decide, id, outcome, refused, request, submit,
};

#[tokio::test]
async fn restart_restores_queues_and_delivers_responses() {
    let mut stage = Stage::open().await;
    let mut client = stage.client().await;
    let session = stage.session().await;
    let answered = submit(&mut client, &session, "answered").await;
    decide(&mut client, &session, &answered, "before").await.unwrap();
    let cancelled = submit(&mut client, &session, "cancelled").await;
    let asked = wire::CancelTurnRequest {
        session_id: session.clone(),
        turn_id: cancelled.clone(),
        ..Default::default()
    };
    client.cancel_turn(asked).await.unwrap();
    let mut turns = Vec::new();
    for asked in ["one", "two", "three"] {
        turns.push(submit(&mut client, &session, asked).await);
    }
    let mut waiting = await_turn(&mut client, &session, &turns[1]).await;
    waiting.message().await.unwrap();

    stage.restart().await;
    let ended = loop {
        match waiting.message().await {
            Ok(Some(_)) => {}
            ended => break ended,
        }
    };
    assert_eq!(ended.unwrap_err().code(), Code::Unavailable, "the client should reconnect");

    let mut client = stage.client().await;
    let asked = wire::GetSessionRequest { session_id: session.clone() };
    let summary = client.get_session(asked).await.unwrap().into_inner().summary.unwrap();
    let pending: Vec<_> = summary.pending.iter().map(|turn| turn.turn_id.clone()).collect();
    assert_eq!(pending, turns, "in the order in which they were asked");
    // Sent again after the restart: the same turn, in its old place.
    let again = client.submit_request(request(&session, &turns[1], "two")).await.unwrap();
    assert_eq!(again.into_inner().sequence, 6);
    let (code, _) = refused(client.submit_request(request(&session, &turns[1], "other")).await);
    assert_eq!(code, Code::AlreadyExists);
    let mut waiting = await_turn(&mut client, &session, &turns[1]).await;
    for turn in &turns {
        decide(&mut client, &session, turn, &format!("to {turn}")).await.unwrap();
    }
    assert_eq!(answered_text(outcome(&mut waiting).await), format!("to {}", turns[1]));
    let mut earlier = await_turn(&mut client, &session, &answered).await;
    assert_eq!(answered_text(outcome(&mut earlier).await), "before");
    assert_eq!(decide(&mut client, &session, &answered, "before").await.unwrap(), 2);

    let mut watcher = Watcher::open(&mut client, &session, 0).await;
    watcher.until(|it| it.history.is_some()).await;
    assert_eq!(watcher.sequences(), (1..=10).collect::<Vec<_>>());
}

#[tokio::test]
async fn recognizes_a_repeated_cancellation_after_a_restart() {
    let mut stage = Stage::open().await;
    let mut client = stage.client().await;
    let session = stage.session().await;
    let turn = submit(&mut client, &session, "one").await;
    let reason = "enough".to_owned();
    let cancel = wire::CancelTurnRequest { session_id: session, turn_id: turn, reason, by: None };
    client.cancel_turn(cancel.clone()).await.unwrap();
    stage.restart().await;
    let mut client = stage.client().await;
    assert_eq!(client.cancel_turn(cancel.clone()).await.unwrap().into_inner().sequence, 2);
    let by = Some(wire::Person { display_name: "Ann".to_owned() });
    let (code, message) =
        refused(client.cancel_turn(wire::CancelTurnRequest { by, ..cancel }).await);
    assert_eq!(code, Code::FailedPrecondition);
    assert!(message.ends_with("was canceled, event 2"), "{message}");
}

#[tokio::test]
async fn a_host_with_an_unusable_database_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let start = |database: &str| {
        let live = rehearsal::LiveSessions::at(folder.path().join(database));
        rehearsal::Simulator::new().listen(([127, 0, 0, 1], 0).into()).live(live).start()
    };
    std::fs::write(folder.path().join("notes.txt"), "no database ".repeat(100)).unwrap();
    let Err(refused) = start("notes.txt").await else { panic!("started") };
    let message = refused.to_string();
    assert!(message.contains("notes.txt cannot be opened (file is not a database)"), "{message}");
    assert!(message.contains("set another one under [live] database"), "{message}");
    let Err(refused) = start("notes.txt/live.sqlite").await else { panic!("started") };
    assert!(refused.to_string().contains("cannot be stored in"), "{refused}");
    let running = start("new/live.sqlite").await.unwrap();
    assert!(folder.path().join("new/live.sqlite").exists());
    running.stop().await;
}

#[tokio::test]
async fn second_host_does_not_serve_the_sessions() {
    let stage = Stage::open().await;
    stage.session().await;
    let second = rehearsal::Simulator::new()
        .listen(([127, 0, 0, 1], 0).into())
        .live(rehearsal::LiveSessions::at(stage.folder.path().join("live.sqlite")))
        .start()
        .await
        .unwrap();
    let endpoint = format!("http://{}", second.address());
    let channel = tonic::transport::Endpoint::from_shared(endpoint).unwrap().connect().await;
    let mut client = rpc::wire::live_service_client::LiveServiceClient::new(channel.unwrap());
    let asked = wire::GetSessionRequest { session_id: id() };
    let (code, message) = refused(client.get_session(asked).await);
    assert_eq!(code, Code::Unavailable);
    assert!(message.contains("another host uses the live sessions"), "{message}");
    second.stop().await;
}
