//! [`Cookie`]: what a browser shows of a login.

use axum::http::HeaderMap;
use axum::http::header::{COOKIE, ORIGIN};

use super::login_sessions::LONGEST;

/// The cookie of one host.
///
/// A browser keeps the cookies of a machine's ports together, so that the host's port is in the name:
/// two hosts on one machine would otherwise log each other's people out. It is the port that the host
/// listens on, whatever a proxy makes of it.
#[derive(Debug)]
pub(super) struct Cookie {
    name: String,
}

impl Cookie {
    /// That of the host which listens on this port.
    pub(super) fn of_port(port: u16) -> Self {
        Self { name: format!("rehearsal_session_{port}") }
    }

    /// What the request's cookie holds.
    pub(super) fn content(&self, headers: &HeaderMap) -> Option<String> {
        let lines = headers.get_all(COOKIE).into_iter().filter_map(|line| line.to_str().ok());
        let mut pairs =
            lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
        pairs.find(|(name, _)| name.trim() == self.name).map(|(_, value)| value.trim().to_owned())
    }

    /// Sets the cookie: no script reads it, no other site's form sends it, and where the page came
    /// over TLS it never travels without.
    pub(super) fn set(&self, content: &str, headers: &HeaderMap) -> String {
        self.line(content, LONGEST.as_secs(), headers)
    }

    /// Takes the cookie away.
    pub(super) fn clear(&self, headers: &HeaderMap) -> String {
        self.line("", 0, headers)
    }

    fn line(&self, content: &str, seconds: u64, headers: &HeaderMap) -> String {
        let secure = if is_behind_tls(headers) { "; Secure" } else { "" };
        let name = &self.name;
        format!("{name}={content}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}")
    }
}

/// The browser says where its page came from, and a proxy how the request came to it.
fn is_behind_tls(headers: &HeaderMap) -> bool {
    let says = |name: &str, begins: &str| {
        headers.get(name).is_some_and(|value| value.as_bytes().starts_with(begins.as_bytes()))
    };
    says(ORIGIN.as_str(), "https://") || says("x-forwarded-proto", "https")
}
