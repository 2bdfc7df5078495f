//! What servers declare, kept for when they do not run: [`listed_declarations`] asks them, and [`declared_tools`]
//! reads what they said.

use std::sync::Arc;

use futures::future::try_join_all;
use json_text::JsonText;
use rmcp::model::Tool;
use serde::Serialize;

use super::agent::McpServer;
use super::connection::Connection;
use super::fault::ConnectFault;
use super::tools::Catalog;
use crate::{AgentFault, AgentLog, ToolView};

/// A tool in a response to `tools/list` cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the tool at /tools/{at}: {reason}")]
pub struct UnreadableTool {
    /// Its index in the list.
    pub at: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// The tools of `server` as a model sees them, filtered and prefixed as configured, and warnings about them.
/// `listed` are the tools of its response to `tools/list`.
///
/// # Errors
/// [`UnreadableTool`]
pub fn declared_tools(
    server: &McpServer,
    listed: &[JsonText],
) -> Result<(Vec<ToolView>, Vec<String>), UnreadableTool> {
    let mut tools = Vec::with_capacity(listed.len());
    for (at, tool) in listed.iter().enumerate() {
        let read = tool.decode::<Tool>();
        tools.push(read.map_err(|reason| UnreadableTool { at, reason: reason.to_string() })?);
    }
    let mut catalog = Catalog::default();
    catalog.add(0, server, &tools);
    let views = catalog.tools.into_iter().map(|listed| listed.view);
    Ok((views.collect(), catalog.warnings))
}

/// What one server declares, in the form of its response to `tools/list`.
#[derive(Serialize)]
struct Declared {
    tools: Vec<Tool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<String>,
}

/// What each of `servers` declares now, in their order: its response to `tools/list`, and its `instructions`. Starts
/// the servers, and ends them.
///
/// # Errors
/// A server cannot be used.
pub async fn listed_declarations(servers: &[McpServer]) -> Result<Vec<JsonText>, AgentFault> {
    let log = Arc::new(AgentLog::default());
    let opening = servers.iter().map(|server| async {
        let mut connection = Connection::open(server, &log, None).await?;
        let tools = std::mem::take(&mut connection.tools);
        let instructions = connection.instructions.take();
        connection.close().await;
        Ok(Declared { tools, instructions })
    });
    let declared =
        try_join_all(opening).await.map_err(|fault: ConnectFault| AgentFault::from(fault))?;
    let written = declared
        .iter()
        .map(|declared| JsonText::serialize(declared).unwrap_or_else(|_| JsonText::null()));
    Ok(written.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(server: &McpServer, tools: &[&str]) -> Result<Vec<String>, UnreadableTool> {
        let tools: Vec<JsonText> =
            tools.iter().map(|tool| JsonText::parse(tool).expect("JSON")).collect();
        let (views, _) = declared_tools(server, &tools)?;
        Ok(views.iter().map(|view| view.name.to_string()).collect())
    }

    #[test]
    fn tools_are_filtered_and_prefixed_as_those_of_a_running_server() {
        let mut server = McpServer::stdio("files", "no-such-program", [""; 0]);
        server.tools = Some(vec!["read".to_owned()]);
        server.tool_name_prefix = Some("notes".to_owned());
        let tool = |name: &str| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
        let (read, write) = (tool("read"), tool("write"));
        assert_eq!(declared(&server, &[&read, &write]), Ok(vec!["notes_read".to_owned()]));
        let error = declared(&server, &[&read, r#"{"name":"write"}"#]).expect_err("no schema");
        let error = error.to_string();
        assert!(error.starts_with("the tool at /tools/1: "), "{error}");
        assert!(error.contains("inputSchema"), "{error}");
    }
}
