//! `cargo xtask run`: from nothing to the page.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context as _, Result};
use xtask::progress::elapsed;
use xtask::workspace::Workspace;

use crate::build::QuickBuild;
use crate::setup;

/// Builds what is missing and becomes `rehearsal serve`.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    let since = Instant::now();
    let build = QuickBuild::begin(workspace)?;
    let binary = setup::for_run(workspace, || build.finish())?;
    eprintln!("Everything stands after {}.\n", elapsed(since.elapsed()));
    let mut command = Command::new(&binary);
    // Paths count from where the person stands.
    let from_here = arguments.iter().map(|argument| in_full(argument));
    command.arg("serve").args(from_here).current_dir(workspace.root());
    // A choice of the person's own comes first, and so does the environment of a folder of theirs.
    let own = arguments.iter().any(|argument| Path::new(argument).exists());
    if !own {
        command.env("PATH", workspace.path_with_programs());
    }
    if !own && std::env::var_os("REHEARSAL_PYTHON").is_none() && workspace.python().is_file() {
        command.env("REHEARSAL_PYTHON", workspace.python());
    }
    become_it(&mut command).with_context(|| format!("cannot start {}", binary.display()))
}

/// An argument that is a path of something that is there, in full; another as it is.
fn in_full(argument: &str) -> OsString {
    let path = Path::new(argument);
    match std::path::absolute(path) {
        Ok(full) if path.exists() => full.into(),
        _ => argument.into(),
    }
}

/// The host takes this process's place, so that signals reach it without a go-between.
#[cfg(unix)]
fn become_it(command: &mut Command) -> Result<ExitCode> {
    use std::os::unix::process::CommandExt as _;
    Err(command.exec().into())
}

#[cfg(not(unix))]
fn become_it(command: &mut Command) -> Result<ExitCode> {
    let status = command.status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
