//! Eval sets as cases: which agent, which criteria, which model.

use std::path::Path;
use std::sync::Arc;

use eval::EvalCase;
use eval::file::{EvalSetOptions, ModelChoice, read_eval_set};
use eval::python::AdkPythonSubject;
use scoring::config::Config;

use super::{EvalArguments, EvalError};
use crate::cli::score::{BESIDE, read_config};

/// What an agent's folder contains one of.
const AGENT_FILES: [&str; 3] = ["agent.py", "root_agent.yaml", "__init__.py"];

/// The name of the model that responds as recorded.
const REPLAY: &str = "replay";

/// The cases of an eval set.
pub(super) fn cases(path: &Path, arguments: &EvalArguments) -> Result<Vec<EvalCase>, EvalError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let is_agent = |folder: &Path| AGENT_FILES.iter().any(|file| folder.join(file).is_file());
    let agent = match &arguments.agent {
        Some(agent) => agent.as_path(),
        None if is_agent(folder) => folder,
        None => return Err(EvalError::NoAgent { path: path.to_owned() }),
    };
    let beside = folder.join(BESIDE);
    let config = match &arguments.config {
        Some(config) => read_config(config)?,
        None if beside.is_file() => read_config(&beside)?,
        None => Config::adk_default(),
    };
    let options = EvalSetOptions {
        subject: Arc::new(AdkPythonSubject::new(agent, arguments.python.as_deref())),
        model: model(arguments),
        config,
        real_tools: arguments.real_tools.clone(),
    };
    Ok(read_eval_set(path, &options)?)
}

/// The model that the arguments choose.
pub(super) fn model(arguments: &EvalArguments) -> ModelChoice {
    match arguments.model.as_deref() {
        None => ModelChoice::Own,
        Some(REPLAY) => ModelChoice::Replay,
        Some(name) => ModelChoice::Named(name.to_owned()),
    }
}
