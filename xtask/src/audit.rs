//! What is depended upon: licenses, bans and sources of crates, and known vulnerabilities of crates,
//! npm and Python packages.
//!
//! The lists of vulnerabilities are asked of the registries. One that does not answer is not a
//! pass: it is named as not tested.

use std::process::{Command, Output};

use anyhow::{Context as _, Result, bail};
use xtask::process;
use xtask::workspace::Workspace;

/// What was found out about one list of vulnerabilities.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    /// Nothing is known against what is depended upon.
    Clean,
    /// Something is.
    Vulnerable,
    /// The list could not be had.
    NotReached,
}

/// Reads the answer from what a program printed.
type Reader = fn(&Output) -> Answer;

/// Checks all three, and returns the lists that could not be reached.
///
/// # Errors
///
/// When a dependency breaks a rule of `deny.toml` or has a known vulnerability, or a program is
/// not installed.
pub(crate) fn run(workspace: &Workspace) -> Result<Vec<&'static str>> {
    process::run_aloud(&mut deny(workspace, &["bans", "licenses", "sources"]))?;
    let mut pip = Command::new(workspace.python());
    pip.args(["-m", "pip_audit", "--no-deps", "--disable-pip", "--progress-spinner", "off"])
        .args(["--format", "json", "--requirement", "xtask/requirements/tests.txt"])
        .current_dir(workspace.root());
    let mut npm = process::npm_program("npm");
    npm.args(["audit", "--json"]).current_dir(workspace.end2end());
    let lists: [(&str, Command, Reader); 3] = [
        ("RustSec's advisories for crates", deny(workspace, &["advisories"]), of_crates),
        ("npm's advisories", npm, of_npm),
        ("PyPI's vulnerabilities", pip, of_pip),
    ];
    let mut not_reached = Vec::new();
    let mut vulnerable = Vec::new();
    for (name, mut command, read) in lists {
        let line = process::line(&command);
        eprintln!("{line}");
        let output = command.output().with_context(|| format!("`{line}` does not start"))?;
        match read(&output) {
            Answer::Clean => {}
            Answer::Vulnerable => {
                eprint!("{}{}", text(&output.stdout), text(&output.stderr));
                vulnerable.push(name);
            }
            Answer::NotReached => not_reached.push(name),
        }
    }
    if !vulnerable.is_empty() {
        bail!("{} name a dependency: the output above says which", vulnerable.join(" and "));
    }
    Ok(not_reached)
}

fn deny(workspace: &Workspace, checks: &[&str]) -> Command {
    let mut command = process::cargo(workspace);
    command.env("PATH", workspace.path_with_programs());
    command.args(["deny", "--log-level", "error", "check", "--hide-inclusion-graph"]).args(checks);
    command
}

/// `cargo deny` ends with the same code whether the database cannot be fetched or names a crate.
fn of_crates(output: &Output) -> Answer {
    let told = text(&output.stderr);
    match output.status.success() {
        true => Answer::Clean,
        false if told.contains("failed to fetch advisory database") => Answer::NotReached,
        false => Answer::Vulnerable,
    }
}

/// npm's report has a version where there is a report.
fn of_npm(output: &Output) -> Answer {
    match (output.status.success(), text(&output.stdout).contains("\"auditReportVersion\"")) {
        (true, true) => Answer::Clean,
        (false, true) => Answer::Vulnerable,
        (_, false) => Answer::NotReached,
    }
}

/// pip-audit passes packages over that it cannot ask about, and ends well.
fn of_pip(output: &Output) -> Answer {
    let told = text(&output.stdout);
    match output.status.success() {
        true if told.contains("\"skip_reason\"") => Answer::NotReached,
        true => Answer::Clean,
        false if told.contains("\"id\"") => Answer::Vulnerable,
        false => Answer::NotReached,
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;

    use super::*;

    fn output(code: i32, stdout: &str, stderr: &str) -> Output {
        Output {
            status: ExitStatus::from_raw(code << 8),
            stdout: stdout.into(),
            stderr: stderr.into(),
        }
    }

    #[test]
    fn a_list_that_cannot_be_fetched_is_neither_clean_nor_a_vulnerability() {
        let fetch = "[ERROR] failed to fetch advisory database https://example.org with cli";
        assert_eq!(of_crates(&output(1, "", fetch)), Answer::NotReached);
        assert_eq!(of_npm(&output(1, r#"{"statusCode": 405}"#, "")), Answer::NotReached);
        let skipped = r#"{"dependencies": [{"name": "a", "skip_reason": "not found on PyPI"}]}"#;
        assert_eq!(of_pip(&output(0, skipped, "")), Answer::NotReached);
        assert_eq!(of_pip(&output(1, "", "ConnectionError")), Answer::NotReached);
    }

    #[test]
    fn a_list_that_names_a_dependency_is_a_vulnerability() {
        let diagnostic = "error[vulnerability]: RUSTSEC-2026-0001\nadvisories FAILED";
        assert_eq!(of_crates(&output(1, "", diagnostic)), Answer::Vulnerable);
        assert_eq!(of_npm(&output(1, r#"{"auditReportVersion": 2}"#, "")), Answer::Vulnerable);
        let vulnerable = r#"{"dependencies": [{"name": "a", "vulns": [{"id": "PYSEC-1"}]}]}"#;
        assert_eq!(of_pip(&output(1, vulnerable, "")), Answer::Vulnerable);
    }

    #[test]
    fn an_empty_list_is_clean() {
        assert_eq!(of_crates(&output(0, "", "advisories ok")), Answer::Clean);
        assert_eq!(of_npm(&output(0, r#"{"auditReportVersion": 2}"#, "")), Answer::Clean);
        assert_eq!(of_pip(&output(0, r#"{"dependencies": []}"#, "")), Answer::Clean);
    }
}
