//! Each token has sessions of its own, and gets the responses to its own requests only, even if another one
//! sends the same words.

use std::time::Duration;

use reqwest::{RequestBuilder, StatusCode};
use rpc::wire;
use serde_json::{Value, json};
use tonic::Code;

use crate::access::stage::{Stage, bearing, with_cookie};

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
            let list = bearing(&stage.desk, wire::ListSessionsRequest::default());
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
    stage.grpc().await.submit_decision(bearing(&stage.desk, decision)).await.unwrap();
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
async fn tokens_that_name_one_model_or_session_have_a_session_each() {
    for (path, expected) in [
        ("/v1/chat/completions", ["m (nightly)", "m (weekly)"]),
        ("/s/demo/v1/chat/completions", ["demo (nightly)", "demo (weekly)"]),
    ] {
        let stage = Stage::open().await;
        let clients = [&stage.token, &stage.weekly]
            .map(|token| tokio::spawn(ask(&stage, token, path, &json!({})).send()));
        let sessions = pending(&stage, 2).await;
        let mut names: Vec<_> =
            sessions.iter().map(|it| it.session.clone().unwrap().description.unwrap()).collect();
        names.sort();
        assert_eq!(names, expected);
        clients.into_iter().for_each(|client| client.abort());
    }
}

#[tokio::test]
async fn people_see_the_sessions_of_every_token_and_of_none() {
    let stage = Stage::open().await;
    let (asked, turn) = stage.asked().await;
    let cookie = stage.cookie().await;
    let mut client = stage.grpc().await;
    // Ann's own session, which does not belong to a token.
    let own = with_cookie(&cookie, wire::CreateSessionRequest::default());
    let own = client.create_session(own).await.unwrap().into_inner().session.unwrap().id;
    let listed = |list: wire::ListSessionsResponse| {
        list.sessions.into_iter().map(|it| it.session.unwrap().id).collect::<Vec<_>>()
    };
    let list = with_cookie(&cookie, wire::ListSessionsRequest::default());
    let list = client.list_sessions(list);
    assert_eq!(listed(list.await.unwrap().into_inner()), [own.as_str(), asked.as_str()]);
    let list = client.list_sessions(bearing(&stage.desk, wire::ListSessionsRequest::default()));
    assert_eq!(listed(list.await.unwrap().into_inner()), [asked.as_str()], "desk responds to it");
    let response = json!({ "response": {
        "place": { "session": asked, "turn": turn },
        "by": "Ann", "lease": null, "text": "No.", "calls": [],
    } });
    stage.call(&cookie, "respond_to_turn", response).await;
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
    let awaited =
        wire::AwaitDecisionRequest { session_id: session_id.clone(), turn_id: turn_id.clone() };
    let refused = client.await_decision(bearing(&stage.weekly, awaited.clone())).await.unwrap_err();
    assert_eq!(refused.code(), Code::NotFound, "{refused}");
    client.await_decision(stage.with_token(awaited)).await.unwrap();

    let request = bearing(&stage.weekly, stage.request(&session_id, &turn_id));
    let refused = client.submit_request(request).await.unwrap_err();
    assert_eq!(refused.code(), Code::NotFound, "{refused}");
    // The same turn in a session of its own.
    let own = bearing(&stage.weekly, wire::CreateSessionRequest::default());
    let own = client.create_session(own).await.unwrap().into_inner().session.unwrap().id;
    let taken = bearing(&stage.weekly, stage.request(&own, &turn_id));
    let refused = client.submit_request(taken).await.unwrap_err();
    assert_eq!(refused.code(), Code::AlreadyExists, "{refused}");
    let again = stage.with_token(stage.request(&session_id, &turn_id));
    client.submit_request(again).await.unwrap();
}
