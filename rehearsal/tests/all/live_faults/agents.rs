//! The clients: agents that retry, people who respond, and watchers.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use rpc::wire;
use rpc::wire::await_decision_response::Update as AwaitUpdate;
use rpc::wire::part::Kind;
use rpc::wire::subscribe_response::Update;
use serde_json::{Value, json};
use tokio::sync::watch;
use tonic::Code;

use crate::live_faults::host::Client;
use crate::live_faults::journal::Journal;

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(20);

pub(crate) fn id() -> String {
    uuid::Uuid::new_v4().to_string()
}

fn content(role: wire::Role, text: &str) -> wire::Content {
    let part = wire::Part { kind: Some(Kind::Text(text.to_owned())) };
    wire::Content { role: role.into(), parts: vec![part] }
}

/// Whether to send the same message again, because the host was not reachable.
fn is_away(status: &tonic::Status) -> bool {
    matches!(status.code(), Code::Unavailable | Code::Unknown | Code::Cancelled | Code::Internal)
}

pub(crate) async fn create(client: &mut Client) -> String {
    let session_id = id();
    loop {
        let asked = wire::CreateSessionRequest {
            session_id: Some(session_id.clone()),
            ..Default::default()
        };
        match client.create_session(asked).await {
            Ok(_) => return session_id,
            Err(status) if is_away(&status) => tokio::time::sleep(PAUSE).await,
            Err(status) => panic!("{status}"),
        }
    }
}

/// Sends `turns` requests, each until it is answered, and journals the responses.
pub(crate) async fn agent(
    mut client: Client,
    session: String,
    turns: usize,
    name: String,
    folder: &Path,
) {
    let mut journal = Journal::open(folder, &format!("agent-{name}"));
    for _ in 0..turns {
        let turn = id();
        let asked = wire::SubmitRequestRequest {
            session_id: session.clone(),
            turn_id: turn.clone(),
            agent_name: name.clone(),
            invocation_id: String::new(),
            request: Some(wire::SimulatedLlmRequest {
                contents: vec![content(wire::Role::User, &format!("{name} asks in {turn}"))],
                ..Default::default()
            }),
        };
        let sequence = loop {
            match client.submit_request(asked.clone()).await {
                Ok(answer) => break answer.into_inner().sequence,
                Err(status) if is_away(&status) => tokio::time::sleep(PAUSE).await,
                Err(status) => panic!("{status}"),
            }
        };
        journal.write(&["asked", &turn, &sequence.to_string()]);
        let (sequence, answer) = answer_of(&mut client, &session, &turn).await;
        journal.write(&["answered", &turn, &sequence.to_string(), &answer]);
    }
}

/// Sends `turns` requests over plain HTTP, each until it is answered, and journals the responses. The
/// host cannot tell a repeated request from a new one: there are no headers for it.
pub(crate) async fn plain_agent(
    address: SocketAddr,
    session: String,
    turns: usize,
    name: String,
    folder: &Path,
) {
    let mut journal = Journal::open(folder, &format!("plain-{name}"));
    let client = test_support::http_client();
    let streams = name.ends_with(['1', '3', '5', '7', '9']);
    for turn in 0..turns {
        let words = format!("{name} asks for the time no. {turn}");
        let body = json!({
            "model": name,
            "stream": streams,
            "messages": [{ "role": "user", "content": words }],
        });
        let url = format!("http://{address}/s/{session}/v1/chat/completions");
        let answer = loop {
            let answer = async {
                let response = client.post(&url).body(body.to_string()).send().await?;
                response.error_for_status()?.text().await
            };
            match answer.await.ok().and_then(|text| completion(&text)) {
                Some(answer) => break answer,
                None => tokio::time::sleep(PAUSE).await,
            }
        };
        journal.write(&[&words, &answer]);
    }
}

/// The text of a whole completion, or of a stream that has ended.
fn completion(text: &str) -> Option<String> {
    let mut events: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    if events.is_empty() {
        let whole: Value = serde_json::from_str(text).ok()?;
        return whole["choices"][0]["message"]["content"].as_str().map(str::to_owned);
    }
    events.pop().filter(|last| *last == "[DONE]")?;
    let mut answer = String::new();
    for event in events {
        let chunk: Value = serde_json::from_str(event).ok()?;
        answer.push_str(chunk["choices"][0]["delta"]["content"].as_str().unwrap_or_default());
    }
    Some(answer)
}

