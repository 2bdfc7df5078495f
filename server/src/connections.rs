//! Taking connections: HTTP/1.1, WebSockets and HTTP/2 on one port.
//!
//! `axum::serve` shows no HTTP/2 settings, and its 200 streams a connection would have the 201st
//! agent of a process wait for the answer of the first.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

/// Calls that may be under way on one HTTP/2 connection: agents that wait for days, each with one.
const STREAMS: u32 = 20_000;
/// How often a silent HTTP/2 peer is asked whether it is still there, and how long it may take to
/// say so: what tells a dead agent from a patient one.
const PING: Duration = Duration::from_secs(20);
/// How long a connection may take to begin a request: one that never does only takes a place.
const SILENCE: Duration = Duration::from_secs(75);
/// When a silent peer is asked whether its machine is still there, and how often from then on.
const STILL_THERE: Duration = Duration::from_secs(60);
/// What the headers of one HTTP/2 request may hold.
const HEADER_BYTES: u32 = 16 * 1024;
/// After what goes wrong in taking a connection, such as too many open files.
const PAUSE: Duration = Duration::from_millis(200);

/// Where a request's connection comes from, in the request's extensions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// Serves until stopped; then open connections end once their requests have.
pub(crate) async fn serve(listener: TcpListener, router: Router, stop: CancellationToken) {
    let connections = TaskTracker::new();
    loop {
        let taken = tokio::select! {
            taken = listener.accept() => taken,
            () = stop.cancelled() => break,
        };
        match taken {
            Ok((stream, peer)) => {
                connections.spawn(connection(stream, peer, router.clone(), stop.clone()));
            }
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                tracing::error!("a connection cannot be taken: {error}");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    connections.close();
    connections.wait().await;
}

async fn connection(stream: TcpStream, peer: SocketAddr, router: Router, stop: CancellationToken) {
    // An event of a few bytes must not wait for the next one to fill a packet.
    let keepalive = TcpKeepalive::new().with_time(STILL_THERE).with_interval(PING);
    for set in [stream.set_nodelay(true), SockRef::from(&stream).set_tcp_keepalive(&keepalive)] {
        if let Err(error) = set {
            tracing::debug!("{peer}: {error}");
        }
    }
    let (begun, mut begins) = watch::channel(false);
    let service = hyper::service::service_fn(move |mut request: Request<Incoming>| {
        begun.send_replace(true);
        request.extensions_mut().insert(Peer(peer));
        let router = router.clone();
        async move {
            let answered: Result<_, Infallible> = router.oneshot(request).await;
            answered
        }
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(SILENCE);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(HEADER_BYTES)
        .keep_alive_interval(PING)
        .keep_alive_timeout(PING);
    let serving = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
    let mut serving = std::pin::pin!(serving);
    // Until then nothing is known of it, not even which protocol it speaks.
    let never_begins = async {
        if timeout(SILENCE, begins.wait_for(|begun| *begun)).await.is_ok() {
            std::future::pending::<()>().await;
        }
    };
    let ended = tokio::select! {
        ended = serving.as_mut() => ended,
        () = never_begins => return,
        () = stop.cancelled() => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!("{peer}: {error}");
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
