//! `cargo xtask run`: builds what is missing and serves the page.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context as _, Result};
use xtask::progress::elapsed;
use xtask::workspace::Workspace;

use crate::build::QuickBuild;
use crate::setup;

/// Builds what is missing and runs `rehearsal serve` in place of this process.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    let since = Instant::now();
    let build = QuickBuild::begin(workspace)?;
    let binary = setup::for_run(workspace, || build.finish())?;
    eprintln!("Ready after {}.\n", elapsed(since.elapsed()));
    let mut command = Command::new(&binary);
    // Paths are relative to the folder in which the command was called.
    let from_here = arguments.iter().map(|argument| absolute_path(argument));
    command.arg("serve").args(from_here).current_dir(workspace.root());
    // For a person's own agents, their own environment is used.
    let own = arguments.iter().any(|argument| Path::new(argument).exists());
    if !own {
        command.env("PATH", workspace.path_with_programs());
    }
    if !own && std::env::var_os("REHEARSAL_PYTHON").is_none() && workspace.python().is_file() {
        command.env("REHEARSAL_PYTHON", workspace.python());
    }
    replace_process(&mut command).with_context(|| format!("cannot start {}", binary.display()))
}

/// The absolute path if the argument is an existing path, else the argument.
fn absolute_path(argument: &str) -> OsString {
    let path = Path::new(argument);
    match std::path::absolute(path) {
        Ok(full) if path.exists() => full.into(),
        _ => argument.into(),
    }
}

/// Replaces this process with the host, so that signals reach it directly.
#[cfg(unix)]
fn replace_process(command: &mut Command) -> Result<ExitCode> {
    use std::os::unix::process::CommandExt as _;
    Err(command.exec().into())
}

#[cfg(not(unix))]
fn replace_process(command: &mut Command) -> Result<ExitCode> {
    let status = command.status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
