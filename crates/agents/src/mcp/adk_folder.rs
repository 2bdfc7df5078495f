//! An MCP agent as a folder that `adk web` and `adk eval` load.

use std::fmt::Write as _;
use std::path::Path;

use super::agent::{McpAgent, McpServer, McpTransport};

/// A file of the folder: its name in it, and its text.
pub type FolderFile = (&'static str, String);

/// The files of an ADK agent with the same instruction, the same servers and `model`.
///
/// `cwd` is where relative paths of the servers count from: ADK may be started elsewhere.
/// [`left_out`] lists what it leaves out.
#[must_use]
pub fn adk_folder(agent: &McpAgent, model: &str, cwd: &Path) -> Vec<FolderFile> {
    let mut files = vec![
        ("__init__.py", "from . import agent\n".to_owned()),
        ("agent.py", agent_py(agent, model, cwd)),
        ("instruction.md", agent.instruction.clone()),
    ];
    if let Some(schema) = &agent.output_schema {
        files.push(("output_schema.json", format!("{}\n", schema.pretty())));
    }
    files
}

/// What of the agent its ADK folder does not hold, a clause each.
#[must_use]
pub fn left_out(agent: &McpAgent) -> Vec<String> {
    let mut left_out = Vec::new();
    if agent.input_schema.is_some() {
        // The query is the same JSON text without it.
        left_out.push("`input_schema`: ADK takes a Pydantic class there".to_owned());
    }
    let including = agent.servers.iter().filter(|server| server.include_instructions);
    left_out.extend(including.map(|server| {
        format!(
            "`include_instructions` of {}: ADK sends no instructions of servers to the model. Copy them \
             into `instruction`",
            one_line(&server.name)
        )
    }));
    let with_roots = agent.servers.iter().filter(|server| !server.roots.is_empty());
    left_out.extend(with_roots.map(|server| {
        format!(
            "`roots` of {}: ADK sends servers no roots, so their tools may behave differently",
            one_line(&server.name)
        )
    }));
    left_out
}

fn agent_py(agent: &McpAgent, model: &str, cwd: &Path) -> String {
    let has = |wanted: fn(&McpTransport) -> bool| {
        agent.servers.iter().any(|server| wanted(&server.transport))
    };
    let stdio = has(|transport| matches!(transport, McpTransport::Stdio { .. }));
    let http = has(|transport| matches!(transport, McpTransport::Http { sse: false, .. }));
    let sse = has(|transport| matches!(transport, McpTransport::Http { sse: true, .. }));
    let reads_environment = agent.servers.iter().any(|server| match &server.transport {
        McpTransport::Stdio { pass_env, .. } => !pass_env.is_empty(),
        McpTransport::Http { bearer_token_env, .. } => bearer_token_env.is_some(),
    });
    let mut text = String::from("\"\"\"Written by `rehearsal adk-folder`.\"\"\"\n\n");
    // Writing to a string cannot fail.
    let mut line = |line: &str| {
        let _ = writeln!(text, "{line}");
    };
    if agent.output_schema.is_some() {
        line("import json");
    }
    if reads_environment {
        line("import os");
    }
    line("from pathlib import Path\n");
    line("from google.adk.agents import LlmAgent");
    line("from google.adk.tools.mcp_tool import McpToolset");
    if sse {
        line("from google.adk.tools.mcp_tool.mcp_session_manager import SseConnectionParams");
    }
    if stdio {
        line("from google.adk.tools.mcp_tool.mcp_session_manager import StdioConnectionParams");
    }
    if http {
        line(
            "from google.adk.tools.mcp_tool.mcp_session_manager import StreamableHTTPConnectionParams",
        );
    }
    if stdio {
        line("from mcp import StdioServerParameters");
    }
    line("\nHERE = Path(__file__).resolve().parent\n");
    line("root_agent = LlmAgent(");
    line(&format!("    name={},", python(&agent.name)));
    line(&format!("    model={},", python(model)));
    if !agent.description.is_empty() {
        line(&format!("    description={},", python(&agent.description)));
    }
    line("    instruction=(HERE / \"instruction.md\").read_text(encoding=\"utf-8\"),");
    if agent.output_schema.is_some() {
        line(
            "    output_schema=json.loads((HERE / \"output_schema.json\").read_text(encoding=\"utf-8\")),",
        );
    }
    line("    tools=[");
    for server in &agent.servers {
        line(&toolset(server, cwd));
    }
    line("    ],");
    line(")");
    text
}

fn toolset(server: &McpServer, cwd: &Path) -> String {
    let mut lines =
        vec![format!("        # {}", one_line(&server.name)), "        McpToolset(".to_owned()];
    let seconds = server.patience.as_secs().max(1);
    match &server.transport {
        McpTransport::Stdio { command, args, env, pass_env, cwd: own } => {
            let folder = own.as_deref().map_or_else(|| cwd.to_path_buf(), |own| cwd.join(own));
            let args: Vec<String> = args.iter().map(|argument| python(argument)).collect();
            lines.push("            connection_params=StdioConnectionParams(".to_owned());
            lines.push("                server_params=StdioServerParameters(".to_owned());
            lines.push(format!("                    command={},", python(command)));
            lines.push(format!("                    args=[{}],", args.join(", ")));
            if !env.is_empty() || !pass_env.is_empty() {
                let given: Vec<String> = env
                    .iter()
                    .map(|(key, value)| format!("{}: {}", python(key), python(value)))
                    .chain(pass_env.iter().map(|key| {
                        let key = python(key);
                        format!("**({{{key}: os.environ[{key}]}} if {key} in os.environ else {{}})")
                    }))
                    .collect();
                lines.push(format!("                    env={{{}}},", given.join(", ")));
            }
            lines.push(format!("                    cwd={},", python(&folder.to_string_lossy())));
            lines.push("                ),".to_owned());
            lines.push(format!("                timeout={seconds},"));
            lines.push("            ),".to_owned());
        }
        McpTransport::Http { url, headers, bearer_token_env, sse } => {
            let mut given: Vec<String> = headers
                .iter()
                .map(|(key, value)| format!("{}: {}", python(key), python(value)))
                .collect();
            if let Some(variable) = bearer_token_env {
                given.push(format!(
                    "\"Authorization\": \"Bearer \" + os.environ[{}]",
                    python(variable)
                ));
            }
            let class = if *sse { "SseConnectionParams" } else { "StreamableHTTPConnectionParams" };
            lines.push(format!("            connection_params={class}("));
            lines.push(format!("                url={},", python(url)));
            if !given.is_empty() {
                lines.push(format!("                headers={{{}}},", given.join(", ")));
            }
            lines.push(format!("                timeout={seconds},"));
            lines.push("            ),".to_owned());
        }
    }
    if let Some(tools) = &server.tools {
        let tools: Vec<String> = tools.iter().map(|tool| python(tool)).collect();
        lines.push(format!("            tool_filter=[{}],", tools.join(", ")));
    }
    if let Some(prefix) = &server.tool_name_prefix {
        lines.push(format!("            tool_name_prefix={},", python(prefix)));
    }
    lines.push("        ),".to_owned());
    lines.join("\n")
}

/// A Python string literal.
fn python(text: &str) -> String {
    let mut literal = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            control if control.is_control() => {
                let _ = write!(literal, "\\U{:08x}", u32::from(control));
            }
            plain => literal.push(plain),
        }
    }
    literal.push('"');
    literal
}

