//! [`RequestChanges`]: what a fork changes in the requests of an agent to its models. The agent's files stay as they are.

use std::collections::BTreeMap;

use json_text::JsonText;
use scoring::nearest::nearest;
use serde::{Deserialize, Serialize};

/// What is changed in every request to a model that is asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RequestChanges {
    /// Instructions in place of those of agents, by the names of the agents, at any depth.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub instructions: BTreeMap<String, String>,
    /// Changed declarations of tools, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, ToolChange>,
    /// The temperature of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
}

/// What an agent has where a change puts something else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct OwnTexts {
    /// The instructions that are texts, by agent.
    pub instructions: BTreeMap<String, String>,
    /// The descriptions of tools, by name.
    pub descriptions: BTreeMap<String, String>,
}

/// What is changed in the declaration of a tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolChange {
    /// What the model reads about the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema of its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<JsonText>,
}

impl RequestChanges {
    /// Whether it changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// That it changes the instruction of an agent that is none of these; `None` if it does not.
    #[must_use]
    pub fn unknown_agent(&self, known: &[&str]) -> Option<String> {
        unknown("agent", self.instructions.keys(), known)
    }

    /// That it changes a tool that is none of these; `None` if it does not.
    #[must_use]
    pub fn unknown_tool(&self, known: &[&str]) -> Option<String> {
        unknown("tool", self.tools.keys(), known)
    }

    /// What is changed, in a word or two.
    #[must_use]
    pub fn name(&self) -> &'static str {
        let Self { instructions, tools, temperature } = self;
        let described = tools.values().all(|tool| tool.parameters.is_none());
        match (instructions.len(), tools.len(), temperature) {
            (1, 0, None) => "instruction",
            (_, 0, None) => "instructions",
            (0, 1, None) if described => "description of a tool",
            (0, 1, None) => "declaration of a tool",
            (0, _, None) => "declarations of tools",
            (0, 0, Some(_)) => "temperature",
            _ => "changes",
        }
    }
}

fn unknown<'n>(
    what: &str,
    mut named: impl Iterator<Item = &'n String>,
    known: &[&str],
) -> Option<String> {
    let wanted = named.find(|name| !known.contains(&name.as_str()))?;
    Some(format!("it has no {what} {wanted}; {}", nearest(wanted, known.iter().copied())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_named_by_what_they_are() {
        for (json, name) in [
            (r#"{"instructions": {"desk": "Be brief."}}"#, "instruction"),
            (r#"{"instructions": {"desk": "a", "clerk": "b"}}"#, "instructions"),
            (r#"{"tools": {"pay": {"description": "Pays."}}}"#, "description of a tool"),
            (r#"{"tools": {"pay": {"parameters": {"type": "object"}}}}"#, "declaration of a tool"),
            (r#"{"temperature": 0.5}"#, "temperature"),
            (r#"{"temperature": 0.5, "instructions": {"desk": "a"}}"#, "changes"),
        ] {
            let changes: RequestChanges = serde_json::from_str(json).expect(json);
            assert_eq!(changes.name(), name, "{json}");
            assert!(!changes.is_empty());
        }
        assert!(serde_json::from_str::<RequestChanges>(r#"{"instruction": "x"}"#).is_err());
    }
}
