//! Checks dependencies: licenses, bans and sources of crates, and known vulnerabilities of crates, npm and
//! Python packages.
//!
//! The lists of vulnerabilities come from the registries. The summary lists those that do not respond as not
//! tested.

use std::process::{Command, Output};

use anyhow::{Context as _, Result, bail};
use xtask::process;
use xtask::workspace::Workspace;

/// The result of one list of vulnerabilities.
#[derive(Debug, PartialEq, Eq)]
enum AuditResult {
    /// No dependency has a known vulnerability.
    Clean,
    /// A dependency has a known vulnerability.
    Vulnerable,
    /// The list could not be fetched.
    NotReached,
}

/// Reads the result from the output of a program.
type Reader = fn(&Output) -> AuditResult;

/// Checks all dependencies, and returns the lists that could not be fetched.
///
/// # Errors
///
/// When a dependency breaks a rule of `deny.toml` or has a known vulnerability, or a program is
/// not installed.
pub(crate) fn run(workspace: &Workspace) -> Result<Vec<&'static str>> {
    process::print_and_run(&mut deny(workspace, &["bans", "licenses", "sources"]))?;
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
            AuditResult::Clean => {}
            AuditResult::Vulnerable => {
                eprint!("{}{}", text(&output.stdout), text(&output.stderr));
                vulnerable.push(name);
            }
            AuditResult::NotReached => not_reached.push(name),
        }
    }
    if !vulnerable.is_empty() {
        bail!("{} list a dependency. See the output above", vulnerable.join(" and "));
    }
    Ok(not_reached)
}

fn deny(workspace: &Workspace, checks: &[&str]) -> Command {
    let mut command = workspace.cargo();
    command.env("PATH", workspace.path_with_programs());
    command.args(["deny", "--log-level", "error", "check", "--hide-inclusion-graph"]).args(checks);
    command
}

/// `cargo deny` ends with the same code whether the database cannot be fetched or names a crate.
fn of_crates(output: &Output) -> AuditResult {
    let output_text = text(&output.stderr);
    match output.status.success() {
        true => AuditResult::Clean,
        false if output_text.contains("failed to fetch advisory database") => {
            AuditResult::NotReached
        }
        false => AuditResult::Vulnerable,
    }
}

/// A report of npm has a version. Without a report, the registry was not reached.
fn of_npm(output: &Output) -> AuditResult {
    match (output.status.success(), text(&output.stdout).contains("\"auditReportVersion\"")) {
        (true, true) => AuditResult::Clean,
        (false, true) => AuditResult::Vulnerable,
        (_, false) => AuditResult::NotReached,
    }
}

/// pip-audit skips packages that it cannot look up, and succeeds.
fn of_pip(output: &Output) -> AuditResult {
    let output_text = text(&output.stdout);
    match output.status.success() {
        true if output_text.contains("\"skip_reason\"") => AuditResult::NotReached,
        true => AuditResult::Clean,
        false if output_text.contains("\"id\"") => AuditResult::Vulnerable,
        false => AuditResult::NotReached,
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
    fn recognizes_lists_that_cannot_be_fetched() {
        let fetch = "[ERROR] failed to fetch advisory database https://example.org with cli";
        assert_eq!(of_crates(&output(1, "", fetch)), AuditResult::NotReached);
        assert_eq!(of_npm(&output(1, r#"{"statusCode": 405}"#, "")), AuditResult::NotReached);
        let skipped = r#"{"dependencies": [{"name": "a", "skip_reason": "not found on PyPI"}]}"#;
        assert_eq!(of_pip(&output(0, skipped, "")), AuditResult::NotReached);
        assert_eq!(of_pip(&output(1, "", "ConnectionError")), AuditResult::NotReached);
    }

    #[test]
    fn recognizes_vulnerable_dependencies() {
        let diagnostic = "error[vulnerability]: RUSTSEC-2026-0001\nadvisories FAILED";
        assert_eq!(of_crates(&output(1, "", diagnostic)), AuditResult::Vulnerable);
        assert_eq!(of_npm(&output(1, r#"{"auditReportVersion": 2}"#, "")), AuditResult::Vulnerable);
        let vulnerable = r#"{"dependencies": [{"name": "a", "vulns": [{"id": "PYSEC-1"}]}]}"#;
        assert_eq!(of_pip(&output(1, vulnerable, "")), AuditResult::Vulnerable);
    }

    #[test]
    fn recognizes_clean_lists() {
        assert_eq!(of_crates(&output(0, "", "advisories ok")), AuditResult::Clean);
        assert_eq!(of_npm(&output(0, r#"{"auditReportVersion": 2}"#, "")), AuditResult::Clean);
        assert_eq!(of_pip(&output(0, r#"{"dependencies": []}"#, "")), AuditResult::Clean);
    }
}
