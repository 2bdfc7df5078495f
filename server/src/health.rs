//! `/healthz` and `/readyz`, for supervisors and proxies. They need no login and show nothing but the status.

use axum::extract::State;
use axum::http::StatusCode;
use tokio_util::sync::CancellationToken;

use crate::live::LiveSessions;

/// What `/readyz` looks at.
#[derive(Clone)]
pub(crate) struct Readiness {
    pub(crate) live: LiveSessions,
    pub(crate) stop: CancellationToken,
}

/// The process serves requests.
pub(crate) async fn healthy() -> &'static str {
    "ok\n"
}

/// The host takes new work: it is not stopping, and its database can be read and has room on its disk.
pub(crate) async fn ready(State(host): State<Readiness>) -> (StatusCode, String) {
    if host.stop.is_cancelled() {
        return (StatusCode::SERVICE_UNAVAILABLE, "the host is stopping\n".to_owned());
    }
    match host.live.readiness().await {
        Ok(()) => (StatusCode::OK, "ready\n".to_owned()),
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, format!("{error}\n")),
    }
}
