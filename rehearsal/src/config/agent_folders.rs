//! The agents of folders on the command line.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
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
        match fs::metadata(given) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Err(ConfigError::NotAFolder { path: given.to_path_buf() }),
            Err(error) => {
                let (path, source) = (given.to_path_buf(), error.into());
                return Err(ConfigError::NoFolder { path, source });
            }
        }
        if defines_agent(given) {
            return Ok(vec![Self::in_folder(given)]);
        }
        let below = agents_below(given);
        if !below.is_empty() {
            return Ok(below.iter().map(|folder| Self::in_folder(folder)).collect());
        }
        if holds_agent(given) {
            return Ok(vec![Self::in_folder(given)]);
        }
        Err(ConfigError::NoAgentInFolder { path: given.to_path_buf() })
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
        }
    }
}

/// Adds an agent of a folder on the command line: once, if the folder is given twice, and with a number if its name
/// differs from that of another one in case or separators only. Nobody could rename a folder for that.
pub(super) fn add_found(agents: &mut Vec<AgentConfig>, mut found: AgentConfig) {
    let folder_of = |agent: &AgentConfig| match &agent.source {
        AgentSourceConfig::AdkPython { folder, .. } => fs::canonicalize(folder).ok(),
        AgentSourceConfig::Native { .. } | AgentSourceConfig::Mcp(_) => None,
    };
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
    agents.push(found);
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
fn agents_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_hidden = |name: &OsStr| name.to_string_lossy().starts_with('.');
    let mut folders: Vec<PathBuf> = entries
        .filter(|entry| !is_hidden(&entry.file_name()) && entry.file_name() != "__pycache__")
        .map(|entry| entry.path())
        .filter(|path| holds_agent(path))
        .collect();
    folders.sort();
    folders
}
