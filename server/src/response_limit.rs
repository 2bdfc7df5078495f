//! [`ResponseLimit`]: bounds what the host holds for a connection whose client does not read its responses.
//!
//! A stream of HTTP/2 holds a page or a file, or what they are made of, until the client has room for them.
//! Over HTTP/1.1 a connection has one response at a time.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{Method, Request};
use axum::response::Response;
use base_path::BasePath;
use h2::Reason;
use hyper::body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::vendors::Api;

/// The most responses of a connection at once, without those that wait for a person.
const AT_ONCE: usize = 32;
/// The calls of gRPC. Each has small responses, or is a stream that takes them from the disk in batches.
const GRPC: &str = "/rehearsal.v1.LiveService/";
/// The one whose response is long.
const LIST: &str = "/rehearsal.v1.LiveService/ListSessions";

/// The responses of one connection.
#[derive(Clone)]
pub(crate) struct ResponseLimit {
    base_path: BasePath,
    permits: Arc<Semaphore>,
}

/// The permission to respond, held until the response is sent or its stream ends.
pub(crate) struct ResponsePermit {
    permits: Arc<Semaphore>,
    /// None for a response that may wait for a person.
    held: Option<OwnedSemaphorePermit>,
}

/// Marks the response to somebody without a login and a token, who waits for no person whatever was requested.
#[derive(Clone, Copy)]
pub(crate) struct ToStranger;

impl ResponseLimit {
    pub(crate) fn new(base_path: BasePath) -> Self {
        Self { base_path, permits: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// A permit for the response to `request`.
    ///
    /// # Errors
    /// `REFUSED_STREAM`, after which clients send the request again: nothing was done for it.
    pub(crate) fn permit<B>(&self, request: &Request<B>) -> Result<ResponsePermit, h2::Error> {
        let path = request.uri().path();
        let path = path.strip_prefix(self.base_path.as_str()).unwrap_or(path);
        let permits = Arc::clone(&self.permits);
        let held = if waits(request.method(), path) { None } else { Some(acquired(&permits)?) };
        Ok(ResponsePermit { permits, held })
    }
}

fn acquired(permits: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, h2::Error> {
    Arc::clone(permits).try_acquire_owned().map_err(|_| Reason::REFUSED_STREAM.into())
}

/// Whether the request may wait for a person: agents keep thousands of these open.
fn waits(method: &Method, path: &str) -> bool {
    let is_to_model = method == Method::POST && Api::of_path(path).is_some();
    is_to_model || path.starts_with(GRPC) && path != LIST
}

impl ResponsePermit {
    /// The response, which holds the permit.
    ///
    /// # Errors
    /// `REFUSED_STREAM` for a stranger who requested to wait, as [`ResponseLimit::permit`] has it for others.
    pub(crate) fn held_by(self, response: Response) -> Result<Response, h2::Error> {
        if response.body().is_end_stream() {
            return Ok(response);
        }
        let permit = match self.held {
            Some(permit) => permit,
            None if response.extensions().get::<ToStranger>().is_some() => acquired(&self.permits)?,
            None => return Ok(response),
        };
        Ok(response.map(|body| Body::new(PermittedBody { body, _permit: permit })))
    }
}

struct PermittedBody {
    body: Body,
    _permit: OwnedSemaphorePermit,
}

impl HttpBody for PermittedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: Method, path: &str) -> Request<()> {
        Request::builder().method(method).uri(path).body(()).expect("valid")
    }

    #[test]
    fn a_response_holds_its_permit_until_it_is_sent() {
        let limit = ResponseLimit::new("/team".parse().expect("a path"));
        let page = request(Method::GET, "/team/agents");
        let permit =
            || limit.permit(&page).and_then(|permit| permit.held_by(Response::new("x".into())));
        let mut held: Vec<_> = (0..AT_ONCE).map(|_| permit().expect("free")).collect();
        assert_eq!(permit().expect_err("refused").reason(), Some(Reason::REFUSED_STREAM));
        held.pop();
        held.push(permit().expect("free again"));
        let waiting = [
            (Method::POST, "/team/v1/chat/completions"),
            (Method::POST, "/team/s/demo/v1beta/models/m:generateContent"),
            (Method::POST, "/team/rehearsal.v1.LiveService/AwaitDecision"),
        ];
        for (method, path) in waiting {
            let permit = || limit.permit(&request(method.clone(), path)).expect("waits");
            assert!(permit().held_by(Response::new("x".into())).is_ok(), "{path}");
            let mut rejected = Response::new("x".into());
            rejected.extensions_mut().insert(ToStranger);
            assert!(permit().held_by(rejected).is_err(), "{path}");
        }
        let list = format!("/team{LIST}");
        for (method, path) in [(Method::GET, "/team/v1/models"), (Method::POST, list.as_str())] {
            assert!(limit.permit(&request(method, path)).is_err(), "{path}");
        }
    }

    #[test]
    fn an_empty_response_holds_no_permit() {
        let limit = ResponseLimit::new(BasePath::default());
        let page = request(Method::GET, "/");
        let responses: Vec<_> = (0..AT_ONCE + 1)
            .map(|_| limit.permit(&page).expect("free").held_by(Response::new(Body::empty())))
            .map(|response| response.expect("held"))
            .collect();
        assert_eq!(responses.len(), AT_ONCE + 1);
    }
}
