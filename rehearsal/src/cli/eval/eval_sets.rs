//! Eval sets and recorded sessions as cases: which agent, which criteria, which model.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eval::EvalCase;
use eval::file::{EvalSetOptions, ModelChoice, RecordedFormat, read_eval_set_with_models};
use eval::python::{AdkPythonSubject, Servers};

use super::selection::models;
use super::{EvalArguments, EvalError};
use crate::cli::score::{BESIDE, read_config};

/// What an agent's folder contains one of.
const AGENT_FILES: [&str; 3] = ["agent.py", "root_agent.yaml", "__init__.py"];

/// The folders in an agent's folder that have recorded sessions: those of `adk test` and of `adk web`.
const OF_SESSIONS: [&str; 2] = ["tests", ".adk"];

/// The name of the model that responds as recorded.
pub(super) const REPLAY: &str = "replay";

/// The cases of a file in this format, with this model. A recorded session has all responses of its models, so they answer unless another
/// model is given.
pub(super) fn cases(
    path: &Path,
    format: RecordedFormat,
    model: Option<&str>,
    arguments: &EvalArguments,
    servers: &Servers,
) -> Result<Vec<EvalCase>, EvalError> {
    let agent = match &arguments.agent {
        Some(agent) => agent.clone(),
        None => agent_of(path, format)?,
    };
    let beside = folder_of(path).join(BESIDE);
    let config = match &arguments.config {
        Some(config) => Some(read_config(config)?),
        None if beside.is_file() => Some(read_config(&beside)?),
        None => None,
    };
    let model = match chosen(model) {
        ModelChoice::Own if format.is_of_sessions() => ModelChoice::Replay,
        model => model,
    };
    if let Some(tool) = arguments.real_tools.iter().find(|it| arguments.sealed_tools.contains(it)) {
        return Err(EvalError::RealAndSealed { tool: tool.clone() });
    }
    let subject = AdkPythonSubject::new(&agent, arguments.python.as_deref());
    let models = models(arguments)?;
    let simulated_by = arguments.simulate_tools.as_ref().map(|name| models.model(name));
    let options = EvalSetOptions {
        subject: Arc::new(
            subject.isolation(arguments.isolation.into()).servers(servers).models(models.clone()),
        ),
        model,
        config,
        real_tools: arguments.real_tools.clone(),
        sealed_tools: arguments.sealed_tools.clone(),
        simulated_by: simulated_by.transpose().map_err(EvalError::SimulatedTools)?,
        only: arguments.only.clone(),
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

/// The choice of a model by its name; without one, the agent's own models.
pub(super) fn chosen(model: Option<&str>) -> ModelChoice {
    match model {
        None => ModelChoice::Own,
        Some(REPLAY) => ModelChoice::Replay,
        Some(name) => ModelChoice::Named(name.to_owned()),
    }
}

/// The agent that a file in this format is of: the one that it names, in a folder around it, or the one beside it.
pub(super) fn agent_of(path: &Path, format: RecordedFormat) -> Result<PathBuf, EvalError> {
    let Some(named) = format.agent(path) else { return agent_beside(path) };
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let around = path.ancestors().skip(1);
    let folder = around.flat_map(|folder| {
        let own = folder.ends_with(&named).then(|| folder.to_owned());
        own.into_iter().chain([folder.join(&named)])
    });
    let found = folder.into_iter().find(|folder| is_agent(folder));
    found.ok_or_else(|| EvalError::NoNamedAgent { path: path.clone(), named })
}

fn is_agent(folder: &Path) -> bool {
    AGENT_FILES.iter().any(|file| folder.join(file).is_file())
}

/// The agent in whose folder the file is, or in whose folder of sessions.
fn agent_beside(file: &Path) -> Result<PathBuf, EvalError> {
    let folder = folder_of(file);
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let above = absolute.parent().filter(|_| OF_SESSIONS.iter().any(|it| absolute.ends_with(it)));
    // A short path stays as it was given.
    [Some(folder), above]
        .into_iter()
        .flatten()
        .find(|folder| is_agent(folder))
        .map(Path::to_owned)
        .ok_or_else(|| EvalError::NoAgent { path: file.to_owned() })
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
