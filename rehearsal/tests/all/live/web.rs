//! gRPC-Web over HTTP/1.1, and the page on the same port.

use prost::Message;
use rpc::wire;

use crate::live::stage::{Stage, id, request};

fn framed(message: &impl Message) -> Vec<u8> {
    let bytes = message.encode_to_vec();
    let length = u32::try_from(bytes.len()).unwrap().to_be_bytes();
    [&[0], length.as_slice(), &bytes].concat()
}

/// The frames of a body: whether each holds trailers, and its bytes.
fn frames(mut body: &[u8]) -> Vec<(bool, Vec<u8>)> {
    let mut frames = Vec::new();
    while let [flag, a, b, c, d, rest @ ..] = body {
        let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        frames.push((flag & 0x80 != 0, rest[..length].to_vec()));
        body = &rest[length..];
    }
    frames
}

async fn call(
    stage: &Stage,
    method: &str,
    origin: Option<&str>,
    message: &impl Message,
) -> reqwest::Response {
    let url = format!("http://{}/rehearsal.v1.LiveService/{method}", stage.address());
    let mut request = test_support::http_client()
        .post(url)
        .header("content-type", "application/grpc-web+proto")
        .header("x-grpc-web", "1")
        .body(framed(message));
    if let Some(origin) = origin {
        request = request.header("origin", origin);
    }
    request.send().await.unwrap()
}

#[tokio::test]
async fn serves_browsers_over_http_1() {
    let stage = Stage::open().await;
    let own = format!("http://{}", stage.address());
    let asked = wire::CreateSessionRequest::default();
    let response = call(&stage, "CreateSession", Some(&own), &asked).await;
    assert_eq!(response.status(), 200);
    let frames = frames(&response.bytes().await.unwrap());
    let [(false, message), (true, trailers)] = &frames[..] else { panic!("{frames:?}") };
    let session = wire::CreateSessionResponse::decode(message.as_slice()).unwrap().session.unwrap();
    assert!(String::from_utf8_lossy(trailers).contains("grpc-status:0"));

    let mut bad = request(&session.id, &id(), "a");
    bad.agent_name.clear();
    let response = call(&stage, "SubmitRequest", Some(&own), &bad).await;
    assert_eq!(response.headers()["grpc-status"], "3");
    let message = response.headers()["grpc-message"].to_str().unwrap();
    assert!(message.starts_with("agent_name:"), "{message}");

    // Field 1 is a text, not a number.
    let response = call(&stage, "CreateSession", Some(&own), &7_u32).await;
    assert_eq!(response.headers()["grpc-status"], "3");
    let message = response.headers()["grpc-message"].to_str().unwrap();
    assert!(message.starts_with("CreateSessionRequest:"), "{message}");
}

#[tokio::test]
async fn rejects_a_foreign_page() {
    let stage = Stage::open().await;
    let asked = wire::CreateSessionRequest::default();
    let response = call(&stage, "CreateSession", Some("https://evil.example"), &asked).await;
    assert_eq!(response.status(), 403);
}

#[tokio::test]
async fn serves_the_page_on_the_same_port() {
    let stage = Stage::open().await;
    let page = test_support::http_client()
        .get(format!("http://{}/", stage.address()))
        .send()
        .await
        .unwrap();
    assert_eq!(page.status(), 200);
    stage.session().await;
}
