//! [`AgentConfig`]: one agent, from the file or from a folder on the command line.

use std::collections::BTreeMap;
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
pub(super) const DEFAULT_USER: &str = "user";

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
    /// The folder of agents on the command line in which it was found, with which it comes and goes.
    pub found_in: Option<PathBuf>,
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
            found_in: None,
        })
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
