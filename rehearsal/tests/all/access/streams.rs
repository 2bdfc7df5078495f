//! A stream that was opened with a cookie ends at logout; one with a token, or with the cookie of another
//! login, continues.

use std::time::Duration;

use reqwest::header::COOKIE;
use reqwest::{Response, StatusCode};
use rpc::wire;
use tonic::Code;

use crate::access::stage::{Stage, with_cookie};

/// The timeout of a test.
const PATIENCE: Duration = Duration::from_secs(30);

async fn log_out(stage: &Stage, cookie: &str) {
    let out = stage.client.post(stage.url("/logout")).header(COOKIE, cookie);
    assert_eq!(out.send().await.unwrap().status(), StatusCode::SEE_OTHER);
}

async fn in_time<T>(read: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, read).await.expect("in time")
}

#[tokio::test]
async fn grpc_stream_ends_at_logout() {
    let stage = Stage::open().await;
    let (session_id, turn_id) = stage.asked().await;
    let (mine, other) = (stage.cookie().await, stage.cookie().await);
    let mut client = stage.grpc().await;
    let awaited = wire::AwaitDecisionRequest { session_id: session_id.clone(), turn_id };
    let watched = wire::SubscribeRequest { session_id: session_id.clone(), after_sequence: 0 };

    let waiting = client.await_decision(with_cookie(&mine, awaited)).await.unwrap();
    let mut waiting = waiting.into_inner();
    in_time(waiting.message()).await.unwrap().expect("that it waits");
    let mut streams = Vec::new();
    for request in [
        with_cookie(&mine, watched.clone()),
        with_cookie(&other, watched.clone()),
        stage.with_token(watched),
    ] {
        let mut stream = client.subscribe(request).await.unwrap().into_inner();
        in_time(stream.message()).await.unwrap().expect("what has happened");
        streams.push(stream);
    }
    log_out(&stage, &mine).await;

    let ended = in_time(async {
        while waiting.message().await?.is_some() {}
        Ok(())
    });
    let ended: Result<(), tonic::Status> = ended.await;
    assert_eq!(ended.unwrap_err().code(), Code::Unauthenticated);
    let mut cut = streams.remove(0);
    let ended = in_time(async {
        while cut.message().await?.is_some() {}
        Ok(())
    });
    let ended: Result<(), tonic::Status> = ended.await;
    let ended = ended.unwrap_err();
    assert_eq!(ended.code(), Code::Unauthenticated);
    assert!(ended.message().contains("log in again"), "{}", ended.message());

    let all = wire::CompleteSessionRequest { session_id, cancel_pending: true, by: None };
    client.complete_session(with_cookie(&other, all)).await.unwrap();
    for mut stream in streams {
        in_time(async {
            while let Some(update) = stream.message().await.unwrap() {
                if let Some(wire::subscribe_response::Update::Events(batch)) = update.update
                    && batch.events.iter().any(|event| event.sequence == 2)
                {
                    return;
                }
            }
            panic!("cut off too")
        })
        .await;
    }
}

/// Reads the body to its end: the content, and whether it ended regularly.
async fn rest(mut response: Response) -> (Vec<u8>, bool) {
    let mut held = Vec::new();
    loop {
        match in_time(response.chunk()).await {
            Ok(Some(bytes)) => held.extend(bytes),
            Ok(None) => return (held, true),
            Err(_) => return (held, false),
        }
    }
}

#[tokio::test]
async fn other_streams_end_with_an_error_at_logout() {
    let stage = Stage::open().await;
    let cookie = stage.cookie().await;
    let body = r#"{"model": "m", "stream": true, "messages": [{"role": "user", "content": "Hi"}]}"#;
    let asked = |request: reqwest::RequestBuilder| request.body(body).send();
    let post = || stage.client.post(stage.url("/v1/chat/completions"));
    let mine = in_time(asked(post().header(COOKIE, &cookie))).await.unwrap();
    assert_eq!(mine.status(), StatusCode::OK);
    log_out(&stage, &cookie).await;
    let (_, is_whole) = rest(mine).await;
    assert!(!is_whole);
}
