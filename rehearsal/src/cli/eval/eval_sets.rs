//! Eval sets as cases: which agent, which criteria, which model.

use std::path::Path;
use std::sync::Arc;

use eval::EvalCase;
use eval::file::{EvalSetOptions, ModelChoice, read_eval_set_with_models};
use eval::python::{AdkPythonSubject, Servers};
use scoring::config::Config;

use super::selection::models;
use super::{EvalArguments, EvalError};
use crate::cli::score::{BESIDE, read_config};

/// What an agent's folder contains one of.
const AGENT_FILES: [&str; 3] = ["agent.py", "root_agent.yaml", "__init__.py"];

/// The name of the model that responds as recorded.
const REPLAY: &str = "replay";

/// The cases of an eval set.
pub(super) fn cases(
    path: &Path,
    arguments: &EvalArguments,
    servers: &Servers,
) -> Result<Vec<EvalCase>, EvalError> {
    let agent = match &arguments.agent {
        Some(agent) => agent.as_path(),
        None => agent_beside(path)?,
    };
    let beside = folder_of(path).join(BESIDE);
    let config = match &arguments.config {
        Some(config) => read_config(config)?,
        None if beside.is_file() => read_config(&beside)?,
        None => Config::adk_default(),
    };
    if let Some(tool) = arguments.real_tools.iter().find(|it| arguments.sealed_tools.contains(it)) {
        return Err(EvalError::RealAndSealed { tool: tool.clone() });
    }
    let subject = AdkPythonSubject::new(agent, arguments.python.as_deref());
    let models = models(arguments)?;
    let simulated_by = arguments.simulate_tools.as_ref().map(|name| models.model(name));
    let options = EvalSetOptions {
        subject: Arc::new(subject.isolation(arguments.isolation.into()).servers(servers)),
        model: model(arguments),
        config,
        real_tools: arguments.real_tools.clone(),
        sealed_tools: arguments.sealed_tools.clone(),
        simulated_by: simulated_by.transpose().map_err(EvalError::SimulatedTools)?,
    };
    Ok(read_eval_set_with_models(path, &options, &models)?)
}

/// The first given option that says what tools do, which suites say themselves.
pub(super) fn given_option(arguments: &EvalArguments) -> Option<&'static str> {
    let given = [
        ("--real-tools", !arguments.real_tools.is_empty()),
        ("--sealed-tools", !arguments.sealed_tools.is_empty()),
        ("--simulate-tools", arguments.simulate_tools.is_some()),
    ];
    given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
}

/// The model that the arguments choose.
pub(super) fn model(arguments: &EvalArguments) -> ModelChoice {
    match arguments.model.as_deref() {
        None => ModelChoice::Own,
        Some(REPLAY) => ModelChoice::Replay,
        Some(name) => ModelChoice::Named(name.to_owned()),
    }
}

/// The agent in whose folder an eval set is.
pub(super) fn agent_beside(eval_set: &Path) -> Result<&Path, EvalError> {
    let folder = folder_of(eval_set);
    let is_agent = AGENT_FILES.iter().any(|file| folder.join(file).is_file());
    if is_agent { Ok(folder) } else { Err(EvalError::NoAgent { path: eval_set.to_owned() }) }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
