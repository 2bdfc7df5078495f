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
    environment(workspace, name, package, |pip| {
        pip.arg(package);
    })
}

/// Creates the environment `name` in the target folder, with pinned packages and nothing that they need, unless it is
/// there. Returns its interpreter.
pub(super) fn environment_of(
    workspace: &Workspace,
    name: &str,
    packages: &[&str],
) -> Result<PathBuf> {
    environment(workspace, name, &packages.join(" "), |pip| {
        pip.arg("--no-deps").args(packages);
    })
}

fn environment(
    workspace: &Workspace,
    name: &str,
    wanted: &str,
    what: impl FnOnce(&mut Command),
) -> Result<PathBuf> {
    let environment = workspace.target().join("setup").join(name);
    let python = interpreter(&environment);
    let stamp = environment.join("rehearsal-stamp");
    if stamp::matches(&stamp, wanted) && python::runs(&python) {
        return Ok(python);
    }
    eprintln!("Installing {wanted}");
    stamp::clear(&stamp)?;
    fs::create_dir_all(&environment)
        .with_context(|| format!("cannot create {}", environment.display()))?;
    process::run(Command::new(python::find()?).args(["-m", "venv", "--clear"]).arg(&environment))?;
    install(&python, what)?;
    stamp::set(&stamp, wanted)?;
    Ok(python)
}

/// Creates the environment `name` in the target folder, with pinned packages alone and with every other package of the
/// tests' environment, unless it is there. Returns its interpreter.
pub(super) fn environment_beside_tests(
    workspace: &Workspace,
    name: &str,
    packages: &[&str],
) -> Result<PathBuf> {
    let environment = workspace.target().join("setup").join(name);
    let python = interpreter(&environment);
    let stamp = environment.join("rehearsal-stamp");
    let wanted = packages.join(" ");
    if stamp::matches(&stamp, &wanted) && python::runs(&python) {
        return Ok(python);
    }
    eprintln!("Installing {wanted} beside the packages of the tests");
    stamp::clear(&stamp)?;
    fs::create_dir_all(&environment)
        .with_context(|| format!("cannot create {}", environment.display()))?;
    let of_tests = workspace.python();
    let venv = ["-m", "venv", "--clear", "--without-pip"];
    process::run(Command::new(&of_tests).args(venv).arg(&environment))?;
    let mut install = Command::new(&of_tests);
    install.args(["-m", "pip", "--python"]).arg(&python);
    install_with(&mut install, |pip| {
        pip.arg("--no-deps").args(packages);
    })?;
    // Its own packages are found first.
    let others = python::packages_folder(&of_tests)?;
    fs::write(
        python::packages_folder(&python)?.join("of-the-tests.pth"),
        others.as_os_str().as_encoded_bytes(),
    )?;
    stamp::set(&stamp, &wanted)?;
    Ok(python)
}

/// Installs what `what` adds to the command into the environment of the interpreter `python`.
pub(super) fn install(python: &Path, what: impl FnOnce(&mut Command)) -> Result<()> {
    install_with(Command::new(python).args(["-m", "pip"]), what)
}

fn install_with(pip: &mut Command, what: impl FnOnce(&mut Command)) -> Result<()> {
    pip.args(["install", "--quiet", "--disable-pip-version-check"]);
    what(pip);
    registry::run(pip, Registry::Python)
}
