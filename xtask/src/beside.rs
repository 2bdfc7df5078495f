//! Checks that run in a second process beside the others.
//!
//! Most checks compile and keep the processors busy; stories and tests of Python wait for other programs most of
//! the time. Side by side they take little longer than the slower of the two.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};
use xtask::process::Background;
use xtask::workspace::Workspace;

use crate::checks::{Finished, Outcome};

/// How often the output is looked at while it is followed.
const POLL: Duration = Duration::from_millis(200);

/// The second process.
pub(crate) struct Beside {
    process: Background,
    names: Vec<String>,
    log: PathBuf,
    results: PathBuf,
}

impl Beside {
    /// Starts the checks of these names. Their output goes to a file until [`Self::finish`].
    pub(crate) fn start(workspace: &Workspace, names: Vec<String>) -> Result<Self> {
        let log = workspace.target().join("tests-beside.log");
        let results = workspace.target().join("tests-beside");
        let output =
            File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let mut command =
            Command::new(std::env::current_exe().context("this program has no path")?);
        command.arg("test");
        for name in &names {
            command.args(["--only", name]);
        }
        command.arg("--results").arg(&results).current_dir(workspace.root());
        command.stdout(output.try_clone()?).stderr(output);
        Ok(Self { process: Background::start(&mut command)?, names, log, results })
    }

    /// Prints the output, from the beginning to the end of the process, and returns how each check ended.
    pub(crate) fn finish(mut self) -> Result<Vec<Finished>> {
        let mut log = File::open(&self.log)?;
        loop {
            let ended = self.process.has_ended()?;
            io::copy(&mut log, &mut io::stderr())?;
            if ended {
                break;
            }
            thread::sleep(POLL);
        }
        // Its exit code says only whether a check failed.
        let _ = self.process.wait();
        let mut text = String::new();
        if let Ok(mut file) = File::open(&self.results) {
            file.read_to_string(&mut text)?;
        }
        Ok(self.names.iter().map(|name| find(&text, name)).collect())
    }
}

/// Writes how the checks ended, for the process that started this one.
pub(crate) fn write_results(path: &Path, finished: &[Finished]) -> Result<()> {
    let lines: String = finished.iter().map(line).collect();
    fs::write(path, lines).with_context(|| format!("cannot write {}", path.display()))
}

fn line(finished: &Finished) -> String {
    let Finished { name, duration, outcome } = finished;
    let (word, reason) = match outcome {
        Outcome::Passed => ("passed", ""),
        Outcome::Failed(reason) => ("failed", reason.as_str()),
        Outcome::Skipped(reason) => ("skipped", reason.as_str()),
    };
    format!("{name}\t{}\t{word}\t{}\n", duration.as_millis(), reason.replace(['\t', '\n'], " "))
}

/// How the check of this name ended, from the lines of [`write_results`].
fn find(lines: &str, name: &str) -> Finished {
    let found = lines.lines().find_map(|line| {
        let mut fields = line.splitn(4, '\t');
        if fields.next() != Some(name) {
            return None;
        }
        let duration = Duration::from_millis(fields.next()?.parse().ok()?);
        let outcome = match (fields.next()?, fields.next()?.to_owned()) {
            ("passed", _) => Outcome::Passed,
            ("skipped", reason) => Outcome::Skipped(reason),
            (_, reason) => Outcome::Failed(reason),
        };
        Some((duration, outcome))
    });
    let missing = || (Duration::ZERO, Outcome::Failed("the process ended before it".to_owned()));
    let (duration, outcome) = found.unwrap_or_else(missing);
    Finished { name: name.to_owned(), duration, outcome }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_back_from_the_other_process() {
        let finished = |name: &str, outcome| Finished {
            name: name.to_owned(),
            duration: Duration::from_millis(1_250),
            outcome,
        };
        let all = [
            finished("binary", Outcome::Passed),
            finished("stories", Outcome::Failed("`npx` ended\nwith exit code 1".to_owned())),
            finished("plugin", Outcome::Skipped("the binary was not built".to_owned())),
        ];
        let lines: String = all.iter().map(line).collect();
        assert_eq!(find(&lines, "binary"), all[0]);
        let failed = Outcome::Failed("`npx` ended with exit code 1".to_owned());
        assert_eq!(find(&lines, "stories").outcome, failed);
        assert_eq!(find(&lines, "plugin"), all[2]);
        assert!(matches!(find(&lines, "acceptance").outcome, Outcome::Failed(_)));
    }
}
