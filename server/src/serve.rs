//! Starts serving, and stops without leftover processes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use agents::SimulatedAgentConfig;
use agents::child::orphans;
use api::host::RunHost;
use base_path::BasePath;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::access::{Access, Authenticator};
#[cfg(target_os = "linux")]
use crate::connections;
use crate::error::ServeError;
use crate::folders::Folders;
use crate::host::Host;
use crate::live::{LiveSessions, Retention};
use crate::reload::{LoginChanged, Reload, Reloaded};
use crate::replaceable::Replaceable;
use crate::routes::router;
use crate::security::OriginPolicy;
use crate::sessions::StoredResults;
use crate::site::Site;

/// How long open requests may take to end when the host stops.
const DRAIN: Duration = Duration::from_secs(2);

/// The configuration of the host.
pub(crate) struct Settings {
    pub(crate) agents: Vec<SimulatedAgentConfig>,
    pub(crate) listen: SocketAddr,
    pub(crate) base_path: BasePath,
    pub(crate) origins: OriginPolicy,
    pub(crate) live: LiveSessions,
    pub(crate) retention: Retention,
    pub(crate) access: Access,
    pub(crate) folders: Folders,
    pub(crate) adk_tool_responses: bool,
    pub(crate) runs: Arc<dyn RunHost>,
    pub(crate) site: Site,
    pub(crate) owns_process: bool,
}

/// A running host. Stop it with [`Running::stop`].
pub struct Running {
    address: SocketAddr,
    host: Arc<Host>,
    live: LiveSessions,
    stop: CancellationToken,
    reloaded: Reloaded,
    tasks: JoinSet<()>,
    owns_process: bool,
}

impl Running {
    /// The address it listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes up a changed configuration. Requests under way end with the one that they began with. Agents are loaded
    /// and shut down in the background.
    ///
    /// # Errors
    /// [`LoginChanged`]; nothing is changed then.
    pub fn reload(&self, reload: Reload) -> Result<(), LoginChanged> {
        self.reloaded.take_up(reload)
    }

    /// Takes up another list of agents, and nothing else. Agents are loaded and shut down in the background.
    pub fn exchange_agents(&self, agents: Vec<SimulatedAgentConfig>) {
        self.host.exchange_agents(agents, &self.stop);
    }

    /// Closes connections and ends workers.
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
            // The process ends in any case.
            let _ = tokio::task::spawn_blocking(orphans::end).await;
        }
    }
}

pub(crate) async fn start(settings: Settings) -> Result<Running, ServeError> {
    let Settings { agents, listen, base_path, origins, live, access, folders, site, .. } = settings;
    let owns_process = settings.owns_process;
    if !listen.ip().to_canonical().is_loopback() && !access.is_enabled() {
        return Err(ServeError::NotLoopback { address: listen });
    }
    let bound = async {
        let listener = TcpListener::bind(listen).await?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    };
    let (listener, address) =
        bound.await.map_err(|cause| ServeError::Bind { address: listen, cause })?;
    let opened = live.open().await;
    opened.map_err(|error| ServeError::LiveSessions { cause: error.to_string() })?;
    let stored_results = StoredResults::new(live.beside("-results"));
    let host =
        Host::new(agents, folders, settings.adk_tool_responses, stored_results, settings.runs);
    let stop = CancellationToken::new();
    let origins = origins.at(address).with_authentication(access.is_enabled());
    let reloaded = Reloaded {
        host: Arc::clone(&host),
        stop: stop.clone(),
        authenticator: Authenticator::new(access, address.port(), &base_path),
        origins: Replaceable::new(origins),
        retention: Replaceable::new(settings.retention),
        address,
    };
    let (origins, login) = (reloaded.origins.clone(), Arc::clone(&reloaded.authenticator));
    let router =
        router(Arc::clone(&host), live.clone(), site, &base_path, origins, login, stop.clone());
    let router = base_path.serve(router);
    let mut tasks = JoinSet::new();
    tasks.spawn(connections::serve(listener, router, base_path, stop.clone()));
    tasks.spawn(until(&stop, Arc::clone(&host), |host| async move { host.load_agents().await }));
    tasks.spawn(until(&stop, Arc::clone(&host), |host| async move { host.sweep().await }));
    tasks.spawn(until(&stop, Arc::clone(&host), |host| async move { host.watch_agents().await }));
    let (sessions, retention) = (live.clone(), reloaded.retention.clone());
    tasks.spawn(until(&stop, Arc::clone(&host), move |_| {
        sessions.delete_expired(move || *retention.get())
    }));
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    tasks.spawn(until(&stop, Arc::clone(&host), |_| crate::memory::return_freed()));
    #[cfg(target_os = "linux")]
    if owns_process {
        orphans::adopt();
        tasks.spawn(until(&stop, Arc::clone(&host), |_| orphans::reap()));
    }
    Ok(Running { address, host, live, stop, reloaded, tasks, owns_process })
}

fn until<F: Future<Output = ()> + Send + 'static>(
    stop: &CancellationToken,
    host: Arc<Host>,
    work: impl FnOnce(Arc<Host>) -> F,
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

/// SIGHUP, which ends the process until someone listens for it.
pub(crate) struct Hangups {
    #[cfg(unix)]
    signal: Option<tokio::signal::unix::Signal>,
}

impl Hangups {
    /// Listens from now on.
    pub(crate) fn listen() -> Self {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let signal = signal(SignalKind::hangup())
                .inspect_err(|error| tracing::warn!("cannot listen for SIGHUP: {error}"));
            Self { signal: signal.ok() }
        }
        #[cfg(not(unix))]
        Self {}
    }

    /// Calls `reload` for each that the process receives, those since [`Self::listen`] together once.
    pub(crate) async fn each(self, mut reload: impl FnMut()) {
        #[cfg(unix)]
        if let Some(mut signal) = self.signal {
            while signal.recv().await.is_some() {
                reload();
            }
        }
        #[cfg(not(unix))]
        let _ = &mut reload;
        std::future::pending::<()>().await;
    }
}

/// Returns when the process receives SIGINT or SIGTERM.
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
                tracing::warn!("cannot listen for SIGTERM: {error}");
                let _ = tokio::signal::ctrl_c().await;
            }
        }
    }
    #[cfg(not(unix))]
    {
        let _ = tokio::signal::ctrl_c().await;
    }
}
