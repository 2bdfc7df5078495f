//! [`Names`]: the names that a subject shows before it runs, against which cases are checked.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use serde::Deserialize;

use crate::case::EvalCase;
use crate::fault::Fault;
use crate::given_model::GivenModel;
use crate::ledger::{Entry, Event, Role};
use crate::metric::Metric;
use crate::yields::YieldKind;
use scoring::nearest::nearest;

/// What google-adk waits for without a tool that asks: a credential for a toolset, the input of a workflow.
const UNOWNED: [&str; 2] = ["adk_request_credential", "adk_request_input"];

/// The names that a subject shows before it runs.
#[derive(Debug, Clone, Default, Deserialize)]
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
    /// The nearest name.
    pub hint: String,
}

impl Names {
    /// Checks that the subject has the tools that a case names, the agents of its script, and what its metrics look for.
    ///
    /// # Errors
    /// [`Fault::UnknownTool`], [`Fault::GivenModel`] or [`Fault::BlindMetric`] for the first that it does not have.
    pub fn check(
        &self,
        named_tools: &BTreeSet<String>,
        model: Option<&GivenModel>,
        metrics: &[Arc<dyn Metric>],
    ) -> Result<(), Fault> {
        if let Some(tools) = &self.tools {
            let is_tool =
                |name: &&String| tools.contains(*name) || UNOWNED.contains(&name.as_str());
            if let Some(tool) = named_tools.iter().find(|name| !is_tool(name)) {
                let hint = nearest(tool, tools.iter().map(String::as_str));
                return Err(Fault::UnknownTool { tool: tool.clone(), hint });
            }
        }
        if let (Some(GivenModel::ScriptedByAgent(scripts)), Some(agents)) = (model, &self.agents)
            && let Some(agent) = scripts.keys().find(|agent| !agents.contains(*agent))
        {
            let hint = nearest(agent, agents.iter().map(String::as_str));
            let message =
                format!("the model has a script for {agent}, an agent that does not exist; {hint}");
            return Err(Fault::GivenModel { message });
        }
        for metric in metrics {
            metric.check_names(self).map_err(|UnknownName { wanted, hint }| {
                Fault::BlindMetric { metric: metric.name().to_owned(), wanted, hint }
            })?;
        }
        Ok(())
    }

    /// Adds what the subject shows later.
    pub(crate) fn take_in(&mut self, later: &Self) {
        let Self { shown_tools, shown_agents, .. } = std::mem::replace(self, later.clone());
        self.shown_tools.extend(shown_tools);
        self.shown_agents.extend(shown_agents);
    }

    /// The names after a run: all that the subject showed, that the case says what to do with, and that occurred. Another
    /// one could be mistyped.
    pub(crate) fn after_run(mut self, case: &EvalCase, events: &[Entry]) -> Self {
        let named = || case.tools.keys().chain(case.user_agents.tools.keys());
        let faulty = case.faults.iter().map(|fault| &fault.tool);
        let mut tools: BTreeSet<String> = named().chain(faulty).cloned().collect();
        let mut agents: BTreeSet<String> = named().cloned().collect();
        let mut model_users: BTreeSet<String> =
            case.metrics.iter().map(|metric| metric.name().to_owned()).collect();
        model_users
            .extend(case.user_agents.conversation.iter().map(|_| YieldKind::Loop.to_string()));
        tools.extend(std::mem::take(&mut self.shown_tools));
        agents.extend(std::mem::take(&mut self.shown_agents));
        for entry in events {
            match &entry.event {
                Event::Message { agent, .. } | Event::NodeOutput { node: agent, .. } => {
                    agents.insert(agent.clone());
                }
                Event::ToolCall { name, agent, .. } => {
                    tools.insert(name.clone());
                    agents.insert(agent.clone());
                }
                Event::ToolResult { name, .. } => {
                    tools.insert(name.clone());
                }
                Event::RequestApart { agent, asked_by, .. } => {
                    agents.insert(agent.clone());
                    model_users.insert(asked_by.clone());
                }
                Event::ModelUsage { role: Role::Subject, agent, .. } => {
                    agents.insert(agent.clone());
                }
                Event::ModelUsage { agent, .. } => {
                    model_users.insert(agent.clone());
                }
                _ => {}
            }
        }
        tools.extend(self.tools.take().into_iter().flatten());
        agents.extend(self.agents.take().into_iter().flatten());
        model_users.extend(tools.iter().chain(&agents).cloned());
        Self {
            tools: Some(tools.into_iter().collect()),
            agents: Some(agents.into_iter().collect()),
            model_users: Some(model_users.into_iter().collect()),
            ..self
        }
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
        Self { wanted: format!("the {kind} {name}"), hint }
    }
}
