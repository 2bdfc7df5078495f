//! maturin, which packs the wheel, in an environment of its own.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use xtask::process;
use xtask::stamp;
use xtask::workspace::{Workspace, interpreter};

use super::python;

const VERSION: &str = "maturin==1.16.0";

/// Installs it if it is missing, and returns the program.
pub(crate) fn ensure_maturin(workspace: &Workspace) -> Result<PathBuf> {
    let environment = workspace.target().join("setup").join("maturin");
    let python = interpreter(&environment);
    let program = python.with_file_name(format!("maturin{}", std::env::consts::EXE_SUFFIX));
    let stamp = environment.join("rehearsal-stamp");
    if stamp::matches(&stamp, VERSION) && python::runs(&python) {
        return Ok(program);
    }
    eprintln!("Installing {VERSION}");
    stamp::clear(&stamp)?;
    process::run(Command::new(python::find()?).args(["-m", "venv", "--clear"]).arg(&environment))?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", VERSION];
    process::run(Command::new(&python).args(install))?;
    stamp::set(&stamp, VERSION)?;
    Ok(program)
}
