//! What one HTTP/2 connection can make the host hold. The client has no room for a byte of a response, so
//! the host holds each that it makes.

use std::time::Duration;

use futures::future::join_all;
use h2::client::{self, SendRequest};
use h2::{Reason, RecvStream};
use prost::bytes::Bytes;
use reqwest::header::COOKIE;
use reqwest::{Method, StatusCode};
use rpc::wire;
use tokio::net::TcpStream;

use crate::access::stage::Stage;

/// The timeout of a test.
const PATIENCE: Duration = Duration::from_secs(30);
/// How many responses the host holds for a connection.
const HELD: usize = 32;

/// A client that reads no body.
struct StalledClient {
    requests: SendRequest<Bytes>,
    base: String,
}

impl StalledClient {
    async fn open(stage: &Stage) -> Self {
        let stream = TcpStream::connect(stage.running.address()).await.unwrap();
        let handshake = client::Builder::new().initial_window_size(0).handshake(stream);
        let (requests, connection) = handshake.await.unwrap();
        tokio::spawn(connection);
        Self { requests, base: stage.url("") }
    }

    /// Requests `path`; returns the response, whose body stays unread.
    async fn request(
        &self,
        method: Method,
        path: &str,
        cookie: &str,
    ) -> Result<http::Response<RecvStream>, h2::Error> {
        let request = http::Request::builder().method(method).uri(format!("{}{path}", self.base));
        let request = request.header(COOKIE, cookie).body(()).unwrap();
        let mut ready = self.requests.clone().ready().await?;
        let (response, _) = ready.send_request(request, true)?;
        response.await
    }

    /// The page at `path`, requested in many streams at once, as by [`Self::request_often`].
    async fn get_often(
        &self,
        times: usize,
        path: &str,
        cookie: &str,
    ) -> (Vec<http::Response<RecvStream>>, usize) {
        self.request_often(times, Method::GET, path, cookie).await
    }

    /// Requests `path` in many streams at once; returns the responses, and how many streams were refused.
    async fn request_often(
        &self,
        times: usize,
        method: Method,
        path: &str,
        cookie: &str,
    ) -> (Vec<http::Response<RecvStream>>, usize) {
        let all = join_all((0..times).map(|_| self.request(method.clone(), path, cookie)));
        let (mut held, mut refused) = (Vec::new(), 0);
        for response in tokio::time::timeout(PATIENCE, all).await.expect("in time") {
            match response {
                Ok(response) => held.push(response),
                Err(error) => {
                    assert_eq!(error.reason(), Some(Reason::REFUSED_STREAM));
                    refused += 1;
                }
            }
        }
        (held, refused)
    }
}

#[tokio::test]
async fn a_client_that_reads_nothing_gets_few_responses() {
    let stage = Stage::open().await;
    let cookie = stage.cookie().await;
    // Without and with a login.
    for (path, cookie) in [("/login", ""), ("/", cookie.as_str())] {
        let client = StalledClient::open(&stage).await;
        let (held, refused) = client.get_often(100, path, cookie).await;
        assert_eq!((held.len(), refused), (HELD, 100 - HELD), "{path}");
        assert!(held.iter().all(|response| response.status() == StatusCode::OK), "{path}");
        let (others, _) = StalledClient::open(&stage).await.get_often(1, path, cookie).await;
        assert_eq!(others.len(), 1, "another connection: {path}");

        // The host learns of it a moment later.
        drop(held);
        let again = async { while client.get_often(1, path, cookie).await.1 > 0 {} };
        tokio::time::timeout(PATIENCE, again).await.expect("room again");
    }
}

#[tokio::test]
async fn a_stranger_gets_few_responses_where_agents_may_wait() {
    let stage = Stage::open().await;
    let client = StalledClient::open(&stage).await;
    let path = "/v1/chat/completions";
    let (held, refused) = client.request_often(100, Method::POST, path, "").await;
    assert_eq!((held.len(), refused), (HELD, 100 - HELD));
    assert!(held.iter().all(|response| response.status() == StatusCode::UNAUTHORIZED));
}

#[tokio::test]
async fn agents_that_wait_take_no_room_from_others() {
    let stage = Stage::open().await;
    let (session_id, turn_id) = stage.asked().await;
    let mut client = stage.grpc().await;
    let mut waiting = Vec::new();
    for _ in 0..HELD + 10 {
        let awaited =
            wire::AwaitDecisionRequest { session_id: session_id.clone(), turn_id: turn_id.clone() };
        waiting.push(client.await_decision(stage.with_token(awaited)).await.unwrap());
    }
    let asked = stage.with_token(wire::ListSessionsRequest::default());
    let listed = client.list_sessions(asked).await.unwrap().into_inner();
    assert_eq!(listed.sessions.len(), 1);
}
