//! The model endpoints over plain HTTP: cases that the vendors' clients in `tests/python` do not cover.

use std::net::SocketAddr;
use std::time::Duration;

use rehearsal::{LiveSessions, Running, Simulator};
use reqwest::{Client, RequestBuilder, StatusCode};
use rpc::wire;
use rpc::wire::live_service_client::LiveServiceClient;
use serde_json::{Value, json};
use tonic::transport::{Channel, Endpoint};

const SESSION: &str = "936da01f-9abd-4d9d-80c7-02af85c822a8";
const SOON: Duration = Duration::from_secs(20);

struct Stage {
    folder: tempfile::TempDir,
    running: Running,
    client: Client,
    person: LiveServiceClient<Channel>,
}

impl Stage {
    async fn open() -> Self {
        Self::in_folder(tempfile::tempdir().unwrap()).await
    }

    /// Stops the host, and starts another one with the same database.
    async fn restarted(self) -> Self {
        self.running.stop().await;
        Self::in_folder(self.folder).await
    }

    async fn in_folder(folder: tempfile::TempDir) -> Self {
        let keep_alive = Duration::from_millis(50);
        let database = folder.path().join("live.sqlite");
        let live = LiveSessions::with_pace(database, Duration::from_secs(30), keep_alive).unwrap();
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        let running = Simulator::new().listen(listen).live(live).start().await.unwrap();
        let endpoint = Endpoint::from_shared(format!("http://{}", running.address())).unwrap();
        let person = LiveServiceClient::new(endpoint.connect().await.unwrap());
        Self { folder, running, client: test_support::http_client(), person }
    }

    fn post(&self, path: &str) -> RequestBuilder {
        let url = format!("http://{}/s/{SESSION}{path}", self.running.address());
        self.client.post(url).header("content-type", "application/json")
    }

    fn chat(&self, words: &str) -> RequestBuilder {
        let body = json!({ "model": "m", "messages": [{ "role": "user", "content": words }] });
        self.post("/v1/chat/completions").body(body.to_string())
    }

