//! [`Stage`]: a host with its own folder, and its clients.

use std::net::SocketAddr;
use std::time::Duration;

use rehearsal::{LiveSessions, Running, Simulator};
use rpc::wire::await_decision_response::Update as AwaitUpdate;
use rpc::wire::live_service_client::LiveServiceClient;
use rpc::wire::part::Kind;
use rpc::wire::subscribe_response::Update;
use rpc::wire::{self, SessionEvent};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status, Streaming};

pub(crate) type Client = LiveServiceClient<Channel>;

/// The timeout of a test.
pub(crate) const SOON: Duration = Duration::from_secs(20);

pub(crate) struct Stage {
    pub(crate) folder: tempfile::TempDir,
    lease: Duration,
    keep_alive: Duration,
    running: Option<Running>,
}

impl Stage {
    pub(crate) async fn open() -> Self {
        Self::with_pace(Duration::from_secs(30), Duration::from_secs(15)).await
    }

    pub(crate) async fn with_pace(lease: Duration, keep_alive: Duration) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut stage = Self { folder, lease, keep_alive, running: None };
        stage.start().await;
        stage
    }

    async fn start(&mut self) {
        let database = self.folder.path().join("live.sqlite");
        let live = LiveSessions::with_pace(database, self.lease, self.keep_alive).unwrap();
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        self.running = Some(Simulator::new().listen(listen).live(live).start().await.unwrap());
    }

    pub(crate) async fn restart(&mut self) {
        self.running.take().unwrap().stop().await;
        self.start().await;
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.running.as_ref().unwrap().address()
    }

    pub(crate) async fn client(&self) -> Client {
        let endpoint = Endpoint::from_shared(format!("http://{}", self.address())).unwrap();
        let channel = endpoint.connect().await.unwrap();
        LiveServiceClient::new(channel).max_decoding_message_size(usize::MAX)
    }

    pub(crate) async fn session(&self) -> String {
        create(&mut self.client().await, "a session").await
    }
}

pub(crate) fn id() -> String {
    uuid::Uuid::new_v4().to_string()
}

pub(crate) fn person(name: &str) -> Option<wire::Person> {
    Some(wire::Person { display_name: name.to_owned() })
}

pub(crate) fn text(text: &str) -> wire::HumanResponse {
    let part = wire::Part { kind: Some(Kind::Text(text.to_owned())) };
    let content = wire::Content { role: wire::Role::Model.into(), parts: vec![part] };
    wire::HumanResponse { candidates: vec![content] }
}

pub(crate) fn question(text: &str) -> wire::SimulatedLlmRequest {
    let part = wire::Part { kind: Some(Kind::Text(text.to_owned())) };
    let content = wire::Content { role: wire::Role::User.into(), parts: vec![part] };
    wire::SimulatedLlmRequest { contents: vec![content], ..Default::default() }
}

pub(crate) fn request(session: &str, turn: &str, asked: &str) -> wire::SubmitRequestRequest {
    wire::SubmitRequestRequest {
        session_id: session.to_owned(),
        turn_id: turn.to_owned(),
        agent_name: "weather".to_owned(),
        invocation_id: "run-1".to_owned(),
        request: Some(question(asked)),
    }
}

pub(crate) fn decision(session: &str, turn: &str, answer: &str) -> wire::SubmitDecisionRequest {
    wire::SubmitDecisionRequest {
        session_id: session.to_owned(),
        turn_id: turn.to_owned(),
        response: Some(text(answer)),
        by: person("Ann"),
        lease_id: None,
    }
}

pub(crate) async fn create(client: &mut Client, description: &str) -> String {
    let asked =
        wire::CreateSessionRequest { description: Some(description.to_owned()), session_id: None };
    client.create_session(asked).await.unwrap().into_inner().session.unwrap().id
}

pub(crate) async fn submit(client: &mut Client, session: &str, asked: &str) -> String {
    let turn = id();
    client.submit_request(request(session, &turn, asked)).await.unwrap();
    turn
}

pub(crate) async fn decide(
    client: &mut Client,
    session: &str,
    turn: &str,
    answer: &str,
) -> Result<u64, Status> {
    let answered = client.submit_decision(decision(session, turn, answer)).await?;
    Ok(answered.into_inner().sequence)
}

pub(crate) async fn await_turn(
    client: &mut Client,
    session: &str,
    turn: &str,
) -> Streaming<wire::AwaitDecisionResponse> {
    let asked =
        wire::AwaitDecisionRequest { session_id: session.to_owned(), turn_id: turn.to_owned() };
    client.await_decision(asked).await.unwrap().into_inner()
}

/// The outcome at the end of the stream, after its keep-alives.
pub(crate) async fn outcome(stream: &mut Streaming<wire::AwaitDecisionResponse>) -> AwaitUpdate {
    let read = async {
        loop {
            let message = stream.message().await.unwrap().expect("an outcome before the end");
            match message.update.unwrap() {
                AwaitUpdate::Waiting(_) | AwaitUpdate::KeepAlive(_) => {}
                update => break update,
            }
        }
    };
    tokio::time::timeout(SOON, read).await.expect("an outcome in time")
}

pub(crate) fn answered_text(update: AwaitUpdate) -> String {
    match update {
        AwaitUpdate::Answered(answered) => words(&answered.response.unwrap()),
        other => panic!("not answered: {other:?}"),
    }
}

pub(crate) fn words(response: &wire::HumanResponse) -> String {
    match &response.candidates[0].parts[0].kind {
        Some(Kind::Text(text)) => text.clone(),
        other => panic!("no text: {other:?}"),
    }
}

/// A reader of a session's stream.
pub(crate) struct Watcher {
    stream: Streaming<wire::SubscribeResponse>,
    pub(crate) events: Vec<SessionEvent>,
    pub(crate) state: Option<wire::StateChange>,
    pub(crate) history: Option<u64>,
    pub(crate) keep_alives: usize,
}

impl Watcher {
    pub(crate) async fn open(client: &mut Client, session: &str, after: u64) -> Self {
        let asked =
            wire::SubscribeRequest { session_id: session.to_owned(), after_sequence: after };
        let stream = client.subscribe(asked).await.unwrap().into_inner();
        Self { stream, events: Vec::new(), state: None, history: None, keep_alives: 0 }
    }

    /// Reads until the condition is true.
    pub(crate) async fn until(&mut self, holds: impl Fn(&Self) -> bool) {
        let read = async {
            while !holds(self) {
                let message = self.stream.message().await.unwrap().expect("more before the end");
                match message.update.unwrap() {
                    Update::Events(batch) => self.events.extend(batch.events),
                    Update::HistoryEnd(end) => {
                        assert_eq!(self.history.replace(end.sequence), None, "sent once");
                    }
                    Update::State(state) => self.state = Some(state),
                    Update::KeepAlive(_) => self.keep_alives += 1,
                }
            }
        };
        tokio::time::timeout(SOON, read).await.expect("seen in time");
    }

    pub(crate) fn sequences(&self) -> Vec<u64> {
        self.events.iter().map(|event| event.sequence).collect()
    }

    pub(crate) fn queue(&self) -> wire::Queue {
        self.state.clone().unwrap().queue.unwrap()
    }
}

/// A rejection: its code and message.
pub(crate) fn refused<T: std::fmt::Debug>(result: Result<T, Status>) -> (Code, String) {
    let status = result.unwrap_err();
    (status.code(), status.message().to_owned())
}
