//! The process that calls the Python functions of one run.

use std::path::Path;
use std::sync::Arc;

use agents::adk_python::package;
use json_text::JsonText;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::functions::PythonFunction;
use super::messages::Exception;
use crate::confirmation::ConfirmationRequest;
use crate::process::{CallProcess, CallProcesses, StartError};

/// The module of the package that it runs.
const MODULE: &str = "rehearsal_adk.evaluation.functions";

/// The process of the functions. It is started for the first that is called.
pub(super) fn function_process(
    processes: &CallProcesses,
    first: &PythonFunction,
) -> Result<Arc<CallProcess>, StartError> {
    processes.get_or_start(MODULE.to_owned(), || start(first))
}

fn start(first: &PythonFunction) -> Result<CallProcess, StartError> {
    let package = package::unpacked().map_err(StartError::Package)?;
    let folder = first.file.parent().unwrap_or(Path::new("."));
    let mut command = package::program(&first.python, MODULE, &package, folder);
    CallProcess::start(&mut command, "the process of the functions")
        .map_err(|cause| StartError::Process { program: first.python.clone(), cause })
}

/// The answer to a call.
#[derive(Debug, Deserialize)]
pub(super) struct Reply {
    /// Present and null if the function returned None.
    #[serde(default, deserialize_with = "present")]
    pub(super) result: Option<JsonText>,
    pub(super) raises: Option<String>,
    /// The keys of the session's state that a mock has set.
    #[serde(default)]
    pub(super) state: Map<String, Value>,
    /// Changes of the session's state by scope, of a mock.
    #[serde(default)]
    pub(super) changes: Map<String, Value>,
    /// The confirmation that a mock asks for.
    pub(super) asks: Option<ConfirmationRequest>,
    /// Whether the model is not to see the result of a mock.
    #[serde(default)]
    pub(super) skip_summarization: bool,
    pub(super) error: Option<Exception>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<JsonText>, D::Error> {
    JsonText::deserialize(deserializer).map(Some)
}
