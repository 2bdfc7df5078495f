//! `/login` and `/logout`.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Extension, Form, Query, Request};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, LOCATION, RETRY_AFTER, SET_COOKIE,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;

use super::admit::percent_encoded;
use super::audit::AuditEntry;
use super::page::LoginPage;
use super::request_limit::RequestLimit;
use super::{AuthError, Authenticator};
use crate::connections::Peer;

/// The longest accepted form; a name, a password and a path are short.
const FORM_BYTES: usize = 16 * 1024;
/// How long a form may take to arrive and to be checked.
const FORM_TIMEOUT: Duration = Duration::from_secs(15);
/// The page has no script of its own and loads nothing from other hosts.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; \
     form-action 'self'; frame-ancestors 'none'",
);

/// The routes of the login page and its form. Empty when authentication is off.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(
    authenticator: Arc<Authenticator>,
) -> Router<S> {
    Router::new()
        .route("/login", get(show).post(log_in))
        .route("/logout", post(log_out))
        .layer(DefaultBodyLimit::max(FORM_BYTES))
        .layer(Extension(authenticator))
        .layer(middleware::from_fn(limit_forms))
}

/// Unauthenticated clients reach this handler, so it limits the number of concurrent forms and the
/// time for each: slow or numerous forms must not use up the host's memory or block other logins.
/// The page itself needs no limit.
async fn limit_forms(request: Request, next: Next) -> Response {
    static FORMS: LazyLock<RequestLimit> = LazyLock::new(RequestLimit::default);
    let peer = request.extensions().get::<Peer>();
    let address = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
    let permit = match request.method() {
        &Method::POST => FORMS.acquire(address),
        _ => return next.run(request).await,
    };
    let Some(_permit) = permit else {
        let message = "Too many login attempts at once. Try again in a moment.";
        return (StatusCode::SERVICE_UNAVAILABLE, message).into_response();
    };
    match tokio::time::timeout(FORM_TIMEOUT, next.run(request)).await {
        Ok(response) => response,
        Err(_) => (StatusCode::REQUEST_TIMEOUT, "The login timed out. Try again.").into_response(),
    }
}

const NO_COOKIE: &str = "The name and the password are correct, but the browser did not send the cookie of the \
    login back. Allow cookies for this address, or have the proxy pass the headers Set-Cookie and Cookie.";

#[derive(Deserialize)]
struct LoginQuery {
    #[serde(default)]
    next: String,
    /// Set where a login leads to, which goes on if the cookie comes back.
    #[serde(default)]
    accepted: bool,
}

#[derive(Deserialize)]
struct LoginForm {
    name: String,
    password: String,
    #[serde(default)]
    next: String,
}

async fn show(
    Extension(authenticator): Extension<Arc<Authenticator>>,
    headers: HeaderMap,
    Query(query): Query<LoginQuery>,
) -> Response {
    let next = local_path(&query.next);
    let cookies = authenticator.cookie.contents(&headers);
    let known = cookies.iter().find_map(|it| authenticator.login_sessions.caller(it));
    if known.is_some() || !authenticator.is_enabled() {
        return redirect(next);
    }
    let fault = query.accepted.then_some(NO_COOKIE);
    page(StatusCode::OK, &LoginPage { next, name: "", fault })
}

async fn log_in(
    Extension(authenticator): Extension<Arc<Authenticator>>,
    Extension(Peer(peer)): Extension<Peer>,
    headers: HeaderMap,
    Form(form): Form<LoginForm>,
) -> Response {
    let next = local_path(&form.next);
    let name = form.name.trim();
    match authenticator.person(peer.ip(), name, form.password).await {
        Ok(caller) => {
            let entry = AuditEntry::new("login").with("from", &peer.ip());
            authenticator.audit().write(entry, Some(&caller));
            for old in authenticator.cookie.contents(&headers) {
                authenticator.login_sessions.revoke(&old);
            }
            let content = authenticator.login_sessions.issue(caller);
            let back = format!("/login?accepted=true&next={}", percent_encoded(next));
            with_cookie(redirect(&back), &authenticator.cookie.set(&content, &headers))
        }
        Err(error) => {
            let (status, fault) = match error {
                AuthError::Unknown => {
                    (StatusCode::UNAUTHORIZED, "Incorrect name or password.".to_owned())
                }
                AuthError::TooMany(seconds) => (
                    StatusCode::TOO_MANY_REQUESTS,
                    format!("Too many attempts. Try again in {}.", minutes(seconds)),
                ),
            };
            let mut response = page(status, &LoginPage { next, name, fault: Some(&fault) });
            if let AuthError::TooMany(seconds) = error {
                response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
            }
            response
        }
    }
}

async fn log_out(
    Extension(authenticator): Extension<Arc<Authenticator>>,
    headers: HeaderMap,
) -> Response {
    for content in authenticator.cookie.contents(&headers) {
        authenticator.login_sessions.revoke(&content);
    }
    with_cookie(redirect("/login"), &authenticator.cookie.clear(&headers))
}

fn minutes(seconds: u64) -> String {
    match seconds.div_ceil(60) {
        1 => "a minute".to_owned(),
        minutes => format!("{minutes} minutes"),
    }
}

/// The path if it is on this host, otherwise `/`. A second slash, or a backslash, which browsers
/// treat as a slash, would make it the address of another host.
fn local_path(next: &str) -> &str {
    let plain = next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let is_local = next.starts_with('/') && !next.starts_with("//") && !next.starts_with("/login");
    if plain && is_local { next } else { "/" }
}

fn redirect(next: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let next = HeaderValue::from_str(next).unwrap_or(HeaderValue::from_static("/"));
    response.headers_mut().insert(LOCATION, next);
    response
}

fn with_cookie(mut response: Response, cookie: &str) -> Response {
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}

fn page(status: StatusCode, page: &LoginPage<'_>) -> Response {
    let mut response = (status, Html(page.html())).into_response();
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, POLICY);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::local_path;

    #[test]
    fn redirects_only_to_paths_of_this_host() {
        assert_eq!(local_path("/live/1?x=y#z"), "/live/1?x=y#z");
        for elsewhere in
            ["", "//evil.example", "/\\evil.example", "https://evil.example", "/a\r\nb"]
        {
            assert_eq!(local_path(elsewhere), "/", "{elsewhere:?}");
        }
        assert_eq!(local_path("/login?next=/login"), "/", "not in a circle");
    }
}
