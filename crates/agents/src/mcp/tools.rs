//! The catalog of a session: the tools of all servers as the model would see them.

use std::sync::Arc;

use crate::{ToolHints, ToolView};
use json_text::JsonText;
use rmcp::model::Tool;
use serde::Serialize;
use serde_json::{Map, Value};
use session::ToolName;

use super::agent::{McpAgent, McpServer};
use super::{incoming, invalid_tools};
use crate::schemas;

/// A tool and where to call it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Listed {
    pub(super) view: ToolView,
    /// The place of its server in the agent's list.
    pub(super) server: usize,
    /// Its name as the server knows it.
    pub(super) remote_name: String,
    /// Whether it runs as a task only.
    pub(super) is_task_only: bool,
    /// Why it cannot be called, in one sentence; `None` if it can.
    pub(super) unusable: Option<String>,
}

/// The tools of one agent, and warnings about them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Catalog {
    pub(super) tools: Vec<Listed>,
    pub(super) warnings: Vec<String>,
}

impl Catalog {
    /// The tools that each of the agent's servers lists, in order, filtered and prefixed as
    /// configured.
    pub(super) async fn of(agent: &Arc<McpAgent>, listed: Vec<Vec<Tool>>) -> Self {
        let agent = Arc::clone(agent);
        schemas::run_blocking(move || {
            let mut catalog = Self::default();
            for (index, (server, tools)) in agent.servers.iter().zip(&listed).enumerate() {
                catalog.add(index, server, tools);
            }
            catalog
        })
        .await
    }

    pub(super) fn find(&self, name: &ToolName) -> Option<&Listed> {
        self.tools.iter().find(|listed| listed.view.name == *name)
    }

    /// Adds the tools of the server at `index`.
    pub(super) fn add(&mut self, index: usize, server: &McpServer, tools: &[Tool]) {
        let (tools, unusable): (Vec<&Tool>, Vec<&Tool>) =
            tools.iter().partition(|tool| invalid_tools::invalid_reason(tool).is_none());
        self.warnings.extend(unusable.into_iter().filter_map(|tool| {
            let reason = invalid_tools::invalid_reason(tool)?;
            Some(format!("The tool {} of {} is left out: {reason}.", tool.name, server.name))
        }));
        for folder in server.roots.iter().filter(|folder| !folder.is_dir()) {
            let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
            self.warnings.push(format!(
                "The folder {} in `roots` of {} does not exist. The server gets it \
                 anyway.",
                folder.display(),
                server.name
            ));
        }
        if let Some(wanted) = &server.tools {
            let listed: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
            for name in wanted.iter().filter(|name| !listed.contains(&name.as_str())) {
                self.warnings.push(format!(
                    "The server {} has no tool {name}, which `tools` lists. Its tools: {}.",
                    server.name,
                    listed.join(", ")
                ));
            }
        }
        for tool in tools {
            let wanted = server.tools.as_ref();
            if wanted.is_some_and(|wanted| !wanted.iter().any(|name| *name == tool.name)) {
                continue;
            }
            let full = match &server.tool_name_prefix {
                Some(prefix) => format!("{prefix}_{}", tool.name),
                None => tool.name.to_string(),
            };
            let name = match ToolName::parse(&full) {
                Ok(name) => name,
                Err(error) => {
                    self.warnings.push(format!("A tool of {} is left out: {error}.", server.name));
                    continue;
                }
            };
            if self.find(&name).is_some_and(|first| first.server == index) {
                self.warnings.push(format!(
                    "The server {} lists the tool {name} more than once. Only the first one is used.",
                    server.name
                ));
                continue;
            }
            if let Some(first) = self.find(&name) {
                self.warnings.push(format!(
                    "{name} of {} is left out: {} has a tool of that name. Set `tool_name_prefix` \
                     for one of the two.",
                    server.name, first.view.provided_by
                ));
                continue;
            }
            let unusable = invalid_tools::too_deep_reason(tool)
                .map(|reason| format!("The tool {name} cannot be called: {reason}."));
            let view = view(name, server, tool, unusable.clone());
            match &unusable {
                Some(warning) => self.warnings.push(warning.clone()),
                None => self.warnings.extend(schemas::left_unchecked_of(
                    view.name.as_str(),
                    view.parameters.as_ref(),
                )),
            }
            self.tools.push(Listed {
                view,
                server: index,
                remote_name: tool.name.to_string(),
                is_task_only: incoming::is_task_only(tool),
                unusable,
            });
        }
    }
}

/// A tool as ADK's McpToolset declares it to the model.
#[derive(Serialize)]
struct Declaration<'a> {
    name: &'a str,
    description: &'a str,
    parameters_json_schema: &'a JsonText,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_json_schema: Option<&'a JsonText>,
}

/// The tool as the page shows it. If it cannot be called, its description is the reason.
fn view(name: ToolName, server: &McpServer, tool: &Tool, unusable: Option<String>) -> ToolView {
    let hints = tool.annotations.as_ref().map_or_else(ToolHints::default, |hints| ToolHints {
        read_only: hints.read_only_hint,
        destructive: hints.destructive_hint,
        idempotent: hints.idempotent_hint,
        open_world: hints.open_world_hint,
    });
    let title = tool
        .title
        .clone()
        .or_else(|| tool.annotations.as_ref().and_then(|hints| hints.title.clone()))
        .filter(|title| *title != tool.name);
    let text = |schema: &Arc<Map<String, Value>>| {
        JsonText::from_value(&Value::Object(schema.as_ref().clone()))
    };
    let parameters = text(&tool.input_schema);
    let response_schema = tool.output_schema.as_ref().map(text);
    let description =
        unusable.unwrap_or_else(|| tool.description.as_deref().unwrap_or_default().to_owned());
    let declaration = Declaration {
        name: name.as_str(),
        description: &description,
        parameters_json_schema: &parameters,
        response_json_schema: response_schema.as_ref(),
    };
    let declaration = JsonText::serialize(&declaration).unwrap_or_else(|_| JsonText::null());
    ToolView {
        name,
        title,
        description,
        declaration,
        parameters: Some(parameters),
        response_schema,
        integers_of_64_bits: false,
        long_running: false,
        agent_model: None,
        can_be_played: false,
        // In MCP an unmarked tool counts as destructive. Asking for each of these would teach people to
        // confirm without reading.
        needs_confirmation: hints.destructive == Some(true) && hints.read_only != Some(true),
        provided_by: server.name.clone(),
        hints,
    }
}
