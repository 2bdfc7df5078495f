//! [`Simulator`]: the library's front door. Agents in, a served page out.

use std::marker::PhantomData;
use std::net::{IpAddr, SocketAddr};

use agents::SimulatedAgentConfig;
use rust_embed::RustEmbed;

use crate::access::Access;
use crate::error::ServeError;
use crate::folders::Folders;
use crate::live::LiveSessions;
use crate::security::OriginPolicy;
use crate::serve::{self, Running, Settings};
use crate::site::Site;

/// Serves rehearsals of the agents it is given, to browsers that get the client's files from `Page`.
pub struct Simulator<Page> {
    settings: Settings,
    page: PhantomData<fn() -> Page>,
}

impl<Page: RustEmbed> Default for Simulator<Page> {
    fn default() -> Self {
        let settings = Settings {
            agents: Vec::new(),
            listen: SocketAddr::from(([127, 0, 0, 1], 4180)),
            origins: OriginPolicy::default(),
            live: LiveSessions::default(),
            access: Access::default(),
            folders: Folders::default(),
            site: Site::of::<Page>(),
            owns_process: false,
        };
        Self { settings, page: PhantomData }
    }
}

impl<Page: RustEmbed> Simulator<Page> {
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

    /// Serves here instead. Without people or tokens ([`Simulator::access`]) only loopback addresses
    /// are accepted.
    #[must_use]
    pub fn listen(mut self, listen: SocketAddr) -> Self {
        self.settings.listen = listen;
        self
    }

    /// Also accepts requests that carry this origin, such as `http://127.0.0.1:8080` for a
    /// development server that serves the client alone.
    #[must_use]
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.settings.origins.allow_origin(&origin.into());
        self
    }

    /// Believes a proxy at this address when it says, in `X-Forwarded-For`, where a request comes from.
    #[must_use]
    pub fn trust_proxy(mut self, address: IpAddr) -> Self {
        self.settings.origins.trust_proxy(address);
        self
    }

    /// Keeps live sessions there instead of in `.rehearsal/live.sqlite`.
    #[must_use]
    pub fn live(mut self, live: LiveSessions) -> Self {
        self.settings.live = live;
        self
    }

    /// Asks everybody who they are, once anybody is known.
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

    /// Says that the process is the host's alone, and starts no children but through it. On Linux the
    /// host then takes in whatever tools start and orphan, and ends it when it stops: every child that
    /// the process has.
    #[must_use]
    pub fn owning_its_process(mut self) -> Self {
        self.settings.owns_process = true;
        self
    }

    /// Serves until SIGINT or SIGTERM. A second one ends it at once, whatever is still closing.
    ///
    /// # Errors
    /// [`ServeError`] when the address cannot be served.
    pub async fn serve(self) -> Result<(), ServeError> {
        let running = self.start().await?;
        tracing::info!("serving at http://{}", running.address());
        serve::until_asked_to_stop().await;
        tokio::select! {
            () = running.stop() => {}
            () = serve::until_asked_to_stop() => tracing::warn!("asked twice: stopping at once"),
        }
        Ok(())
    }

    /// Starts serving and returns; port 0 chooses a free one.
    ///
    /// # Errors
    /// [`ServeError`] when the address cannot be served.
    pub async fn start(self) -> Result<Running, ServeError> {
        serve::start(self.settings).await
    }
}
