//! The agents of folders on the command line: when the configuration is read, and later, because folders are added
//! and removed while a host serves.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use evalset::snake_case;

use super::agent::{AgentConfig, AgentSourceConfig, DEFAULT_USER, default_eval_set_path};
use super::error::ConfigError;

/// The files that define an agent, in the order in which ADK looks for them.
const ENTRIES: [&str; 3] = ["agent.py", "__init__.py", "root_agent.yaml"];

impl AgentConfig {
    /// The ADK agent of a folder, or the agents of its subfolders, which `adk web` lists for it.
    ///
    /// # Errors
    /// The path is not a folder, or has no agent.
    pub(super) fn from_folder(given: &Path) -> Result<Vec<Self>, ConfigError> {
        let unreadable = |error: io::Error| ConfigError::NoFolder {
            path: given.to_path_buf(),
            source: error.into(),
        };
        if !fs::metadata(given).map_err(unreadable)?.is_dir() {
            return Err(ConfigError::NotAFolder { path: given.to_path_buf() });
        }
        if defines_agent(given) {
            return Ok(vec![Self::in_folder(given)]);
        }
        let below = Self::all_in(given).map_err(unreadable)?;
        if !below.is_empty() {
            return Ok(below);
        }
        if holds_agent(given) {
            return Ok(vec![Self::in_folder(given)]);
        }
        Err(ConfigError::NoAgentInFolder { path: given.to_path_buf() })
    }

    /// The agents in the subfolders of `parent`, in the order of their names.
    fn all_in(parent: &Path) -> io::Result<Vec<Self>> {
        let below = agents_below(parent)?;
        let found = |folder: &PathBuf| Self {
            found_in: Some(parent.to_path_buf()),
            ..Self::in_folder(folder)
        };
        Ok(below.iter().map(found).collect())
    }

    fn in_folder(given: &Path) -> Self {
        // `.` and `..` have no file name.
        let folder = match given.file_name() {
            Some(_) => given.to_path_buf(),
            None => fs::canonicalize(given).unwrap_or_else(|_| given.to_path_buf()),
        };
        let name = folder.file_name().unwrap_or(OsStr::new("agent")).to_string_lossy().into_owned();
        let source = AgentSourceConfig::AdkPython { folder, python: None };
        Self {
            eval_set_path: default_eval_set_path(&name, &source),
            name,
            source,
            user_id: DEFAULT_USER.to_owned(),
            state: BTreeMap::new(),
            found_in: None,
        }
    }

    fn folder(&self) -> Option<&Path> {
        match &self.source {
            AgentSourceConfig::AdkPython { folder, .. } => Some(folder),
            AgentSourceConfig::Native { .. } | AgentSourceConfig::Mcp(_) => None,
        }
    }

    /// Whether both were found as the same subfolder.
    fn is_found_as(&self, other: &Self) -> bool {
        self.found_in == other.found_in && self.folder() == other.folder()
    }
}

/// `agents` with those that the subfolders of `parents` have now. An agent that was there before is unchanged, so that
/// a new folder takes no name from it. Blocks while it reads the folders.
///
/// # Errors
/// A folder cannot be read. One that does not exist has no agents.
pub fn agents_now(agents: &[AgentConfig], parents: &[PathBuf]) -> io::Result<Vec<AgentConfig>> {
    let mut found = Vec::new();
    for parent in parents {
        match AgentConfig::all_in(parent) {
            Err(error) if is_missing(&error) => {}
            below => found.extend(below?),
        }
    }
    let is_there = |agent: &&AgentConfig| {
        agent.found_in.is_none() || found.iter().any(|it| it.is_found_as(agent))
    };
    let mut now: Vec<AgentConfig> = agents.iter().filter(is_there).cloned().collect();
    for new in found.iter().filter(|it| !agents.iter().any(|agent| agent.is_found_as(it))) {
        add_found(&mut now, new.clone());
    }
    Ok(now)
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Adds an agent of a folder on the command line: once, if the folder is given twice, and with a number if its name
/// differs from that of another one in case or separators only. Nobody could rename a folder for that.
pub(super) fn add_found(agents: &mut Vec<AgentConfig>, mut found: AgentConfig) {
    let folder_of = |agent: &AgentConfig| fs::canonicalize(agent.folder()?).ok();
    let own = folder_of(&found);
    if own.is_some() && agents.iter().any(|agent| folder_of(agent) == own) {
        return;
    }
    let is_taken = |name: &str| agents.iter().any(|it| snake_case(&it.name) == snake_case(name));
    if is_taken(&found.name) {
        let mut numbered = (2..).map(|number| format!("{}-{number}", found.name));
        if let Some(name) = numbered.find(|name| !is_taken(name)) {
            found.eval_set_path = default_eval_set_path(&name, &found.source);
            found.name = name;
        }
    }
    // In the order of the names among those of its parent.
    let is_beside = |it: &AgentConfig| it.found_in.is_some() && it.found_in == found.found_in;
    let is_before = |it: &AgentConfig| is_beside(it) && it.folder() < found.folder();
    let after = agents.iter().rposition(is_before).map(|last| last + 1);
    let place = after.or_else(|| agents.iter().position(is_beside)).unwrap_or(agents.len());
    agents.insert(place, found);
}

fn holds_agent(folder: &Path) -> bool {
    ENTRIES.iter().any(|entry| folder.join(entry).is_file())
}

/// Whether the folder is an agent, even if it has subfolders that look like agents.
fn defines_agent(folder: &Path) -> bool {
    let package = fs::read_to_string(folder.join("__init__.py")).unwrap_or_default();
    ["agent.py", "root_agent.yaml"].iter().any(|entry| folder.join(entry).is_file())
        || package.contains("root_agent")
}

/// The subfolders that `adk web` lists as agents.
fn agents_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let is_hidden = |name: &OsStr| name.to_string_lossy().starts_with('.');
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_left_out = is_hidden(&entry.file_name()) || entry.file_name() == "__pycache__";
        if !is_left_out && holds_agent(&entry.path()) {
            folders.push(entry.path());
        }
    }
    folders.sort();
    Ok(folders)
}
