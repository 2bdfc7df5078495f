//! [`Seal`]: what Linux refuses the process of an agent and every process that it starts.
//!
//! Landlock refuses changes of files, TCP by port, and signals to other processes. A filter of system calls (seccomp)
//! refuses sockets and what Landlock does not know. A second filter refuses programs. The interpreter applies that one
//! itself, before it imports the agent, since it has to be started first.

#[cfg(target_os = "linux")]
mod linux;

use std::collections::BTreeSet;
use std::fmt;

#[cfg(target_os = "linux")]
use self::linux as system;
use super::scratch::Scratch;
use crate::allowed::AllowedEffects;

/// What a process may reach over the network.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) enum Network {
    /// Nothing.
    #[default]
    Closed,
    /// These TCP ports, of any host. Landlock knows no addresses.
    Ports(BTreeSet<u16>),
    /// Everything.
    Open,
}

impl Network {
    /// What `hosts` need, such as `models.example.com` or `10.0.0.7:8080`.
    pub(super) fn of_hosts(hosts: &BTreeSet<String>) -> Self {
        let port = |host: &String| host.rsplit_once(':')?.1.parse().ok();
        match hosts.iter().map(port).collect::<Option<BTreeSet<u16>>>() {
            None => Self::Open,
            Some(ports) if ports.is_empty() => Self::Closed,
            Some(ports) => Self::Ports(ports),
        }
    }

    /// This, and these ports.
    pub(super) fn with_ports(self, more: impl IntoIterator<Item = u16>) -> Self {
        match self {
            Self::Open => Self::Open,
            Self::Closed => Self::Ports(more.into_iter().collect()),
            Self::Ports(ports) => Self::Ports(ports.into_iter().chain(more).collect()),
        }
    }
}

/// The ports of services for models, and of name servers: those that are usual, and those in variables of this process's
/// environment and the agent's.
pub(super) fn ports_of_services(of_agent: &[(String, String)]) -> BTreeSet<u16> {
    const USUAL: [u16; 4] = [53, 80, 443, 11434];
    const VARIABLES: [&str; 5] = ["_BASE_URL", "_API_BASE", "_ENDPOINT", "_PROXY", "OLLAMA_HOST"];
    let names_address = |name: &str| VARIABLES.iter().any(|end| name.to_uppercase().ends_with(end));
    let of_process = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let variables = of_process.chain(of_agent.iter().cloned());
    let variables = variables.filter_map(|(name, value)| names_address(&name).then_some(value));
    USUAL.into_iter().chain(variables.filter_map(|address| port_of(&address))).collect()
}

/// The port of an address such as `https://models.example.com/v1` or `localhost:11434`.
pub(super) fn port_of(address: &str) -> Option<u16> {
    let (scheme, rest) = address.split_once("://").unwrap_or(("http", address));
    let host = rest.split(['/', '?']).next()?;
    match host.rsplit_once(':') {
        Some((_, port)) if !port.ends_with(']') => port.parse().ok(),
        _ if scheme == "https" => Some(443),
        _ => Some(80),
    }
}

/// What the kernel can refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layers {
    /// Changes of files.
    files: bool,
    /// TCP connections by port.
    ports: bool,
    /// Signals to processes outside.
    signals: bool,
    /// Sockets and programs.
    calls: bool,
}

impl Layers {
    const NONE: Self = Self { files: false, ports: false, signals: false, calls: false };

    /// Whether files and calls are closed, so that the kernel decides what Python's audit hook cannot tell.
    pub(super) fn is_closed(self) -> bool {
        self.files && self.calls
    }

    /// What it cannot refuse, and what that needs.
    pub(super) fn gaps(self) -> Vec<&'static str> {
        let gaps = [
            (self.files, "changes of files (Landlock of Linux 6.2)"),
            (self.ports, "TCP by port (Landlock of Linux 6.7)"),
            (self.signals, "signals to other processes (Landlock of Linux 6.12)"),
            (self.calls, "programs and sockets (seccomp of Linux on x86-64, ARM64 or RISC-V)"),
        ];
        gaps.into_iter().filter(|(is_closed, _)| !is_closed).map(|(_, gap)| gap).collect()
    }
}

