//! Two agents with MCP servers: files, and a clock.
//!
//! The servers are published packages. An installed one is started directly; otherwise `npx` or `uvx`
//! downloads it.

use std::path::{Path, PathBuf};
use std::{env, io};

use agents::mcp::{McpAgent, McpServer};
use rust_embed::RustEmbed;

/// The version that `npx` fetches.
const FILESYSTEM: &str = "@modelcontextprotocol/server-filesystem@2026.8.31";

const FILES_INSTRUCTION: &str = "\
You look after a folder of notes.

- Ask `list_allowed_directories` for its path first; every other path starts with it.
- Read before you write. Change a file with `edit_file`, and try it with `dryRun` first.
- Never delete or overwrite what the user did not name.
- Answer with what you found or did, and name each file.";

const CLOCK_INSTRUCTION: &str = "\
You answer questions about the time anywhere.

- Time zones are IANA names, such as `Europe/Lisbon`.
- For a meeting, convert the time for every participant and say the day as well when it differs.
- If a place is ambiguous, say which one you took.";

#[derive(RustEmbed)]
#[folder = "agents/notes"]
struct Notes;

/// An agent on `@modelcontextprotocol/server-filesystem`, confined to a folder of example notes.
///
/// # Errors
/// The notes cannot be written to disk.
pub fn files_agent() -> io::Result<McpAgent> {
    let notes = agents::embedded::unpacked::<Notes>("notes")?.join("notes");
    let folder = notes.to_string_lossy().into_owned();
    let mut server = match on_path("mcp-server-filesystem") {
        Some(program) => McpServer::stdio("filesystem", program.to_string_lossy(), [folder]),
        None => McpServer::stdio("filesystem", "npx", ["-y", FILESYSTEM, &folder]),
    };
    server.roots = vec![notes];
    let mut agent = McpAgent::new("files").instruction(FILES_INSTRUCTION).server(server);
    "Looks after a folder of notes.".clone_into(&mut agent.description);
    agent.model = Some("gemini-2.5-flash".to_owned());
    Ok(agent)
}

/// An agent on `mcp-server-time`; `python` is the interpreter to run it with where none is on
/// `PATH`.
#[must_use]
pub fn clock_agent(python: Option<&Path>) -> McpAgent {
    const MODULE: [&str; 2] = ["-m", "mcp_server_time"];
    let server = match (on_path("mcp-server-time"), python) {
        (Some(program), _) => McpServer::stdio("time", program.to_string_lossy(), [""; 0]),
        (None, Some(python)) => McpServer::stdio("time", python.to_string_lossy(), MODULE),
        (None, None) => McpServer::stdio("time", "uvx", ["mcp-server-time"]),
    };
    let mut agent = McpAgent::new("world_clock").instruction(CLOCK_INSTRUCTION).server(server);
    "Knows the time anywhere.".clone_into(&mut agent.description);
    agent.model = Some("gemini-2.5-flash".to_owned());
    agent
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let file = if cfg!(windows) { format!("{name}.cmd") } else { name.to_owned() };
    env::split_paths(&path).map(|folder| folder.join(&file)).find(|program| program.is_file())
}