async fn answer_of(client: &mut Client, session: &str, turn: &str) -> (u64, String) {
    loop {
        let asked =
            wire::AwaitDecisionRequest { session_id: session.to_owned(), turn_id: turn.to_owned() };
        match client.await_decision(asked).await {
            Ok(stream) => {
                let mut stream = stream.into_inner();
                while let Ok(Some(message)) = stream.message().await {
                    match message.update.unwrap() {
                        AwaitUpdate::Answered(answered) => {
                            return (answered.sequence, words(&answered.response.unwrap()));
                        }
                        AwaitUpdate::Cancelled(cancelled) => panic!("cancelled: {cancelled:?}"),
                        AwaitUpdate::Waiting(_) | AwaitUpdate::KeepAlive(_) => {}
                    }
                }
            }
            Err(status) if is_away(&status) => {}
            Err(status) => panic!("{status}"),
        }
        tokio::time::sleep(PAUSE).await;
    }
}

pub(crate) fn words(response: &wire::HumanResponse) -> String {
    content_text(&response.candidates[0])
}

pub(crate) fn content_text(content: &wire::Content) -> String {
    match &content.parts[0].kind {
        Some(Kind::Text(text)) => text.clone(),
        other => panic!("no text: {other:?}"),
    }
}

/// Responds to the head of the queue at this pace until `over`. Several of these compete, with different
/// responses.
pub(crate) async fn person(
    mut client: Client,
    session: String,
    name: String,
    pace: Duration,
    mut over: watch::Receiver<bool>,
    folder: &Path,
) {
    let mut journal = Journal::open(folder, &format!("person-{name}"));
    let work = async {
        loop {
            tokio::time::sleep(pace).await;
            let asked = wire::GetSessionRequest { session_id: session.clone() };
            let Ok(answer) = client.get_session(asked).await else { continue };
            let queue = answer.into_inner().summary.unwrap().queue.unwrap();
            let Some(up) = queue.up else { continue };
            let text = format!("{name} answers {}", up.turn_id);
            let decision = wire::SubmitDecisionRequest {
                session_id: session.clone(),
                turn_id: up.turn_id.clone(),
                response: Some(wire::HumanResponse {
                    candidates: vec![content(wire::Role::Model, &text)],
                }),
                by: Some(wire::Person { display_name: name.clone() }),
                lease_id: None,
            };
            // A lost reply: sends the same again until there is a result.
            loop {
                match client.submit_decision(decision.clone()).await {
                    Ok(answer) => {
                        let sequence = answer.into_inner().sequence.to_string();
                        journal.write(&["decided", &up.turn_id, &sequence, &text]);
                        break;
                    }
                    Err(status) if is_away(&status) => tokio::time::sleep(PAUSE).await,
                    // Another person was faster.
                    Err(status) if status.code() == Code::AlreadyExists => {
                        journal.write(&["refused", &up.turn_id]);
                        break;
                    }
                    Err(status) => panic!("{status}"),
                }
            }
        }
    };
    tokio::select! {
        () = work => {}
        _ = over.wait_for(|over| *over) => {}
    }
}

/// Follows the session across restarts until it has seen `last` events.
pub(crate) async fn watcher(
    mut client: Client,
    session: String,
    last: u64,
    name: String,
    folder: &Path,
) {
    let mut journal = Journal::open(folder, &format!("watcher-{name}"));
    let mut seen = 0;
    while seen < last {
        let asked = wire::SubscribeRequest { session_id: session.clone(), after_sequence: seen };
        if let Ok(stream) = client.subscribe(asked).await {
            let mut stream = stream.into_inner();
            while let Ok(Some(message)) = stream.message().await {
                if let Some(Update::Events(batch)) = message.update {
                    for event in batch.events {
                        seen = event.sequence;
                        journal.write(&[&session, &seen.to_string(), &event.event_id]);
                    }
                }
                if seen >= last {
                    break;
                }
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Opens streams and disconnects, or does not read, until `over`.
pub(crate) async fn nuisance(client: Client, session: String, mut over: watch::Receiver<bool>) {
    let asked = || wire::SubscribeRequest { session_id: session.clone(), after_sequence: 0 };
    let work = async {
        let mut unread = Vec::new();
        loop {
            let mut client = client.clone();
            if let Ok(stream) = client.subscribe(asked()).await {
                if unread.len() < 3 {
                    unread.push(stream);
                } else {
                    drop(stream);
                }
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        () = work => {}
        _ = over.wait_for(|over| *over) => {}
    }
}
