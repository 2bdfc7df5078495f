//! [`Names`]: the names that a subject shows, against which cases are checked.

use std::collections::HashMap;

use scoring::nearest::nearest;
use serde::{Deserialize, Serialize};

/// The names that a subject shows before it runs, and as it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    /// Its tools and nodes, at every depth; `None` if only running it shows them.
    pub tools: Option<Vec<String>>,
    /// The names of the arguments of tools that take no others.
    #[serde(default)]
    pub arguments: HashMap<String, Vec<String>>,
    /// The tools with which its framework directs a run. They always run, and leave calls in the ledger.
    #[serde(default)]
    pub framework_tools: Vec<String>,
    /// Its agents and nodes, at every depth; `None` if only running it shows them.
    pub agents: Option<Vec<String>>,
    /// Tools and nodes that it shows, where it may have others.
    #[serde(default)]
    pub shown_tools: Vec<String>,
    /// Agents and nodes that it shows, where it may have others.
    #[serde(default)]
    pub shown_agents: Vec<String>,
    /// Who may use a model: agents, user agents, judges, simulated tools, and modules of the framework. Only a run shows
    /// them.
    #[serde(skip)]
    pub model_users: Option<Vec<String>>,
}

/// A name for which a metric looks, and which the subject does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// What has the name, such as `the tool send_alerts`.
    pub wanted: String,
    /// Whether it is a tool.
    pub is_tool: bool,
    /// The nearest name.
    pub hint: String,
}

impl Names {
    /// Adds what the subject shows later.
    pub(crate) fn take_in(&mut self, later: &Self) {
        let Self { shown_tools, shown_agents, .. } = std::mem::replace(self, later.clone());
        self.shown_tools.extend(shown_tools);
        self.shown_agents.extend(shown_agents);
    }

    /// The tools that calls in the ledger can name; `None` if only running the subject shows them.
    pub(crate) fn called_tools(&self) -> Option<Vec<&str>> {
        let tools = self.tools.as_ref()?.iter().chain(&self.framework_tools);
        Some(tools.map(String::as_str).collect())
    }

    /// The agents that events in the ledger can name; `None` if only running the subject shows them.
    pub(crate) fn acting_agents(&self) -> Option<Vec<&str>> {
        Some(self.agents.as_ref()?.iter().map(String::as_str).collect())
    }

    /// Who may use a model; `None` before a run.
    pub(crate) fn model_users(&self) -> Option<Vec<&str>> {
        Some(self.model_users.as_ref()?.iter().map(String::as_str).collect())
    }
}

impl UnknownName {
    /// `name`, which is a `kind` and none of `known`.
    pub(crate) fn new(kind: &str, name: &str, known: &[&str]) -> Self {
        let hint = nearest(name, known.iter().copied());
        Self { wanted: format!("the {kind} {name}"), is_tool: kind == "tool", hint }
    }
}
