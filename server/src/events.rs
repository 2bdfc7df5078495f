//! The page's one WebSocket: sends events of calls, agents and live sessions, and receives
//! keep-alives.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use agents::registry::{AgentChange, RegisteredAgent};
use agents::{LogLine, SourceEvent};
use api::{CallUpdate, HostEvent, PageMessage, SessionEvent};
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use futures::stream::SelectAll;
use futures::{SinkExt, StreamExt};
use session::{AgentId, SessionId};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use crate::access::LoginLifetime;
use crate::host::Host;
use crate::live::{LiveSessions, PageUpdates};
use crate::page_dto;
use crate::sessions::HostSession;

/// A page that sends nothing for this long is disconnected; it sends a keep-alive every 20 s.
const SILENCE: Duration = Duration::from_secs(60);
/// The longest message that a page sends.
const MESSAGE_BYTES: usize = 256 * 1024;

/// The person at the page.
pub(crate) struct Visitor {
    /// The login name; `None` when authentication is off.
    pub(crate) name: Option<String>,
    /// The lifetime of the login: the connection ends with it.
    pub(crate) lifetime: Option<LoginLifetime>,
}

impl Visitor {
    async fn is_gone(&self) {
        match &self.lifetime {
            Some(lifetime) => lifetime.ended().await,
            None => std::future::pending().await,
        }
    }
}

/// Accepts a page's connection.
pub(crate) fn connect(
    upgrade: WebSocketUpgrade,
    visitor: Visitor,
    host: Arc<Host>,
    live: LiveSessions,
    instance: Arc<str>,
    stop: CancellationToken,
) -> Response {
    upgrade.max_message_size(MESSAGE_BYTES).on_upgrade(move |socket| async move {
        talk(socket, visitor, &host, live, &instance, &stop).await;
    })
}

/// What the connection waits for.
enum Turn {
    Page(Option<Result<Message, axum::Error>>),
    Call(Result<Arc<CallUpdate>, RecvError>),
    Agent(Result<AgentChange, RecvError>),
    News(Result<Arc<SourceEvent>, RecvError>),
    Live(HostEvent),
    Log(AgentId, LogLine),
    Silence,
    Stop,
}

async fn talk(
    socket: WebSocket,
    visitor: Visitor,
    host: &Host,
    live: LiveSessions,
    instance: &str,
    stop: &CancellationToken,
) {
    let (mut to_page, mut from_page) = socket.split();
    // Subscribe before the first message is sent, so that no event is lost.
    let mut calls = host.calls.listen();
    let mut agents = host.registry.changes();
    let mut news = host.registry.news();
    let (mut logs, mut heard) = (SelectAll::new(), HashSet::new());
    listen(host, &mut logs, &mut heard);
    let mut live = PageUpdates::new(live);
    let mut watched: HashSet<SessionId> = HashSet::new();
    let welcome = HostEvent::Welcome {
        host: instance.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        person: visitor.name.clone(),
    };
    // The page listed its agents before it subscribed: send their current status.
    for frame in std::iter::once(frame(&welcome)).chain(summaries(host)) {
        if to_page.send(frame).await.is_err() {
            return;
        }
    }
    let mut last_message = tokio::time::Instant::now();
    loop {
        let turn = tokio::select! {
            message = from_page.next() => Turn::Page(message),
            update = calls.recv() => Turn::Call(update),
            agent = agents.recv() => Turn::Agent(agent),
            received = news.recv() => Turn::News(received),
            event = live.next() => Turn::Live(event),
            Some((agent, line)) = logs.next() => Turn::Log(agent, line),
            () = tokio::time::sleep_until(last_message + SILENCE) => Turn::Silence,
            () = stop.cancelled() => Turn::Stop,
            () = visitor.is_gone() => Turn::Stop,
        };
        let mut frames = Vec::new();
        match turn {
            Turn::Page(Some(Ok(Message::Text(text)))) => {
                last_message = tokio::time::Instant::now();
                match serde_json::from_str(&text) {
                    Ok(PageMessage::Watch { sessions, live: wanted }) => {
                        live.watch(&wanted);
                        let before = std::mem::take(&mut watched);
                        watched = sessions.into_iter().take(64).collect();
                        for id in &watched {
                            let Some(session) = host.sessions.find(id) else { continue };
                            session.record_keep_alive();
                            if !before.contains(id) {
                                frames.extend(
                                    session.last_update().map(|update| call_frame(&update)),
                                );
                                frames.extend(questions(&session).await);
                            }
                        }
                    }
                    Err(error) => tracing::debug!("a page sent an invalid message: {error}"),
                }
            }
            Turn::Page(Some(Ok(Message::Close(_)) | Err(_)) | None) | Turn::Silence => return,
            Turn::Page(Some(Ok(_))) => last_message = tokio::time::Instant::now(),
            Turn::Call(Ok(update)) => {
                if watched.contains(&update.session) {
                    frames.push(call_frame(&update));
                }
            }
            Turn::Call(Err(RecvError::Lagged(_))) => {
                // Events were dropped: the last one of each session is enough.
                let sessions = watched.iter().filter_map(|id| host.sessions.find(id));
                frames.extend(
                    sessions.filter_map(|it| it.last_update()).map(|update| call_frame(&update)),
                );
            }
            Turn::News(Ok(event)) => {
                if watched.contains(session_of(&event)) {
                    frames.push(frame(&HostEvent::Session(page_dto::session_event(
                        SourceEvent::clone(&event),
                    ))));
                }
            }
            Turn::News(Err(RecvError::Lagged(_))) => {
                // Send the pending questions again.
                for session in watched.iter().filter_map(|id| host.sessions.find(id)) {
                    frames.extend(questions(&session).await);
                }
            }
            Turn::Live(event) => frames.push(frame(&event)),
            Turn::Agent(Ok(AgentChange::Agent(id))) => {
                frames.extend(host.registry.find_any(&id).map(|agent| summary_frame(&agent)));
            }
            Turn::Agent(Ok(AgentChange::List)) => {
                listen(host, &mut logs, &mut heard);
                frames.push(frame(&HostEvent::AgentListChanged));
            }
            Turn::Agent(Err(RecvError::Lagged(_))) => {
                listen(host, &mut logs, &mut heard);
                frames.extend(summaries(host));
                frames.push(frame(&HostEvent::AgentListChanged));
            }
            Turn::Log(agent, line) => {
                let lines = vec![line];
                frames.push(frame(&HostEvent::AgentLog { agent, lines }));
            }
            Turn::Call(Err(RecvError::Closed))
            | Turn::Agent(Err(RecvError::Closed))
            | Turn::News(Err(RecvError::Closed))
            | Turn::Stop => {
                // The page notices the end of the connection whether or not this arrives.
                let _ = to_page.send(Message::Close(None)).await;
                return;
            }
        }
        for frame in frames {
            if to_page.send(frame).await.is_err() {
                return;
            }
        }
    }
}

