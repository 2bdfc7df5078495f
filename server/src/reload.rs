//! [`Reload`]: what a running host takes from a changed configuration.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use agents::SimulatedAgentConfig;
use tokio_util::sync::CancellationToken;

use crate::access::{Access, Authenticator};
use crate::folders::Folders;
use crate::host::Host;
use crate::live::Retention;
use crate::replaceable::Replaceable;
use crate::security::OriginPolicy;

/// The parts of a configuration that a running host can exchange. The others take effect with its next start.
#[derive(Default)]
pub struct Reload {
    /// The agents, in order. Those whose name and revision the host has go on as they are. `None` changes none.
    pub agents: Option<Vec<SimulatedAgentConfig>>,
    /// The folders of eval sets and reports.
    pub folders: Folders,
    /// Whether exports write results as google-adk records them.
    pub adk_tool_responses: bool,

    /// People, tokens and the audit file, which is opened again.
    pub access: Access,
    /// Origins that may call the host, besides its own.
    pub allowed_origins: Vec<String>,
    /// Proxies whose `X-Forwarded-For` header is trusted.
    pub trusted_proxies: Vec<IpAddr>,
    /// Which live sessions are kept.
    pub retention: Retention,
}

/// Login cannot be turned on or off while the host runs, because its pages and streams have begun without or with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the first person or token was added, or the last one removed: restart the host to turn login on or off"
)]
pub struct LoginChanged;

/// What a [`Reload`] replaces in a host.
pub(crate) struct Reloaded {
    pub(crate) host: Arc<Host>,
    pub(crate) stop: CancellationToken,
    pub(crate) authenticator: Arc<Authenticator>,
    pub(crate) origins: Replaceable<OriginPolicy>,
    pub(crate) retention: Replaceable<Retention>,
    pub(crate) address: SocketAddr,
}

impl Reloaded {
    /// Takes up `reload`. Nothing is changed on an error.
    pub(crate) fn take_up(&self, reload: Reload) -> Result<(), LoginChanged> {
        let is_enabled = reload.access.is_enabled();
        if is_enabled != self.authenticator.is_enabled() {
            return Err(LoginChanged);
        }
        let mut origins = OriginPolicy::default();
        reload.allowed_origins.iter().for_each(|origin| origins.allow_origin(origin));
        reload.trusted_proxies.into_iter().for_each(|address| origins.trust_proxy(address));
        self.origins.set(origins.at(self.address).with_authentication(is_enabled));
        self.retention.set(reload.retention);
        self.authenticator.replace(reload.access);
        self.host.folders.set(reload.folders);
        self.host.adk_tool_responses.set(reload.adk_tool_responses);
        if let Some(agents) = reload.agents {
            self.host.exchange_agents(agents, &self.stop);
        }
        Ok(())
    }
}
