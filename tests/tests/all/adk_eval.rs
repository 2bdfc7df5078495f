//! `adk eval` with an agent's folder, a file of cases and the config in the folder.

use std::path::Path;
use std::process::Command;

use acceptance::{Ended, run_adk, workspace};

fn arguments(agent: &Path, file: &Path) -> [String; 5] {
    let config = agent.join("test_config.json");
    let [agent, file, config] = [agent, file, &config].map(|path| path.display().to_string());
    ["eval".to_owned(), agent, file, "--config_file_path".to_owned(), config]
}

/// The module shared by the scripted agents; ADK's loader hides siblings from a package.
fn python_path() -> String {
    workspace().join("tests/fixtures/adk").display().to_string()
}

/// Runs it as a user would.
pub(crate) fn by_program(python: &Path, agent: &Path, file: &Path) -> Ended {
    let ran = Command::new(python.with_file_name("adk"))
        .args(arguments(agent, file))
        .env("PYTHONPATH", python_path())
        .output()
        .unwrap();
    let [stdout, stderr] =
        [ran.stdout, ran.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    Ended { status: ran.status.code().unwrap_or(-1).into(), stdout, stderr }
}

/// Runs it in a process that has imported google-adk.
pub(crate) fn by_fork(python: &Path, agent: &Path, file: &Path) -> Ended {
    let arguments = arguments(agent, file);
    let mut all = vec!["-m", "google.adk.cli"];
    all.extend(arguments.iter().map(String::as_str));
    run_adk(python, &all, &[("PYTHONPATH", &python_path())])
}
