//! The Python virtual environment: google-adk for the example agents, and for the tests its
//! evaluation, pytest and the vendors' clients.
//!
//! `requirements/examples.txt` and `tests.txt` pin every package for every supported Python; they
//! are written by `uv pip compile --universal`. The second contains the first. The packages of the
//! tests take ten times the space, so the first run does not install them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use xtask::process;
use xtask::progress::{Done, Progress};
use xtask::stamp::{self, Inputs};
use xtask::workspace::Workspace;

use super::pip;

/// The oldest Python that a pinned google-adk supports.
const OLDEST: (u32, u32) = (3, 10);

/// Common names of Python programs, in order of preference.
const NAMES: [&str; 7] =
    ["python3", "python3.14", "python3.13", "python3.12", "python3.11", "python3.10", "python"];

/// The paths of large packages of which tests import little.
const NOT_COMPILED: &str =
    r"/(joblib|litellm|mypy|nltk|numpy|pandas|scipy|sklearn|statsmodels|tests)/";

/// Prints where packages are installed.
const PACKAGES_FOLDER: &str = "import sysconfig; print(sysconfig.get_path('purelib'))";

/// Prints `3.11.7`, and fails if environments cannot be created.
const PROBE: &str = "import sys, venv, ensurepip; print('%d.%d.%d' % sys.version_info[:3])";

/// The packages to install.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packages {
    /// The packages of the example agents.
    Examples,
    /// The packages of the tests and the example agents.
    Tests,
}

impl Packages {
    fn requirements(self, workspace: &Workspace) -> PathBuf {
        let name = match self {
            Self::Examples => "examples.txt",
            Self::Tests => "tests.txt",
        };
        workspace.root().join("xtask").join("requirements").join(name)
    }

    fn digest(self, workspace: &Workspace) -> Result<String> {
        Ok(Inputs::default().file(&self.requirements(workspace))?.digest())
    }

    fn description(self) -> &'static str {
        match self {
            Self::Examples => "google-adk and what the examples need",
            Self::Tests => "google-adk with its evaluation, pytest and what the tests need",
        }
    }
}

/// Creates the environment, and creates it again if the pins changed or its interpreter is gone. If it has the
/// examples' packages, those of the tests are added.
pub(crate) fn ensure(
    workspace: &Workspace,
    progress: &mut Progress,
    packages: Packages,
) -> Result<()> {
    progress.step("Python packages", |announce| {
        let environment = workspace.python_environment();
        let stamp = environment.join("rehearsal-stamp");
        let python = workspace.python();
        let wanted = packages.digest(workspace)?;
        let has = |digest: &str| stamp::matches(&stamp, digest) && runs(&python);
        if has(&wanted) || has(&Packages::Tests.digest(workspace)?) {
            return Ok(Done::Present);
        }
        if has(&Packages::Examples.digest(workspace)?) {
            announce(&format!("{} (a minute or two)", packages.description()));
            stamp::clear(&stamp)?;
        } else {
            let base = find()?;
            announce(&format!("{}, with {base} (a minute or two)", packages.description()));
            stamp::clear(&stamp)?;
            if let Some(parent) = environment.parent() {
                fs::create_dir_all(parent)
                    .with_context(|| format!("cannot create {}", parent.display()))?;
            }
            process::run(Command::new(&base).args(["-m", "venv", "--clear"]).arg(&environment))?;
        }
        // Python compiles modules when it loads them, so a first run of the examples does not wait for all.
        pip::install(&python, |pip| {
            pip.args(["--no-compile", "--requirement"]).arg(packages.requirements(workspace));
        })?;
        stamp::set(&stamp, &wanted)?;
        Ok(Done::Made)
    })
}

/// Compiles the modules that tests import, for the hundreds of Pythons that they start: agents of eval runs write no
/// compiled modules, and each would compile google-adk for itself.
pub(crate) fn ensure_compiled(workspace: &Workspace, progress: &mut Progress) -> Result<()> {
    progress.step("Compiled Python modules", |announce| {
        let stamp = workspace.python_environment().join("rehearsal-compiled");
        let wanted = Packages::Tests.digest(workspace)?;
        if stamp::matches(&stamp, &wanted) {
            return Ok(Done::Present);
        }
        announce("those that tests import (half a minute on two cores)");
        let python = workspace.python();
        let mut compile = Command::new(&python);
        compile.args(["-m", "compileall", "-q", "-j", "0", "-x", NOT_COMPILED]);
        compile.arg(packages_folder(&python)?);
        // It fails for files that are no Python, such as templates, and compiles the others.
        process::output(&mut compile);
        stamp::set(&stamp, &wanted)?;
        Ok(Done::Made)
    })
}

/// Where the packages of an environment are.
pub(super) fn packages_folder(python: &Path) -> Result<PathBuf> {
    let folder = process::output(Command::new(python).args(["-c", PACKAGES_FOLDER]));
    let folder = folder
        .with_context(|| format!("{} does not say where its packages are", python.display()))?;
    Ok(PathBuf::from(folder))
}

/// An environment breaks when the Python that it was made from is removed.
pub(super) fn runs(python: &Path) -> bool {
    process::output(Command::new(python).args(["-c", "print(1)"])).is_some()
}

/// The first interpreter that is new enough and can make environments; `PYTHON` is tried first.
pub(super) fn find() -> Result<String> {
    let mut seen = Vec::new();
    let named = env::var("PYTHON").ok();
    for name in named.as_deref().into_iter().chain(NAMES) {
        match process::output(Command::new(name).args(["-c", PROBE])) {
            Some(version) if new_enough(&version) => return Ok(name.to_owned()),
            Some(version) => seen.push(format!("{name} is {version}")),
            None if process::output(Command::new(name).arg("--version")).is_some() => {
                seen.push(format!(
                    "{name} lacks venv or ensurepip (Debian: apt install python3-venv)"
                ));
            }
            None => {}
        }
    }
    let (major, minor) = OLDEST;
    let found = if seen.is_empty() { "none was found".to_owned() } else { seen.join("; ") };
    bail!(
        "Python {major}.{minor} or newer with venv is needed, and {found}: \
         install one, or name it in the variable PYTHON"
    )
}

fn new_enough(version: &str) -> bool {
    let mut parts = version.split('.').map(str::parse);
    match (parts.next(), parts.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) >= OLDEST,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_as_numbers() {
        assert!(new_enough("3.11.7"));
        assert!(new_enough("3.14.0"));
        assert!(new_enough("3.10.13"));
        assert!(!new_enough("3.9.18"));
        assert!(!new_enough("2.7.18"));
        assert!(!new_enough("nonsense"));
    }
}
