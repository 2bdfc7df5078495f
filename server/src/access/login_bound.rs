//! Ends streams and response bodies when the login of their caller ends, or the token is removed.
//!
//! A gRPC stream ends with a status, any other body with an error, so that no client takes a
//! partial body for a whole one. The page's WebSocket has no body and ends by itself (`events`).

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use futures::future::BoxFuture;
use futures::stream::{BoxStream, StreamExt as _, unfold};
use hyper::body::{Frame, SizeHint};
use tonic::Status;

use super::login_sessions::LoginLifetime;

/// The stream, ended when its caller's login ends.
pub(crate) fn while_logged_in<T: Send + 'static>(
    lifetime: Option<LoginLifetime>,
    stream: BoxStream<'static, Result<T, Status>>,
) -> BoxStream<'static, Result<T, Status>> {
    let Some(lifetime) = lifetime else { return stream };
    let message = lifetime.end_message();
    unfold(Some((stream, ended(lifetime))), move |state| async move {
        let (mut stream, mut ended) = state?;
        tokio::select! {
            biased;
            () = &mut ended => Some((Err(Status::unauthenticated(message)), None)),
            next = stream.next() => Some((next?, Some((stream, ended)))),
        }
    })
    .boxed()
}

/// The response, with a body that ends when its caller's login ends. gRPC responses are left to
/// [`while_logged_in`].
pub(super) fn bound_to_login(lifetime: LoginLifetime, response: Response) -> Response {
    let kind = response.headers().get(CONTENT_TYPE);
    let is_grpc = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc"));
    if is_grpc || response.body().is_end_stream() {
        return response;
    }
    let message = lifetime.end_message();
    response.map(|body| Body::new(LoginBoundBody { body, ended: Some(ended(lifetime)), message }))
}

fn ended(lifetime: LoginLifetime) -> BoxFuture<'static, ()> {
    Box::pin(async move { lifetime.ended().await })
}

/// A body that ends with the login of its caller.
struct LoginBoundBody {
    body: Body,
    /// `None` after the error was sent.
    ended: Option<BoxFuture<'static, ()>>,
    message: &'static str,
}

impl HttpBody for LoginBoundBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Some(ended) = &mut self.ended else { return Poll::Ready(None) };
        if ended.as_mut().poll(context).is_ready() {
            self.ended = None;
            return Poll::Ready(Some(Err(axum::Error::new(Status::unauthenticated(self.message)))));
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
