//! Shared by the roles: a client, a request with its send time, a distribution.

use std::net::SocketAddr;

use rpc::wire;
use rpc::wire::live_service_client::LiveServiceClient;
use rpc::wire::part::Kind;
use tonic::transport::{Channel, Endpoint};

pub(crate) type Client = LiveServiceClient<Channel>;

pub(crate) async fn client(address: SocketAddr) -> Client {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    // The limits of the page's connection: the watcher reads large batches.
    let endpoint = endpoint
        .initial_stream_window_size(4 * 1024 * 1024)
        .initial_connection_window_size(8 * 1024 * 1024);
    let channel = endpoint.connect().await.unwrap();
    LiveServiceClient::new(channel).max_decoding_message_size(usize::MAX)
}

pub(crate) fn id() -> String {
    uuid::Uuid::new_v4().to_string()
}

pub(crate) async fn create(client: &mut Client) -> String {
    let asked = wire::CreateSessionRequest::default();
    client.create_session(asked).await.unwrap().into_inner().session.unwrap().id
}

/// A conversation of about two kilobytes.
pub(crate) fn request(session: &str, turn: &str, sent: u64) -> wire::SubmitRequestRequest {
    let history = "What will the weather be in Lisbon, and what shall I wear? ".repeat(30);
    wire::SubmitRequestRequest {
        session_id: session.to_owned(),
        turn_id: turn.to_owned(),
        agent_name: "weather".to_owned(),
        invocation_id: "run".to_owned(),
        request: Some(wire::SimulatedLlmRequest {
            contents: vec![content(wire::Role::User, &history)],
            system_instruction: Some(sent.to_string()),
            ..Default::default()
        }),
    }
}

pub(crate) fn answer(session: &str, turn: &str) -> wire::SubmitDecisionRequest {
    let candidate = content(wire::Role::Model, "Sunny, with wind from the north. A coat.");
    wire::SubmitDecisionRequest {
        session_id: session.to_owned(),
        turn_id: turn.to_owned(),
        response: Some(wire::HumanResponse { candidates: vec![candidate] }),
        by: Some(wire::Person { display_name: "Ann".to_owned() }),
        lease_id: None,
    }
}

fn content(role: wire::Role, text: &str) -> wire::Content {
    let part = wire::Part { kind: Some(Kind::Text(text.to_owned())) };
    wire::Content { role: role.into(), parts: vec![part] }
}

/// Nanoseconds of a clock that all processes of the machine share.
pub(crate) fn now() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

/// The count, median, 99th percentile and maximum, in milliseconds, on one line.
pub(crate) fn distribution(mut nanoseconds: Vec<u64>) -> String {
    nanoseconds.sort_unstable();
    let count = nanoseconds.len();
    let at = |share: usize| nanoseconds[(count * share / 1000).min(count - 1)] as f64 / 1e6;
    format!("{count} {:.3} {:.3} {:.3}", at(500), at(990), at(1000))
}
