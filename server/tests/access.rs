//! Who may: logging in, tokens, and that nothing is served to anybody else.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::net::SocketAddr;
use std::path::Path;

use live::DisplayName;
use rehearsal::access::{FreshToken, SecretHash};
use rehearsal::{Access, LiveSessions, Running, ServeError, Simulator};
use reqwest::header::{ACCEPT, COOKIE, HOST, LOCATION, ORIGIN, RETRY_AFTER, SET_COOKIE};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, redirect};
use rpc::wire;
use rpc::wire::live_service_client::LiveServiceClient;
use tonic::Code;
use tonic::transport::{Channel, Endpoint};

const PASSWORD: &str = "correct horse";

struct Stage {
    folder: tempfile::TempDir,
    running: Running,
    token: String,
    client: Client,
}

impl Stage {
    async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let fresh = FreshToken::new().unwrap();
        let access = Access::default()
            .person(name("Ann"), SecretHash::of(PASSWORD).unwrap())
            .token(&fresh.id, name("nightly"), fresh.hash)
            .audit_file(Some(folder.path().join("audit.jsonl")));
        let running = simulator(folder.path()).access(access).start().await.unwrap();
        let client = Client::builder().redirect(redirect::Policy::none()).build().unwrap();
        Self { folder, running, token: fresh.token, client }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.running.address())
    }

    fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(self.url(path))
    }

    async fn log_in(&self, name: &str, password: &str) -> Response {
        let form = format!("name={name}&password={}&next=%2Fevalsets", password.replace(' ', "+"));
        let request = self.client.post(self.url("/login")).body(form);
        request
            .header("content-type", "application/x-www-form-urlencoded")
            .header(ORIGIN, self.url(""))
            .send()
            .await
            .unwrap()
    }

    async fn cookie(&self) -> String {
        let response = self.log_in("Ann", PASSWORD).await;
        let set = response.headers()[SET_COOKIE].to_str().unwrap().to_owned();
        set.split(';').next().unwrap().to_owned()
    }

    async fn grpc(&self) -> LiveServiceClient<Channel> {
        let endpoint = Endpoint::from_shared(self.url("")).unwrap();
        LiveServiceClient::new(endpoint.connect().await.unwrap())
    }

    fn with_token<T>(&self, message: T) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        let bearer = format!("Bearer {}", self.token).parse().unwrap();
        request.metadata_mut().insert("authorization", bearer);
        request
    }

    fn audit(&self) -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(self.folder.path().join("audit.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn simulator(folder: &Path) -> Simulator {
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let live = LiveSessions::at(folder.join("live.sqlite"));
    Simulator::new().listen(listen).live(live).allow_origin("https://rehearsal.example")
}

fn name(name: &str) -> DisplayName {
    DisplayName::parse(name).unwrap()
}

#[tokio::test]
async fn nothing_is_served_to_nobody() {
    let stage = Stage::open().await;
    let grpc = "/rehearsal.v1.LiveService/ListSessions";
    for (method, path) in [
        (Method::GET, "/"),
        (Method::GET, "/evalsets"),
        (Method::GET, "/rehearse/anything"),
        (Method::GET, "/no/such/page"),
        (Method::GET, "/pkg/rehearsal.js"),
        (Method::GET, "/pkg/rehearsal.wasm"),
        (Method::GET, app::api::EVENTS_PATH),
        (Method::POST, "/api/list_agents"),
        (Method::POST, "/api/export_session"),
        (Method::POST, grpc),
        (Method::GET, "/v1/models"),
        (Method::POST, "/v1/chat/completions"),
        (Method::POST, "/v1/responses"),
        (Method::POST, "/v1/messages"),
        (Method::POST, "/v1beta/models/m:generateContent"),
        (Method::POST, "/s/x/a/y/v1/chat/completions"),
        (Method::GET, "//login"),
        (Method::GET, "/login/../"),
        (Method::GET, "/Login"),
    ] {
        let url = reqwest::Url::parse(&stage.url(path)).unwrap();
        let response = stage.client.request(method.clone(), url).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::UNAUTHORIZED, "{method} {path}");
        let forged = stage.get(path).header(COOKIE, "rehearsal_session=0123").send().await.unwrap();
        assert_eq!(forged.status(), StatusCode::UNAUTHORIZED, "{path}");
    }
    let page = stage.get("/evalsets?x=1&y=2").header(ACCEPT, "text/html").send().await.unwrap();
    assert_eq!(page.status(), StatusCode::SEE_OTHER);
    assert_eq!(page.headers()[LOCATION], "/login?next=/evalsets%3Fx%3D1%26y%3D2");
}

