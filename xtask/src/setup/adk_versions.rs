//! Python environments with the older google-adk versions that eval runs support, for the tests of what they rely on
//! there.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use xtask::process;
use xtask::stamp;
use xtask::workspace::{Workspace, interpreter};

use super::{pip, python};

/// The versions besides the one of the tests' environment.
const VERSIONS: [&str; 2] = ["2.11.0", "2.12.0"];

/// Whether the tests' Python has the newest version, and not the only one that it could have.
const HAS_NEWEST: &str = "import sys; sys.exit(sys.version_info < (3, 11))";

/// Creates the environments that are missing. Returns each version with its interpreter; none with Python 3.10, whose
/// environment for the tests has the only version for it.
pub(crate) fn ensure_adk_versions(workspace: &Workspace) -> Result<Vec<(&'static str, PathBuf)>> {
    if !Command::new(workspace.python()).args(["-c", HAS_NEWEST]).status()?.success() {
        return Ok(Vec::new());
    }
    VERSIONS.iter().map(|version| Ok((*version, environment(workspace, version)?))).collect()
}

/// An environment with one version, and with every other package of the tests' environment.
fn environment(workspace: &Workspace, version: &str) -> Result<PathBuf> {
    let package = format!("google-adk=={version}");
    let environment = workspace.target().join("setup").join(format!("google-adk-{version}"));
    let python = interpreter(&environment);
    let stamp = environment.join("rehearsal-stamp");
    if stamp::matches(&stamp, &package) && python::runs(&python) {
        return Ok(python);
    }
    eprintln!("Installing {package} beside that of the tests");
    stamp::clear(&stamp)?;
    fs::create_dir_all(&environment)
        .with_context(|| format!("cannot create {}", environment.display()))?;
    let of_tests = workspace.python();
    let venv = ["-m", "venv", "--clear", "--without-pip"];
    process::run(Command::new(&of_tests).args(venv).arg(&environment))?;
    pip::install_from(&of_tests, &python, |pip| {
        pip.args(["--no-deps", &package]);
    })?;
    // Its own packages are found first.
    let others = python::packages_folder(&of_tests)?;
    fs::write(
        python::packages_folder(&python)?.join("of-the-tests.pth"),
        others.as_os_str().as_encoded_bytes(),
    )?;
    stamp::set(&stamp, &package)?;
    Ok(python)
}
