//! Rejects requests that foreign web pages send.
//!
//! A name that an attacker controls can be made to resolve to 127.0.0.1 (DNS rebinding), and any
//! web page can send requests to loopback. So the `Host` (or HTTP/2 `:authority`) must name this
//! machine, and an `Origin` must be our own.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::connections::Peer;
use crate::replaceable::Replaceable;

/// The header in which proxies list client addresses, the nearest last.
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The accepted names and origins.
#[derive(Debug, Clone, Default)]
pub(crate) struct OriginPolicy {
    port: u16,
    origins: Vec<String>,
    /// Proxies whose `X-Forwarded-For` is trusted.
    proxies: Vec<IpAddr>,
    /// Whether authentication is on, so that other machines may connect.
    authenticates: bool,
}

impl OriginPolicy {
    /// Also accepts this origin.
    pub(crate) fn allow_origin(&mut self, origin: &str) {
        self.origins.push(origin.trim_end_matches('/').to_owned());
    }

    /// Trusts the `X-Forwarded-For` of this proxy.
    pub(crate) fn trust_proxy(&mut self, address: IpAddr) {
        self.proxies.push(address.to_canonical());
    }

    pub(crate) fn at(mut self, address: SocketAddr) -> Self {
        self.port = address.port();
        self
    }

    /// Also accepts numeric addresses other than loopback. DNS rebinding works with names only.
    pub(crate) fn with_authentication(mut self, authenticates: bool) -> Self {
        self.authenticates = authenticates;
        self
    }

