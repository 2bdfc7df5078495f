//! A page's WebSocket requires a login and closes at logout.

use std::time::Duration;

use api::{EVENTS_PATH, HostEvent};
use futures::StreamExt;
use reqwest::header::COOKIE;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::access::stage::Stage;

/// The timeout of a test.
const PATIENCE: Duration = Duration::from_secs(30);

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn connect(stage: &Stage, cookie: &str) -> Result<Socket, Error> {
    let url = format!("ws://{}{EVENTS_PATH}", stage.running.address());
    let mut request = url.into_client_request().unwrap();
    request.headers_mut().insert("cookie", cookie.parse().unwrap());
    connect_async(request).await.map(|(socket, _)| socket)
}

/// The next message of the host, until it closes the connection.
async fn next(socket: &mut Socket) -> Option<HostEvent> {
    loop {
        let message = tokio::time::timeout(PATIENCE, socket.next()).await.expect("in time");
        match message {
            Some(Ok(Message::Text(text))) => return Some(serde_json::from_str(&text).unwrap()),
            Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
            Some(Ok(_)) => {}
        }
    }
}

#[tokio::test]
async fn page_socket_learns_its_user_and_closes_at_logout() {
    let stage = Stage::open().await;
    let cookie = stage.cookie().await;
    let other = stage.cookie().await;
    let mut page = connect(&stage, &cookie).await.unwrap();
    let mut another = connect(&stage, &other).await.unwrap();
    for socket in [&mut page, &mut another] {
        let Some(HostEvent::Welcome { person, .. }) = next(socket).await else { panic!("welcome") };
        assert_eq!(person.as_deref(), Some("Ann"));
    }
    let out = stage.client.post(stage.url("/logout")).header(COOKIE, &cookie);
    out.send().await.unwrap();
    while next(&mut page).await.is_some() {}
    let Err(Error::Http(refused)) = connect(&stage, &cookie).await else { panic!("refused") };
    assert_eq!(refused.status().as_u16(), 401);

    // The other login is still valid: its page still gets events.
    let watch = r#"{"Watch":{"sessions":[],"live":{"all":true,"sessions":[]}}}"#;
    futures::SinkExt::send(&mut another, Message::text(watch)).await.unwrap();
    stage.asked().await;
    loop {
        match next(&mut another).await {
            Some(HostEvent::Live(news)) if news.waiting == Some(1) => break,
            Some(_) => {}
            None => panic!("cut off too"),
        }
    }
}
