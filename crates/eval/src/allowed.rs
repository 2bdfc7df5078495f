//! [`AllowedEffects`]: what an agent's own code may do in a case, beside its tools.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use crate::case::EvalCase;
use crate::mock::ToolUse;

/// The part of an agent that is allowed by the path of its attribute, which looks like the name of a host.
const CONFIGURED_TOOLS: &str = "generate_content_config.tools";

/// What an agent's own code may do in a case.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct AllowedEffects {
    /// The folders that it may write to.
    pub(crate) folders: BTreeSet<PathBuf>,
    /// The programs that it may start, by name or path.
    pub(crate) programs: BTreeSet<String>,
    /// The hosts that it may reach: `HOST` or `HOST:PORT`.
    pub(crate) hosts: BTreeSet<String>,
    /// What else is named: parts of the agent that cannot be intercepted, if it has them.
    pub(crate) parts: BTreeSet<String>,
    /// Whether a tool, or such a part, may run with all its effects.
    pub(crate) is_open: bool,
}

impl AllowedEffects {
    /// What `case` allows.
    pub(crate) fn of(case: &EvalCase) -> Self {
        let is_open = case.tools.values().any(|used| matches!(used, ToolUse::Real));
        let mut allowed = Self { is_open, ..Self::default() };
        for name in &case.allow {
            if name.ends_with('/') {
                let folder = Path::new(name);
                allowed
                    .folders
                    .insert(std::path::absolute(folder).unwrap_or_else(|_| folder.into()));
            } else if name.contains('/') || is_program(name) {
                allowed.programs.insert(name.clone());
            } else if is_host(name) {
                allowed.hosts.insert(name.clone());
            } else {
                allowed.parts.insert(name.clone());
            }
        }
        allowed
    }
}

/// Whether `allow` names a folder, as it is written in a suite.
pub(crate) fn is_folder(name: &str) -> bool {
    name.ends_with('/')
}

fn is_program(name: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(name).is_file())
}

fn is_host(name: &str) -> bool {
    name != CONFIGURED_TOOLS
        && (name == "localhost"
            || name.contains(['.', ':'])
            || name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_look_like_hosts() {
        for host in ["localhost", "models.example.com", "10.0.0.7:8080", "localhost:4318", "[::1]"]
        {
            assert!(is_host(host), "{host}");
        }
        for part in ["google_search", "McpToolset", CONFIGURED_TOOLS] {
            assert!(!is_host(part), "{part}");
        }
    }
}
