//! The Python virtual environment: google-adk with its evaluation, and pytest.
//!
//! `requirements/python.txt` pins every package for every supported Python; it is written by
//! `uv pip compile --universal` from `python.in`.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process;
use crate::progress::{Done, Progress};
use crate::stamp::{self, Inputs};
use crate::workspace::Workspace;

/// The oldest Python that a pinned google-adk supports: 3.10 gets the last one for it.
const OLDEST: (u32, u32) = (3, 10);

/// Names under which a new enough Python is commonly found, the plainest first.
const NAMES: [&str; 7] =
    ["python3", "python3.14", "python3.13", "python3.12", "python3.11", "python3.10", "python"];

/// Prints `3.11.7` and fails where environments cannot be made.
const PROBE: &str = "import sys, venv, ensurepip; print('%d.%d.%d' % sys.version_info[:3])";

/// Makes the environment, or makes it anew when the pins changed or its interpreter went away.
pub(crate) fn ensure(workspace: &Workspace, progress: &mut Progress) -> Result<()> {
    progress.step("Python packages", |announce| {
        let requirements = workspace.root().join("xtask/requirements/python.txt");
        let digest = Inputs::default().file(&requirements)?.digest();
        let environment = workspace.python_environment();
        let stamp = environment.join("rehearsal-stamp");
        let python = workspace.python();
        if stamp::matches(&stamp, &digest) && runs(&python) {
            return Ok(Done::Present);
        }
        let base = find()?;
        announce(&format!("google-adk, pytest and what they need, with {base} (about a minute)"));
        stamp::lift(&stamp)?;
        if let Some(parent) = environment.parent() {
            fs::create_dir_all(parent)
                .with_context(|| format!("cannot create {}", parent.display()))?;
        }
        process::run(Command::new(&base).args(["-m", "venv", "--clear"]).arg(&environment))?;
        process::run(
            Command::new(&python)
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
                .arg("--requirement")
                .arg(&requirements),
        )?;
        stamp::set(&stamp, &digest)?;
        Ok(Done::Made)
    })
}

/// An environment breaks when the Python that it was made from is removed.
fn runs(python: &Path) -> bool {
    process::answer(Command::new(python).args(["-c", "print(1)"])).is_some()
}

/// The first interpreter that is new enough and can make environments; `PYTHON` is tried first.
fn find() -> Result<String> {
    let mut seen = Vec::new();
    let named = env::var("PYTHON").ok();
    for name in named.as_deref().into_iter().chain(NAMES) {
        match process::answer(Command::new(name).args(["-c", PROBE])) {
            Some(version) if new_enough(&version) => return Ok(name.to_owned()),
            Some(version) => seen.push(format!("{name} is {version}")),
            None if process::answer(Command::new(name).arg("--version")).is_some() => {
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
