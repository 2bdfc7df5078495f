//! [`Seal`]: what Linux refuses the process of an agent and every process that it starts.
//!
//! Landlock refuses changes of files, TCP by port, and signals to other processes. A filter of system calls (seccomp)
//! refuses sockets and what Landlock does not know. A second filter refuses programs. The interpreter applies that one
//! itself, before it imports the agent, since it has to be started first.

#[cfg(target_os = "linux")]
mod linux;

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

#[cfg(target_os = "linux")]
use self::linux as system;
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
                "the kernel closes nothing, only Python's audit hook does: the seal needs Linux 6.2 or later with Landlock",
            );
        }
        formatter.write_str("the kernel refuses changes of files, programs, sockets and signals outside of the agent's process")?;
        match self.gaps().as_slice() {
            [] => Ok(()),
            gaps => write!(formatter, ", but here not {}", gaps.join(" and not ")),
        }
    }
}

/// What the process of an agent may do.
pub(super) struct Seal<'a> {
    pub(super) allowed: &'a AllowedEffects,
    pub(super) network: &'a Network,
    /// Where it may always write.
    pub(super) scratch: &'a Path,
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::{Layers, Seal};

    pub(super) fn layers() -> Layers {
        Layers::NONE
    }

    pub(super) fn apply(_: &Seal<'_>) -> Result<(), String> {
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
        match self.allowed.programs.is_empty() {
            true => system::program_filter(),
            false => String::new(),
        }
    }
}
