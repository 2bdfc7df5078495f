//! [`AgentConfig`]: one agent, from the file or from a folder on the command line.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use agents::mcp::McpAgent;
use evalset::{eval_set_id, snake_case};
use json_text::JsonText;
use toml::Spanned;

use super::error::{ConfigError, nearest};
use super::file::{AgentEntry, SourceName};
use super::source_location::SourceLocation;

/// The default user ID of sessions, as in `adk web`.
const DEFAULT_USER: &str = "user";

/// The files that define an agent, in the order in which ADK looks for them.
const ENTRIES: [&str; 3] = ["agent.py", "__init__.py", "root_agent.yaml"];

/// A checked agent.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentConfig {
    /// The display name.
    pub name: String,
    /// Its source.
    pub source: AgentSourceConfig,
    /// The eval-set file that exports go to: absolute, or relative to the working directory.
    pub eval_set_path: PathBuf,
    /// The user ID of sessions.
    pub user_id: String,
    /// The initial state of a session.
    pub state: BTreeMap<String, JsonText>,
}

/// The source of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentSourceConfig {
    /// A built-in agent in Rust.
    Native {
        /// One of the `examples` of [`super::Config::load`].
        example: String,
    },
    /// A folder that `adk web` would load.
    AdkPython {
        /// The folder. It is checked when the agent is loaded.
        folder: PathBuf,
        /// The agent's own interpreter, if any.
        python: Option<PathBuf>,
    },
    /// An instruction and the tools of MCP servers.
    Mcp(Box<McpAgent>),
}

