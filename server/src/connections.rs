//! Accepts connections: HTTP/1.1, WebSockets and HTTP/2 on one port.
//!
//! `axum::serve` has no HTTP/2 settings, and its limit of 200 streams on a connection would make
//! the 201st agent of a process wait for the response to the first.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use base_path::BasePath;
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

use crate::response_limit::ResponseLimit;

/// The most concurrent calls on one HTTP/2 connection: each waiting agent keeps one open for days.
const STREAMS: u32 = 20_000;
/// How many bytes a stream's buffer takes before the host waits for the client to read them: of all
/// streams of a connection together, 16 MiB. A longer piece of a response is sent alone.
const STREAM_BUFFER: usize = 16 * 1024 * 1024 / STREAMS as usize;
/// How often the host pings a silent HTTP/2 peer, and how long the peer may take to respond: a dead
/// agent does not respond, a waiting one does.
const PING: Duration = Duration::from_secs(20);
/// How long a connection may take to begin a request.
const SILENCE: Duration = Duration::from_secs(75);
/// When TCP keep-alive starts on a silent connection, and its interval.
const STILL_THERE: Duration = Duration::from_secs(60);
/// The largest header list of an HTTP/2 request.
const HEADER_BYTES: u32 = 16 * 1024;
/// The pause after a failed accept, for example with too many open files.
const PAUSE: Duration = Duration::from_millis(200);

/// The client's address, in the request's extensions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// Serves until stopped. Open connections then end after their current requests.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    base_path: BasePath,
    stop: CancellationToken,
) {
    let connections = TaskTracker::new();
    loop {
        let taken = tokio::select! {
            taken = listener.accept() => taken,
            () = stop.cancelled() => break,
        };
        match taken {
            Ok((stream, peer)) => {
                let limit = ResponseLimit::new(base_path.clone());
                let served = connection(stream, peer, router.clone(), limit, stop.clone());
                connections.spawn(served);
            }
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                tracing::error!("a connection cannot be accepted: {error}");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    connections.close();
    connections.wait().await;
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    limit: ResponseLimit,
    stop: CancellationToken,
) {
    // Events of a few bytes must not wait until a packet is full.
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
        let (router, permit) = (router.clone(), limit.permit(&request));
        async move {
            let permit = permit?;
            let Ok(response) = router.oneshot(request).await;
            permit.held_by(response)
        }
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(SILENCE);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(HEADER_BYTES)
        .max_send_buf_size(STREAM_BUFFER)
        .keep_alive_interval(PING)
        .keep_alive_timeout(PING);
    let serving = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
    let mut serving = std::pin::pin!(serving);
    // The protocol is not known before the first bytes.
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
