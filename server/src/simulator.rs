//! [`Simulator`]: the entry point of the library. Takes agents and serves the page.

use std::future::pending;
use std::marker::PhantomData;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use agents::SimulatedAgentConfig;
use api::host::RunHost;
use base_path::BasePath;

use crate::access::Access;
use crate::error::ServeError;
use crate::folders::Folders;
use crate::live::{LiveSessions, Retention};
use crate::no_runs::NoRuns;
use crate::security::OriginPolicy;
use crate::serve::{self, Running, Settings};
use crate::site::{ServedPage, Site};

/// Serves rehearsals of the given agents. `Page` carries the client's files.
pub struct Simulator<Page> {
    settings: Settings,
    when_serving: Option<WhenServing>,
    page: PhantomData<fn() -> Page>,
}

/// Called with the address.
type WhenServing = Box<dyn FnOnce(String) + Send>;

impl<Page: ServedPage> Default for Simulator<Page> {
    fn default() -> Self {
        let settings = Settings {
            agents: Vec::new(),
            listen: SocketAddr::from(([127, 0, 0, 1], 4180)),
            base_path: BasePath::default(),
            origins: OriginPolicy::default(),
            live: LiveSessions::default(),
            retention: Retention::default(),
            access: Access::default(),
            folders: Folders::default(),
            adk_tool_responses: false,
            runs: Arc::new(NoRuns),
            site: Site::of::<Page>(),
            owns_process: false,
        };
        Self { settings, when_serving: None, page: PhantomData }
    }
}

impl<Page: ServedPage> Simulator<Page> {
    /// Without agents, at `127.0.0.1:4180`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an agent.
    #[must_use]
    pub fn agent(mut self, agent: SimulatedAgentConfig) -> Self {
        self.settings.agents.push(agent);
        self
    }

    /// Adds agents.
    #[must_use]
    pub fn agents(mut self, agents: impl IntoIterator<Item = SimulatedAgentConfig>) -> Self {
        self.settings.agents.extend(agents);
        self
    }

    /// Sets the address. Only loopback addresses are accepted without people or tokens
    /// ([`Simulator::access`]).
    #[must_use]
    pub fn listen(mut self, listen: SocketAddr) -> Self {
        self.settings.listen = listen;
        self
    }

    /// Serves everything below this path, for a proxy that serves other things beside it.
    #[must_use]
    pub fn base_path(mut self, base_path: BasePath) -> Self {
        self.settings.base_path = base_path;
        self
    }

    /// Also accepts requests from this origin, such as `http://127.0.0.1:8080` for a development
    /// server that serves only the client.
    #[must_use]
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.settings.origins.allow_origin(&origin.into());
        self
    }

    /// Trusts the `X-Forwarded-For` header of a proxy at this address.
    #[must_use]
    pub fn trust_proxy(mut self, address: IpAddr) -> Self {
        self.settings.origins.trust_proxy(address);
        self
    }

    /// Stores live sessions in this file instead of `.rehearsal/live.sqlite`.
    #[must_use]
    pub fn live(mut self, live: LiveSessions) -> Self {
        self.settings.live = live;
        self
    }

    /// Deletes old live sessions instead of keeping all.
    #[must_use]
    pub fn retention(mut self, retention: Retention) -> Self {
        self.settings.retention = retention;
        self
    }

    /// Turns authentication on if `access` has people or tokens.
    #[must_use]
    pub fn access(mut self, access: Access) -> Self {
        self.settings.access = access;
        self
    }

    /// Also lists the eval sets and the reports in these folders.
    #[must_use]
    pub fn folders(mut self, folders: Folders) -> Self {
        self.settings.folders = folders;
        self
    }

    /// Whether exports write results as google-adk's runner records them: an object as it is, any
    /// other value as `{"result": ...}`. Otherwise every result is written as `{"result": ...}`. The
    /// person can choose for each export.
    #[must_use]
    pub fn adk_tool_responses(mut self, is_adk: bool) -> Self {
        self.settings.adk_tool_responses = is_adk;
        self
    }

    /// Shows the eval runs that `runs` has.
    #[doc(hidden)]
    #[must_use]
    pub fn runs(mut self, runs: impl RunHost) -> Self {
        self.settings.runs = Arc::new(runs);
        self
    }

    /// Calls `then` with the address of the host, such as `http://127.0.0.1:4180`, once it serves.
    #[doc(hidden)]
    #[must_use]
    pub fn when_serving(mut self, then: impl FnOnce(String) + Send + 'static) -> Self {
        self.when_serving = Some(Box::new(then));
        self
    }

    /// Declares that only the host starts child processes in this process. On Linux the host then
    /// adopts the orphaned processes of tools and ends every child of the process when it stops.
    #[must_use]
    pub fn owning_its_process(mut self) -> Self {
        self.settings.owns_process = true;
        self
    }

    /// Serves until SIGINT or SIGTERM. A second signal stops at once.
    ///
    /// # Errors
    /// [`ServeError`] if the address cannot be served, or the live sessions cannot be opened.
    pub async fn serve(self) -> Result<(), ServeError> {
        self.serve_reloading(|_| {}, pending::<Vec<SimulatedAgentConfig>>).await
    }

    /// As [`Simulator::serve`]. Calls `reload` at each SIGHUP, and takes up each list of agents that `next_list`
    /// returns.
    ///
    /// # Errors
    /// As [`Simulator::serve`].
    pub async fn serve_reloading<Next: Future<Output = Vec<SimulatedAgentConfig>>>(
        mut self,
        reload: impl Fn(&Running),
        next_list: impl Fn() -> Next,
    ) -> Result<(), ServeError> {
        let base = self.settings.base_path.clone();
        let hangups = serve::Hangups::listen();
        let when_serving = self.when_serving.take();
        let running = self.start().await?;
        let address = format!("http://{}{base}", running.address());
        tracing::info!("serving at {address}");
        if let Some(then) = when_serving {
            then(address);
        }
        let take_up_lists = async {
            loop {
                running.exchange_agents(next_list().await);
            }
        };
        tokio::select! {
            () = serve::until_asked_to_stop() => {}
            () = hangups.each(|| reload(&running)) => {}
            () = take_up_lists => {}
        }
        tokio::select! {
            () = running.stop() => {}
            () = serve::until_asked_to_stop() => tracing::warn!("second signal: stopping at once"),
        }
        Ok(())
    }

    /// Starts serving and returns; port 0 chooses a free port.
    ///
    /// # Errors
    /// [`ServeError`] if the address cannot be served, or the live sessions cannot be opened.
    pub async fn start(self) -> Result<Running, ServeError> {
        serve::start(self.settings).await
    }
}
