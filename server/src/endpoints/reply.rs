//! How a response is sent: as one body, or as a stream with keep-alives until the response comes.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use futures::future::BoxFuture;
use futures::stream::{StreamExt as _, unfold};
use live::Content;
use model_wire::{ApiFault, FaultKind, ModelResponse, ResponseHead};

use super::waiting_clients::WaitingClient;
use super::waiting_request::WaitingRequest;
use crate::vendors::Api;

/// Keeps nginx from buffering the stream, keep-alives included.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Waits and sends the whole response.
pub(super) async fn whole(api: Api, waiting: WaitingRequest) -> Result<Response, ApiFault> {
    let WaitingRequest { head, mut client, turn } = waiting;
    let candidates = turn.outcome().await.inspect_err(|fault| {
        // The status code reports a canceled turn. Any other fault leaves the turn to a retry.
        if fault.kind == FaultKind::Cancelled {
            client.delivered();
        }
    })?;
    let answer = ModelResponse { head: &head, candidates: &candidates };
    let bytes = Bytes::from(api.whole(&answer).as_str().to_owned());
    // A reader that polls past the bytes has taken them; the compression layer polls once more at
    // the end.
    let body = unfold((Some(bytes), client), |(bytes, mut client)| async move {
        match bytes {
            Some(bytes) => Some((Ok::<_, Infallible>(bytes), (None, client))),
            None => {
                client.delivered();
                None
            }
        }
    });
    Ok(response(Body::from_stream(body.fuse()), "application/json"))
}

/// Starts the stream at once and sends the response when it comes.
pub(super) fn stream(api: Api, waiting: WaitingRequest, keep_alive: Duration) -> Response {
    let WaitingRequest { head, client, turn } = waiting;
    let outcome: BoxFuture<'static, _> = Box::pin(turn.outcome());
    let phase = Phase::Opening;
    let stream = ReplyStream { api, head, client, outcome, keep_alive, phase, has_ended: true };
    let body = Body::from_stream(unfold(stream, ReplyStream::next).fuse());
    let mut response = response(body, api.stream_type());
    response.headers_mut().insert(BUFFERING, HeaderValue::from_static("no"));
    response
}

struct ReplyStream {
    api: Api,
    head: ResponseHead,
    client: WaitingClient,
    outcome: BoxFuture<'static, Result<Vec<Content>, ApiFault>>,
    keep_alive: Duration,
    phase: Phase,
    /// Whether the stream ends with the turn: after any other fault, a retry continues to wait.
    has_ended: bool,
}

enum Phase {
    Opening,
    Waiting,
    /// The stream is complete.
    Delivered,
    /// A fault was sent to a client that would otherwise read it as a response.
    Aborted,
}

impl ReplyStream {
    async fn next(mut self) -> Option<(io::Result<Bytes>, Self)> {
        let text = match self.phase {
            Phase::Opening => {
                self.phase = Phase::Waiting;
                self.api.opening(&self.head)
            }
            Phase::Waiting => tokio::select! {
                biased;
                outcome = &mut self.outcome => self.ending(outcome),
                () = tokio::time::sleep(self.keep_alive) => self.api.keep_alive(),
            },
            Phase::Delivered => {
                self.report_delivery();
                return None;
            }
            Phase::Aborted => {
                self.report_delivery();
                self.phase = Phase::Delivered;
                return Some((Err(io::Error::other("the turn has no response")), self));
            }
        };
        Some((Ok(Bytes::from(text)), self))
    }

    fn report_delivery(&mut self) {
        if self.has_ended {
            self.client.delivered();
        }
    }

    fn ending(&mut self, outcome: Result<Vec<Content>, ApiFault>) -> String {
        self.phase = Phase::Delivered;
        match outcome {
            Ok(candidates) => {
                self.api.rest(&ModelResponse { head: &self.head, candidates: &candidates })
            }
            Err(fault) => {
                self.has_ended = fault.kind == FaultKind::Cancelled;
                if self.api.aborts_on_fault() {
                    self.phase = Phase::Aborted;
                }
                self.api.fault_within(&self.head, &fault)
            }
        }
    }
}

fn response(body: Body, content_type: &'static str) -> Response {
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
