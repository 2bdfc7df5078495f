//! Tokens in each vendor's key header, and in gRPC.

use reqwest::StatusCode;
use reqwest::header::{CACHE_CONTROL, COOKIE};
use rpc::wire;
use tonic::Code;

use crate::access::stage::{Stage, bearing};

#[tokio::test]
async fn token_cannot_run_tools_or_read_files() {
    let stage = Stage::open().await;
    let get = stage.get(api::EVENTS_PATH).bearer_auth(&stage.token).send().await.unwrap();
    assert_eq!(get.status(), StatusCode::FORBIDDEN);
    // Pages contain data, so they are rejected too.
    for path in ["/api/list_agents", "/", "/live", "/reports", "/rehearse/x", "/nowhere", "/s/x"] {
        let list = stage.get(path).bearer_auth(&stage.token).send().await.unwrap();
        assert_eq!(list.status(), StatusCode::FORBIDDEN, "{path}");
        assert!(list.text().await.unwrap().contains("Log in with a browser"), "{path}");
    }
}

#[tokio::test]
async fn serves_the_unchanged_report_to_people_only() {
    let stage = Stage::open().await;
    let text = format!(r#"{{"report_id": "r", "results": ["{}"]}}"#, "é".repeat(700_000));
    std::fs::create_dir(stage.folder.path().join("reports")).unwrap();
    std::fs::write(stage.folder.path().join("reports/run.json"), &text).unwrap();
    let path = "/api/reports/run";
    assert_eq!(stage.get(path).send().await.unwrap().status(), StatusCode::UNAUTHORIZED);
    let token = stage.get(path).bearer_auth(&stage.token).send().await.unwrap();
    assert_eq!(token.status(), StatusCode::FORBIDDEN);
    let cookie = stage.cookie().await;
    let ask = |path: &str| stage.get(path).header(COOKIE, &cookie).send();
    let given = ask(path).await.unwrap();
    assert_eq!(given.status(), StatusCode::OK);
    assert_eq!(given.headers()[CACHE_CONTROL], "no-store");
    assert!(given.text().await.unwrap() == text, "it is another text");
    for other in ["/api/reports/none", "/api/reports/..%2Faudit"] {
        let refused = ask(other).await.unwrap();
        assert_eq!(refused.status(), StatusCode::NOT_FOUND, "{other}");
        let error: api::ApiError = refused.json().await.unwrap();
        assert!(matches!(error, api::ApiError::UnknownReport(_)), "{error:?}");
    }
}

#[tokio::test]
async fn pip_gets_the_plugin_with_a_token_in_the_address() {
    let stage = Stage::open().await;
    let name = format!("rehearsal_adk-{}-py3-none-any.whl", env!("CARGO_PKG_VERSION"));
    let path = format!("/python/{name}");
    assert_eq!(stage.get(&path).send().await.unwrap().status(), StatusCode::UNAUTHORIZED);
    let wrong = stage.get(&path).basic_auth("token", Some("wrong")).send().await.unwrap();
    assert_eq!(wrong.status(), StatusCode::UNAUTHORIZED);
    let wheel = stage.get(&path).basic_auth("token", Some(&stage.token)).send().await.unwrap();
    assert_eq!(wheel.status(), StatusCode::OK);
    assert!(wheel.bytes().await.unwrap().starts_with(b"PK"), "an archive");
    let other = stage.get("/python/rehearsal_adk-9.9.9-py3-none-any.whl");
    let other = other.basic_auth("token", Some(&stage.token)).send().await.unwrap();
    assert_eq!(other.status(), StatusCode::NOT_FOUND);
    assert_eq!(other.text().await.unwrap(), format!("This host has {path}.\n"));
}

#[tokio::test]
async fn supervisors_need_no_login() {
    let stage = Stage::open().await;
    for (path, status) in [("/healthz", "ok\n"), ("/readyz", "ready\n")] {
        // A supervisor reaches the host under a name of its own.
        let found = stage.get(path).header("host", "10.0.0.7:4180").send().await.unwrap();
        assert_eq!(found.status(), StatusCode::OK, "{path}");
        assert_eq!(found.text().await.unwrap(), status);
    }
}

#[tokio::test]
async fn accepts_a_token_in_each_vendors_key_header() {
    let stage = Stage::open().await;
    let token = &stage.token;
    let requests = [
        stage.get("/v1/models").bearer_auth(token),
        stage.get("/v1/models").header("x-api-key", token),
        stage.get("/v1beta/models").header("x-goog-api-key", token),
        stage.get(&format!("/v1beta/models?key={token}")),
    ];
    for request in requests {
        assert_eq!(request.send().await.unwrap().status(), StatusCode::OK);
    }
    let elsewhere = stage.get(&format!("/evalsets?key={token}")).send().await.unwrap();
    assert_eq!(elsewhere.status(), StatusCode::UNAUTHORIZED, "addresses of pages get shared");

    let wrong = format!("{}0", &token[..token.len() - 1]);
    let wrong = if wrong == *token { format!("{}1", &token[..token.len() - 1]) } else { wrong };
    let refused = |path: &str| stage.get(path).bearer_auth(&wrong).send();
    let openai = refused("/v1/models").await.unwrap();
    assert_eq!(openai.status(), StatusCode::UNAUTHORIZED);
    let body: serde_json::Value = openai.json().await.unwrap();
    assert_eq!(body["error"]["code"], "invalid_api_key");
    let anthropic: serde_json::Value = refused("/v1/messages").await.unwrap().json().await.unwrap();
    assert_eq!(anthropic["error"]["type"], "authentication_error");
    let gemini = refused("/v1beta/models").await.unwrap();
    let gemini: serde_json::Value = gemini.json().await.unwrap();
    assert_eq!(gemini["error"]["status"], "UNAUTHENTICATED");

    for _ in 0..2 {
        refused("/v1/models").await.unwrap();
    }
    let limited = refused("/v1/models").await.unwrap();
    assert_eq!(limited.status(), StatusCode::TOO_MANY_REQUESTS);
    let known = stage.get("/v1/models").bearer_auth(token).send().await.unwrap();
    assert_eq!(known.status(), StatusCode::OK, "a token that was right stays so");
}

#[tokio::test]
async fn grpc_requires_a_token_and_responses_have_its_name() {
    let stage = Stage::open().await;
    let mut client = stage.grpc().await;
    let nobody = client.list_sessions(wire::ListSessionsRequest::default()).await.unwrap_err();
    assert_eq!(nobody.code(), Code::Unauthenticated);
    assert!(nobody.message().contains("rehearsal token add"), "{}", nobody.message());

    let (session_id, turn_id) = stage.asked().await;
    let part = wire::Part { kind: Some(wire::part::Kind::Text("yes".to_owned())) };
    let candidate = wire::Content { role: wire::Role::Model.into(), parts: vec![part] };
    let decision = wire::SubmitDecisionRequest {
        session_id: session_id.clone(),
        turn_id: turn_id.clone(),
        response: Some(wire::HumanResponse { candidates: vec![candidate] }),
        by: Some(wire::Person { display_name: "somebody else".to_owned() }),
        lease_id: None,
    };
    client.submit_decision(bearing(&stage.desk, decision)).await.unwrap();
    let awaited =
        wire::AwaitDecisionRequest { session_id: session_id.clone(), turn_id: turn_id.clone() };
    let mut updates = client.await_decision(stage.with_token(awaited)).await.unwrap().into_inner();
    let update = updates.message().await.unwrap().unwrap().update.unwrap();
    let wire::await_decision_response::Update::Answered(answered) = update else {
        panic!("answered")
    };
    assert_eq!(answered.by.unwrap().display_name, "desk", "not what the message says");

    let audit = stage.audit();
    assert_eq!(audit.len(), 1);
    let members = ["what", "who", "how", "session", "turn"].map(|key| audit[0][key].as_str());
    let turn = (session_id.as_str(), turn_id.as_str());
    assert_eq!(members, ["decision", "desk", "token", turn.0, turn.1].map(Some));
}
