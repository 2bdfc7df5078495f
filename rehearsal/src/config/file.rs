//! The structure of `rehearsal.toml`, one struct per table.
//!
//! Unknown keys are rejected.
//! Editors show the doc comments of this module, through [`json_schema`].

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::ops::Range;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::error::ConfigError;
use super::mcp::ServerEntry;
use super::schema::{
    BASE_PATH, LISTEN, ORIGIN, READABLE, any_object, keys_by_source, object_or_path,
};
use super::source_location::SourceLocation;

/// Configuration of a Rehearsal host.
///
/// Relative paths are relative to the folder in which `rehearsal` is started.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "rehearsal.toml")]
pub struct ConfigFile {
    /// The address to listen on. Default: `127.0.0.1:4180`.
    /// Addresses that other machines reach require a `[[person]]` or a `[[token]]`; port 0 selects a
    /// free port.
    #[schemars(with = "Option<String>", regex(pattern = LISTEN), example = "127.0.0.1:4180")]
    pub listen: Option<Spanned<String>>,
    /// The path below which everything is served, for a reverse proxy that serves other things beside
    /// the host and passes the path on unchanged. Default: the root.
    #[schemars(with = "Option<String>", regex(pattern = BASE_PATH), example = "/team")]
    pub base_path: Option<Spanned<String>>,
    /// The Python interpreter for ADK agents without their own `python`.
    /// Default: each agent's virtual environment.
    pub python: Option<PathBuf>,
    /// Access to the host.
    #[serde(default)]
    pub security: SecurityTable,
    /// Live sessions: a person responds to agents that run elsewhere.
    #[serde(default)]
    pub live: LiveTable,
    /// Folders whose eval sets and reports the page lists, in addition to the agents' own files.
    #[serde(default)]
    pub folders: FoldersTable,
    /// Exports of rehearsals.
    #[serde(default)]
    pub export: ExportTable,
    /// People who log in. With a person or a token, the host requires a login.
    #[serde(default, rename = "person")]
    pub people: Vec<PersonEntry>,
    /// Tokens for programs: the plugin, gRPC clients, agents that call the model endpoints.
    #[serde(default, rename = "token")]
    pub tokens: Vec<TokenEntry>,
    /// The agents, in the order of the page's list.
    #[serde(default, rename = "agent")]
    #[schemars(with = "Vec<AgentEntry>")]
    pub agents: Vec<Spanned<AgentEntry>>,
}

/// Access to the host by others than its own page.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SecurityTable {
    /// Origins of other pages that may call the host, such as Trunk's in development.
    /// The host's own address is always allowed.
    #[serde(default)]
    #[schemars(
        with = "Vec<String>",
        inner(regex(pattern = ORIGIN)),
        example = ["http://127.0.0.1:8080"]
    )]
    pub allowed_origins: Vec<Spanned<String>>,
    /// Addresses of reverse proxies whose `X-Forwarded-For` header gives the client's address, for the
    /// login rate limit. The header of other clients is ignored.
    #[serde(default)]
    #[schemars(with = "Vec<String>", example = ["127.0.0.1"])]
    pub trusted_proxies: Vec<IpAddr>,
    /// A file that gets one line for each login, rejected login, response, canceled turn, completed
    /// or deleted session and export, in addition to the log.
    pub audit_file: Option<PathBuf>,
}

/// A person who logs in; `rehearsal user add NAME` adds one.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PersonEntry {
    /// The login name, recorded with responses and leases.
    #[schemars(with = "String", length(min = 1, max = 100))]
    pub name: Spanned<String>,
    /// The Argon2 hash of the password, as a PHC string.
    #[schemars(with = "String")]
    pub password: Spanned<String>,
}

/// A program's token; `rehearsal token add NAME` adds one.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TokenEntry {
    /// The program, or the person who runs it.
    #[schemars(with = "String", length(min = 1, max = 100))]
    pub name: Spanned<String>,
    /// The public part of the token, by which its hash is found.
    #[schemars(with = "String")]
    pub id: Spanned<String>,
    /// The Argon2 hash of the whole token, as a PHC string.
    #[schemars(with = "String")]
    pub hash: Spanned<String>,
    /// The names of tokens in whose sessions this one responds.
    /// Default: none, so that it only asks, in sessions that it opens.
    #[serde(default)]
    #[schemars(with = "Vec<String>", example = ["nightly-agents"])]
    pub responds_to: Vec<Spanned<String>>,
}

/// Live sessions.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LiveTable {
    /// The SQLite file that stores them. Default: `.rehearsal/live.sqlite`.
    /// It is created with the first session.
    pub database: Option<PathBuf>,
    /// Deletes sessions this many days after their last event, unless an agent waits. Default: none.
    #[schemars(example = 90)]
    pub keep_days: Option<NonZeroU32>,
    /// Deletes the longest unused sessions while the stored ones take more than this many megabytes (of 1,000,000
    /// bytes), unless an agent waits. Default: none.
    #[schemars(example = 5000)]
    pub keep_megabytes: Option<NonZeroU32>,
}

/// Exports of rehearsals.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportTable {
    /// How results of tools are written. Default: `result`. The export panel can change it.
    #[serde(default)]
    pub tool_response: ToolResponseForm,
}

