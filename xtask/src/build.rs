//! The release binary, with the site inside it.

use std::path::PathBuf;

use anyhow::Result;

use crate::workspace::Workspace;
use crate::{process, setup, site};

/// Sets up, builds what changed, and answers with the binary's path.
pub(crate) fn run(workspace: &Workspace) -> Result<PathBuf> {
    setup::for_build(workspace)?;
    binary(workspace)
}

/// Builds what changed, with the set-up done.
pub(crate) fn binary(workspace: &Workspace) -> Result<PathBuf> {
    site::build(workspace)?;
    let mut command = process::shipping_cargo(workspace);
    command.args(["build", "-p", "rehearsal", "--release"]);
    eprintln!("{}", process::line(&command));
    process::run(&mut command)?;
    Ok(workspace.binary())
}
