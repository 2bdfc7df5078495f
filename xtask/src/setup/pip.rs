//! Environments of Python with packages of PyPI.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use xtask::process;
use xtask::registry::{self, Registry};
use xtask::stamp;
use xtask::workspace::{Workspace, interpreter};

use super::python;

/// Creates the environment `name` in the target folder, with one pinned package and what it needs, unless it
/// is there. Returns its interpreter.
pub(super) fn environment_with(
    workspace: &Workspace,
    name: &str,
    package: &str,
) -> Result<PathBuf> {
    let environment = workspace.target().join("setup").join(name);
    let python = interpreter(&environment);
    let stamp = environment.join("rehearsal-stamp");
    if stamp::matches(&stamp, package) && python::runs(&python) {
        return Ok(python);
    }
    eprintln!("Installing {package}");
    stamp::clear(&stamp)?;
    fs::create_dir_all(&environment)
        .with_context(|| format!("cannot create {}", environment.display()))?;
    process::run(Command::new(python::find()?).args(["-m", "venv", "--clear"]).arg(&environment))?;
    install(&python, |pip| {
        pip.arg(package);
    })?;
    stamp::set(&stamp, package)?;
    Ok(python)
}

/// Installs what `what` adds to the command into the environment of the interpreter `python`.
pub(super) fn install(python: &Path, what: impl FnOnce(&mut Command)) -> Result<()> {
    install_with(Command::new(python).args(["-m", "pip"]), what)
}

/// The same for an environment without a pip of its own, with the pip of `pip_of`.
pub(super) fn install_from(
    pip_of: &Path,
    python: &Path,
    what: impl FnOnce(&mut Command),
) -> Result<()> {
    install_with(Command::new(pip_of).args(["-m", "pip", "--python"]).arg(python), what)
}

fn install_with(pip: &mut Command, what: impl FnOnce(&mut Command)) -> Result<()> {
    pip.args(["install", "--quiet", "--disable-pip-version-check"]);
    what(pip);
    registry::run(pip, Registry::Python)
}
