//! Starting to serve, and stopping without leaving anything behind.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::access::Doorkeeper;
#[cfg(target_os = "linux")]
use crate::agents::child::orphans;
use crate::connections;
use crate::error::ServeError;
use crate::host::RehearsalHost;
use crate::live::LiveSessions;
use crate::routes::router;
use crate::simulator::Settings;

/// How long open requests may take to end once the host stops.
const DRAIN: Duration = Duration::from_secs(2);

/// A host that serves. Stop it with [`Running::stop`].
pub struct Running {
    address: SocketAddr,
    host: Arc<RehearsalHost>,
    live: LiveSessions,
    stop: CancellationToken,
    tasks: JoinSet<()>,
    owns_process: bool,
}

impl Running {
    /// Where it serves.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends connections and workers. Nothing is left running.
    pub async fn stop(mut self) {
        self.stop.cancel();
        self.host.shut_down().await;
        let ended = async {
            self.host.calls.settle().await;
            self.live.close().await;
            while self.tasks.join_next().await.is_some() {}
        };
        if tokio::time::timeout(DRAIN, ended).await.is_err() {
            tracing::debug!("some requests had not ended after {DRAIN:?}");
            self.tasks.shutdown().await;
        }
        #[cfg(target_os = "linux")]
        if self.owns_process {
            // Whatever comes of it, the process ends.
            let _ = tokio::task::spawn_blocking(orphans::end).await;
        }
    }
}

pub(crate) async fn start(settings: Settings) -> Result<Running, ServeError> {
    let Settings { agents, listen, doors, live, access, folders, site, owns_process } = settings;
    if !listen.ip().to_canonical().is_loopback() && !access.is_asked() {
        return Err(ServeError::NotLoopback { address: listen });
    }
    let bound = async {
        let listener = TcpListener::bind(listen).await?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    };
    let (listener, address) =
        bound.await.map_err(|cause| ServeError::Bind { address: listen, cause })?;
    let host = RehearsalHost::new(agents, folders);
    let stop = CancellationToken::new();
    let doors = doors.at(address).asking(access.is_asked());
    let doorkeeper = Doorkeeper::new(access, address.port());
    let router = router(Arc::clone(&host), live.clone(), site, doors, doorkeeper, stop.clone());
    let mut tasks = JoinSet::new();
    tasks.spawn(connections::serve(listener, router, stop.clone()));
    tasks.spawn(until(&stop, Arc::clone(&host), |host| async move { host.load_agents().await }));
    tasks.spawn(until(&stop, Arc::clone(&host), |host| async move { host.sweep().await }));
    #[cfg(target_os = "linux")]
    if owns_process {
        orphans::take_in();
        tasks.spawn(until(&stop, Arc::clone(&host), |_| orphans::let_go()));
    }
    Ok(Running { address, host, live, stop, tasks, owns_process })
}

fn until<F: Future<Output = ()> + Send + 'static>(
    stop: &CancellationToken,
    host: Arc<RehearsalHost>,
    work: impl FnOnce(Arc<RehearsalHost>) -> F,
) -> impl Future<Output = ()> + Send + 'static {
    let stopped = stop.clone().cancelled_owned();
    let work = work(host);
    async move {
        tokio::select! {
            () = work => {}
            () = stopped => {}
        }
    }
}

/// Returns when the process is asked to stop: SIGINT or SIGTERM.
pub(crate) async fn until_asked_to_stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            },
            Err(error) => {
                tracing::warn!("SIGTERM cannot be listened for: {error}");
                let _ = tokio::signal::ctrl_c().await;
            }
        }
    }
    #[cfg(not(unix))]
    {
        let _ = tokio::signal::ctrl_c().await;
    }
}
