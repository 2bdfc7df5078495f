//! The roles `writer` and `opener`: a session of many events, and a page that opens it.

use std::net::SocketAddr;
use std::time::Instant;

use futures::StreamExt;
use rpc::wire;
use rpc::wire::subscribe_response::Update;

use crate::clients::{answer, client, create, id, request};

/// Turns of two kilobytes each; the rest are results of tools.
const TURNS: u64 = 5_000;

/// Writes the session, and prints its id and the duration.
pub(crate) async fn write(address: SocketAddr, events: u64) {
    let began = Instant::now();
    let mut client = client(address).await;
    let session = create(&mut client).await;
    let turns: Vec<String> = (0..TURNS).map(|_| id()).collect();
    let submits = turns.iter().map(|turn| {
        let (mut client, asked) = (client.clone(), request(&session, turn, 0));
        async move { (client.submit_request(asked).await.unwrap().into_inner().sequence, turn) }
    });
    let mut asked: Vec<_> = futures::stream::iter(submits).buffer_unordered(256).collect().await;
    asked.sort_unstable();
    for (_, turn) in &asked {
        client.submit_decision(answer(&session, turn)).await.unwrap();
    }
    let results = (0..events - 2 * TURNS).map(|number| {
        let result = wire::ToolResult {
            response: Some(wire::FunctionResponse {
                id: Some(format!("call-{number}")),
                name: "forecast".to_owned(),
                response: Some(format!(
                    "{{\"hour\": {number}, \"text\": \"{}\"}}",
                    "rain ".repeat(60)
                )),
            }),
            failed: false,
            duration_ms: Some(12),
        };
        let record = wire::RecordEventRequest {
            session_id: session.clone(),
            event_id: id(),
            turn_id: turns[number as usize % turns.len()].clone(),
            agent_name: "weather".to_owned(),
            invocation_id: "run".to_owned(),
            payload: Some(wire::record_event_request::Payload::ToolResult(result)),
        };
        let mut client = client.clone();
        async move { client.record_event(record).await.map(drop).unwrap() }
    });
    futures::stream::iter(results).buffer_unordered(256).count().await;
    let (seconds, count) = (began.elapsed().as_secs_f64(), events as f64);
    println!(
        "{session} {events} events written in {seconds:.1} s, {:.0} a second",
        count / seconds
    );
}

/// Opens the session, and prints the milliseconds until the end of its history.
pub(crate) async fn open(address: SocketAddr, session: &str) {
    let began = Instant::now();
    let mut client = client(address).await;
    let asked = wire::SubscribeRequest { session_id: session.to_owned(), after_sequence: 0 };
    let mut stream = client.subscribe(asked).await.unwrap().into_inner();
    let mut events = 0;
    while let Some(message) = stream.message().await.unwrap() {
        match message.update {
            Some(Update::Events(batch)) => events += batch.events.len() as u64,
            Some(Update::HistoryEnd(end)) => {
                assert_eq!(events, end.sequence);
                break;
            }
            _ => {}
        }
    }
    println!("{:.1}", began.elapsed().as_secs_f64() * 1e3);
}