/// How a result of a tool is written into a case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolResponseForm {
    /// Every result as `{"result": ...}`.
    #[default]
    Result,
    /// As google-adk's runner records it: an object as it is, any other value as `{"result": ...}`.
    Adk,
}

/// Folders to read, including subfolders; hidden ones are skipped.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FoldersTable {
    /// Folders of `*.evalset.json` and `*.test.json` files, which the page lists, reads and edits.
    #[serde(default)]
    #[schemars(example = ["evals"])]
    pub eval_sets: Vec<PathBuf>,
    /// Folders of JSON reports, as `rehearsal score --format json` writes them.
    #[serde(default)]
    #[schemars(example = ["reports"])]
    pub reports: Vec<PathBuf>,
}

/// One agent.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = keys_by_source)]
pub struct AgentEntry {
    /// The display name; eval cases are named after it.
    #[schemars(with = "String", regex(pattern = READABLE))]
    pub name: Spanned<String>,
    /// The kind of agent.
    #[schemars(with = "SourceName")]
    pub source: Spanned<SourceName>,
    /// For `adk_python`: the agent's folder, which `adk web` loads.
    #[schemars(with = "Option<PathBuf>")]
    pub folder: Option<Spanned<PathBuf>>,
    /// For `adk_python`: the interpreter of the agent's virtual environment.
    /// Default: found next to the agent.
    #[schemars(with = "Option<PathBuf>")]
    pub python: Option<Spanned<PathBuf>>,
    /// For `native`: the name of a built-in example.
    #[schemars(with = "Option<String>")]
    pub example: Option<Spanned<String>>,
    /// For `mcp`: the system instruction. `{key}` is replaced from the state.
    #[schemars(with = "Option<String>")]
    pub instruction: Option<Spanned<String>>,
    /// For `mcp`: a text file with the instruction.
    #[schemars(with = "Option<PathBuf>")]
    pub instruction_file: Option<Spanned<PathBuf>>,
    /// For `mcp`: the agent's description.
    #[schemars(with = "Option<String>")]
    pub description: Option<Spanned<String>>,
    /// For `mcp`: the agent's model, which `rehearsal adk-folder` writes.
    #[schemars(with = "Option<String>")]
    pub model: Option<Spanned<String>>,
    /// For `mcp`: JSON Schema of the user message, as a table or as the path of a JSON file.
    #[serde(default)]
    #[schemars(schema_with = "object_or_path")]
    pub input_schema: Option<Spanned<toml::Value>>,
    /// For `mcp`: JSON Schema of the final response, as a table or as the path of a JSON file.
    #[serde(default)]
    #[schemars(schema_with = "object_or_path")]
    pub output_schema: Option<Spanned<toml::Value>>,
    /// For `mcp`: the servers that provide the tools.
    #[serde(default, rename = "server")]
    #[schemars(with = "Vec<ServerEntry>")]
    pub servers: Vec<Spanned<ServerEntry>>,
    /// For `mcp`: a JSON file with `mcpServers`, as other MCP clients read it. Its servers come after those
    /// of `server`.
    #[schemars(with = "Option<PathBuf>", example = ".mcp.json")]
    pub servers_file: Option<Spanned<PathBuf>>,
    /// The eval-set file that exports are appended to.
    /// Default: a file in the agent's folder (`adk_python`) or in `evals/`.
    #[schemars(with = "Option<PathBuf>")]
    pub eval_set_path: Option<Spanned<PathBuf>>,
    /// The user ID of sessions. Default: `user`.
    pub user_id: Option<String>,
    /// The initial state of a session.
    #[serde(default)]
    #[schemars(schema_with = "any_object")]
    pub state: BTreeMap<String, Spanned<toml::Value>>,
}

/// Kinds of agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceName {
    /// A folder that `adk web` loads, run by a worker in its own virtual environment.
    AdkPython,
    /// A built-in agent in Rust.
    Native,
    /// An instruction and the tools of MCP servers.
    Mcp,
}

impl AgentEntry {
    /// The first key that only an agent with `source = "mcp"` may have, and its span.
    pub(super) fn key_of_mcp(&self) -> Option<(&'static str, Range<usize>)> {
        let text = |key: &'static str, given: &Option<Spanned<String>>| {
            given.as_ref().map(|given| (key, given.span()))
        };
        let schema = |key: &'static str, given: &Option<Spanned<toml::Value>>| {
            given.as_ref().map(|given| (key, given.span()))
        };
        text("instruction", &self.instruction)
            .or_else(|| self.instruction_file.as_ref().map(|it| ("instruction_file", it.span())))
            .or_else(|| text("description", &self.description))
            .or_else(|| text("model", &self.model))
            .or_else(|| schema("input_schema", &self.input_schema))
            .or_else(|| schema("output_schema", &self.output_schema))
            .or_else(|| self.servers.first().map(|server| ("server", server.span())))
            .or_else(|| self.servers_file.as_ref().map(|it| ("servers_file", it.span())))
    }
}

impl ConfigFile {
    /// Parses the text of a file; `path` is named in errors.
    ///
    /// # Errors
    /// The first error, with its location.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        toml::from_str(text).map_err(|error| {
            let location = SourceLocation::of(path, text, error.span().unwrap_or(0..0));
            ConfigError::from_toml(location, error.message())
        })
    }
}
