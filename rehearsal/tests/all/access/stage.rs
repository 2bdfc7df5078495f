//! [`Stage`]: a host with the person Ann, the tokens `nightly` and `weekly`, and the token `desk`, which
//! responds to both.

use std::net::SocketAddr;
use std::path::Path;

use live::DisplayName;
use rehearsal::access::{FreshToken, SecretHash};
use rehearsal::runs::StoredRuns;

use rehearsal::{
    Access, BasePath, Folders, LiveSessions, Running, SimulatedAgentConfig, Simulator, examples,
};
use reqwest::header::{COOKIE, ORIGIN, SET_COOKIE};
use reqwest::{Client, RequestBuilder, Response, StatusCode, redirect};
use rpc::wire;
use rpc::wire::live_service_client::LiveServiceClient;
use serde_json::Value;
use tonic::transport::{Channel, Endpoint};

pub(crate) const PASSWORD: &str = "correct horse";

pub(crate) struct Stage {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) running: Running,
    pub(crate) token: String,
    /// The token of another program.
    pub(crate) weekly: String,
    /// The token of the program that responds to both.
    pub(crate) desk: String,
    pub(crate) client: Client,
    base_path: BasePath,
}

impl Stage {
    pub(crate) async fn open() -> Self {
        Self::below("").await
    }

    /// The stage below a base path.
    pub(crate) async fn below(base_path: &str) -> Self {
        Self::opened(base_path, |simulator| simulator).await
    }

    /// The stage with these eval runs.
    pub(crate) async fn with_runs(runs: StoredRuns) -> Self {
        Self::opened("", |simulator| simulator.runs(runs)).await
    }

    async fn opened(base_path: &str, changed: impl FnOnce(Simulator) -> Simulator) -> Self {
        let base_path: BasePath = base_path.parse().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let [fresh, weekly, desk] = [(); 3].map(|()| FreshToken::new().unwrap());
        let access = Access::default()
            .person(name("Ann"), SecretHash::of(PASSWORD).unwrap())
            .token(&fresh.id, name("nightly"), fresh.hash)
            .token(&weekly.id, name("weekly"), weekly.hash)
            .responding_token(
                &desk.id,
                name("desk"),
                desk.hash,
                vec![name("nightly"), name("weekly")],
            )
            .audit_file(Some(folder.path().join("audit.jsonl")));
        let simulator = simulator(folder.path()).access(access).base_path(base_path.clone());
        let running = changed(simulator).start().await.unwrap();
        let client =
            test_support::http_client_builder().redirect(redirect::Policy::none()).build().unwrap();
        let (token, weekly, desk) = (fresh.token, weekly.token, desk.token);
        Self { folder, running, token, weekly, desk, client, base_path }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{}{path}", self.running.address(), self.base_path)
    }

    pub(crate) fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(self.url(path))
    }

    pub(crate) async fn log_in(&self, name: &str, password: &str) -> Response {
        let form = format!("name={name}&password={}&next=%2Fevalsets", password.replace(' ', "+"));
        let request = self.client.post(self.url("/login")).body(form);
        request
            .header("content-type", "application/x-www-form-urlencoded")
            .header(ORIGIN, format!("http://{}", self.running.address()))
            .send()
            .await
            .unwrap()
    }

    pub(crate) async fn cookie(&self) -> String {
        let response = self.log_in("Ann", PASSWORD).await;
        let set = response.headers()[SET_COOKIE].to_str().unwrap().to_owned();
        set.split(';').next().unwrap().to_owned()
    }

    pub(crate) async fn grpc(&self) -> LiveServiceClient<Channel> {
        let endpoint = Endpoint::from_shared(self.url("")).unwrap();
        LiveServiceClient::new(endpoint.connect().await.unwrap())
    }

    pub(crate) fn with_token<T>(&self, message: T) -> tonic::Request<T> {
        bearing(&self.token, message)
    }

    /// Sends a request of the agent `weather` in a new session; returns the session and the turn.
    pub(crate) async fn asked(&self) -> (String, String) {
        let mut client = self.grpc().await;
        let session = self.with_token(wire::CreateSessionRequest::default());
        let session = client.create_session(session).await.unwrap().into_inner().session.unwrap();
        let turn_id = uuid::Uuid::new_v4().to_string();
        let request = self.request(&session.id, &turn_id);
        client.submit_request(self.with_token(request)).await.unwrap();
        (session.id, turn_id)
    }

    /// The request of the agent `weather`.
    pub(crate) fn request(&self, session_id: &str, turn_id: &str) -> wire::SubmitRequestRequest {
        let part = wire::Part { kind: Some(wire::part::Kind::Text("Rain?".to_owned())) };
        let message = wire::Content { role: wire::Role::User.into(), parts: vec![part] };
        wire::SubmitRequestRequest {
            session_id: session_id.to_owned(),
            turn_id: turn_id.to_owned(),
            agent_name: "weather".to_owned(),
            invocation_id: String::new(),
            request: Some(wire::SimulatedLlmRequest {
                contents: vec![message],
                ..Default::default()
            }),
        }
    }

    /// Calls a server function with this cookie.
    pub(crate) async fn call(
        &self,
        cookie: &str,
        function: &str,
        body: serde_json::Value,
    ) -> Value {
        let request = self.client.post(self.url(&format!("/api/{function}")));
        let request = request.header(COOKIE, cookie).header("content-type", "application/json");
        let response = request.body(body.to_string()).send().await.unwrap();
        let (status, text) = (response.status(), response.text().await.unwrap());
        assert_eq!(status, StatusCode::OK, "{function}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    pub(crate) fn audit(&self) -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(self.folder.path().join("audit.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// A gRPC request with this token.
pub(crate) fn bearing<T>(token: &str, message: T) -> tonic::Request<T> {
    let mut request = tonic::Request::new(message);
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    request
}

/// A gRPC request with this cookie.
pub(crate) fn with_cookie<T>(cookie: &str, message: T) -> tonic::Request<T> {
    let mut request = tonic::Request::new(message);
    request.metadata_mut().insert("cookie", cookie.parse().unwrap());
    request
}

pub(crate) fn simulator(folder: &Path) -> Simulator {
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let live = LiveSessions::at(folder.join("live.sqlite"));
    let file = folder.join("weather.evalset.json");
    let weather = SimulatedAgentConfig::native("weather", examples::math_agent(), file);
    let folders = Folders { reports: vec![folder.join("reports")], ..Default::default() };
    let simulator = Simulator::new().agent(weather).listen(listen).live(live).folders(folders);
    simulator.allow_origin("https://rehearsal.example")
}

pub(crate) fn name(name: &str) -> DisplayName {
    DisplayName::parse(name).unwrap()
}