    fn knows_authority(&self, authority: &str) -> bool {
        let Ok(authority) = authority.parse::<axum::http::uri::Authority>() else { return false };
        let port = authority.port_u16().unwrap_or(80);
        if port != self.port || authority.as_str().contains('@') {
            return self.origins.iter().any(|origin| {
                origin.split_once("://").is_some_and(|(_, known)| known == authority.as_str())
            });
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        host.eq_ignore_ascii_case("localhost")
            || host
                .parse::<IpAddr>()
                .is_ok_and(|address| self.authenticates || address.is_loopback())
    }

    /// The own origin is the address that this request was sent to, which a foreign page's never
    /// is. Any other must be configured, including its scheme.
    fn knows_origin(&self, origin: &str, host: &str) -> bool {
        self.origins.iter().any(|known| known == origin)
            || self.knows_authority(host)
                && origin.strip_prefix("http://").is_some_and(|own| own.eq_ignore_ascii_case(host))
    }

    /// The client's address: from a trusted proxy's header, otherwise the connection's.
    fn peer(&self, connected: SocketAddr, headers: &HeaderMap) -> SocketAddr {
        let mut from = connected;
        let lines = headers.get_all(FORWARDED_FOR).iter().rev().filter_map(|it| it.to_str().ok());
        // The last address was seen by the nearest proxy; the ones before it cannot be trusted.
        let mut addresses = lines.flat_map(|line| line.rsplit(','));
        while self.proxies.contains(&from.ip().to_canonical()) {
            let Some(address) = addresses.next().and_then(|it| it.trim().parse::<IpAddr>().ok())
            else {
                break;
            };
            from = SocketAddr::new(address, 0);
        }
        from
    }

    /// Whether a development server on this machine may have forwarded the request: Trunk leaves
    /// the port out of `Host`. Only if another origin is configured, and never for the origin
    /// itself. A numeric address is safe from DNS rebinding.
    fn comes_through_a_proxy(&self, host: &str) -> bool {
        !self.origins.is_empty() && host.parse::<IpAddr>().is_ok_and(|it| it.is_loopback())
    }

    fn refusal(&self, request: &Request) -> Option<String> {
        let named =
            request.headers().get_all(HOST).iter().map(|it| it.to_str().unwrap_or_default());
        let named: Vec<&str> =
            named.chain(request.uri().authority().map(|authority| authority.as_str())).collect();
        let host = match &named[..] {
            [] => "",
            [host] => host,
            // HTTP/2 and absolute addresses name the host beside the header.
            [host, authority] if host == authority && request.uri().authority().is_some() => host,
            _ => return Some("Rejected: the request names more than one host.".to_owned()),
        };
        if !self.knows_authority(host) && !self.comes_through_a_proxy(host) {
            return Some(format!(
                "Rejected: the host name {host:?} is not allowed. Open http://127.0.0.1:{}{}.",
                self.port,
                if self.authenticates {
                    ", or add its origin to [security] allowed_origins in rehearsal.toml"
                } else {
                    ""
                }
            ));
        }
        let origins = request.headers().get_all(ORIGIN).iter();
        let mut origins = origins.map(|origin| origin.to_str().unwrap_or_default());
        let origin = origins.find(|origin| !self.knows_origin(origin, host))?;
        Some(format!(
            "Rejected: the origin {origin:?} is not allowed. Add it to [security] allowed_origins in \
             rehearsal.toml."
        ))
    }
}

/// Rejects foreign requests before any other middleware.
pub(crate) async fn guard(
    State(policy): State<Replaceable<OriginPolicy>>,
    mut request: Request,
    next: Next,
) -> Response {
    let origins = policy.get();
    if let Some(&Peer(connected)) = request.extensions().get() {
        let peer = origins.peer(connected, request.headers());
        request.extensions_mut().insert(Peer(peer));
    }
    match origins.refusal(&request) {
        Some(refusal) => (StatusCode::FORBIDDEN, refusal).into_response(),
        None => {
            let mut response = next.run(request).await;
            for (name, value) in ALWAYS {
                response.headers_mut().insert(name, HeaderValue::from_static(value));
            }
            // The client's own files say that they may be stored. Anything else is private.
            let stored = response.headers_mut().entry(CACHE_CONTROL);
            stored.or_insert(HeaderValue::from_static("no-store"));
            response
        }
    }
}

const ALWAYS: [(HeaderName, &str); 4] = [
    (HeaderName::from_static("x-content-type-options"), "nosniff"),
    // Not `no-referrer`: browsers would then send the login form with the origin `null`.
    (HeaderName::from_static("referrer-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// The Content-Security-Policy of a page with this nonce in its inline scripts. In development the
/// page may also connect to the reload port of this machine.
pub(crate) fn content_security_policy(nonce: &str, reload_port: Option<u32>) -> String {
    let reload = reload_port.map_or_else(String::new, |port| format!(" ws://127.0.0.1:{port}"));
    format!(
        "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; \
         style-src 'self'; img-src 'self' data:; media-src 'self' data:; font-src 'self'; connect-src 'self'{reload}; \
         base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origins() -> OriginPolicy {
        let mut origins = OriginPolicy::default().at(SocketAddr::from(([127, 0, 0, 1], 4180)));
        origins.allow_origin("http://127.0.0.1:8080/");
        origins
    }

    fn refused(host: &str, origin: Option<&str>) -> bool {
        let mut request = Request::builder().uri("/").header(HOST, host);
        if let Some(origin) = origin {
            request = request.header(ORIGIN, origin);
        }
        origins().refusal(&request.body(axum::body::Body::empty()).expect("builds")).is_some()
    }

    #[test]
    fn accepts_its_own_names() {
        assert!(!refused("127.0.0.1:4180", None));
        assert!(!refused("localhost:4180", Some("http://localhost:4180")));
        assert!(!refused("[::1]:4180", Some("http://[::1]:4180")));
        assert!(!refused("127.0.0.1:4180", Some("http://127.0.0.1:8080")));
        assert!(!refused("127.0.0.1:8080", Some("http://127.0.0.1:8080")));
    }

    #[test]
    fn checks_every_origin_that_a_request_has() {
        let request = Request::builder().uri("/").header(HOST, "127.0.0.1:4180");
        let request = request.header(ORIGIN, "http://127.0.0.1:8080");
        let request = request.header(ORIGIN, "http://evil.example");
        let refusal = origins().refusal(&request.body(axum::body::Body::empty()).expect("builds"));
        assert!(refusal.is_some_and(|refusal| refusal.contains("http://evil.example")));
    }

    #[test]
    fn accepts_a_development_server_that_omits_the_port() {
        assert!(!refused("127.0.0.1", Some("http://127.0.0.1:8080")));
        assert!(refused("127.0.0.1", Some("http://127.0.0.1")), "another local page");
        assert!(refused("localhost.evil.example", Some("http://127.0.0.1:8080")));
        let alone = OriginPolicy::default().at(SocketAddr::from(([127, 0, 0, 1], 4180)));
        let request = Request::builder().uri("/").header(HOST, "127.0.0.1");
        let request = request.body(axum::body::Body::empty()).expect("builds");
        assert!(alone.refusal(&request).is_some(), "no other origin is configured");
    }

    #[test]
    fn accepts_numeric_addresses_with_authentication() {
        let mut origins = OriginPolicy::default()
            .at(SocketAddr::from(([0, 0, 0, 0], 4180)))
            .with_authentication(true);
        origins.allow_origin("https://rehearsal.example");
        let refused = |host: &str| {
            let request = Request::builder().uri("/").header(HOST, host);
            origins.refusal(&request.body(axum::body::Body::empty()).expect("builds")).is_some()
        };
        assert!(!refused("192.168.1.20:4180"));
        assert!(!refused("rehearsal.example"), "behind a proxy that speaks TLS");
        assert!(refused("evil.example:4180"));
    }

    #[test]
    fn compares_origins_by_scheme_name_and_port() {
        let mut origins = OriginPolicy::default()
            .at(SocketAddr::from(([0, 0, 0, 0], 4180)))
            .with_authentication(true);
        origins.allow_origin("https://rehearsal.example");
        let refused = |host: &str, origin: &str| {
            let request = Request::builder().uri("/").header(HOST, host).header(ORIGIN, origin);
            origins.refusal(&request.body(axum::body::Body::empty()).expect("builds")).is_some()
        };
        assert!(!refused("192.168.1.20:4180", "http://192.168.1.20:4180"));
        assert!(!refused("rehearsal.example", "https://rehearsal.example"));
        assert!(refused("rehearsal.example", "https://rehearsal.example:4180"));
        assert!(refused("192.168.1.20:4180", "http://198.51.100.7:4180"), "another machine's page");
        assert!(refused("192.168.1.20:4180", "http://rehearsal.example"), "not over TLS");
    }

    #[test]
    fn reads_client_addresses_from_trusted_proxies_only() {
        let mut origins = OriginPolicy::default();
        origins.trust_proxy(IpAddr::from([10, 0, 0, 1]));
        let peer = |connected: [u8; 4], addresses: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for line in addresses {
                headers.append(FORWARDED_FOR, HeaderValue::from_static(line));
            }
            origins.peer(SocketAddr::from((connected, 9)), &headers).ip().to_string()
        };
        assert_eq!(peer([10, 0, 0, 1], &["203.0.113.5"]), "203.0.113.5");
        assert_eq!(peer([10, 0, 0, 1], &["1.1.1.1", "2.2.2.2, 203.0.113.5"]), "203.0.113.5");
        assert_eq!(peer([10, 0, 0, 1], &["203.0.113.5, 10.0.0.1"]), "203.0.113.5", "two proxies");
        assert_eq!(peer([10, 0, 0, 1], &["nonsense"]), "10.0.0.1");
        assert_eq!(peer([10, 0, 0, 1], &[]), "10.0.0.1");
        assert_eq!(
            peer([198, 51, 100, 7], &["203.0.113.5"]),
            "198.51.100.7",
            "not a trusted proxy"
        );
    }

    #[test]
    fn rejects_a_request_that_names_two_hosts() {
        let own = "127.0.0.1:4180";
        let refused = |uri: &str, hosts: &[&str]| {
            let request = Request::builder().uri(uri);
            let request = hosts.iter().fold(request, |request, host| request.header(HOST, *host));
            origins().refusal(&request.body(axum::body::Body::empty()).expect("builds")).is_some()
        };
        for hosts in [&[own, "evil.example"][..], &["evil.example", own], &[own, own]] {
            assert!(refused("/", hosts), "{hosts:?}");
        }
        assert!(refused("http://evil.example/", &[own]));
        assert!(refused(&format!("http://{own}/"), &["evil.example"]));
        assert!(!refused(&format!("http://{own}/"), &[own]));
        assert!(!refused(&format!("http://{own}/"), &[]), "HTTP/2");
    }

    #[test]
    fn rejects_foreign_names_and_origins() {
        assert!(refused("evil.example:4180", None), "a rebound name");
        assert!(refused("evil.example", None));
        assert!(refused("", None));
        assert!(refused("127.0.0.1:4180", Some("https://evil.example")));
        assert!(refused("127.0.0.1:4180", Some("null")), "a sandboxed frame");
        assert!(refused("127.0.0.1:4180", Some("http://127.0.0.1:9999")), "another local page");
        assert!(refused("evil@127.0.0.1:4180", None));
        assert!(refused("localhost.evil.example:4180", None));
    }
}
