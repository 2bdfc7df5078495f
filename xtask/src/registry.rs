//! Runs programs that fetch packages, and says so when the registry is what does not respond.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::process;

/// Where packages come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registry {
    /// crates.io, through cargo.
    Crates,
    /// npm's, through npm.
    Npm,
    /// PyPI, through pip.
    Python,
}

impl Registry {
    fn name(self) -> &'static str {
        match self {
            Self::Crates => "crates.io",
            Self::Npm => "npm's registry",
            Self::Python => "PyPI",
        }
    }

    /// What its program prints when it cannot reach the registry.
    fn signs(self) -> &'static [&'static str] {
        match self {
            Self::Crates => {
                &["spurious network error", "Could not resolve host", "Failed to connect"]
            }
            Self::Npm => &["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "ETIMEDOUT", "EAI_AGAIN"],
            Self::Python => &["after connection broken by"],
        }
    }

    fn is_silent(self, printed: &str) -> bool {
        self.signs().iter().any(|sign| printed.contains(sign))
    }
}

/// Runs `command`, which fetches from `registry`, and passes its output through.
///
/// # Errors
///
/// When the command fails. The error names the registry if it did not respond.
pub fn run(command: &mut Command, registry: Registry) -> Result<()> {
    let line = process::line(command);
    let mut child = command
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("`{line}` could not be started"))?;
    let mut printed = String::new();
    for read in child.stderr.take().map(BufReader::new).into_iter().flat_map(|it| it.lines()) {
        let Ok(read) = read else { continue };
        eprintln!("{read}");
        printed.push_str(&read);
        printed.push('\n');
    }
    let status = child.wait().with_context(|| format!("`{line}` could not be waited for"))?;
    if !status.success() && registry.is_silent(&printed) {
        bail!("{} does not respond, so `{line}` failed. Run this again later", registry.name());
    }
    process::check_status(&line, status)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failing(program: &str) -> Command {
        let mut command = Command::new("python3");
        command.args(["-c", program]);
        command
    }

    #[test]
    fn silent_registry_is_named() {
        let lost = "import sys; sys.exit('WARNING: Retrying after connection broken by X')";
        let error = run(&mut failing(lost), Registry::Python).expect_err("it exits with 1");
        assert!(error.to_string().starts_with("PyPI does not respond, so `"), "{error}");
    }

    #[test]
    fn other_failures_are_those_of_the_command() {
        let other = "import sys; sys.exit('No matching distribution found')";
        let error = run(&mut failing(other), Registry::Python).expect_err("it exits with 1");
        assert!(error.to_string().ends_with("ended with exit code 1"), "{error}");
    }
}
