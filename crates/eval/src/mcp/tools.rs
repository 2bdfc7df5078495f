//! [`Tools`]: the tools of an agent, and which server has each.

use std::collections::HashMap;

use agents::ToolView;
use json_text::{JsonIndex, JsonText, Kind};
use serde::Serialize;

use super::declarations::DeclaredTools;
use crate::model::ModelTool;

/// The tools of all servers of an agent.
#[derive(Debug, Clone, Default)]
pub(super) struct Tools(Vec<AgentTool>);

/// A tool, and the place of its server.
#[derive(Debug, Clone)]
pub(super) struct AgentTool {
    pub(super) view: ToolView,
    pub(super) server: usize,
}

/// Two servers have a tool of the same name, which a case could not keep apart.
#[derive(Debug, thiserror::Error)]
#[error(
    "the servers {one} and {other} both have a tool {tool}. Set `tool_name_prefix` for one of the two"
)]
pub(super) struct DuplicateTool {
    one: String,
    other: String,
    tool: String,
}

impl Tools {
    /// The tools that the servers declared, in the order of the servers.
    ///
    /// # Errors
    /// [`DuplicateTool`].
    pub(super) fn of(declared: &[DeclaredTools]) -> Result<Self, DuplicateTool> {
        let mut tools = Self::default();
        for (server, of_server) in declared.iter().enumerate() {
            for view in &of_server.tools {
                if let Some(other) = tools.find(view.name.as_str()) {
                    return Err(DuplicateTool {
                        one: other.view.provided_by.to_string(),
                        other: view.provided_by.to_string(),
                        tool: view.name.to_string(),
                    });
                }
                tools.0.push(AgentTool { view: view.clone(), server });
            }
        }
        Ok(tools)
    }

    pub(super) fn find(&self, name: &str) -> Option<&AgentTool> {
        self.0.iter().find(|tool| tool.view.name.as_str() == name)
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.0.iter().map(|tool| tool.view.name.to_string()).collect()
    }

    /// The names of the arguments of tools that take no others.
    pub(super) fn arguments(&self) -> HashMap<String, Vec<String>> {
        let of = |tool: &AgentTool| {
            let schema = JsonIndex::of(tool.view.parameters.as_ref()?);
            let others = schema.root().member("additionalProperties")?;
            let is_closed = others.kind() == Kind::Bool && !others.is_true();
            let properties = schema.root().member("properties")?.entries().into_iter();
            let names = properties.map(|(name, _)| name.into_owned()).collect();
            is_closed.then_some((tool.view.name.to_string(), names))
        };
        self.0.iter().filter_map(of).collect()
    }

    /// The tools as a model gets them.
    pub(super) fn for_model(&self) -> Vec<ModelTool> {
        let of = |tool: &AgentTool| ModelTool {
            name: tool.view.name.to_string(),
            description: tool.view.description.clone(),
            parameters: tool.view.parameters.clone().unwrap_or_else(no_parameters),
        };
        self.0.iter().map(of).collect()
    }

    /// The tools as simulated mocks get them.
    pub(super) fn declarations(&self) -> impl Iterator<Item = (&str, JsonText)> {
        #[derive(Serialize)]
        struct Declaration<'a> {
            name: &'a str,
            description: &'a str,
            parameters: &'a Option<JsonText>,
            #[serde(skip_serializing_if = "Option::is_none")]
            response: &'a Option<JsonText>,
        }
        self.0.iter().filter_map(|AgentTool { view, .. }| {
            let declaration = Declaration {
                name: view.name.as_str(),
                description: &view.description,
                parameters: &view.parameters,
                response: &view.response_schema,
            };
            Some((view.name.as_str(), JsonText::serialize(&declaration).ok()?))
        })
    }
}

fn no_parameters() -> JsonText {
    JsonText::from_value(&serde_json::json!({ "type": "object" }))
}
