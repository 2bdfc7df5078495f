//! The table of what tokens may use, row by row: allowed for whom it names, and otherwise refused. A
//! session of another token does not exist.

use rehearsal_server::access::{RULES, Rule};
use reqwest::StatusCode;
use rpc::wire;
use rpc::wire::record_event_request::Payload;
use serde_json::{Value, json};
use tonic::{Code, Status};
use uuid::Uuid;

use crate::access::stage::{Stage, bearing, with_cookie};

const SERVICE: &str = "/rehearsal.v1.LiveService/";

/// The methods of the table, with their rules.
fn methods() -> impl Iterator<Item = (&'static str, Rule)> {
    RULES.iter().filter_map(|(path, rule)| Some((path.strip_prefix(SERVICE)?, *rule)))
}

/// The endpoints of the table, with their rules.
fn endpoints() -> impl Iterator<Item = (&'static str, Rule)> {
    RULES.iter().filter(|(path, _)| !path.starts_with(SERVICE)).copied()
}

/// A pending turn whose lease `desk` holds, or one that does not exist.
struct Place {
    session: String,
    turn: String,
    lease: String,
}

impl Place {
    fn nowhere() -> Self {
        let [session, turn, lease] = [(); 3].map(|()| Uuid::new_v4().to_string());
        Self { session, turn, lease }
    }

    /// A turn of the token `nightly`.
    async fn asked(stage: &Stage) -> Self {
        let (session, turn) = stage.asked().await;
        let place = Self { session, turn, ..Self::nowhere() };
        call(stage, &stage.desk, "HoldTurn", &place).await.unwrap();
        place
    }
}

/// The status of a token that asks for a session that does not exist.
fn unknown(session: &str) -> Status {
    Status::not_found(format!("session_id: session {session} does not exist; create it first"))
}

/// Calls a method about a place.
async fn call(stage: &Stage, token: &str, method: &str, place: &Place) -> Result<(), Status> {
    let mut client = stage.grpc().await;
    let Place { session, turn, lease } = place;
    let (session_id, turn_id, lease_id) = (session.clone(), turn.clone(), lease.clone());
    let by = Some(wire::Person { display_name: "Ann".to_owned() });
    match method {
        "CreateSession" => {
            let session_id = Some(session_id);
            let message = wire::CreateSessionRequest { session_id, ..Default::default() };
            client.create_session(bearing(token, message)).await.map(drop)
        }
        "GetSession" => {
            let message = wire::GetSessionRequest { session_id };
            client.get_session(bearing(token, message)).await.map(drop)
        }
        "ListSessions" => {
            let message = wire::ListSessionsRequest::default();
            let listed = client.list_sessions(bearing(token, message)).await?.into_inner();
            let is_it = |it: &wire::SessionSummary| it.session.as_ref().unwrap().id == *session;
            if listed.sessions.iter().any(is_it) { Ok(()) } else { Err(unknown(session)) }
        }
        "CompleteSession" => {
            let message = wire::CompleteSessionRequest { session_id, cancel_pending: true, by };
            client.complete_session(bearing(token, message)).await.map(drop)
        }
        "Subscribe" => {
            let message = wire::SubscribeRequest { session_id, after_sequence: 0 };
            client.subscribe(bearing(token, message)).await.map(drop)
        }
        "SubmitRequest" => {
            let message = stage.request(session, &Uuid::new_v4().to_string());
            client.submit_request(bearing(token, message)).await.map(drop)
        }
        "AwaitDecision" => {
            let message = wire::AwaitDecisionRequest { session_id, turn_id };
            client.await_decision(bearing(token, message)).await.map(drop)
        }
        "RecordEvent" => {
            let outcome = wire::RunOutcome::Completed.into();
            let ended = wire::RunEnded { outcome, message: String::new() };
            let message = wire::RecordEventRequest {
                session_id,
                event_id: Uuid::new_v4().to_string(),
                turn_id,
                agent_name: "weather".to_owned(),
                invocation_id: String::new(),
                payload: Some(Payload::RunEnded(ended)),
            };
            client.record_event(bearing(token, message)).await.map(drop)
        }
        "SubmitDecision" => {
            let part = wire::Part { kind: Some(wire::part::Kind::Text("No.".to_owned())) };
            let candidate = wire::Content { role: wire::Role::Model.into(), parts: vec![part] };
            let response = Some(wire::HumanResponse { candidates: vec![candidate] });
            let lease_id = Some(lease_id);
            let message =
                wire::SubmitDecisionRequest { session_id, turn_id, response, by, lease_id };
            client.submit_decision(bearing(token, message)).await.map(drop)
        }
        "CancelTurn" => {
            let reason = "too late".to_owned();
            let message = wire::CancelTurnRequest { session_id, turn_id, reason, by: None };
            client.cancel_turn(bearing(token, message)).await.map(drop)
        }
        "HoldTurn" => {
            let message = wire::HoldTurnRequest { session_id, turn_id, lease_id, by };
            client.hold_turn(bearing(token, message)).await.map(drop)
        }
        "HandOverTurn" => {
            let message = wire::HandOverTurnRequest { session_id, turn_id, lease_id, to: by };
            client.hand_over_turn(bearing(token, message)).await.map(drop)
        }
        "ReleaseTurn" => {
            let message = wire::ReleaseTurnRequest { session_id, turn_id, lease_id };
            client.release_turn(bearing(token, message)).await.map(drop)
        }
        other => panic!("a method without a call in this test: {other}"),
    }
}

