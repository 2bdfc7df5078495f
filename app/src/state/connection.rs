//! The page's WebSocket: it receives the host's events, and sends which sessions this page watches.
//!
//! It reconnects by itself after growing delays ([`Link::delay_ms`]). Once the host knows which
//! sessions are watched, it sends what happened meanwhile.

use api::{EVENTS_PATH, HostEvent, LiveWatch, PageMessage};
use futures::channel::mpsc::{UnboundedReceiver, unbounded};
use futures::{FutureExt as _, SinkExt as _, StreamExt as _, select};
use gloo_net::websocket::Message;
use gloo_net::websocket::futures::WebSocket;
use gloo_timers::future::TimeoutFuture;
use json_text::JsonText;
use leptos::prelude::*;
use leptos::server::codee::Decoder as _;
use leptos::task::spawn_local;
use serde::de::DeserializeOwned;
use session::SessionId;

use crate::state::browser;
use crate::state::json_bytes::JsonBytes;

/// How often the page sends the watched sessions to keep the connection alive, in milliseconds.
const KEEP_ALIVE_MS: u32 = 20_000;

/// The HTTP status for a request without a login.
const UNAUTHORIZED: u16 = 401;

/// The state of the connection to the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// The first connection is being made.
    Connecting,
    /// The host is connected.
    Connected,
    /// The connection was lost or never made, and this many attempts have failed since.
    Reconnecting(u32),
    /// The host responds, but requires a login.
    LoggedOut,
}

impl Link {
    /// The state after one more failed attempt.
    #[must_use]
    pub fn failed(self) -> Self {
        match self {
            Self::Connecting | Self::Connected | Self::LoggedOut => Self::Reconnecting(1),
            Self::Reconnecting(attempts) => Self::Reconnecting(attempts.saturating_add(1)),
        }
    }

    /// The delay before the next attempt, in milliseconds: 0.25 s, doubling up to 8 s. Without a
    /// login it is 2 s, because the person may be logging in in another tab.
    #[must_use]
    pub fn delay_ms(self) -> u32 {
        match self {
            Self::Connecting | Self::Connected => 0,
            Self::LoggedOut => 2_000,
            Self::Reconnecting(attempts) => 250 << attempts.saturating_sub(1).min(5),
        }
    }

    /// The text of the status line.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Connecting => "connecting to the host",
            Self::Connected => "host connected",
            Self::Reconnecting(_) => "host not reachable, reconnecting",
            Self::LoggedOut => "logged out",
        }
    }
}

/// The sessions that this page watches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watched {
    /// Its rehearsals.
    pub sessions: Vec<SessionId>,
    /// The live sessions.
    pub live: LiveWatch,
}

/// The page's connection to the host.
#[derive(Clone, Copy)]
pub struct Connection {
    /// Its state.
    pub link: RwSignal<Link>,
}

impl Connection {
    /// Whether the host requires a login.
    #[must_use]
    pub fn is_logged_out(self) -> bool {
        self.link.get_untracked() == Link::LoggedOut
    }
}

/// Opens the connection once the page runs in a browser, and keeps it open.
///
/// `watched` are the sessions that this page shows. `take_in` is called with each event.
pub fn use_connection(
    watched: Signal<Watched>,
    take_in: impl Fn(HostEvent<JsonText>) + Copy + 'static,
) -> Connection {
    let link = RwSignal::new(Link::Connecting);
    Effect::new(move |started: Option<()>| {
        if started.is_none() {
            let (changes, changed) = unbounded();
            // Sends each change to the task that owns the socket.
            Effect::new(move |_| {
                // The receiver lives as long as the page.
                let _ = changes.unbounded_send(watched.get());
            });
            spawn_local(stay_connected(link, watched, changed, take_in));
        }
    });
    Connection { link }
}

async fn stay_connected(
    link: RwSignal<Link>,
    watched: Signal<Watched>,
    mut changed: UnboundedReceiver<Watched>,
    take_in: impl Fn(HostEvent<JsonText>) + Copy,
) {
    loop {
        if let Ok(socket) = WebSocket::open(&browser::socket_address(EVENTS_PATH)) {
            exchange_messages(socket, link, watched, &mut changed, take_in).await;
        }
        let is_logged_out = requires_login().await;
        link.update(|link| *link = if is_logged_out { Link::LoggedOut } else { link.failed() });
        TimeoutFuture::new(link.get_untracked().delay_ms()).await;
    }
}

/// Whether the host rejects this page because it has no login. Browsers hide why a WebSocket was
/// rejected, so this sends a plain request to the same address.
async fn requires_login() -> bool {
    select! {
        status = browser::status_of(EVENTS_PATH).fuse() => status == Some(UNAUTHORIZED),
        () = TimeoutFuture::new(KEEP_ALIVE_MS).fuse() => false,
    }
}

/// Sends and receives until the connection is lost.
async fn exchange_messages(
    socket: WebSocket,
    link: RwSignal<Link>,
    watched: Signal<Watched>,
    changed: &mut UnboundedReceiver<Watched>,
    take_in: impl Fn(HostEvent<JsonText>),
) {
    let (mut outgoing, incoming) = socket.split();
    let mut incoming = incoming.fuse();
    let mut wanted = watched.get_untracked();
    loop {
        let Watched { sessions, live } = wanted.clone();
        let Ok(watch) = serde_json::to_string(&PageMessage::Watch { sessions, live }) else {
            return;
        };
        // Waits for the socket to open, and fails when it does not.
        if outgoing.send(Message::Text(watch)).await.is_err() {
            return;
        }
        let mut rest = TimeoutFuture::new(KEEP_ALIVE_MS).fuse();
        loop {
            select! {
                message = incoming.next() => match message {
                    Some(Ok(Message::Text(text))) => {
                        link.set(Link::Connected);
                        if let Some(event) = decoded(&text) {
                            take_in(event);
                        }
                    }
                    Some(Ok(Message::Bytes(_))) => {}
                    Some(Err(_)) | None => return,
                },
                change = changed.next() => {
                    let Some(change) = change else { return };
                    wanted = change;
                    break;
                }
                () = rest => break,
            }
        }
    }
}

/// An event of the host. `None`, with a warning in the console, if this page does not know it.
pub(super) fn decoded<T: DeserializeOwned>(text: &str) -> Option<T> {
    JsonBytes::decode(text)
        .map_err(|error| {
            leptos::logging::warn!(
                "The host sent an event that this page does not know ({error}). Reload the page."
            );
        })
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_eight_seconds() {
        let mut link = Link::Connected;
        let mut delays = Vec::new();
        for _ in 0..8 {
            link = link.failed();
            delays.push(link.delay_ms());
        }
        assert_eq!(delays, [250, 500, 1000, 2000, 4000, 8000, 8000, 8000]);
        assert_eq!(Link::Connected.failed(), Link::Reconnecting(1));
        assert_eq!(Link::LoggedOut.failed(), Link::Reconnecting(1));
    }
}