#[tokio::test]
async fn whoever_logs_in_is_let_in_until_they_log_out() {
    let stage = Stage::open().await;
    let page = stage.get("/login").send().await.unwrap();
    let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert!(page.text().await.unwrap().contains("type=\"password\""));

    let wrong = stage.log_in("Ann", "wrong horse").await;
    assert_eq!(wrong.status(), StatusCode::UNAUTHORIZED);
    assert!(!wrong.headers().contains_key(SET_COOKIE));
    let text = wrong.text().await.unwrap();
    assert!(text.contains("do not fit") && text.contains("value=\"Ann\""), "{text}");
    let nobody = stage.log_in("Bob", PASSWORD).await;
    assert_eq!(nobody.status(), StatusCode::UNAUTHORIZED);

    let right = stage.log_in("Ann", PASSWORD).await;
    assert_eq!(right.status(), StatusCode::SEE_OTHER);
    assert_eq!(right.headers()[LOCATION], "/evalsets");
    let set = right.headers()[SET_COOKIE].to_str().unwrap().to_owned();
    for flag in ["; HttpOnly", "; SameSite=Lax", "; Path=/", "; Max-Age="] {
        assert!(set.contains(flag), "{set}");
    }
    assert!(!set.contains("Secure"), "over plain HTTP the browser would drop it: {set}");
    let cookie = set.split(';').next().unwrap();
    let models = stage.get("/v1/models").header(COOKIE, cookie);
    assert_eq!(models.send().await.unwrap().status(), StatusCode::OK);

    let out = stage.client.post(stage.url("/logout")).header(COOKIE, cookie).send().await.unwrap();
    assert!(out.headers()[SET_COOKIE].to_str().unwrap().contains("Max-Age=0"));
    let models = stage.get("/v1/models").header(COOKIE, cookie);
    assert_eq!(models.send().await.unwrap().status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn behind_tls_the_cookie_is_secure() {
    let stage = Stage::open().await;
    let request = stage.client.post(stage.url("/login")).body("name=Ann&password=correct+horse");
    let response = request
        .header("content-type", "application/x-www-form-urlencoded")
        .header(HOST, "rehearsal.example")
        .header(ORIGIN, "https://rehearsal.example")
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::SEE_OTHER);
    assert!(response.headers()[SET_COOKIE].to_str().unwrap().ends_with("; Secure"));
}

#[tokio::test]
async fn after_five_wrong_passwords_the_right_one_must_wait() {
    let stage = Stage::open().await;
    let cookie = stage.cookie().await;
    for _ in 0..5 {
        assert_eq!(stage.log_in("Ann", "guess").await.status(), StatusCode::UNAUTHORIZED);
    }
    let limited = stage.log_in("Ann", PASSWORD).await;
    assert_eq!(limited.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(limited.headers().contains_key(RETRY_AFTER));
    assert!(limited.text().await.unwrap().contains("Try again in"));
    let inside = stage.get("/v1/models").header(COOKIE, cookie).send().await.unwrap();
    assert_eq!(inside.status(), StatusCode::OK, "whoever is logged in stays so");
}

#[tokio::test]
async fn each_vendors_key_header_takes_a_token() {
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
async fn grpc_asks_too_and_answers_carry_who() {
    let stage = Stage::open().await;
    let mut client = stage.grpc().await;
    let nobody = client.list_sessions(wire::ListSessionsRequest::default()).await.unwrap_err();
    assert_eq!(nobody.code(), Code::Unauthenticated);
    assert!(nobody.message().contains("rehearsal token add"), "{}", nobody.message());

    let session = stage.with_token(wire::CreateSessionRequest::default());
    let session_id = client.create_session(session).await.unwrap().into_inner().session.unwrap().id;
    let turn_id = uuid::Uuid::new_v4().to_string();
    let request = wire::SubmitRequestRequest {
        session_id: session_id.clone(),
        turn_id: turn_id.clone(),
        agent_name: "weather".to_owned(),
        invocation_id: String::new(),
        request: Some(wire::SimulatedLlmRequest::default()),
    };
    client.submit_request(stage.with_token(request)).await.unwrap();
    let part = wire::Part { kind: Some(wire::part::Kind::Text("yes".to_owned())) };
    let candidate = wire::Content { role: wire::Role::Model.into(), parts: vec![part] };
    let decision = wire::SubmitDecisionRequest {
        session_id: session_id.clone(),
        turn_id: turn_id.clone(),
        response: Some(wire::HumanResponse { candidates: vec![candidate] }),
        by: Some(wire::Person { display_name: "somebody else".to_owned() }),
        lease_id: None,
    };
    client.submit_decision(stage.with_token(decision)).await.unwrap();
    let awaited =
        wire::AwaitDecisionRequest { session_id: session_id.clone(), turn_id: turn_id.clone() };
    let mut updates = client.await_decision(stage.with_token(awaited)).await.unwrap().into_inner();
    let update = updates.message().await.unwrap().unwrap().update.unwrap();
    let wire::await_decision_response::Update::Answered(answered) = update else {
        panic!("answered")
    };
    assert_eq!(answered.by.unwrap().display_name, "nightly", "not what the message says");

    stage.cookie().await;
    stage.log_in("Ann", "wrong horse").await;
    let audit = stage.audit();
    let seen: Vec<(&str, &str, &str)> = audit
        .iter()
        .map(|line| {
            let text = |key: &str| line[key].as_str().unwrap();
            (text("what"), text("who"), text("how"))
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("decision", "nightly", "token"),
            ("login", "Ann", "password"),
            ("refused", "Ann", "not asked"),
        ]
    );
    assert_eq!(audit[0]["session"], session_id.as_str());
    assert_eq!(audit[0]["turn"], turn_id.as_str());
}

#[tokio::test]
async fn where_nobody_is_known_nothing_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let running = simulator(folder.path()).start().await.unwrap();
    let models = reqwest::get(format!("http://{}/v1/models", running.address())).await.unwrap();
    assert_eq!(models.status(), StatusCode::OK);
    running.stop().await;
}

#[tokio::test]
async fn other_machines_are_served_only_where_everybody_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let anywhere = || simulator(folder.path()).listen(SocketAddr::from(([0, 0, 0, 0], 0)));
    let Err(ServeError::NotLoopback { .. }) = anywhere().start().await else {
        panic!("nobody is asked who they are")
    };
    let access = Access::default().person(name("Ann"), SecretHash::of(PASSWORD).unwrap());
    let running = anywhere().access(access).start().await.unwrap();
    let url = format!("http://127.0.0.1:{}/v1/models", running.address().port());
    assert_eq!(reqwest::get(url).await.unwrap().status(), StatusCode::UNAUTHORIZED);
    running.stop().await;
}
