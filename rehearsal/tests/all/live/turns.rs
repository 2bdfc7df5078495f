//! Requests, waiting clients and responses.

use rpc::wire;
use rpc::wire::await_decision_response::Update;
use tonic::Code;

use crate::live::stage::{
    Stage, Watcher, answered_text, await_turn, create, decide, decision, id, outcome, refused,
    request, submit,
};

#[tokio::test]
async fn person_responds_to_a_request_of_an_agent() {
    let stage = Stage::open().await;
    let (mut agent, mut person) = (stage.client().await, stage.client().await);
    let session = stage.session().await;
    let turn = submit(&mut agent, &session, "Is it raining?").await;
    let mut waiting = await_turn(&mut agent, &session, &turn).await;
    let first = waiting.message().await.unwrap().unwrap().update;
    assert_eq!(first, Some(Update::Waiting(wire::Waiting { ahead: 0 })));
    assert_eq!(decide(&mut person, &session, &turn, "It is.").await.unwrap(), 2);
    let Update::Answered(answered) = outcome(&mut waiting).await else { panic!("answered") };
    assert_eq!(answered.by.clone().unwrap().display_name, "Ann");
    assert_eq!(answered.sequence, 2);
    assert_eq!(answered_text(Update::Answered(answered)), "It is.");
    assert!(waiting.message().await.unwrap().is_none(), "the outcome is the last message");

    // A later request also finds it.
    let mut later = await_turn(&mut agent, &session, &turn).await;
    assert_eq!(answered_text(outcome(&mut later).await), "It is.");
}

#[tokio::test]
async fn agents_queue_behind_the_oldest_turn() {
    let stage = Stage::open().await;
    let mut client = stage.client().await;
    let session = stage.session().await;
    let mut turns = Vec::new();
    for asked in ["one", "two", "three"] {
        turns.push(submit(&mut client, &session, asked).await);
    }
    let (code, message) = refused(decide(&mut client, &session, &turns[2], "early").await);
    assert_eq!(code, Code::FailedPrecondition);
    let rule = format!(
        "turn_id: {} is not at the head of the queue: 2 earlier turns are pending",
        turns[2]
    );
    assert_eq!(message, rule);

    let mut third = await_turn(&mut client, &session, &turns[2]).await;
    let first = third.message().await.unwrap().unwrap().update;
    assert_eq!(first, Some(Update::Waiting(wire::Waiting { ahead: 2 })));

    let asked = wire::GetSessionRequest { session_id: session.clone() };
    let summary = client.get_session(asked).await.unwrap().into_inner().summary.unwrap();
    let queue = summary.queue.unwrap();
    assert_eq!((queue.depth, queue.up.unwrap().turn_id), (3, turns[0].clone()));
    let awaited: Vec<_> = summary.pending.iter().map(|turn| turn.awaited).collect();
    assert_eq!(awaited, [false, false, true]);

    for (turn, answer) in turns.iter().zip(["a", "b", "c"]) {
        decide(&mut client, &session, turn, answer).await.unwrap();
    }
    assert_eq!(answered_text(outcome(&mut third).await), "c");
}

#[tokio::test]
async fn repeated_requests_get_the_first_response_and_are_stored_once() {
    let stage = Stage::open().await;
    let mut client = stage.client().await;
    let (session, turn) = (stage.session().await, id());
    let first = client.submit_request(request(&session, &turn, "a")).await.unwrap().into_inner();
    let again = client.submit_request(request(&session, &turn, "a")).await.unwrap().into_inner();
    assert_eq!(first, again);
    let (code, message) = refused(client.submit_request(request(&session, &turn, "b")).await);
    assert_eq!(code, Code::AlreadyExists);
    assert!(message.starts_with(&format!("turn_id: {turn} is already used by another request")));

    let other = create(&mut client, "another").await;
    let (code, _) = refused(client.submit_request(request(&other, &turn, "a")).await);
    assert_eq!(code, Code::AlreadyExists, "a turn belongs to one session");

    assert_eq!(decide(&mut client, &session, &turn, "yes").await.unwrap(), 2);
    assert_eq!(decide(&mut client, &session, &turn, "yes").await.unwrap(), 2);
    let (code, message) = refused(decide(&mut client, &session, &turn, "no").await);
    assert_eq!(code, Code::AlreadyExists);
    assert_eq!(message, format!("turn_id: {turn} already has a response, event 2"));
    let somebody_else = wire::SubmitDecisionRequest {
        by: crate::live::stage::person("Bo"),
        ..decision(&session, &turn, "yes")
    };
    assert_eq!(refused(client.submit_decision(somebody_else).await).0, Code::AlreadyExists);
    let again = client.submit_request(request(&session, &turn, "a")).await.unwrap().into_inner();
    assert_eq!(first, again, "also once it is answered");

    let mut watcher = Watcher::open(&mut client, &session, 0).await;
    watcher.until(|watcher| watcher.history.is_some()).await;
    assert_eq!(watcher.sequences(), [1, 2]);
}

#[tokio::test]
async fn concurrent_equal_requests_create_one_turn() {
    let stage = Stage::open().await;
    let (session, turn) = (stage.session().await, id());
    let mut sending = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let (mut client, message) = (stage.client().await, request(&session, &turn, "a"));
        sending.spawn(async move { client.submit_request(message).await.unwrap().into_inner() });
    }
    let answers = sending.join_all().await;
    assert!(answers.iter().all(|answer| answer.sequence == 1));
}

