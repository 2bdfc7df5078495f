//! The configuration of the host: `rehearsal.toml`, the command line, the environment.
//!
//! `file` is the file's structure, `source_location` gives errors a line and column, and each other
//! module checks one part.
//! The result is a checked [`Config`].

mod access;
mod agent;
mod agent_folders;
mod error;
mod file;
mod folders;
mod listen;
mod live;
mod mcp;
mod schema;
mod security;
mod served;
mod source_location;

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use rehearsal_server::access::Access;
use rehearsal_server::{BasePath, Folders, InvalidBasePath};

pub use agent::{AgentConfig, AgentSourceConfig, default_eval_set_path};
pub use agent_folders::agents_now;
pub use error::ConfigError;
pub use file::{AgentEntry, ConfigFile, PersonEntry, SourceName, TokenEntry, ToolResponseForm};
pub use listen::{DEFAULT_LISTEN, ListenAddress};
pub use live::LiveConfig;
pub use mcp::ServerEntry;
pub use schema::json_schema;
pub use security::{AllowedOrigin, SecurityConfig};
pub use served::{Served, ServedNow};
pub use source_location::SourceLocation;

/// The default configuration file in the working directory.
pub const FILE_NAME: &str = "rehearsal.toml";

/// Options of the command line or of `REHEARSAL_*` variables.
/// They override the file; origins are added to the file's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    /// The configuration to read.
    pub config: Option<PathBuf>,
    /// Folders of ADK agents, or of folders of them, that need no configuration.
    pub folders: Vec<PathBuf>,
    /// The address to serve.
    pub listen: Option<ListenAddress>,
    /// The path below which everything is served.
    pub base_path: Option<BasePath>,
    /// The interpreter for agents without their own.
    pub python: Option<PathBuf>,
    /// Origins of other pages that may call the host.
    pub allowed_origins: Vec<AllowedOrigin>,
    /// The file that stores live sessions.
    pub live_database: Option<PathBuf>,
}

/// The checked configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The address to serve; a loopback address unless `access` requires a login.
    pub listen: SocketAddr,
    /// The path below which everything is served.
    pub base_path: BasePath,
    /// The agents, in the order of the file and then of the command line.
    /// Empty with [`Origin::Examples`].
    pub agents: Vec<AgentConfig>,
    /// The folders on the command line whose subfolders are agents, for [`agents_now`].
    pub agent_folders: Vec<PathBuf>,
    /// The interpreter for ADK agents without their own.
    pub python: Option<PathBuf>,
    /// Allowed origins and trusted proxies.
    pub security: SecurityConfig,
    /// People and tokens.
    pub access: Access,
    /// Where live sessions are stored.
    pub live: LiveConfig,
    /// Additional folders of eval sets and reports.
    pub folders: Folders,
    /// Whether exports write results as google-adk records them.
    pub adk_tool_responses: bool,
    /// Where the agents came from.
    pub origin: Origin,
}

/// Where a [`Config`]'s agents came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// No agent was given: the built-in examples.
    Examples,
    /// Only folders on the command line.
    CommandLine,
    /// A file, and possibly folders.
    File(PathBuf),
}

impl Config {
    /// Reads and checks the configuration.
    ///
    /// With a file in `overrides`, the folders are added to its agents.
    /// With only folders, no file is read.
    /// With neither, `rehearsal.toml` in the working directory is read if it exists, otherwise the
    /// examples are used.
    ///
    /// `examples` are the allowed names in `example = "..."`.
    ///
    /// # Errors
    /// The first error of the file with its location, an invalid agent folder, two agents with the same
    /// name, or an address that requires a login.
    pub fn load(overrides: &Overrides, examples: &[&str]) -> Result<Self, ConfigError> {
        match &overrides.config {
            Some(path) => Self::from_file(path, overrides, examples),
            None if overrides.folders.is_empty() && Path::new(FILE_NAME).is_file() => {
                Self::from_file(Path::new(FILE_NAME), overrides, examples)
            }
            None => Self::assemble(ConfigFile::default(), None, overrides, examples),
        }
    }