impl AgentConfig {
    /// An agent of the file.
    pub(super) fn from_entry(
        entry: &Spanned<AgentEntry>,
        examples: &[&str],
        location: impl Fn(Range<usize>) -> SourceLocation,
    ) -> Result<Self, ConfigError> {
        let refuse = |span: Range<usize>, message: String| {
            Err(ConfigError::Malformed { location: Box::new(location(span)), message })
        };
        let whole = entry.span();
        let entry = entry.get_ref();
        let name = entry.name.get_ref().trim();
        if name.is_empty() {
            return refuse(entry.name.span(), "an agent needs a visible name".to_owned());
        }
        let misplaced = |key: &str, kind: &str| {
            format!(
                "`{key}` belongs to agents with source = \"{kind}\": remove it, or change the source"
            )
        };
        let missing = |key: &str, kind: &str, example: &str| {
            format!(
                "the agent `{name}` has source = \"{kind}\" and needs `{key}`, such as {key} = \"{example}\""
            )
        };
        let belongs_to_mcp = entry.key_of_mcp();
        if let (SourceName::AdkPython | SourceName::Native, Some((key, span))) =
            (entry.source.get_ref(), belongs_to_mcp)
        {
            return refuse(span, misplaced(key, "mcp"));
        }
        let source = match entry.source.get_ref() {
            SourceName::Mcp => {
                if let Some(folder) = &entry.folder {
                    return refuse(folder.span(), misplaced("folder", "adk_python"));
                }
                if let Some(python) = &entry.python {
                    return refuse(python.span(), misplaced("python", "adk_python"));
                }
                if let Some(example) = &entry.example {
                    return refuse(example.span(), misplaced("example", "native"));
                }
                AgentSourceConfig::Mcp(Box::new(super::mcp::agent(whole, entry, &location)?))
            }
            SourceName::AdkPython => {
                if let Some(example) = &entry.example {
                    return refuse(example.span(), misplaced("example", "native"));
                }
                let Some(folder) = &entry.folder else {
                    return refuse(whole, missing("folder", "adk_python", "agents/weather"));
                };
                AgentSourceConfig::AdkPython {
                    folder: folder.get_ref().clone(),
                    python: entry.python.as_ref().map(|python| python.get_ref().clone()),
                }
            }
            SourceName::Native => {
                if let Some(folder) = &entry.folder {
                    return refuse(folder.span(), misplaced("folder", "adk_python"));
                }
                if let Some(python) = &entry.python {
                    return refuse(python.span(), misplaced("python", "adk_python"));
                }
                let Some(example) = &entry.example else {
                    let first = examples.first().copied().unwrap_or("math");
                    return refuse(whole, missing("example", "native", first));
                };
                let written = example.get_ref();
                if !examples.contains(&written.as_str()) {
                    return Err(ConfigError::UnknownValue {
                        location: Box::new(location(example.span())),
                        value: written.clone(),
                        nearest: nearest(written, examples),
                        known: examples.iter().map(|&known| known.to_owned()).collect(),
                    });
                }
                AgentSourceConfig::Native { example: written.clone() }
            }
        };
        if let Some(path) = &entry.eval_set_path
            && path.get_ref().is_dir()
        {
            let file = path.get_ref().join(format!("{}.evalset.json", eval_set_id(name)));
            let message = format!("`eval_set_path` is a folder: name a file, such as {file:?}");
            return refuse(path.span(), message);
        }
        let mut state = BTreeMap::new();
        for (key, value) in &entry.state {
            match json_of(value.get_ref()) {
                Ok(json) => drop(state.insert(key.clone(), json)),
                Err(reason) => return refuse(value.span(), format!("state `{key}`: {reason}")),
            }
        }
        Ok(Self {
            name: name.to_owned(),
            eval_set_path: entry
                .eval_set_path
                .as_ref()
                .map(|path| path.get_ref().clone())
                .unwrap_or_else(|| default_eval_set_path(name, &source)),
            source,
            user_id: entry.user_id.clone().unwrap_or_else(|| DEFAULT_USER.to_owned()),
            state,
        })
    }

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

/// The default file of exports.
///
/// For an ADK agent it is where `adk web` looks for eval sets, under the set's own id:
/// `FOLDER/{eval_set_id}.evalset.json`. For other agents the folder is `evals`.
#[must_use]
pub fn default_eval_set_path(name: &str, source: &AgentSourceConfig) -> PathBuf {
    let folder = match source {
        AgentSourceConfig::Native { .. } | AgentSourceConfig::Mcp(_) => Path::new("evals"),
        AgentSourceConfig::AdkPython { folder, .. } => folder,
    };
    folder.join(format!("{}.evalset.json", eval_set_id(name)))
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

/// Addresses and eval ids contain names in snake case, so these must be unique.
pub(super) fn require_distinct_names(agents: &[AgentConfig]) -> Result<(), ConfigError> {
    let mut seen = BTreeMap::new();
    for agent in agents {
        let id = snake_case(&agent.name);
        if let Some(first) = seen.insert(id.clone(), &agent.name) {
            return Err(ConfigError::SameName {
                first: first.clone(),
                second: agent.name.clone(),
                id,
            });
        }
    }
    Ok(())
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

/// Converts TOML to JSON; dates become strings.
pub(super) fn json_of(value: &toml::Value) -> Result<JsonText, String> {
    fn plain(value: &toml::Value) -> Result<serde_json::Value, String> {
        Ok(match value {
            toml::Value::String(text) => text.as_str().into(),
            toml::Value::Integer(integer) => (*integer).into(),
            toml::Value::Float(float) => serde_json::Number::from_f64(*float)
                .map(Into::into)
                .ok_or_else(|| format!("{float} is not valid in JSON"))?,
            toml::Value::Boolean(truth) => (*truth).into(),
            toml::Value::Datetime(time) => time.to_string().into(),
            toml::Value::Array(values) => {
                values.iter().map(plain).collect::<Result<Vec<_>, _>>()?.into()
            }
            toml::Value::Table(table) => {
                let entries = table.iter().map(|(key, value)| Ok((key.clone(), plain(value)?)));
                serde_json::Value::Object(entries.collect::<Result<_, String>>()?)
            }
        })
    }
    Ok(JsonText::from_value(&plain(value)?))
}
