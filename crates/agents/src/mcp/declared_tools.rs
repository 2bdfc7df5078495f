//! [`declared_tools`]: tools that a server once declared, without the server.

use json_text::JsonText;
use rmcp::model::Tool;

use super::agent::McpServer;
use super::tools::Catalog;
use crate::ToolView;

/// The tools of `server` as a model sees them, filtered and prefixed as configured, and warnings about them.
/// `listed` are the tools of its response to `tools/list`.
///
/// # Errors
/// Which tool cannot be read, and why.
pub fn declared_tools(
    server: &McpServer,
    listed: &[JsonText],
) -> Result<(Vec<ToolView>, Vec<String>), String> {
    let mut tools = Vec::with_capacity(listed.len());
    for (at, tool) in listed.iter().enumerate() {
        let read = tool.decode::<Tool>();
        tools.push(read.map_err(|error| format!("the tool at /tools/{at}: {error}"))?);
    }
    let mut catalog = Catalog::default();
    catalog.add(0, server, &tools);
    let views = catalog.tools.into_iter().map(|listed| listed.view);
    Ok((views.collect(), catalog.warnings))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(server: &McpServer, tools: &[&str]) -> Result<Vec<String>, String> {
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
        assert!(error.starts_with("the tool at /tools/1: "), "{error}");
        assert!(error.contains("inputSchema"), "{error}");
    }
}
