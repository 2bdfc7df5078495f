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
use model_wire::{ApiFault, FaultKind};

use super::audit::{VISIT, Visit};
use super::caller::Caller;
use super::{Authenticator, LoginLifetime, Refused, cut_off};
use crate::connections::Peer;
use crate::vendors::{Api, refusal};

/// The paths that need no login: the login page, its assets and the logout.
const OPEN: [&str; 5] = ["/login", "/logout", "/pkg/rehearsal.css", "/theme.js", "/favicon.svg"];

/// Adds the [`Caller`] to the request, or rejects the request in the protocol it uses.
pub(crate) async fn admit(
    State(authenticator): State<Arc<Authenticator>>,
    mut request: Request,
    next: Next,
) -> Response {
    let mut visit = Visit { audit: authenticator.audit.clone(), caller: None };
    let mut login = None;
    if authenticator.is_asked() && !OPEN.contains(&request.uri().path()) {
        match authenticator.caller(Shown::by(&request, &authenticator)).await {
            Ok((caller, lifetime)) => {
                request.extensions_mut().insert(caller.clone());
                if lifetime.is_none() && is_the_pages(&request) {
                    return people_only();
                }
                if let Some(lifetime) = &lifetime {
                    request.extensions_mut().insert(lifetime.clone());
                }
                login = lifetime;
                visit.caller = Some(caller);
            }
            Err(refused) => return turned_away(&request, refused),
        }
    }
    let response = VISIT.scope(visit, next.run(request)).await;
    match login {
        Some(lifetime) => cut_off::response(lifetime, response),
        None => response,
    }
}

/// Whether only people may send this request: pages and their requests run the host's tools, change
/// its files and read all sessions. Anything else is a request to a model endpoint.
fn is_the_pages(request: &Request) -> bool {
    let path = request.uri().path();
    let is_programs = path.starts_with("/rehearsal.v1.") || Api::of_path(path).is_some();
    path.starts_with("/api/") || request.method() != Method::POST && !is_programs
}

/// The error for a token that requests what only people may use.
fn people_only() -> Response {
    let message = "a token authorizes gRPC and the model endpoints only. Log in at /login to use the \
                   pages";
    (StatusCode::FORBIDDEN, message).into_response()
}

/// The credentials and the client address of a request.
struct Shown {
    cookie: Option<String>,
    token: Option<String>,
    peer: IpAddr,
}

impl Shown {
    fn by(request: &Request, authenticator: &Authenticator) -> Self {
        let peer = request.extensions().get::<Peer>();
        Self {
            cookie: authenticator.cookie.content(request.headers()),
            token: token(request.headers(), request.uri()),
            peer: peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip()),
        }
    }
}

impl Authenticator {
    /// The caller, and for a person the lifetime of the login; a token does not expire.
    async fn caller(
        self: &Arc<Self>,
        shown: Shown,
    ) -> Result<(Caller, Option<LoginLifetime>), Refused> {
        if let Some((caller, lifetime)) =
            shown.cookie.and_then(|it| self.login_sessions.caller(&it))
        {
            return Ok((caller, Some(lifetime)));
        }
        let Some(token) = shown.token else { return Err(Refused::Unknown) };
        self.token(shown.peer, &token).await.map(|caller| (caller, None))
    }
}

/// The token, read from the header in which each vendor's client sends its key.
fn token(headers: &HeaderMap, uri: &Uri) -> Option<String> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let bearer = text(AUTHORIZATION.as_str()).and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
    });
    let query = || {
        Api::of_path(uri.path())?;
        uri.query()?.split('&').find_map(|pair| pair.strip_prefix("key="))
    };
    let token = bearer.or_else(|| text("x-api-key")).or_else(|| text("x-goog-api-key"));
    token.or_else(query).filter(|token| !token.is_empty()).map(str::to_owned)
}

/// The response to an unauthenticated request.
fn turned_away(request: &Request, refused: Refused) -> Response {
    let path = request.uri().path();
    let message = match refused {
        Refused::Unknown => {
            "this host asks who you are: send a token of its rehearsal.toml as the API key or as \
             `Authorization: Bearer` (`rehearsal token add NAME` makes one), or log in at /login"
                .to_owned()
        }
        Refused::TooMany(seconds) => {
            format!("too many attempts with a wrong token: try again in {seconds} s")
        }
    };
    let mut response = if is_grpc(request) {
        let code = match refused {
            Refused::Unknown => tonic::Code::Unauthenticated,
            Refused::TooMany(_) => tonic::Code::ResourceExhausted,
        };
        let mut response = tonic::Status::new(code, message).into_http();
        if let Some(kind) = request.headers().get(CONTENT_TYPE) {
            response.headers_mut().insert(CONTENT_TYPE, kind.clone());
        }
        return response;
    } else if let Some(api) = Api::of_path(path) {
        let kind = match refused {
            Refused::Unknown => FaultKind::Unauthenticated,
            Refused::TooMany(_) => FaultKind::TooMany,
        };
        refusal(api, &ApiFault::new(kind, message))
    } else if wants_a_page(request) {
        let next = request.uri().path_and_query().map_or("/", |it| it.as_str());
        let login = format!("/login?next={}", in_query(next));
        let mut response = StatusCode::SEE_OTHER.into_response();
        if let Ok(login) = HeaderValue::from_str(&login) {
            response.headers_mut().insert(LOCATION, login);
        }
        return response;
    } else {
        let status = match refused {
            Refused::Unknown => StatusCode::UNAUTHORIZED,
            Refused::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
        };
        (status, message).into_response()
    };
    match refused {
        Refused::Unknown => {
            let scheme = HeaderValue::from_static("Bearer realm=\"rehearsal\"");
            response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
        }
        Refused::TooMany(seconds) => {
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
fn wants_a_page(request: &Request) -> bool {
    let accepts = request.headers().get(ACCEPT).and_then(|accept| accept.to_str().ok());
    request.method() == Method::GET && accepts.is_some_and(|accept| accept.contains("text/html"))
}

fn in_query(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
