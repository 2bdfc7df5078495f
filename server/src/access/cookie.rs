//! The session's cookie.

use axum::http::HeaderMap;
use axum::http::header::{COOKIE, ORIGIN};

use super::tickets::LONGEST;

const NAME: &str = "rehearsal_session";

/// What the request's cookie holds.
pub(super) fn content(headers: &HeaderMap) -> Option<String> {
    let lines = headers.get_all(COOKIE).into_iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.find(|(name, _)| name.trim() == NAME).map(|(_, value)| value.trim().to_owned())
}

/// Sets the cookie: no script reads it, no other site's form sends it, and where the page came over
/// TLS it never travels without.
pub(super) fn set(content: &str, headers: &HeaderMap) -> String {
    attributes(content, LONGEST.as_secs(), headers)
}

/// Takes the cookie away.
pub(super) fn clear(headers: &HeaderMap) -> String {
    attributes("", 0, headers)
}

fn attributes(content: &str, seconds: u64, headers: &HeaderMap) -> String {
    let secure = if is_behind_tls(headers) { "; Secure" } else { "" };
    format!("{NAME}={content}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}")
}

/// The browser says where its page came from, and a proxy how the request came to it.
fn is_behind_tls(headers: &HeaderMap) -> bool {
    let says = |name: &str, begins: &str| {
        headers.get(name).is_some_and(|value| value.as_bytes().starts_with(begins.as_bytes()))
    };
    says(ORIGIN.as_str(), "https://") || says("x-forwarded-proto", "https")
}