/// The new log lines of some agents.
type Lines = futures::stream::BoxStream<'static, (AgentId, LogLine)>;

/// Adds the log lines of the agents that are not in `heard`. An agent that replaces another goes on with its log.
fn listen(host: &Host, logs: &mut SelectAll<Lines>, heard: &mut HashSet<AgentId>) {
    for agent in host.registry.agents().iter().filter(|agent| heard.insert(agent.id.clone())) {
        logs.push(lines(agent.id.clone(), agent.log.listen()));
    }
}

/// An agent's new log lines. Lines that came too fast are skipped; the log file has them.
fn lines(agent: AgentId, listener: broadcast::Receiver<LogLine>) -> Lines {
    futures::stream::unfold((agent, listener), |(agent, mut listener)| async move {
        loop {
            match listener.recv().await {
                Ok(line) => return Some(((agent.clone(), line), (agent, listener))),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    })
    .boxed()
}

/// The pending questions for the person of `session`.
async fn questions(session: &HostSession) -> Vec<Message> {
    let waiting = session.agent.source.questions(&session.id).await;
    waiting
        .into_iter()
        .map(|it| frame(&HostEvent::Session(SessionEvent::Asked(Box::new(it)))))
        .collect()
}

/// The session that an event of a source belongs to.
fn session_of(event: &SourceEvent) -> &SessionId {
    match event {
        SourceEvent::Progress(progress) => &progress.session,
        SourceEvent::Asked(question) => &question.session,
        SourceEvent::Withdrawn { session, .. }
        | SourceEvent::TakenUp { session }
        | SourceEvent::Closed { session } => session,
        SourceEvent::CatalogChanged(change) => &change.session,
    }
}

/// The current status of each agent.
fn summaries(host: &Host) -> impl Iterator<Item = Message> {
    host.registry.all().into_iter().map(|agent| summary_frame(&agent))
}

fn summary_frame(agent: &RegisteredAgent) -> Message {
    frame(&HostEvent::AgentChanged(Box::new(page_dto::agent_summary(agent))))
}

fn call_frame(update: &CallUpdate) -> Message {
    frame(&HostEvent::Session(SessionEvent::Call(Box::new(update.clone()))))
}

fn frame(event: &HostEvent) -> Message {
    // The events are our own types with string keys: they always serialize.
    Message::text(serde_json::to_string(event).unwrap_or_default())
}