    /// What differs from `begun`, and takes effect only with the next start of a host.
    #[must_use]
    pub fn fixed_differences(&self, begun: &Self) -> Vec<&'static str> {
        [
            ("`listen`", self.listen != begun.listen),
            ("`base_path`", self.base_path != begun.base_path),
            ("`[live] database`", self.live.database != begun.live.database),
        ]
        .into_iter()
        .filter_map(|(name, differs)| differs.then_some(name))
        .collect()
    }

    fn from_file(
        path: &Path,
        overrides: &Overrides,
        examples: &[&str],
    ) -> Result<Self, ConfigError> {
        let text = fs::read_to_string(path).map_err(|source| ConfigError::Unreadable {
            path: path.to_path_buf(),
            source: source.into(),
        })?;
        Self::from_text(&text, path, overrides, examples)
    }

    /// As [`Self::load`], with the text of the file given; `path` is named in errors.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn from_text(
        text: &str,
        path: &Path,
        overrides: &Overrides,
        examples: &[&str],
    ) -> Result<Self, ConfigError> {
        let file = ConfigFile::parse(text, path)?;
        let config = Self::assemble(file, Some((path, text)), overrides, examples)?;
        // With tokens, agents that run elsewhere ask the people of live sessions.
        let serves_live_sessions = config.access.has_tokens();
        if config.agents.is_empty() && config.folders.is_empty() && !serves_live_sessions {
            return Err(ConfigError::NoAgents { path: path.to_path_buf() });
        }
        Ok(config)
    }

    fn assemble(
        file: ConfigFile,
        source: Option<(&Path, &str)>,
        overrides: &Overrides,
        examples: &[&str],
    ) -> Result<Self, ConfigError> {
        let (path, text) = source.unwrap_or((Path::new(""), ""));
        let location = |span| SourceLocation::of(path, text, span);
        let access = access::check(&file, location)?;
        let asked = access.is_enabled();
        let listen = match (overrides.listen, &file.listen) {
            (Some(listen), _) => listen.checked(None, asked)?,
            (None, Some(written)) => {
                let location = SourceLocation::of(path, text, written.span());
                ListenAddress::parse(written.get_ref(), Some(&location))?
                    .checked(Some(&location), asked)?
            }
            (None, None) => DEFAULT_LISTEN,
        };
        let base_path = match (&overrides.base_path, &file.base_path) {
            (Some(base_path), _) => base_path.clone(),
            (None, Some(written)) => {
                written.get_ref().parse().map_err(|error: InvalidBasePath| {
                    let location = Box::new(location(written.span()));
                    ConfigError::Malformed { location, message: error.to_string() }
                })?
            }
            (None, None) => BasePath::default(),
        };
        let mut security = SecurityConfig::check(&file.security, location)?;
        security.allowed_origins.extend(overrides.allowed_origins.iter().cloned());
        let mut agents = Vec::new();
        for entry in &file.agents {
            agents.push(AgentConfig::from_entry(entry, examples, location)?);
        }
        let mut agent_folders = Vec::new();
        for folder in &overrides.folders {
            let found = AgentConfig::from_folder(folder)?;
            let has_subfolders = found.iter().any(|agent| agent.found_in.is_some());
            if has_subfolders && !agent_folders.contains(folder) {
                agent_folders.push(folder.clone());
            }
            for found in found {
                agent_folders::add_found(&mut agents, found);
            }
        }
        agent::require_distinct_names(&agents)?;
        let origin = match source {
            Some((path, _)) => Origin::File(path.to_path_buf()),
            None if overrides.folders.is_empty() => Origin::Examples,
            None => Origin::CommandLine,
        };
        let python = overrides.python.clone().or(file.python);
        let live = LiveConfig::of(&file.live, overrides.live_database.as_deref());
        let folders = folders::folders(file.folders);
        let adk_tool_responses = file.export.tool_response == ToolResponseForm::Adk;
        Ok(Self {
            listen,
            base_path,
            agents,
            agent_folders,
            python,
            security,
            access,
            live,
            folders,
            adk_tool_responses,
            origin,
        })
    }
}

#[cfg(test)]
mod tests;
