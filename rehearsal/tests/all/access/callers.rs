//! Each token gets the responses to its own requests only, even if another one sends the same words.

use std::time::Duration;

use reqwest::{RequestBuilder, StatusCode};
use rpc::wire;
use serde_json::{Value, json};
use tonic::Code;

use crate::access::stage::Stage;

/// The timeout of a test.
const PATIENCE: Duration = Duration::from_secs(30);

fn ask(stage: &Stage, token: &str, path: &str, more: &Value) -> RequestBuilder {
    let mut body = json!({ "model": "m", "messages": [{ "role": "user", "content": "Rain?" }] });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    stage.client.post(stage.url(path)).bearer_auth(token).body(body.to_string())
}

async fn text(request: RequestBuilder) -> String {
    let answer: Value = request.send().await.unwrap().json().await.unwrap();
    answer["choices"][0]["message"]["content"].as_str().unwrap_or_else(|| panic!("{answer}")).into()
}

/// The sessions with a pending turn, once there are this many pending turns.
async fn pending(stage: &Stage, count: usize) -> Vec<wire::SessionSummary> {
    let asked = async {
        let mut client = stage.grpc().await;
        loop {
            let list = stage.with_token(wire::ListSessionsRequest::default());
            let mut sessions = client.list_sessions(list).await.unwrap().into_inner().sessions;
            sessions.retain(|session| !session.pending.is_empty());
            if sessions.iter().map(|session| session.pending.len()).sum::<usize>() == count {
                return sessions;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, asked).await.expect("that many turns")
}

/// Responds to the head of a session's queue.
async fn answer(stage: &Stage, session: &wire::SessionSummary, words: &str) {
    let part = wire::Part { kind: Some(wire::part::Kind::Text(words.to_owned())) };
    let candidate = wire::Content { role: wire::Role::Model.into(), parts: vec![part] };
    let decision = wire::SubmitDecisionRequest {
        session_id: session.session.clone().unwrap().id,
        turn_id: session.pending[0].turn_id.clone(),
        response: Some(wire::HumanResponse { candidates: vec![candidate] }),
        by: Some(wire::Person { display_name: "Ann".to_owned() }),
        lease_id: None,
    };
    stage.grpc().await.submit_decision(stage.with_token(decision)).await.unwrap();
}

/// Sends a request and disconnects once it is pending, as the only one.
async fn ask_and_leave(stage: &Stage, request: RequestBuilder) -> wire::SessionSummary {
    let client = tokio::spawn(request.send());
    pending(stage, 1).await;
    client.abort();
    loop {
        let session = pending(stage, 1).await.remove(0);
        if !session.pending[0].awaited {
            return session;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_response_goes_to_the_token_that_asked() {
    let stage = Stage::open().await;
    let (nightly, weekly) = (&stage.token, &stage.weekly);
    for (path, extra, retries) in [
        ("/v1/chat/completions", json!({}), "0"),
        ("/s/demo/v1/chat/completions", json!({}), "0"),
        ("/s/demo/v1/chat/completions", json!({ "seed": 1 }), "1"),
        ("/s/936da01f-9abd-4d9d-80c7-02af85c822a8/v1/chat/completions", json!({}), "1"),
    ] {
        let request = |token: &str| {
            ask(&stage, token, path, &extra).header("x-stainless-retry-count", retries)
        };
        let session = ask_and_leave(&stage, request(nightly)).await;
        answer(&stage, &session, "for nightly").await;
        let other = tokio::spawn(text(request(weekly)));
        let session = pending(&stage, 1).await.remove(0);
        answer(&stage, &session, "for weekly").await;
        assert_eq!(other.await.unwrap(), "for weekly", "{path}");
        assert_eq!(text(request(nightly)).await, "for nightly", "{path}");
    }
}

#[tokio::test]
async fn tokens_that_name_one_model_have_a_session_each() {
    let stage = Stage::open().await;
    let clients = [&stage.token, &stage.weekly]
        .map(|token| tokio::spawn(ask(&stage, token, "/v1/chat/completions", &json!({})).send()));
    let sessions = pending(&stage, 2).await;
    let mut names: Vec<_> =
        sessions.iter().map(|it| it.session.clone().unwrap().description.unwrap()).collect();
    names.sort();
    assert_eq!(names, ["m (nightly)", "m (weekly)"]);
    clients.into_iter().for_each(|client| client.abort());
}

#[tokio::test]
async fn an_idempotency_key_belongs_to_its_token() {
    let stage = Stage::open().await;
    let keyed = |token: &str| {
        ask(&stage, token, "/s/demo/v1/chat/completions", &json!({})).header("idempotency-key", "K")
    };
    let session = ask_and_leave(&stage, keyed(&stage.token)).await;
    answer(&stage, &session, "for nightly").await;
    let other = tokio::spawn(text(keyed(&stage.weekly)));
    answer(&stage, &pending(&stage, 1).await[0], "for weekly").await;
    assert_eq!(other.await.unwrap(), "for weekly");
    assert_eq!(text(keyed(&stage.token)).await, "for nightly");
}

#[tokio::test]
async fn a_previous_response_belongs_to_its_token() {
    let stage = Stage::open().await;
    let body = json!({ "model": "m", "input": "Rain?" });
    let post = |token: &str, body: &Value| {
        stage.client.post(stage.url("/v1/responses")).bearer_auth(token).body(body.to_string())
    };
    let first = tokio::spawn(post(&stage.token, &body).send());
    answer(&stage, &pending(&stage, 1).await[0], "No.").await;
    let first: Value = first.await.unwrap().unwrap().json().await.unwrap();
    let next = json!({ "model": "m", "input": "Snow?", "previous_response_id": first["id"] });
    let refused = post(&stage.weekly, &next).send().await.unwrap();
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    let refused: Value = refused.json().await.unwrap();
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("previous_response_id: must be the id of"), "{message}");
    ask_and_leave(&stage, post(&stage.token, &next)).await;
}

#[tokio::test]
async fn a_turn_over_grpc_belongs_to_its_token() {
    let stage = Stage::open().await;
    let (session_id, turn_id) = stage.asked().await;
    let mut client = stage.grpc().await;
    let with_weekly = |token: &str| format!("Bearer {token}").parse().unwrap();
    let awaited =
        wire::AwaitDecisionRequest { session_id: session_id.clone(), turn_id: turn_id.clone() };
    let mut request = tonic::Request::new(awaited.clone());
    request.metadata_mut().insert("authorization", with_weekly(&stage.weekly));
    let refused = client.await_decision(request).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied, "{refused}");
    client.await_decision(stage.with_token(awaited)).await.unwrap();

    let mut request = tonic::Request::new(stage.request(&session_id, &turn_id));
    request.metadata_mut().insert("authorization", with_weekly(&stage.weekly));
    let refused = client.submit_request(request).await.unwrap_err();
    assert_eq!(refused.code(), Code::AlreadyExists, "{refused}");
    let again = stage.with_token(stage.request(&session_id, &turn_id));
    client.submit_request(again).await.unwrap();
}
