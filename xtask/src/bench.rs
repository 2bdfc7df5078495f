//! `cargo xtask bench`: the benches, which take minutes and want a quiet machine.

use std::process::ExitCode;

use anyhow::Result;

use crate::setup::Browser;
use crate::workspace::Workspace;
use crate::{build, process, setup};

/// Runs every bench of the workspace against release builds.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    let browser = setup::everything(workspace)?;
    let binary = build::binary(workspace)?;
    let mut command = process::cargo(workspace);
    command
        .args(["bench", "--workspace", "--exclude", "frontend", "--benches"])
        .env("REHEARSAL_TEST_PYTHON", workspace.python())
        .env("REHEARSAL_TEST_BINARY", binary);
    if let Browser::Installed(path) = &browser {
        command.env("REHEARSAL_TEST_BROWSER", path);
    }
    if !arguments.is_empty() {
        command.arg("--").args(arguments);
    }
    eprintln!("{}", process::line(&command));
    process::run(&mut command)?;
    Ok(ExitCode::SUCCESS)
}
