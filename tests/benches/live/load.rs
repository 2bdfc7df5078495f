//! The roles `load` and `watcher`: agents that send requests at a fixed rate, and a person who sees and
//! answers them.

use std::net::SocketAddr;
use std::time::Duration;

use rpc::wire;
use rpc::wire::await_decision_response::Update as AwaitUpdate;
use rpc::wire::session_event::Payload;
use rpc::wire::subscribe_response::Update;
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;

use crate::clients::{answer, client, create, distribution, id, now, request};
use crate::{RATE, SECONDS};

const SESSIONS: usize = 8;

pub(crate) async fn new_sessions(address: SocketAddr) -> Vec<String> {
    let mut client = client(address).await;
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS {
        sessions.push(create(&mut client).await);
    }
    sessions
}

/// Sends requests at a fixed rate, regardless of responses, and prints the response times.
pub(crate) async fn ask(address: SocketAddr, sessions: &[&str], rate: u64, seconds: u64) {
    let client = client(address).await;
    let mut ticks = tokio::time::interval(Duration::from_nanos(1_000_000_000 / rate));
    // Late ticks fire at once, which keeps the rate.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let mut agents = tokio::task::JoinSet::new();
    for number in 0..rate * seconds {
        ticks.tick().await;
        let mut client = client.clone();
        let session = sessions[number as usize % sessions.len()].to_owned();
        agents.spawn(async move {
            let (turn, sent) = (id(), now());
            client.submit_request(request(&session, &turn, sent)).await.unwrap();
            let asked = wire::AwaitDecisionRequest { session_id: session, turn_id: turn };
            let mut stream = client.await_decision(asked).await.unwrap().into_inner();
            while let Some(message) = stream.message().await.unwrap() {
                if let Some(AwaitUpdate::Answered(_)) = message.update {
                    return now() - sent;
                }
            }
            panic!("a stream ended without an answer");
        });
    }
    println!("{}", distribution(agents.join_all().await));
}

/// Follows the sessions, measures when each request appears, and answers it.
pub(crate) async fn watch_and_answer(address: SocketAddr, sessions: &[&str]) {
    let (seen, mut times) = mpsc::unbounded_channel();
    let watching = client(address).await;
    let answering = client(address).await;
    for session in sessions {
        let (mut watching, mut answering) = (watching.clone(), answering.clone());
        let (seen, session) = (seen.clone(), (*session).to_owned());
        let asked = wire::SubscribeRequest { session_id: session.clone(), after_sequence: 0 };
        let mut stream = watching.subscribe(asked).await.unwrap().into_inner();
        let (up, mut turns) = mpsc::unbounded_channel::<String>();
        tokio::spawn(async move {
            while let Some(turn) = turns.recv().await {
                answering.submit_decision(answer(&session, &turn)).await.unwrap();
            }
        });
        tokio::spawn(async move {
            while let Some(message) = stream.message().await.unwrap() {
                let seen_at = now();
                let Some(Update::Events(batch)) = message.update else { continue };
                for event in batch.events {
                    let Some(Payload::Request(request)) = event.payload else { continue };
                    let sent: u64 = request.system_instruction.unwrap().parse().unwrap();
                    seen.send(seen_at - sent).unwrap();
                    up.send(event.turn_id).unwrap();
                }
            }
        });
    }
    println!("watching");
    let mut all = Vec::new();
    while all.len() < (RATE * SECONDS) as usize {
        all.push(times.recv().await.unwrap());
    }
    println!("{}", distribution(all));
    // The sender of the requests prints when all responses have arrived.
    std::future::pending::<()>().await;
}