    async fn up(&mut self) -> String {
        let until = tokio::time::Instant::now() + SOON;
        loop {
            assert!(tokio::time::Instant::now() < until, "nobody asked");
            let asked = wire::GetSessionRequest { session_id: SESSION.to_owned() };
            if let Ok(answer) = self.person.get_session(asked).await
                && let Some(up) = answer.into_inner().summary.unwrap().queue.unwrap().up
            {
                return up.turn_id;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn answer(&mut self, words: &str) {
        let turn_id = self.up().await;
        let part = wire::Part { kind: Some(wire::part::Kind::Text(words.to_owned())) };
        let candidate = wire::Content { role: wire::Role::Model.into(), parts: vec![part] };
        let decision = wire::SubmitDecisionRequest {
            session_id: SESSION.to_owned(),
            turn_id,
            response: Some(wire::HumanResponse { candidates: vec![candidate] }),
            by: Some(wire::Person { display_name: "Ann".to_owned() }),
            lease_id: None,
        };
        self.person.submit_decision(decision).await.unwrap();
    }

    /// Waits until this many turns are pending, and the client of the oldest is connected or not; returns
    /// their ids.
    async fn pending(&mut self, depth: usize, awaited: bool) -> Vec<String> {
        let until = tokio::time::Instant::now() + SOON;
        loop {
            assert!(tokio::time::Instant::now() < until, "not {depth} turns");
            let asked = wire::GetSessionRequest { session_id: SESSION.to_owned() };
            if let Ok(answer) = self.person.get_session(asked).await {
                let pending = answer.into_inner().summary.unwrap().pending;
                if pending.len() == depth && pending[0].awaited == awaited {
                    return pending.into_iter().map(|turn| turn.turn_id).collect();
                }
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn listed(&mut self) -> Vec<wire::SessionSummary> {
        let asked = wire::ListSessionsRequest::default();
        self.person.list_sessions(asked).await.unwrap().into_inner().sessions
    }

    async fn cancel(&mut self, turn_id: &str) {
        let cancel = wire::CancelTurnRequest {
            session_id: SESSION.to_owned(),
            turn_id: turn_id.to_owned(),
            reason: "no".to_owned(),
            by: Some(wire::Person { display_name: "Ann".to_owned() }),
        };
        self.person.cancel_turn(cancel).await.unwrap();
    }

    /// The number of events; 0 before the session is open.
    async fn requests_if_open(&mut self) -> u64 {
        let asked = wire::GetSessionRequest { session_id: SESSION.to_owned() };
        let found = self.person.get_session(asked).await;
        found.map_or(0, |found| found.into_inner().summary.unwrap().last_sequence)
    }

    async fn requests(&mut self) -> u64 {
        let asked = wire::GetSessionRequest { session_id: SESSION.to_owned() };
        let summary = self.person.get_session(asked).await.unwrap().into_inner().summary.unwrap();
        summary.last_sequence
    }
}

async fn response_text(request: RequestBuilder) -> String {
    let answer: Value = request.send().await.unwrap().json().await.unwrap();
    answer["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn reports_the_endpoints_for_an_unknown_path() {
    let stage = Stage::open().await;
    let gemini = "/v1beta1/publishers/google/models/m:generateContent";
    for (path, pointer) in [
        (format!("/s/{SESSION}//v1/chat/completions"), "/error/code"),
        (format!("/s/{SESSION}/chat/completions"), "/error/code"),
        ("/v2/chat/completions".to_owned(), "/error/code"),
        ("/chat/completions".to_owned(), "/error/code"),
        (gemini.to_owned(), "/error/status"),
    ] {
        let url = format!("http://{}{path}", stage.running.address());
        let refused = stage.client.post(url).body("{}").send().await.unwrap();
        assert_eq!(refused.status(), StatusCode::NOT_FOUND, "{path}");
        let error: Value = refused.json().await.unwrap();
        let message = error["error"]["message"].as_str().unwrap();
        assert!(
            message.starts_with(&format!("{path}: not found. The endpoints are /v1/")),
            "{message}"
        );
        assert!(error.pointer(pointer).is_some(), "{error}");
    }
    let page = format!("http://{}/nowhere", stage.running.address());
    let page = stage.client.get(page).send().await.unwrap();
    assert!(page.headers()["content-type"].to_str().unwrap().starts_with("text/html"));
}

#[tokio::test]
async fn reports_an_invalid_session_name_with_its_position() {
    let stage = Stage::open().await;
    let long = "x".repeat(101);
    let body = json!({ "model": "m", "messages": [{ "role": "user", "content": "Hi" }] });
    let asked = |path: &str| {
        let url = format!("http://{}{path}/v1/chat/completions", stage.running.address());
        stage.client.post(url).header("x-rehearsal-session", "y".repeat(102)).body(body.to_string())
    };
    for (path, expected) in [
        (format!("/s/{long}"), "/s/SESSION: must have 1 to 100 characters, not 101"),
        (format!("/s/a/a/{long}"), "/a/AGENT: must have 1 to 100 characters, not 101"),
        // As a shell expands an unset variable.
        ("/s/".to_owned(), "/s/SESSION: must have 1 to 100 characters, not 0"),
        ("/s/a/a/".to_owned(), "/a/AGENT: must have 1 to 100 characters, not 0"),
        (String::new(), "x-rehearsal-session: must have 1 to 100 characters, not 102"),
    ] {
        let refused: Value = asked(&path).send().await.unwrap().json().await.unwrap();
        assert_eq!(refused["error"]["message"], expected);
    }
}

#[tokio::test]
async fn rejects_an_invalid_body_in_the_vendors_format() {
    let stage = Stage::open().await;
    for (path, pointer) in [
        ("/v1/chat/completions", "/error/type"),
        ("/v1/responses", "/error/type"),
        ("/v1/messages", "/error/type"),
        ("/v1beta/models/m:generateContent", "/error/status"),
    ] {
        for body in [b"{".to_vec(), vec![0xff], b"[]".to_vec(), Vec::new()] {
            let refused = stage.post(path).body(body).send().await.unwrap();
            assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{path}");
            assert_eq!(refused.headers()["x-should-retry"], "false");
            let error: Value = refused.json().await.unwrap();
            let message = error["error"]["message"].as_str().unwrap();
            assert!(message.starts_with("body: "), "{message}");
            let kind = error.pointer(pointer).unwrap().as_str().unwrap();
            assert!(kind.eq_ignore_ascii_case("invalid_argument") || kind.starts_with("invalid"));
        }
    }
    let unknown = stage.post("/v1/embeddings").body("{}").send().await.unwrap();
    assert_eq!(unknown.status(), StatusCode::NOT_FOUND);
    let method = stage.post("/v1beta/models/m:train").body("{}").send().await.unwrap();
    assert_eq!(method.status(), StatusCode::NOT_FOUND);
    let call = format!("http://{}/v1beta/models/m:generateContent", stage.running.address());
    let asked = stage.client.get(call).send().await.unwrap();
    assert_eq!(asked.status(), StatusCode::METHOD_NOT_ALLOWED);
    let packed = stage.post("/v1/messages").header("content-encoding", "gzip").body("{}");
    let refused: Value = packed.send().await.unwrap().json().await.unwrap();
    let message = refused["error"]["message"].as_str().unwrap();
    assert_eq!(message, "content-encoding: \"gzip\" is not supported: send the body uncompressed");
}

#[tokio::test]
async fn rejects_a_conversation_that_the_page_cannot_show() {
    let stage = Stage::open().await;
    let messages = vec![json!({ "role": "user", "content": "Hi" }); 10_001];
    for (path, list) in [
        ("/v1/chat/completions", "messages"),
        ("/v1/responses", "input"),
        ("/v1/messages", "messages"),
        ("/v1beta/models/m:generateContent", "contents"),
    ] {
        let body = json!({ "model": "m", list: messages }).to_string();
        let refused = stage.post(path).body(body).send().await.unwrap();
        assert_eq!(refused.status(), StatusCode::PAYLOAD_TOO_LARGE, "{path}");
        assert_eq!(refused.headers()["x-should-retry"], "false");
        let error: Value = refused.json().await.unwrap();
        let message = error["error"]["message"].as_str().unwrap();
        let expected = "request: has more than 10000 messages in its conversation, the most that the \
                        page can show: send fewer of them";
        assert_eq!(message, expected, "{path}");
    }
}

#[tokio::test]
async fn answers_a_long_request() {
    let mut stage = Stage::open().await;
    // Longer than what is read on the threads that serve others.
    let asked = tokio::spawn(response_text(stage.chat(&"x".repeat(1024 * 1024))));
    stage.answer("Read.").await;
    assert_eq!(asked.await.unwrap(), "Read.");
}

#[tokio::test]
async fn rejects_a_body_that_is_too_long_without_changes() {
    let stage = Stage::open().await;
    let long = "x".repeat(64 * 1024 * 1024);
    let refused = stage.chat(&long).send().await;
    // The host may close the connection before the whole body is sent.
    if let Ok(refused) = refused {
        assert_eq!(refused.status(), StatusCode::PAYLOAD_TOO_LARGE);
        let error: Value = refused.json().await.unwrap();
        assert_eq!(error["error"]["message"], "body: must be at most 64 MiB");
    }
}

#[tokio::test]
async fn repeats_a_response_only_for_a_client_with_a_retry_key() {
    let mut stage = Stage::open().await;
    let first = tokio::spawn(response_text(stage.chat("Rain?")));
    stage.answer("one").await;
    assert_eq!(first.await.unwrap(), "one");
    let again = stage.chat("Rain?").header("x-stainless-retry-count", "1");
    assert_eq!(response_text(again).await, "one");
    assert_eq!(stage.requests().await, 2, "a request and its answer");
    let repeated =
        tokio::spawn(response_text(stage.chat("Rain?").header("x-stainless-retry-count", "0")));
    stage.answer("two").await;
    assert_eq!(repeated.await.unwrap(), "two");
    assert_eq!(
        response_text(stage.chat("Rain?").header("x-stainless-retry-count", "2")).await,
        "two"
    );
}

#[tokio::test]
async fn retry_after_a_disconnect_gets_the_response() {
    let mut stage = Stage::open().await;
    let given_up = stage.chat("Rain?").timeout(Duration::from_millis(300)).send().await;
    assert!(given_up.unwrap_err().is_timeout());
    stage.answer("one").await;
    assert_eq!(response_text(stage.chat("Rain?")).await, "one");
    assert_eq!(stage.requests().await, 2);
}

#[tokio::test]
async fn a_restart_asks_nobody_twice() {
    let mut stage = Stage::open().await;
    let given_up = stage.chat("Rain?").timeout(Duration::from_millis(300)).send().await;
    assert!(given_up.unwrap_err().is_timeout());
    stage.pending(1, false).await;
    stage.answer("one").await;
    let waiting = tokio::spawn(stage.chat("Snow?").send());
    stage.pending(1, true).await;
    let mut stage = stage.restarted().await;
    let refused = waiting.await.unwrap().unwrap();
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    stage.answer("two").await;
    let mut stage = stage.restarted().await;
    assert_eq!(response_text(stage.chat("Rain?")).await, "one", "answered before");
    assert_eq!(response_text(stage.chat("Snow?")).await, "two", "answered without a client");
    assert_eq!(stage.requests().await, 4);

    let mut stage = stage.restarted().await;
    for words in ["Rain?", "Snow?"] {
        let again = tokio::spawn(response_text(stage.chat(words)));
        stage.answer("three").await;
        assert_eq!(again.await.unwrap(), "three", "delivered before: this is a new request");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clean_stop_answers_requests_under_way_with_503() {
    for _ in 0..5 {
        let mut stage = Stage::open().await;
        let address = stage.running.address();
        let (client, person) = (&stage.client, stage.person.clone());
        let mut clients = tokio::task::JoinSet::new();
        for number in 0..40 {
            let (client, mut person) = (client.clone(), person.clone());
            clients.spawn(async move {
                let mut seen = Vec::new();
                for round in 0.. {
                    let words = format!("{number} {round}");
                    let messages = json!([{ "role": "user", "content": words }]);
                    let body = json!({ "model": "m", "messages": messages }).to_string();
                    let (path, body) = match number % 4 {
                        0 => (format!("/s/{SESSION}/v1/chat/completions"), body),
                        1 => ("/v1/responses".to_owned(), body.replace("messages", "input")),
                        2 => ("/api/list_live_sessions".to_owned(), r#"{"search":""}"#.to_owned()),
                        _ => {
                            let list = wire::ListSessionsRequest::default();
                            if let Err(status) = person.list_sessions(list).await {
                                assert_ne!(status.code(), tonic::Code::Internal, "{status}");
                                break;
                            }
                            continue;
                        }
                    };
                    let request = client.post(format!("http://{address}{path}"));
                    let request = request.header("content-type", "application/json");
                    match request.timeout(Duration::from_secs(20)).body(body).send().await {
                        Ok(response) => seen.push((path, response.status())),
                        // Its connection was closed before the host read the request.
                        Err(_) => break,
                    }
                }
                seen
            });
        }
        let until = tokio::time::Instant::now() + Duration::from_millis(400);
        while tokio::time::Instant::now() < until {
            stage.answer("yes").await;
        }
        stage.running.stop().await;
        let mut stopped = 0;
        while let Some(seen) = clients.join_next().await {
            for (path, status) in seen.unwrap() {
                stopped += usize::from(status == StatusCode::SERVICE_UNAVAILABLE);
                let expected = [StatusCode::OK, StatusCode::SERVICE_UNAVAILABLE];
                assert!(expected.contains(&status), "{path}: {status}");
            }
        }
        assert!(stopped > 0, "requests were under way");
    }
}

#[tokio::test]
async fn a_restart_finds_the_turn_of_each_of_many_equal_requests() {
    const MANY: usize = 100;
    let ask = |stage: &Stage| {
        let chats = (0..MANY).map(|_| tokio::spawn(stage.chat("Rain?").send()));
        chats.collect::<Vec<_>>()
    };
    let mut stage = Stage::open().await;
    let first = ask(&stage);
    while stage.requests_if_open().await < MANY as u64 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let mut stage = stage.restarted().await;
    for refused in first {
        assert_eq!(refused.await.unwrap().unwrap().status(), StatusCode::SERVICE_UNAVAILABLE);
    }
    let again = ask(&stage);
    for _ in 0..MANY {
        stage.answer("No.").await;
    }
    for chat in again {
        assert_eq!(chat.await.unwrap().unwrap().status(), StatusCode::OK);
    }
    assert_eq!(stage.requests().await, 2 * MANY as u64);
}

#[tokio::test]
async fn retry_gets_its_own_turn() {
    for tries in ["0", "1"] {
        let mut stage = Stage::open().await;
        let first = tokio::spawn(stage.chat("Rain?").send());
        stage.pending(1, true).await;
        let second = tokio::spawn(stage.chat("Rain?").send());
        let turns = stage.pending(2, true).await;
        stage.cancel(&turns[1]).await;
        assert_eq!(second.await.unwrap().unwrap().status(), StatusCode::UNPROCESSABLE_ENTITY);
        first.abort();
        stage.pending(1, false).await;
        let back = tokio::spawn(response_text(
            stage.chat("Rain?").header("x-stainless-retry-count", tries),
        ));
        assert_eq!(stage.pending(1, true).await, turns[..1], "no new request");
        stage.answer("one").await;
        assert_eq!(back.await.unwrap(), "one");
        assert_eq!(stage.requests().await, 4, "two requests, an end each");
    }
}

/// The sessions of requests with a name.
struct Named<'a> {
    stage: &'a mut Stage,
}

impl Named<'_> {
    fn ask(&self, words: &str, key: Option<&str>, tries: &str) -> RequestBuilder {
        let url = format!("http://{}/s/demo/v1/chat/completions", self.stage.running.address());
        let body = json!({ "model": "m", "messages": [{ "role": "user", "content": words }] });
        let request = test_support::http_client().post(&url).body(body.to_string());
        let request = request.header("x-stainless-retry-count", tries);
        match key {
            Some(key) => request.header("idempotency-key", key),
            None => request,
        }
    }

    /// The session with a waiting client, and the turn.
    async fn up(&mut self) -> (String, String) {
        let until = tokio::time::Instant::now() + SOON;
        loop {
            assert!(tokio::time::Instant::now() < until, "nobody asked");
            let listed = self.stage.listed().await;
            if let Some(session) = listed.into_iter().find(|it| !it.pending.is_empty()) {
                return (session.session.unwrap().id, session.pending[0].turn_id.clone());
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits until the client of the head of the queue has disconnected.
    async fn is_left(&mut self) {
        let until = tokio::time::Instant::now() + SOON;
        while self.stage.listed().await.iter().any(|it| it.pending.iter().any(|turn| turn.awaited))
        {
            assert!(tokio::time::Instant::now() < until, "the client stays");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Responds to the head of the queue and completes its session.
    async fn end(&mut self, words: &str) {
        let (session_id, turn_id) = self.up().await;
        let part = wire::Part { kind: Some(wire::part::Kind::Text(words.to_owned())) };
        let candidate = wire::Content { role: wire::Role::Model.into(), parts: vec![part] };
        let decision = wire::SubmitDecisionRequest {
            session_id: session_id.clone(),
            turn_id,
            response: Some(wire::HumanResponse { candidates: vec![candidate] }),
            by: Some(wire::Person { display_name: "Ann".to_owned() }),
            lease_id: None,
        };
        self.stage.person.submit_decision(decision).await.unwrap();
        let complete = wire::CompleteSessionRequest { session_id, cancel_pending: false, by: None };
        self.stage.person.complete_session(complete).await.unwrap();
    }
}

#[tokio::test]
async fn retry_finds_its_response_in_any_session_with_its_name() {
    let mut stage = Stage::open().await;
    let mut named = Named { stage: &mut stage };
    let keyed = tokio::spawn(response_text(named.ask("Rain?", Some("K1"), "0")));
    named.end("one").await;
    assert_eq!(keyed.await.unwrap(), "one");
    // Its client disconnects before there is a response.
    let left = tokio::spawn(response_text(named.ask("Snow?", None, "0")));
    named.up().await;
    left.abort();
    named.is_left().await;
    named.end("two").await;
    for words in ["Wind?", "Hail?"] {
        let other = tokio::spawn(response_text(named.ask(words, None, "0")));
        named.end(words).await;
        assert_eq!(other.await.unwrap(), words);
    }

    assert_eq!(response_text(named.ask("Rain?", Some("K1"), "0")).await, "one");
    assert_eq!(response_text(named.ask("Snow?", None, "0")).await, "two", "its client had gone");
    assert_eq!(
        response_text(named.ask("Wind?", None, "1")).await,
        "Wind?",
        "it says that it tries again"
    );
    assert_eq!(named.stage.listed().await.len(), 4, "no session was opened for them");

    let taken = named.ask("Fog?", Some("K1"), "0").send().await.unwrap();
    assert_eq!(taken.status(), StatusCode::CONFLICT, "the key names another request");
    let message: Value = taken.json().await.unwrap();
    let message = message["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("idempotency-key: already used by another request"), "{message}");
    for words in ["Ice?", "Hot?"] {
        let unkeyed = tokio::spawn(response_text(named.ask(words, Some(""), "0")));
        named.end(words).await;
        assert_eq!(unkeyed.await.unwrap(), words, "an empty key is none");
    }
    let repeated = tokio::spawn(response_text(named.ask("Snow?", None, "0")));
    named.end("three").await;
    assert_eq!(
        repeated.await.unwrap(),
        "three",
        "its response was delivered: this is a new request"
    );
}

#[tokio::test]
async fn rejects_a_path_that_is_not_utf8() {
    let stage = Stage::open().await;
    let body = json!({ "model": "m", "messages": [{ "role": "user", "content": "Rain?" }] });
    for path in ["/s/%FF/v1/chat/completions", "/s/%FF/v1beta/models/m:generateContent"] {
        let url = format!("http://{}{path}", stage.running.address());
        let refused = stage.client.post(url).body(body.to_string()).timeout(SOON).send().await;
        let refused = refused.unwrap();
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{path}");
        let error: Value = refused.json().await.unwrap();
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("path: must be UTF-8"), "{message}");
    }
    for (path, version, pointer, expected) in [
        ("/s/%FF/v1/models/m", None, "/error/type", "invalid_request_error"),
        ("/v1/models/%FF", None, "/error/type", "invalid_request_error"),
        ("/v1/models/%FF", Some("2023-06-01"), "/type", "error"),
        ("/v1beta/models/%FF", None, "/error/status", "INVALID_ARGUMENT"),
    ] {
        let request = stage.client.get(format!("http://{}{path}", stage.running.address()));
        let request = match version {
            Some(version) => request.header("anthropic-version", version),
            None => request,
        };
        let refused = request.timeout(SOON).send().await.unwrap();
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{path}");
        let error: Value = refused.json().await.unwrap();
        assert_eq!(error.pointer(pointer).unwrap(), expected, "{error}");
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("path: must be UTF-8"), "{message}");
    }
}

#[tokio::test]
async fn rejects_another_method_in_the_vendors_format() {
    let stage = Stage::open().await;
    for (path, pointer, expected) in [
        ("/v1/chat/completions", "/error/code", "method_not_supported"),
        ("/v1/responses", "/error/code", "method_not_supported"),
        ("/s/demo/v1/messages", "/error/type", "invalid_request_error"),
        ("/a/planner/v1beta/models/m:generateContent", "/error/status", "UNIMPLEMENTED"),
    ] {
        let url = format!("http://{}{path}", stage.running.address());
        let refused = stage.client.delete(url).timeout(SOON).send().await.unwrap();
        assert_eq!(refused.status(), StatusCode::METHOD_NOT_ALLOWED, "{path}");
        let error: Value = refused.json().await.unwrap();
        assert_eq!(error.pointer(pointer).unwrap(), expected, "{error}");
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.contains("DELETE is not supported"), "{message}");
    }
}

#[tokio::test]
async fn responses_stream_without_a_response_reports_its_end() {
    let mut stage = Stage::open().await;
    let body = json!({ "model": "m", "input": "Rain?", "stream": true }).to_string();
    let mut response = stage.post("/v1/responses").body(body).send().await.unwrap();
    assert_eq!(response.headers()["x-accel-buffering"], "no", "a proxy passes it on at once");
    let turns = stage.pending(1, true).await;
    stage.cancel(&turns[0]).await;
    let mut seen = String::new();
    while let Some(chunk) = response.chunk().await.unwrap() {
        seen.push_str(std::str::from_utf8(&chunk).unwrap());
    }
    assert!(seen.contains("event: error\ndata: {\"type\":\"error\","), "{seen}");
    assert!(seen.contains("event: response.failed\n"), "{seen}");
}

#[tokio::test]
async fn stream_starts_at_once_and_sends_keep_alives() {
    let mut stage = Stage::open().await;
    let body = json!({ "contents": [{ "parts": [{ "text": "Rain?" }] }] }).to_string();
    let paths = [
        ("/v1beta/models/m:streamGenerateContent?alt=sse", "\n", "data: {"),
        ("/v1beta/models/m:streamGenerateContent", "[\n", "]\n"),
    ];
    for (path, opening, end) in paths {
        let mut response = stage.post(path).body(body.clone()).send().await.unwrap();
        let mut seen = String::new();
        // Before a response.
        while seen.matches('\n').count() < 4 {
            let chunk = tokio::time::timeout(SOON, response.chunk()).await.unwrap();
            let chunk = chunk.unwrap().unwrap();
            seen.push_str(std::str::from_utf8(&chunk).unwrap());
        }
        assert!(seen.starts_with(opening), "{seen:?}");
        stage.answer("No rain.").await;
        while let Some(chunk) = response.chunk().await.unwrap() {
            seen.push_str(std::str::from_utf8(&chunk).unwrap());
        }
        assert!(seen.contains("No rain.") && seen.contains(end), "{seen:?}");
        if opening == "[\n" {
            let list: Value = serde_json::from_str(&seen).unwrap();
            assert_eq!(list.as_array().unwrap().len(), 1);
        }
    }
}

#[tokio::test]
async fn completed_session_rejects_requests() {
    let mut stage = Stage::open().await;
    let first = tokio::spawn(response_text(stage.chat("Rain?")));
    stage.answer("one").await;
    first.await.unwrap();
    let complete = wire::CompleteSessionRequest {
        session_id: SESSION.to_owned(),
        cancel_pending: false,
        by: None,
    };
    stage.person.complete_session(complete).await.unwrap();
    let refused = stage.chat("Snow?").send().await.unwrap();
    assert_eq!(refused.status(), StatusCode::CONFLICT);
    assert_eq!(refused.headers()["x-should-retry"], "false");
    let error: Value = refused.json().await.unwrap();
    assert!(error["error"]["message"].as_str().unwrap().starts_with("session_id: "), "{error}");
}

#[tokio::test]
async fn a_client_that_stays_away_lets_its_turn_be_canceled() {
    let mut stage = Stage::open().await;
    let chat = |stage: &Stage, seconds: &'static str| {
        stage.chat("Rain?").header("x-rehearsal-cancel-after", seconds)
    };
    let refused = chat(&stage, "soon").send().await.unwrap();
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    let refused: Value = refused.json().await.unwrap();
    assert_eq!(
        refused["error"]["message"],
        "x-rehearsal-cancel-after: must be a number of seconds"
    );
    // A client that comes back in time keeps its turn.
    let first = tokio::spawn(chat(&stage, "0.5").send());
    let turn = stage.pending(1, true).await;
    first.abort();
    stage.pending(1, false).await;
    let back = tokio::spawn(response_text(chat(&stage, "0.5")));
    assert_eq!(stage.pending(1, true).await, turn);
    tokio::time::sleep(Duration::from_millis(600)).await;
    stage.answer("no").await;
    assert_eq!(back.await.unwrap(), "no");
    // One that does not, does not.
    let gone = tokio::spawn(chat(&stage, "0.1").send());
    let turn = stage.pending(1, true).await;
    gone.abort();
    let until = tokio::time::Instant::now() + SOON;
    while !stage.listed().await[0].pending.is_empty() {
        assert!(tokio::time::Instant::now() < until, "it still waits");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let again = tokio::spawn(response_text(chat(&stage, "0.1")));
    assert_ne!(stage.pending(1, true).await, turn, "a new turn");
    stage.answer("yes").await;
    assert_eq!(again.await.unwrap(), "yes");
}