impl fmt::Display for Layers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::NONE {
            return formatter.write_str(
                "nothing is sealed: only Python's audit hook stands between the agent and its effects, and does not see what C \
                 extensions do by themselves. The seal needs Linux 6.2 or later with Landlock",
            );
        }
        match self.gaps().as_slice() {
            [] => formatter.write_str(
                "cases without a tool that is `real` are sealed: the kernel refuses changes of files, programs, connections \
                 and signals (Landlock, seccomp), beneath Python's audit hook",
            ),
            gaps => write!(
                formatter,
                "cases without a tool that is `real` are sealed in part: beneath Python's audit hook, this kernel cannot \
                 refuse {}",
                gaps.join(", ")
            ),
        }
    }
}

/// What the process of an agent may do.
pub(super) struct Seal<'a> {
    pub(super) allowed: &'a AllowedEffects,
    pub(super) network: &'a Network,
    /// Where it may always write.
    pub(super) scratch: &'a Scratch,
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::{Layers, Seal};

    pub(super) fn layers() -> Layers {
        Layers::NONE
    }

    pub(super) fn apply(_: &Seal<'_>) -> Result<(), std::convert::Infallible> {
        Ok(())
    }

    pub(super) fn program_filter() -> String {
        String::new()
    }
}

/// What this kernel can refuse.
pub(super) fn layers() -> Layers {
    static LAYERS: std::sync::OnceLock<Layers> = std::sync::OnceLock::new();
    *LAYERS.get_or_init(system::layers)
}

impl Seal<'_> {
    /// Calls `start` in a thread that is sealed, so that the process that it starts is.
    ///
    /// # Errors
    /// The kernel refuses the seal, or those of `start`.
    pub(super) fn start<T: Send>(
        &self,
        start: impl FnOnce() -> std::io::Result<T> + Send,
    ) -> std::io::Result<T> {
        let runtime = tokio::runtime::Handle::current();
        std::thread::scope(|scope| {
            let sealed =
                std::thread::Builder::new().name("seal".to_owned()).spawn_scoped(scope, || {
                    let _entered = runtime.enter();
                    system::apply(self).map_err(std::io::Error::other)?;
                    start()
                })?;
            sealed
                .join()
                .unwrap_or_else(|_| Err(std::io::Error::other("the thread of the seal panicked")))
        })
    }

    /// The filter that refuses programs, as hexadecimal digits; empty where they may start.
    pub(super) fn program_filter(&self) -> String {
        match self.allowed.programs.is_empty() && layers().calls {
            true => system::program_filter(),
            false => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_those_of_addresses() {
        for (address, port) in [
            ("https://models.example.com/v1", Some(443)),
            ("http://127.0.0.1:8123/v1", Some(8123)),
            ("localhost:11434", Some(11434)),
            ("http://[::1]", Some(80)),
            ("http://[::1]:9000?x=1", Some(9000)),
            ("http://host:port", None),
        ] {
            assert_eq!(port_of(address), port, "{address}");
        }
    }

    #[test]
    fn a_host_without_a_port_opens_the_network() {
        let network =
            |hosts: &[&str]| Network::of_hosts(&hosts.iter().map(|it| (*it).to_owned()).collect());
        assert_eq!(network(&[]), Network::Closed);
        assert_eq!(network(&["localhost:4318", "10.0.0.7:80"]), Network::Ports([80, 4318].into()));
        assert_eq!(network(&["localhost:4318", "models.example.com"]), Network::Open);
        assert_eq!(
            network(&["localhost:4318"]).with_ports([443]),
            Network::Ports([443, 4318].into())
        );
    }

    #[test]
    fn what_a_kernel_cannot_refuse_is_said() {
        let all = Layers { files: true, ports: true, signals: true, calls: true };
        assert!(all.gaps().is_empty() && all.is_closed());
        assert!(all.to_string().ends_with("beneath Python's audit hook"));
        let older = Layers { ports: false, signals: false, ..all };
        let gaps = "this kernel cannot refuse TCP by port (Landlock of Linux 6.7), signals to other processes (Landlock of Linux 6.12)";
        assert!(older.to_string().ends_with(gaps) && older.is_closed());
        assert!(Layers::NONE.to_string().starts_with("nothing is sealed"));
        assert!(!Layers { files: false, ..all }.is_closed());
    }
}
