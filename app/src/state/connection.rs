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
/// The HTTP status for a plain request to the WebSocket's address.
const NOT_A_WEBSOCKET: u16 = 400;

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
    /// The host responds, but WebSockets do not reach it.
    Blocked,
}

impl Link {
    /// The state after one more failed attempt.
    #[must_use]
    pub fn failed(self) -> Self {
        match self {
            Self::Connecting | Self::Connected | Self::LoggedOut | Self::Blocked => {
                Self::Reconnecting(1)
            }
            Self::Reconnecting(attempts) => Self::Reconnecting(attempts.saturating_add(1)),
        }
    }

    /// The state after a failed attempt and a plain request to the same address, which the host responded to with
    /// `status`.
    #[must_use]
    fn failed_with(self, status: Option<u16>) -> Self {
        match (status, self) {
            (Some(UNAUTHORIZED), _) => Self::LoggedOut,
            // Once may be a host that was starting.
            (Some(NOT_A_WEBSOCKET), Self::Reconnecting(2..) | Self::Blocked) => Self::Blocked,
            _ => self.failed(),
        }
    }

    /// The delay before the next attempt, in milliseconds: 0.25 s, doubling up to 8 s. Without a
    /// login it is 2 s, because the person may be logging in in another tab.
    #[must_use]
    pub fn delay_ms(self) -> u32 {
        match self {
            Self::Connecting | Self::Connected => 0,
            Self::LoggedOut | Self::Blocked => 2_000,
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
            Self::Blocked => "no news from the host: a proxy must pass WebSockets on",
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
        let status = plain_status().await;
        link.update(|link| *link = link.failed_with(status));
        TimeoutFuture::new(link.get_untracked().delay_ms()).await;
    }
}

/// The status of a plain request to the same address, because browsers hide why a WebSocket was rejected.
async fn plain_status() -> Option<u16> {
    select! {
        status = browser::status_of(EVENTS_PATH).fuse() => status,
        () = TimeoutFuture::new(KEEP_ALIVE_MS).fuse() => None,
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

    #[test]
    fn a_host_that_responds_to_plain_requests_only_is_behind_a_proxy() {
        let mut link = Link::Connected;
        let mut links = Vec::new();
        for status in [Some(400), None, Some(400), Some(400), None, Some(401)] {
            link = link.failed_with(status);
            links.push(link);
        }
        let (first, second) = (Link::Reconnecting(1), Link::Reconnecting(2));
        let blocked = Link::Blocked;
        assert_eq!(links, [first, second, blocked, blocked, first, Link::LoggedOut]);
    }
}
