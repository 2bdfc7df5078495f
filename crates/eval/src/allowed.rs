//! [`AllowedEffects`]: what an agent's own code may do in a case, beside its tools.

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

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
    /// What a case allows with these uses of tools and these names.
    pub(crate) fn of(tools: &HashMap<String, ToolUse>, allow: &BTreeSet<String>) -> Self {
        let is_open = tools.values().any(|used| matches!(used, ToolUse::Real));
        let mut allowed = Self { is_open, ..Self::default() };
        for name in allow {
            if name.ends_with('/') {
                let folder = Path::new(name);
                allowed
                    .folders
                    .insert(std::path::absolute(folder).unwrap_or_else(|_| folder.into()));
            } else if is_socket(name) {
                // The kernel cannot let through one of them.
                allowed.hosts.insert(name.clone());
                allowed.is_open = true;
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

/// What is wrong with a name in `allow` of a suite in `folder`, and the remedy.
pub(crate) fn problem(name: &str, folder: &Path) -> Option<String> {
    let port = name.rsplit_once(':').filter(|(host, _)| !host.contains(':')).map(|(_, port)| port);
    if name.trim().is_empty() || name.contains(char::is_whitespace) && !name.contains('/') {
        Some(format!(
            "{name:?} is not a name; write one folder, program, host or part of the agent"
        ))
    } else if name.contains("://") {
        Some("a host is named without its protocol, as in `localhost:4318`".to_owned())
    } else if name.starts_with('~') {
        Some("`~` is not replaced; write the whole path".to_owned())
    } else if name.contains('/') && !is_folder(name) {
        let is_dir = folder.join(name).is_dir();
        match (is_dir, Path::new(name).exists()) {
            (true, _) => Some(format!("a folder ends with `/`: write `{name}/`")),
            (false, false) => Some(format!(
                "the program {name} does not exist; a folder ends with `/`, as in `{name}/`"
            )),
            (false, true) => None,
        }
    } else if let Some(port) = port
        && port.parse::<u16>().is_err()
    {
        Some(format!("{port:?} is not a port; write a number up to 65535, or the host alone"))
    } else {
        None
    }
}

fn is_socket(name: &str) -> bool {
    use std::os::unix::fs::FileTypeExt as _;

    name.contains('/') && std::fs::metadata(name).is_ok_and(|it| it.file_type().is_socket())
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
    fn what_allows_nothing_is_refused_with_the_form() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("out")).expect("made");
        for (name, shown) in [
            ("", "is not a name"),
            ("git status", "is not a name"),
            ("http://localhost:4318", "without its protocol"),
            ("~/logs/", "`~` is not replaced"),
            ("./out", "a folder ends with `/`: write `./out/`"),
            ("./none", "the program ./none does not exist; a folder ends with `/`"),
            ("localhost:99999", "\"99999\" is not a port"),
        ] {
            let problem = problem(name, folder.path()).expect(name);
            assert!(problem.contains(shown), "{name}: {problem}");
        }
        for name in ["./out/", "git", "/bin/sh", "localhost", "[::1]:80", "::1", "google_search"] {
            assert_eq!(problem(name, folder.path()), None, "{name}");
        }
    }

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
