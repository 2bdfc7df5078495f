//! [`names_after_run`]: the names of a subject that only running it shows.

use std::collections::BTreeSet;

use crate::case::EvalCase;
use crate::ledger::{Entry, Event, Role};
use crate::names::Names;
use crate::yields::YieldKind;

/// The names after a run: all that the subject showed, that the case says what to do with, and that occurred. Another
/// one could be mistyped.
pub(crate) fn names_after_run(mut names: Names, case: &EvalCase, events: &[Entry]) -> Names {
    let named = || case.tools.keys().chain(case.user_agents.tools.keys());
    let faulty = case.faults.iter().map(|fault| &fault.tool);
    let mut tools: BTreeSet<String> = named().chain(faulty).cloned().collect();
    let mut agents: BTreeSet<String> = named().cloned().collect();
    let mut model_users: BTreeSet<String> =
        case.metrics.iter().map(|metric| metric.name().to_owned()).collect();
    model_users.extend(case.user_agents.conversation.iter().map(|_| YieldKind::Loop.to_string()));
    tools.extend(std::mem::take(&mut names.shown_tools));
    agents.extend(std::mem::take(&mut names.shown_agents));
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
    tools.extend(names.tools.take().into_iter().flatten());
    agents.extend(names.agents.take().into_iter().flatten());
    model_users.extend(tools.iter().chain(&agents).cloned());
    Names {
        tools: Some(tools.into_iter().collect()),
        agents: Some(agents.into_iter().collect()),
        model_users: Some(model_users.into_iter().collect()),
        ..names
    }
}
