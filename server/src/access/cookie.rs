//! [`Cookie`]: the session cookie of a login.

use axum::http::HeaderMap;
use axum::http::header::{COOKIE, ORIGIN};
use base_path::BasePath;

use super::login_sessions::LONGEST;

/// The session cookie of one host.
///
/// Browsers share cookies between the ports of a machine, so the cookie's name contains the host's
/// port. Otherwise two hosts on one machine would log each other's users out. It is the port the
/// host listens on, even behind a proxy.
#[derive(Debug)]
pub(super) struct Cookie {
    name: String,
    path: String,
}

impl Cookie {
    /// The cookie of the host that listens on `port` and is served below `base_path`.
    pub(super) fn new(port: u16, base_path: &BasePath) -> Self {
        Self { name: format!("rehearsal_session_{port}"), path: base_path.home() }
    }

    /// The cookie's values in a request. Another page of the machine or the domain may have set a cookie of that
    /// name, which browsers send before or after ours.
    pub(super) fn contents(&self, headers: &HeaderMap) -> Vec<String> {
        let lines = headers.get_all(COOKIE).into_iter().filter_map(|line| line.to_str().ok());
        let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
        let ours = pairs.filter(|(name, _)| name.trim() == self.name);
        ours.map(|(_, value)| value.trim().to_owned()).collect()
    }

    /// Sets the cookie: `HttpOnly` and `SameSite=Lax`, and `Secure` if the page came over TLS.
    pub(super) fn set(&self, content: &str, headers: &HeaderMap) -> String {
        self.line(content, LONGEST.as_secs(), headers)
    }

    /// Deletes the cookie.
    pub(super) fn clear(&self, headers: &HeaderMap) -> String {
        self.line("", 0, headers)
    }

    fn line(&self, content: &str, seconds: u64, headers: &HeaderMap) -> String {
        let secure = if is_behind_tls(headers) { "; Secure" } else { "" };
        let Self { name, path } = self;
        format!("{name}={content}; Path={path}; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}")
    }
}

/// Whether the page came over TLS, by the request's `Origin` or a proxy's `X-Forwarded-Proto`.
fn is_behind_tls(headers: &HeaderMap) -> bool {
    let says = |name: &str, begins: &str| {
        headers.get(name).is_some_and(|value| value.as_bytes().starts_with(begins.as_bytes()))
    };
    says(ORIGIN.as_str(), "https://") || says("x-forwarded-proto", "https")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cookie_of_the_hosts_name_is_read() {
        let cookie = Cookie::new(4180, &BasePath::default());
        let mut headers = HeaderMap::new();
        let planted = "a=1; rehearsal_session_4180=planted; rehearsal_session_4180=ours";
        headers.append(COOKIE, planted.parse().expect("a header"));
        headers.append(COOKIE, "rehearsal_session_1=other".parse().expect("a header"));
        assert_eq!(cookie.contents(&headers), ["planted", "ours"]);
    }
}
