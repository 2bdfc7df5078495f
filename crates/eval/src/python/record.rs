//! [`record_toolsets`]: what the MCP servers of an agent of google-adk declare.

use std::path::Path;

use agents::adk_python::interpreter::find_interpreter;
use agents::adk_python::package;
use agents::child;
use json_text::JsonText;
use serde::Deserialize;

use super::messages::Exception;
use crate::process::LineProcess;
use crate::run_failure::RunFailure;

/// The module of the package that it runs.
const MODULE: &str = "rehearsal_adk.evaluation.record";

#[derive(Deserialize)]
struct Recorded {
    declared: Option<JsonText>,
    fault: Option<Exception>,
}

/// What the servers of the agent in `folder` declare now, as [`super::AdkPythonSubject::declarations`] reads it. Starts
/// the servers, and ends them.
///
/// # Errors
/// The agent cannot be loaded, or a server cannot be used.
pub async fn record_toolsets(folder: &Path, python: Option<&Path>) -> Result<JsonText, RunFailure> {
    let broken = |what: String| RunFailure::Infrastructure { message: what };
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let python = find_interpreter(&folder, python).program;
    let package = package::unpacked()
        .map_err(|error| broken(format!("the Python package cannot be written: {error}")))?;
    let mut command = package::program(&python, MODULE, &package, &folder);
    command.arg(&folder).env("PYTHONDONTWRITEBYTECODE", "1");
    let started = LineProcess::start(&mut command, child::start)
        .map_err(|error| broken(format!("{} cannot be started: {error}", python.display())))?;
    let LineProcess { requests, mut answers, log, tree, .. } = started;
    let line = answers.next_line().await.ok().flatten();
    drop(requests);
    // What servers leave behind ends too.
    tree.killer().kill();
    tree.wait().await;
    let gone = || match log.last_lines(0) {
        Some(lines) => broken(format!("the process of the agent ended. Its last output:\n{lines}")),
        None => broken("the process of the agent ended. It printed nothing".to_owned()),
    };
    match line.and_then(|line| serde_json::from_str(&line).ok()).ok_or_else(gone)? {
        Recorded { declared: Some(declared), .. } => Ok(declared),
        Recorded { fault: Some(Exception { message, traceback, .. }), .. } => {
            Err(RunFailure::Subject { message, traceback })
        }
        Recorded { .. } => Err(gone()),
    }
}
