//! A Python environment with Inspect AI, with which the bench of native eval runs compares itself.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use xtask::process;
use xtask::stamp;
use xtask::workspace::{Workspace, interpreter};

use super::python;

/// The package that the figures of `docs/performance.md` are from.
const PACKAGE: &str = "inspect-ai==0.3.285";

/// Creates the environment if it is missing or has another version. Returns its interpreter.
pub(crate) fn ensure(workspace: &Workspace) -> Result<PathBuf> {
    let environment = workspace.target().join("setup").join("inspect-ai");
    let python = interpreter(&environment);
    let stamp = environment.join("rehearsal-stamp");
    if stamp::matches(&stamp, PACKAGE) && python::runs(&python) {
        return Ok(python);
    }
    eprintln!("Installing {PACKAGE} to compare with (about a minute)");
    stamp::clear(&stamp)?;
    fs::create_dir_all(&environment)
        .with_context(|| format!("cannot create {}", environment.display()))?;
    process::run(Command::new(python::find()?).args(["-m", "venv", "--clear"]).arg(&environment))?;
    process::run(Command::new(&python).args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        PACKAGE,
    ]))?;
    stamp::set(&stamp, PACKAGE)?;
    Ok(python)
}
