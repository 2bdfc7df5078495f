//! `cargo xtask commits`: rejects commit subjects that are too long or name two scopes.
//!
//! The rule is the one in CONTRIBUTING: `scope: Imperative outcome`, one scope, 72 characters.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use xtask::process;
use xtask::workspace::Workspace;

/// The rule holds for commits after this one. Some subjects before it are longer.
const BASE: &str = "0da2c83";

/// The longest subject, in characters. `git log --oneline` shows it on one line of 80 columns.
const LONGEST: usize = 72;

/// Checks the commits of `range`, or those after [`BASE`], and prints each subject that is wrong.
pub(crate) fn run(workspace: &Workspace, range: Option<&str>) -> Result<ExitCode> {
    let range = range.map_or_else(|| format!("{BASE}..HEAD"), str::to_owned);
    let mut command = git(workspace);
    command.args(["log", "--no-merges", "--format=%h %s", &range, "--"]);
    let log = process::output(&mut command).with_context(|| {
        format!("git cannot list `{range}`: fetch the full history, or name a range")
    })?;
    let (mut checked, mut wrong) = (0, 0);
    for line in log.lines() {
        checked += 1;
        let (commit, subject) = line.split_once(' ').unwrap_or((line, ""));
        if let Some(problem) = problem(subject) {
            wrong += 1;
            eprintln!("{commit} {subject}\n        {problem}");
        }
    }
    eprintln!("{range}: {checked} commits, {wrong} rejected.");
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// [`run`] for the test command, where a rejected subject is an error.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    if run(workspace, None)? != ExitCode::SUCCESS {
        bail!("commit subjects break the rule in CONTRIBUTING.md");
    }
    Ok(())
}

/// Whether the checkout has the history that [`run`] reads by default. An archive has none, and a
/// shallow clone ends after [`BASE`].
pub(crate) fn has_history(workspace: &Workspace) -> bool {
    let mut command = git(workspace);
    command.args(["merge-base", "--is-ancestor", BASE, "HEAD"]);
    process::output(&mut command).is_some()
}

fn git(workspace: &Workspace) -> Command {
    let mut command = Command::new("git");
    command.current_dir(workspace.root());
    command
}

/// What is wrong with a subject, and what to do.
fn problem(subject: &str) -> Option<String> {
    let length = subject.chars().count();
    if length > LONGEST {
        return Some(format!(
            "{length} characters: shorten it to {LONGEST}, use the body for the rest"
        ));
    }
    let (first, outcome) = subject.split_once(": ")?;
    let several = first.contains([',', '&', '+']) || first.contains(" and ");
    let second = outcome.split("; ").skip(1).find_map(|part| part.split_once(": "));
    let again = second.is_some_and(|(scope, _)| is_scope(scope));
    (several || again).then(|| "two scopes: make two commits, or name the scope of both".to_owned())
}

/// Whether `text` is written as a scope is: one word in lower case.
fn is_scope(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '-' | '_' | '/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_scope_and_at_most_72_characters_pass() {
        for subject in [
            "evalset: Append a case without rewriting the file",
            "live: Keep events in order; skip those already stored",
            "docs: Explain three words: lease, queue and turn",
            "worker-protocol: Name the fields of `Restore`",
            "Revert \"live: Keep events in order\"",
            &format!("live: {}", "é".repeat(66)),
        ] {
            assert_eq!(problem(subject), None, "{subject}");
        }
    }

    #[test]
    fn long_subjects_are_rejected() {
        let subject = format!("live: {}", "x".repeat(67));
        let expected = "73 characters: shorten it to 72, use the body for the rest";
        assert_eq!(problem(&subject).as_deref(), Some(expected));
    }

    #[test]
    fn two_scopes_are_rejected() {
        for subject in [
            "docs: List the changes; wire: Count tokens",
            "live, wire: Count tokens",
            "live and wire: Count tokens",
            "live + wire: Count tokens",
        ] {
            assert!(problem(subject).is_some_and(|p| p.starts_with("two scopes")), "{subject}");
        }
    }
}