#[tokio::test]
async fn cancelled_turn_leaves_the_queue_and_its_agent_sees_it() {
    let stage = Stage::open().await;
    let mut client = stage.client().await;
    let session = stage.session().await;
    let first = submit(&mut client, &session, "one").await;
    let second = submit(&mut client, &session, "two").await;
    let mut waiting = await_turn(&mut client, &session, &first).await;
    let cancel = wire::CancelTurnRequest {
        session_id: session.clone(),
        turn_id: first.clone(),
        reason: "x".repeat(501),
        by: None,
    };
    let sequence = client.cancel_turn(cancel.clone()).await.unwrap().into_inner().sequence;
    assert_eq!(client.cancel_turn(cancel.clone()).await.unwrap().into_inner().sequence, sequence);
    let mut other = cancel;
    other.reason = "too late".to_owned();
    let (code, message) = refused(client.cancel_turn(other).await);
    assert_eq!(code, Code::FailedPrecondition);
    assert_eq!(message, format!("turn_id: {first} was canceled, event 3"));
    let Update::Cancelled(cancelled) = outcome(&mut waiting).await else { panic!("cancelled") };
    assert_eq!(cancelled.reason, "x".repeat(500));
    let (code, message) = refused(decide(&mut client, &session, &first, "late").await);
    assert_eq!(code, Code::FailedPrecondition);
    assert_eq!(message, format!("turn_id: {first} was canceled, event 3"));
    decide(&mut client, &session, &second, "now up").await.unwrap();
}

#[tokio::test]
async fn completed_session_rejects_requests_and_cancels_on_request() {
    let stage = Stage::open().await;
    let mut client = stage.client().await;
    let session = stage.session().await;
    let turn = submit(&mut client, &session, "one").await;
    let mut waiting = await_turn(&mut client, &session, &turn).await;
    let complete = |cancel_pending| wire::CompleteSessionRequest {
        session_id: session.clone(),
        cancel_pending,
        by: None,
    };
    let (code, message) = refused(client.complete_session(complete(false)).await);
    assert_eq!(code, Code::FailedPrecondition);
    assert!(message.starts_with("cancel_pending: 1 turns are pending"), "{message}");
    for _ in 0..2 {
        let answer = client.complete_session(complete(true)).await.unwrap().into_inner();
        assert_eq!(answer.session.unwrap().status(), wire::SessionStatus::Completed);
    }
    assert!(matches!(outcome(&mut waiting).await, Update::Cancelled(_)));
    let (code, message) = refused(client.submit_request(request(&session, &id(), "late")).await);
    assert_eq!(code, Code::FailedPrecondition);
    assert!(message.starts_with("session_id: this session is completed"), "{message}");
}

#[tokio::test]
async fn records_other_events_of_a_run_once() {
    let stage = Stage::open().await;
    let mut client = stage.client().await;
    let session = stage.session().await;
    let turn = submit(&mut client, &session, "one").await;
    decide(&mut client, &session, &turn, "call it").await.unwrap();
    let result = wire::ToolResult {
        response: Some(wire::FunctionResponse {
            id: Some("call-1".to_owned()),
            name: "clock".to_owned(),
            response: Some("{\"now\": 9007199254740993}".to_owned()),
        }),
        failed: false,
        duration_ms: Some(12),
    };
    let record = wire::RecordEventRequest {
        session_id: session.clone(),
        event_id: id(),
        turn_id: turn.clone(),
        agent_name: "weather".to_owned(),
        invocation_id: "run-1".to_owned(),
        payload: Some(wire::record_event_request::Payload::ToolResult(result.clone())),
    };
    for _ in 0..2 {
        assert_eq!(client.record_event(record.clone()).await.unwrap().into_inner().sequence, 3);
    }
    let changed = wire::RecordEventRequest { agent_name: "other".to_owned(), ..record.clone() };
    assert_eq!(refused(client.record_event(changed).await).0, Code::AlreadyExists);
    let foreign = wire::RecordEventRequest { turn_id: id(), event_id: id(), ..record.clone() };
    assert_eq!(refused(client.record_event(foreign).await).0, Code::NotFound);

    let mut watcher = Watcher::open(&mut client, &session, 2).await;
    watcher.until(|watcher| watcher.history.is_some()).await;
    assert_eq!(watcher.events[0].event_id, record.event_id);
    let payload = watcher.events[0].payload.clone().unwrap();
    assert_eq!(payload, wire::session_event::Payload::ToolResult(result), "digits and all");
}

#[tokio::test]
async fn connection_serves_calls_beside_hundreds_of_waiting_ones() {
    let stage = Stage::open().await;
    let mut client = stage.client().await;
    let session = stage.session().await;
    // More than hyper's default of 200.
    let mut waiting = Vec::new();
    for number in 0..300 {
        let turn = submit(&mut client, &session, &format!("request {number}")).await;
        waiting.push((await_turn(&mut client, &session, &turn).await, turn));
    }
    for (_, turn) in &waiting {
        let answer = format!("to {turn}");
        let decided = decide(&mut client, &session, turn, &answer);
        tokio::time::timeout(crate::live::stage::SOON, decided)
            .await
            .expect("gets through")
            .unwrap();
    }
    for (mut stream, turn) in waiting {
        assert_eq!(answered_text(outcome(&mut stream).await), format!("to {turn}"));
    }
}