fn one_line(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

#[cfg(test)]
mod unit {
    use expect_test::expect;
    use json_text::JsonText;

    use super::*;

    #[test]
    fn lists_what_is_left_out() {
        let mut agent = McpAgent::new("desk");
        agent = agent.server(McpServer::stdio("plain", "npx", ["-y"]));
        assert_eq!(left_out(&agent), [""; 0]);
        let mut files = McpServer::stdio("files", "npx", ["-y"]);
        files.roots.push("/notes".into());
        agent = agent.server(files);
        agent.input_schema = JsonText::parse("{}").ok();
        let actual = left_out(&agent);
        assert_eq!(actual.len(), 2, "{actual:?}");
        assert!(actual[0].starts_with("`input_schema`"), "{actual:?}");
        assert!(actual[1].starts_with("`roots` of files"), "{actual:?}");
    }

    #[test]
    fn writes_a_server_that_speaks_http_with_sse() {
        let mut clock = McpServer::http("clock", "http://127.0.0.1:3001/sse");
        if let McpTransport::Http { sse, .. } = &mut clock.transport {
            *sse = true;
        }
        let agent = McpAgent::new("desk").server(clock);
        let files = adk_folder(&agent, "gemini-2.5-flash", Path::new("/work"));
        let text = &files[1].1;
        assert!(text.contains("mcp_session_manager import SseConnectionParams\n"), "{text}");
        assert!(text.contains("connection_params=SseConnectionParams(\n"), "{text}");
        assert!(!text.contains("Streamable"), "{text}");
    }

    #[test]
    fn writes_an_agent_as_python() {
        let mut files = McpServer::stdio("files\nx", "npx", ["-y", "server \"quoted\""]);
        files.tools = Some(vec!["read_file".to_owned()]);
        if let McpTransport::Stdio { env, pass_env, cwd, .. } = &mut files.transport {
            env.insert("MODE".to_owned(), "a\\b".to_owned());
            pass_env.push("TOKEN".to_owned());
            *cwd = Some("sub".into());
        }
        let mut clock = McpServer::http("clock", "http://127.0.0.1:3001/mcp");
        clock.tool_name_prefix = Some("clock".to_owned());
        if let McpTransport::Http { headers, bearer_token_env, .. } = &mut clock.transport {
            headers.insert("X-Team".to_owned(), "é😀".to_owned());
            *bearer_token_env = Some("CLOCK_TOKEN".to_owned());
        }
        let mut agent =
            McpAgent::new("desk").instruction("Be \"brief\".").server(files).server(clock);
        agent.output_schema = JsonText::parse(r#"{"type":"object"}"#).ok();
        let files = adk_folder(&agent, "gemini-2.5-flash", Path::new("/work place"));
        let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["__init__.py", "agent.py", "instruction.md", "output_schema.json"]);
        expect![[r#"
            """Written by `rehearsal adk-folder`."""

            import json
            import os
            from pathlib import Path

            from google.adk.agents import LlmAgent
            from google.adk.tools.mcp_tool import McpToolset
            from google.adk.tools.mcp_tool.mcp_session_manager import StdioConnectionParams
            from google.adk.tools.mcp_tool.mcp_session_manager import StreamableHTTPConnectionParams
            from mcp import StdioServerParameters

            HERE = Path(__file__).resolve().parent

            root_agent = LlmAgent(
                name="desk",
                model="gemini-2.5-flash",
                instruction=(HERE / "instruction.md").read_text(encoding="utf-8"),
                output_schema=json.loads((HERE / "output_schema.json").read_text(encoding="utf-8")),
                tools=[
                    # files x
                    McpToolset(
                        connection_params=StdioConnectionParams(
                            server_params=StdioServerParameters(
                                command="npx",
                                args=["-y", "server \"quoted\""],
                                env={"MODE": "a\\b", **({"TOKEN": os.environ["TOKEN"]} if "TOKEN" in os.environ else {})},
                                cwd="/work place/sub",
                            ),
                            timeout=60,
                        ),
                        tool_filter=["read_file"],
                    ),
                    # clock
                    McpToolset(
                        connection_params=StreamableHTTPConnectionParams(
                            url="http://127.0.0.1:3001/mcp",
                            headers={"X-Team": "é😀", "Authorization": "Bearer " + os.environ["CLOCK_TOKEN"]},
                            timeout=60,
                        ),
                        tool_name_prefix="clock",
                    ),
                ],
            )
        "#]].assert_eq(&files[1].1);
    }
}
