//! Checks that a subject has what a case names: a name may be mistyped.

use std::collections::BTreeSet;
use std::sync::Arc;

use scoring::nearest::nearest;

use crate::given_model::GivenModel;
use crate::metric::Metric;
use crate::names::{Names, UnknownName};
use crate::run_failure::RunFailure;

/// What google-adk waits for without a tool that asks: a credential for a toolset, the input of a workflow.
const UNOWNED: [&str; 2] = ["adk_request_credential", "adk_request_input"];

/// Checks that a subject with these names has the tools that a case names, the agents of its script, and what its
/// metrics look for.
///
/// # Errors
/// [`RunFailure::UnknownTool`], [`RunFailure::GivenModel`] or [`RunFailure::BlindMetric`] for the first that it does
/// not have.
pub(crate) fn check_names(
    names: &Names,
    named_tools: &BTreeSet<String>,
    model: Option<&GivenModel>,
    metrics: &[Arc<dyn Metric>],
) -> Result<(), RunFailure> {
    if let Some(tools) = &names.tools {
        let is_tool = |name: &&String| tools.contains(*name) || UNOWNED.contains(&name.as_str());
        if let Some(tool) = named_tools.iter().find(|name| !is_tool(name)) {
            let hint = nearest(tool, tools.iter().map(String::as_str));
            return Err(RunFailure::UnknownTool { tool: tool.clone(), hint });
        }
    }
    if let (Some(GivenModel::ScriptedByAgent(scripts)), Some(agents)) = (model, &names.agents)
        && let Some(agent) = scripts.keys().find(|agent| !agents.contains(*agent))
    {
        let hint = nearest(agent, agents.iter().map(String::as_str));
        let message =
            format!("the model has a script for {agent}, an agent that does not exist; {hint}");
        return Err(RunFailure::GivenModel { message });
    }
    check_metrics(names, metrics)
}

/// Checks that a subject with these names has what metrics look for.
///
/// # Errors
/// [`RunFailure::BlindMetric`] for the first that looks for something else.
pub(crate) fn check_metrics(names: &Names, metrics: &[Arc<dyn Metric>]) -> Result<(), RunFailure> {
    for metric in metrics {
        metric.check_names(names).map_err(|UnknownName { wanted, hint, .. }| {
            RunFailure::BlindMetric { metric: metric.name().to_owned(), wanted, hint }
        })?;
    }
    Ok(())
}
