//! [`McpAgent`]: the definition of an agent whose tools are those of MCP servers.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use json_text::JsonText;

/// How long a server may take to start and to list its tools, by default: `npx` may have to
/// download it first.
const PATIENCE: Duration = Duration::from_secs(60);

/// An agent: its instruction, and the servers of its tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct McpAgent {
    /// Its name in code.
    pub name: String,
    /// Its description.
    pub description: String,
    /// The system instruction. `{key}` is filled from the session state, `{key?}` may be missing.
    pub instruction: String,
    /// The file of the instruction, which is then read again at each load.
    pub instruction_file: Option<PathBuf>,
    /// The name of its model.
    pub model: Option<String>,
    /// The servers of its tools. If two servers have a tool of the same name, the later one is left out with a
    /// warning.
    pub servers: Vec<McpServer>,
    /// JSON Schema of the user's query; text when absent.
    pub input_schema: Option<JsonText>,
    /// JSON Schema of the final response; text when absent.
    pub output_schema: Option<JsonText>,
}

/// One MCP server of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    /// What the page and the log call it.
    pub name: String,
    /// How it is reached.
    pub transport: McpTransport,
    /// Only these of its tools, by name; all of them when absent.
    pub tools: Option<Vec<String>>,
    /// Put before each tool's name, with an underscore between, as ADK's `McpToolset` does.
    pub tool_name_prefix: Option<String>,
    /// Folders for its requests for roots.
    pub roots: Vec<PathBuf>,
    /// How long it may take to start and to list its tools.
    pub patience: Duration,
    /// Whether its `instructions` are added to the agent's instruction.
    pub include_instructions: bool,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpTransport {
    /// A program that speaks over its standard input and output.
    Stdio {
        /// The program: a path, or a name to be found on `PATH`.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables besides the few that every program needs.
        env: BTreeMap<String, String>,
        /// Variables of the host that it gets as well.
        pass_env: Vec<String>,
        /// Where it runs; the host's working directory when absent.
        cwd: Option<PathBuf>,
    },
    /// A server that runs elsewhere, over HTTP.
    Http {
        /// Its endpoint.
        url: String,
        /// Headers of every request.
        headers: BTreeMap<String, String>,
        /// The variable of the host that holds the bearer token.
        bearer_token_env: Option<String>,
        /// Whether it speaks HTTP with SSE, the transport before streamable HTTP.
        sse: bool,
    },
}

impl McpAgent {
    /// An agent of this name in code, with neither instruction nor servers.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The system instruction.
    #[must_use]
    pub fn instruction(mut self, instruction: impl Into<String>) -> Self {
        self.instruction = instruction.into();
        self
    }

    /// Adds a server.
    #[must_use]
    pub fn server(mut self, server: McpServer) -> Self {
        self.servers.push(server);
        self
    }
}

impl McpServer {
    /// A program that speaks MCP over its standard input and output.
    #[must_use]
    pub fn stdio(
        name: impl Into<String>,
        command: impl Into<String>,
        args: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        Self::new(
            name,
            McpTransport::Stdio {
                command: command.into(),
                args: args.into_iter().map(Into::into).collect(),
                env: BTreeMap::new(),
                pass_env: Vec::new(),
                cwd: None,
            },
        )
    }

    /// A server at a streamable HTTP endpoint.
    #[must_use]
    pub fn http(name: impl Into<String>, url: impl Into<String>) -> Self {
        let headers = BTreeMap::new();
        Self::new(
            name,
            McpTransport::Http { url: url.into(), headers, bearer_token_env: None, sse: false },
        )
    }

    /// A server reached in this way, with all its tools.
    #[must_use]
    pub fn new(name: impl Into<String>, transport: McpTransport) -> Self {
        Self {
            name: name.into(),
            transport,
            tools: None,
            tool_name_prefix: None,
            roots: Vec::new(),
            patience: PATIENCE,
            include_instructions: false,
        }
    }
}
