//! maturin, which packs the wheel, in an environment of its own.

use std::path::PathBuf;

use anyhow::Result;
use xtask::workspace::Workspace;

use super::pip;

const PACKAGE: &str = "maturin==1.16.0";

/// Installs it if it is missing, and returns the program.
pub(crate) fn ensure_maturin(workspace: &Workspace) -> Result<PathBuf> {
    let python = pip::environment_with(workspace, "maturin", PACKAGE)?;
    Ok(python.with_file_name(format!("maturin{}", std::env::consts::EXE_SUFFIX)))
}
