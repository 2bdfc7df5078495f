//! The role `agents`: agents that send one request and wait.

use std::net::SocketAddr;
use std::time::Instant;

use futures::StreamExt;
use rpc::wire;

use crate::clients::{client, create, id, now, request};

/// Agents of one process share connections, as the plugin's would.
const CONNECTIONS: usize = 10;
const SESSIONS: usize = 50;

/// Starts `count` waiting agents, prints a line, and waits until it is ended.
pub(crate) async fn wait(address: SocketAddr, count: usize) {
    let began = Instant::now();
    let mut clients = Vec::new();
    for _ in 0..CONNECTIONS {
        clients.push(client(address).await);
    }
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS {
        sessions.push(create(&mut clients[0]).await);
    }
    let agents = (0..count).map(|number| {
        let mut client = clients[number % CONNECTIONS].clone();
        let session = sessions[number % SESSIONS].clone();
        async move {
            let turn = id();
            client.submit_request(request(&session, &turn, now())).await.unwrap();
            let asked = wire::AwaitDecisionRequest { session_id: session, turn_id: turn };
            let mut stream = client.await_decision(asked).await.unwrap().into_inner();
            stream.message().await.unwrap().unwrap();
            stream
        }
    });
    let streams: Vec<_> = futures::stream::iter(agents).buffer_unordered(256).collect().await;
    let took = began.elapsed().as_secs_f64();
    println!("{} agents wait, {took:.1} s after the first came", streams.len());
    std::future::pending::<()>().await;
}
