//! Checks the keys of an agent with `source = "mcp"`.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::ops::Range;
use std::path::PathBuf;

use agents::mcp::{
    HttpTransport, McpAgent, McpServer, ServerConfig, ServerConfigError, servers_of_file,
};
use evalset::snake_case;
use json_text::{JsonText, Kind};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::agent::json_of;
use super::error::ConfigError;
use super::file::AgentEntry;
use super::schema::{READABLE, command_or_url};
use super::source_location::SourceLocation;

/// One MCP server: a program (`command`) or an endpoint (`url`).
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = command_or_url)]
pub struct ServerEntry {
    /// The server's name in the page and the log.
    #[schemars(with = "String", regex(pattern = READABLE))]
    pub name: Spanned<String>,
    /// A program that speaks MCP over standard input and output: a path, or a name on `PATH`.
    pub command: Option<String>,
    /// The program's arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Environment variables of the program, in addition to the few that every program needs.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Names of host environment variables to pass to the program, such as those with tokens.
    #[serde(default)]
    pub pass_env: Vec<String>,
    /// The program's working directory. Default: where `rehearsal` is started.
    pub cwd: Option<PathBuf>,
    /// An HTTP endpoint.
    #[schemars(example = "http://127.0.0.1:3001/mcp")]
    pub url: Option<String>,
    /// What the endpoint speaks. Default: streamable HTTP.
    pub transport: Option<HttpTransport>,
    /// Headers of every request to the endpoint.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The environment variable with the bearer token for the endpoint.
    pub bearer_token_env: Option<String>,
    /// The tools to use, by name. Default: all.
    pub tools: Option<Vec<String>>,
    /// A prefix for each tool's name, followed by an underscore.
    pub tool_name_prefix: Option<String>,
    /// Folders that the server gets when it requests roots.
    #[serde(default)]
    pub roots: Vec<PathBuf>,
    /// Whether the server's `instructions` are added to the agent's instruction. Default: false.
    #[serde(default)]
    pub include_instructions: bool,
    /// The time limit for starting and listing tools, in seconds. Default: 60.
    #[schemars(with = "Option<u64>", range(min = 1))]
    pub timeout_seconds: Option<Spanned<u64>>,
}

/// The agent of `entry`.
///
/// # Errors
/// The first error, with its location.
pub(super) fn agent(
    whole: Range<usize>,
    entry: &AgentEntry,
    location: &impl Fn(Range<usize>) -> SourceLocation,
) -> Result<McpAgent, ConfigError> {
    let refuse = |span: Range<usize>, message: String| ConfigError::Malformed {
        location: Box::new(location(span)),
        message,
    };
    let name = entry.name.get_ref().trim();
    let instruction = match (&entry.instruction, &entry.instruction_file) {
        (Some(_), Some(file)) => {
            let message = "give `instruction` or `instruction_file`, not both".to_owned();
            return Err(refuse(file.span(), message));
        }
        (Some(text), None) => text.get_ref().clone(),
        (None, Some(file)) => fs::read_to_string(file.get_ref()).map_err(|error| {
            let path = file.get_ref().display();
            refuse(file.span(), format!("the instruction {path} cannot be read: {error}"))
        })?,
        (None, None) => {
            let message = format!(
                "the agent `{name}` has source = \"mcp\" and needs `instruction`, such as \
                 instruction = \"Help with the files of the user.\""
            );
            return Err(refuse(whole, message));
        }
    };
    if entry.servers.is_empty() && entry.servers_file.is_none() {
        let message = format!(
            "the agent `{name}` has source = \"mcp\" and needs a server: add an [[agent.server]] \
             table with `command` or `url`, or `servers_file`"
        );
        return Err(refuse(whole, message));
    }
    let mut servers = Vec::with_capacity(entry.servers.len());
    for server in &entry.servers {
        servers.push(server_of(server, &refuse)?);
    }
    if let Some(file) = &entry.servers_file {
        servers.extend(
            servers_of_file(file.get_ref())
                .map_err(|error| refuse(file.span(), error.to_string()))?,
        );
    }
    let mut names = HashSet::new();
    if let Some(again) = servers.iter().find(|server| !names.insert(&server.name)) {
        let message = format!("two servers of `{name}` are called `{}`: rename one", again.name);
        return Err(refuse(whole, message));
    }
    let schema = |given: &Option<Spanned<toml::Value>>| match given {
        Some(given) => schema_of(given).map(Some).map_err(|why| refuse(given.span(), why)),
        None => Ok(None),
    };
    Ok(McpAgent {
        name: snake_case(name),
        description: entry.description.as_ref().map_or_else(String::new, |it| it.get_ref().clone()),
        instruction,
        instruction_file: entry.instruction_file.as_ref().map(|file| file.get_ref().clone()),
        model: entry.model.as_ref().map(|model| model.get_ref().clone()),
        servers,
        input_schema: schema(&entry.input_schema)?,
        output_schema: schema(&entry.output_schema)?,
    })
}

fn server_of(
    entry: &Spanned<ServerEntry>,
    refuse: &impl Fn(Range<usize>, String) -> ConfigError,
) -> Result<McpServer, ConfigError> {
    let (span, entry) = (entry.span(), entry.get_ref());
    let name = entry.name.get_ref().trim();
    if name.is_empty() {
        let message = "a server needs a visible name".to_owned();
        return Err(refuse(entry.name.span(), message));
    }
    if let Some(seconds) = entry.timeout_seconds.as_ref().filter(|it| *it.get_ref() == 0) {
        return Err(refuse(seconds.span(), ServerConfigError::NoTime.to_string()));
    }
    let config = ServerConfig {
        command: entry.command.clone(),
        args: entry.args.clone(),
        env: entry.env.clone(),
        pass_env: entry.pass_env.clone(),
        cwd: entry.cwd.clone(),
        url: entry.url.clone(),
        transport: entry.transport,
        headers: entry.headers.clone(),
        bearer_token_env: entry.bearer_token_env.clone(),
        tools: entry.tools.clone(),
        tool_name_prefix: entry.tool_name_prefix.clone(),
        roots: entry.roots.clone(),
        include_instructions: entry.include_instructions,
        timeout_seconds: entry.timeout_seconds.as_ref().map(|it| *it.get_ref()),
    };
    config.server(name).map_err(|error| refuse(span, error.to_string()))
}

/// A schema as a TOML table, or a JSON file by its path.
fn schema_of(given: &Spanned<toml::Value>) -> Result<JsonText, String> {
    let schema = match given.get_ref() {
        toml::Value::String(path) => {
            let text = fs::read_to_string(path)
                .map_err(|error| format!("the schema {path} cannot be read: {error}"))?;
            JsonText::parse(&text)
                .map_err(|error| format!("the schema {path} is not JSON: {error}"))?
        }
        table => json_of(table)?,
    };
    match schema.kind() {
        Kind::Object => Ok(schema),
        kind => Err(format!(
            "a schema must be a table, or the path of a JSON file with an object, not a {}",
            kind.name()
        )),
    }
}
