//! [`admit`]: the middleware that rejects unauthenticated requests when access is configured.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use model_wire::{ApiFault, FaultKind};

use super::audit::{REQUEST, RequestContext};
use super::caller::{Caller, How};
use super::rules::Rule;
use super::{AuthError, Authenticator, LoginLifetime, login_bound};
use crate::connections::Peer;
use crate::response_limit::ToStranger;
use crate::vendors::{Api, refusal};

/// The paths that need no login: the login page, its assets and the logout.
const OPEN: [&str; 5] = ["/login", "/logout", "/pkg/rehearsal.css", "/theme.js", "/favicon.svg"];

/// Adds the [`Caller`] to the request, or rejects the request in the protocol it uses.
pub(crate) async fn admit(
    State(authenticator): State<Arc<Authenticator>>,
    mut request: Request,
    next: Next,
) -> Response {
    let mut context = RequestContext { audit: authenticator.audit(), ..RequestContext::default() };
    let mut login = None;
    if authenticator.is_enabled() && !OPEN.contains(&request.uri().path()) {
        match authenticator.caller(Credentials::by(&request, &authenticator)).await {
            Ok((caller, lifetime)) => {
                request.extensions_mut().insert(caller.clone());
                if caller.how == How::Token {
                    let Some(rule) = Rule::of(&request) else { return people_only() };
                    context.token_scope = Some(authenticator.token_scope(&caller, rule));
                }
                request.extensions_mut().insert(lifetime.clone());
                login = Some(lifetime);
                context.caller = Some(caller);
            }
            Err(error) => {
                let mut response = reject(&request, error);
                response.extensions_mut().insert(ToStranger);
                return response;
            }
        }
    }
    let response = REQUEST.scope(context, next.run(request)).await;
    match login {
        Some(lifetime) => login_bound::bound_to_login(lifetime, response),
        None => response,
    }
}

/// The error for a token that requests what only people may use: pages and their requests run the host's
/// tools, change its files and read all sessions.
fn people_only() -> Response {
    let message = "a token authorizes gRPC and the model endpoints only. Log in with a browser to use the \
                   pages";
    (StatusCode::FORBIDDEN, message).into_response()
}

/// The credentials and the client address of a request.
struct Credentials {
    cookies: Vec<String>,
    token: Option<String>,
    peer: IpAddr,
}

impl Credentials {
    fn by(request: &Request, authenticator: &Authenticator) -> Self {
        let peer = request.extensions().get::<Peer>();
        Self {
            cookies: authenticator.cookie.contents(request.headers()),
            token: token(request.headers(), request.uri()),
            peer: peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip()),
        }
    }
}

impl Authenticator {
    /// The caller, and how long the login or the token lasts.
    async fn caller(
        self: &Arc<Self>,
        credentials: Credentials,
    ) -> Result<(Caller, LoginLifetime), AuthError> {
        let logged_in = credentials.cookies.iter().find_map(|it| self.login_sessions.caller(it));
        if let Some((caller, lifetime)) = logged_in {
            return Ok((caller, lifetime));
        }
        let Some(token) = credentials.token else { return Err(AuthError::Unknown) };
        self.token(credentials.peer, &token).await
    }
}

/// The token, read from the header in which each vendor's client sends its key.
fn token(headers: &HeaderMap, uri: &Uri) -> Option<String> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let bearer = text(AUTHORIZATION.as_str()).and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
    });
    // pip sends what is before `@` in an address: the password is the token.
    let basic = || {
        let (scheme, encoded) = text(AUTHORIZATION.as_str())?.split_once(' ')?;
        let decoded =
            scheme.eq_ignore_ascii_case("basic").then(|| BASE64.decode(encoded.trim()))?;
        let pair = String::from_utf8(decoded.ok()?).ok()?;
        Some(pair.split_once(':')?.1.to_owned())
    };
    let query = || {
        Api::of_path(uri.path())?;
        uri.query()?.split('&').find_map(|pair| pair.strip_prefix("key="))
    };
    let token = bearer.or_else(|| text("x-api-key")).or_else(|| text("x-goog-api-key"));
    let token = token.or_else(query).map(str::to_owned).or_else(basic);
    token.filter(|token| !token.is_empty())
}

/// The response to an unauthenticated request.
fn reject(request: &Request, error: AuthError) -> Response {
    let path = request.uri().path();
    let message = match error {
        AuthError::Unknown => {
            "authentication required: send a token as the API key or as `Authorization: Bearer` \
             (`rehearsal token add NAME` creates one), or log in with a browser"
                .to_owned()
        }
        AuthError::TooMany(seconds) => {
            format!("too many failed attempts: try again in {seconds} s")
        }
    };
    let mut response = if is_grpc(request) {
        let code = match error {
            AuthError::Unknown => tonic::Code::Unauthenticated,
            AuthError::TooMany(_) => tonic::Code::ResourceExhausted,
        };
        let mut response = tonic::Status::new(code, message).into_http();
        if let Some(kind) = request.headers().get(CONTENT_TYPE) {
            response.headers_mut().insert(CONTENT_TYPE, kind.clone());
        }
        return response;
    } else if let Some(api) = Api::of_path(path) {
        let kind = match error {
            AuthError::Unknown => FaultKind::Unauthenticated,
            AuthError::TooMany(_) => FaultKind::TooMany,
        };
        refusal(api, &ApiFault::new(kind, message))
    } else if is_navigation(request) {
        let next = request.uri().path_and_query().map_or("/", |it| it.as_str());
        let login = format!("/login?next={}", percent_encoded(next));
        let mut response = StatusCode::SEE_OTHER.into_response();
        if let Ok(login) = HeaderValue::from_str(&login) {
            response.headers_mut().insert(LOCATION, login);
        }
        return response;
    } else {
        let status = match error {
            AuthError::Unknown => StatusCode::UNAUTHORIZED,
            AuthError::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
        };
        (status, message).into_response()
    };
    match error {
        AuthError::Unknown => {
            let scheme = HeaderValue::from_static("Bearer realm=\"rehearsal\"");
            response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
        }
        AuthError::TooMany(seconds) => {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
    }
    response
}

fn is_grpc(request: &Request) -> bool {
    let kind = request.headers().get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc"))
}

/// Whether this is a navigation, rather than a fetch by a page.
fn is_navigation(request: &Request) -> bool {
    let accepts = request.headers().get(ACCEPT).and_then(|accept| accept.to_str().ok());
    request.method() == Method::GET && accepts.is_some_and(|accept| accept.contains("text/html"))
}

pub(super) fn percent_encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