#[test]
fn every_method_of_the_service_has_a_rule() {
    let proto = include_str!("../../../../proto/rehearsal/v1/live.proto");
    let named = |line: &'static str| line.trim().strip_prefix("rpc ")?.split('(').next();
    let declared: Vec<&str> = proto.lines().filter_map(named).collect();
    let ruled: Vec<&str> = methods().map(|(method, _)| method).collect();
    assert!(!declared.is_empty());
    assert_eq!(ruled, declared, "add the rule of a new method to server/src/access/rules.rs");
}

#[tokio::test]
async fn a_method_is_allowed_to_the_tokens_of_its_rule_only() {
    let stage = Stage::open().await;
    for (method, rule) in methods() {
        let opens = method == "CreateSession";
        for (token, is_named, who) in [
            (&stage.token, rule != Rule::Responder, "the opener"),
            (&stage.desk, rule != Rule::Opener, "the responder"),
        ] {
            let place = Place::asked(&stage).await;
            let called = call(&stage, token, method, &place).await;
            // A session that is opened again by another token has an id that is taken.
            let denied = if opens { Code::AlreadyExists } else { Code::PermissionDenied };
            let expected = if is_named { Code::Ok } else { denied };
            let code = called.as_ref().map_or_else(Status::code, |()| Code::Ok);
            assert_eq!(code, expected, "{method} by {who}: {called:?}");
        }
    }
}

#[tokio::test]
async fn for_another_token_a_session_does_not_exist() {
    let stage = Stage::open().await;
    for (method, _) in methods() {
        let place = Place::asked(&stage).await;
        let refused = call(&stage, &stage.weekly, method, &place).await.unwrap_err();
        if method == "CreateSession" {
            assert_eq!(refused.code(), Code::AlreadyExists, "{refused}");
            continue;
        }
        let nowhere = Place::nowhere();
        let missing = call(&stage, &stage.weekly, method, &nowhere).await.unwrap_err();
        let seen = |status: &Status, place: &Place| {
            (status.code(), status.message().replace(&place.session, "ID"))
        };
        assert_eq!(seen(&refused, &place), seen(&missing, &nowhere), "{method}");
        let expected = unknown(&place.session);
        assert_eq!(seen(&refused, &place), seen(&expected, &place), "{method}");
        // Nothing was changed.
        let found = wire::GetSessionRequest { session_id: place.session };
        let found = stage.grpc().await.get_session(stage.with_token(found)).await.unwrap();
        let found = found.into_inner().summary.unwrap();
        assert_eq!((found.last_sequence, found.pending.len()), (1, 1), "{method}");
        assert_eq!(found.session.unwrap().status(), wire::SessionStatus::Active, "{method}");
        let lease = found.queue.unwrap().lease.unwrap();
        assert_eq!(lease.holder.unwrap().display_name, "desk", "{method}");
    }
}

#[tokio::test]
async fn people_may_act_on_the_sessions_of_tokens() {
    let stage = Stage::open().await;
    let cookie = stage.cookie().await;
    let place = Place::asked(&stage).await;
    let mut client = stage.grpc().await;
    let watched = wire::SubscribeRequest { session_id: place.session.clone(), after_sequence: 0 };
    client.subscribe(with_cookie(&cookie, watched)).await.unwrap();
    let awaited =
        wire::AwaitDecisionRequest { session_id: place.session.clone(), turn_id: place.turn };
    client.await_decision(with_cookie(&cookie, awaited)).await.unwrap();
    let all = wire::CompleteSessionRequest {
        session_id: place.session,
        cancel_pending: true,
        ..Default::default()
    };
    client.complete_session(with_cookie(&cookie, all)).await.unwrap();
}

/// The path and the body of a request to an endpoint, with a stream as the response, whose status comes at
/// once.
fn asking(route: &str) -> (String, Value) {
    let messages = json!([{ "role": "user", "content": "Rain?" }]);
    let body = match route {
        "/v1/chat/completions" => json!({ "model": "m", "stream": true, "messages": messages }),
        "/v1/responses" => json!({ "model": "m", "stream": true, "input": "Rain?" }),
        "/v1/messages" => {
            json!({ "model": "m", "stream": true, "max_tokens": 9, "messages": messages })
        }
        _ => json!({ "contents": [{ "role": "user", "parts": [{ "text": "Rain?" }] }] }),
    };
    (route.replace("{model}", "m:streamGenerateContent"), body)
}

#[tokio::test]
async fn an_endpoint_asks_in_sessions_of_its_token_only() {
    let stage = Stage::open().await;
    for (route, _) in endpoints().filter(|(_, rule)| *rule == Rule::Opener) {
        let (path, body) = asking(route);
        let post = async |token: &str, session: &str| {
            let request = stage.client.post(stage.url(&format!("/s/{session}{path}")));
            request.bearer_auth(token).body(body.to_string()).send().await.unwrap()
        };
        let (session, _) = stage.asked().await;
        let responder = post(&stage.desk, &session).await;
        assert_eq!(responder.status(), StatusCode::NOT_FOUND, "{path}");
        let other = post(&stage.weekly, &session).await;
        assert_eq!(other.status(), StatusCode::NOT_FOUND, "{path}");
        let text = other.text().await.unwrap();
        assert!(text.contains(unknown(&session).message()), "{path}: {text}");
        let found = wire::GetSessionRequest { session_id: session.clone() };
        let found = stage.grpc().await.get_session(stage.with_token(found)).await.unwrap();
        assert_eq!(found.into_inner().summary.unwrap().last_sequence, 1, "{path}");
        let opener = post(&stage.token, &session).await;
        assert_eq!(opener.status(), StatusCode::OK, "{path}");
    }
}

#[tokio::test]
async fn an_endpoint_without_sessions_is_for_every_token() {
    let stage = Stage::open().await;
    for (route, rule) in endpoints().filter(|(_, rule)| *rule != Rule::Opener) {
        assert_eq!(rule, Rule::AnyToken, "{route}");
        let path = route.replace("{*rest}", "nothing").replace("{wheel}", "none.whl");
        for token in [&stage.token, &stage.weekly, &stage.desk] {
            let response = stage.get(&path).bearer_auth(token).send().await.unwrap();
            let is_listed = route.ends_with("/models");
            let expected = if is_listed { StatusCode::OK } else { StatusCode::NOT_FOUND };
            assert_eq!(response.status(), expected, "{path}");
        }
    }
    let none = stage.client.post(stage.url("/nowhere")).bearer_auth(&stage.token);
    assert_eq!(none.send().await.unwrap().status(), StatusCode::NOT_FOUND, "with the paths");
}

#[tokio::test]
async fn a_method_without_a_rule_is_for_people() {
    let stage = Stage::open().await;
    let request = stage.client.post(stage.url(&format!("{SERVICE}DeleteSession")));
    let request = request.header("content-type", "application/grpc").bearer_auth(&stage.token);
    assert_eq!(request.send().await.unwrap().status(), StatusCode::FORBIDDEN);
}
