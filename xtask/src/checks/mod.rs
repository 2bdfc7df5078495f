//! Runs checks, each printed as it is run, with a summary at the end: those of a change (`cargo xtask test`)
//! and those of a release (`cargo xtask release-checks`).
//!
//! A check that fails does not stop those after it, except those that need what it makes.

mod change;
mod flaky;
mod release;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::{Args, ValueEnum};
use xtask::progress::elapsed;
use xtask::workspace::Workspace;

use crate::build::SiteBuild;
use crate::file_times;
use crate::setup::{self, Part};

pub(crate) use change::{Check as ChangeCheck, PARTS};
pub(crate) use release::Check as ReleaseCheck;

/// Which of the checks to run.
#[derive(Args)]
pub(crate) struct Options<C: Check> {
    /// Run only these checks, in their usual order (may be given several times)
    #[arg(long, value_name = "CHECK")]
    only: Vec<C>,
    /// Name the checks and what each runs, and stop there
    #[arg(long)]
    list: bool,
    /// Give files that did not change since the last such run in this target folder their times of
    /// then, so that cargo does not compile a new clone in the same place again
    #[arg(long)]
    keep_times: bool,
}

/// A list of checks, in the order in which they run.
pub(crate) trait Check: ValueEnum + Copy + Eq + Send + Sync + 'static {
    /// The check that makes what some of the others need; `None` if there is none.
    const MAKER: Option<Self>;

    /// What must be installed for it.
    fn parts(self) -> &'static [Part];

    /// Whether it needs what [`Self::MAKER`] makes.
    fn needs_maker(self) -> bool;

    /// Why it cannot run in this checkout or on this machine; `None` if it can.
    fn obstacle(self, workspace: &Workspace) -> Option<&'static str>;

    fn run(self, context: &Context<'_>) -> Result<()>;

    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    fn about(self) -> String {
        let value = self.to_possible_value();
        value.and_then(|value| value.get_help().map(ToString::to_string)).unwrap_or_default()
    }
}

/// How a check ended.
enum Outcome {
    Passed,
    Failed(String),
    Skipped(&'static str),
}

/// What checks share.
pub(crate) struct Context<'w> {
    workspace: &'w Workspace,
    /// Whether a check needs the page.
    needs_site: bool,
    /// The page, if its build was begun during another check.
    site: RefCell<Option<SiteBuild<'w>>>,
    /// Tests that passed only at their second try.
    flaky: RefCell<Vec<String>>,
    /// What was not tested, with the reason.
    not_tested: RefCell<Vec<String>>,
}

impl Context<'_> {
    /// Begins to build the page, if a check needs it, so that no processor waits while tests do.
    fn begin_site(&self) -> Result<()> {
        if self.needs_site && self.site.borrow().is_none() {
            self.site.replace(Some(SiteBuild::begin(self.workspace)?));
        }
        Ok(())
    }

    /// `cargo` for tests: they find what setup installed, and record what is missing.
    fn cargo(&self) -> Command {
        let workspace = self.workspace;
        let mut command = workspace.cargo();
        command
            .env("REHEARSAL_TEST_PYTHON", workspace.python())
            // The example agents find their MCP servers there.
            .env("PATH", workspace.path_with_programs())
            .env("REHEARSAL_TEST_MCP", workspace.npm_programs())
            .env("REHEARSAL_TEST_ABSENT", absences(workspace));
        // The same cases in every run, so that a failure repeats. CONTRIBUTING says how to try others.
        if std::env::var_os(SEED).is_none() {
            command.env(SEED, "20261121");
        }
        command
    }
}

/// The variable with the random seed of the property tests.
const SEED: &str = "PROPTEST_RNG_SEED";

/// Sets up, runs the checks and reports. Fails if any check fails.
pub(crate) fn run<C: Check>(workspace: &Workspace, options: &Options<C>) -> Result<ExitCode> {
    if options.list {
        for check in C::value_variants() {
            eprintln!("{:<14}{}", check.name(), check.about());
        }
        return Ok(ExitCode::SUCCESS);
    }
    let since = Instant::now();
    let absent = absences(workspace);
    let _ = fs::remove_file(&absent);
    if options.keep_times {
        file_times::restore(workspace)?;
    }
    let chosen = chosen(&options.only);
    let parts: Vec<Part> = chosen.iter().flat_map(|check| check.parts()).copied().collect();
    setup::ensure(workspace, &parts)?;
    let context = Context {
        workspace,
        needs_site: C::MAKER.is_some_and(|maker| chosen.contains(&maker)),
        site: RefCell::default(),
        flaky: RefCell::default(),
        not_tested: RefCell::default(),
    };
    let mut results = vec![("setup".to_owned(), since.elapsed(), Outcome::Passed)];
    let mut is_made = true;
    for (index, check) in chosen.iter().copied().enumerate() {
        eprintln!("\n== [{}/{}] {}: {}", index + 1, chosen.len(), check.name(), check.about());
        let began = Instant::now();
        let outcome = if !is_made && check.needs_maker() {
            Outcome::Skipped("what it needs was not built")
        } else if let Some(obstacle) = check.obstacle(workspace) {
            Outcome::Skipped(obstacle)
        } else {
            match check.run(&context) {
                Ok(()) => Outcome::Passed,
                Err(error) => Outcome::Failed(format!("{error:#}")),
            }
        };
        is_made &= C::MAKER != Some(check) || matches!(outcome, Outcome::Passed);
        if let Outcome::Failed(reason) = &outcome {
            eprintln!("== {} FAILED: {reason}", check.name());
        }
        results.push((check.name(), began.elapsed(), outcome));
    }
    let mut not_tested = missing(&fs::read_to_string(absent).unwrap_or_default());
    not_tested.append(&mut context.not_tested.borrow_mut());
    Ok(summarize(&results, &context.flaky.borrow(), &not_tested, since.elapsed()))
}

/// The checks of `only`, or all, with the one that makes what they need.
fn chosen<C: Check>(only: &[C]) -> Vec<C> {
    let is_chosen = |check: &C| only.is_empty() || only.contains(check);
    let needs_maker = only.iter().any(|check| check.needs_maker());
    let all = C::value_variants().iter().copied();
    all.filter(|check| is_chosen(check) || needs_maker && C::MAKER == Some(*check)).collect()
}

/// The file in which tests record what was missing.
fn absences(workspace: &Workspace) -> PathBuf {
    workspace.target().join("tests-absent")
}

/// What was missing on the machine, with the tests that were skipped for it, from the lines that
/// `test-needs` writes.
fn missing(lines: &str) -> Vec<String> {
    let mut tests: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (what, test) in lines.lines().filter_map(|line| line.split_once('\t')) {
        tests.entry(what).or_default().insert(test);
    }
    let missing = tests.iter().map(|(what, tests)| {
        let names = tests.iter().copied().collect::<Vec<_>>().join(", ");
        format!("{what} is missing: {names}")
    });
    missing.collect()
}

fn summarize(
    results: &[(String, Duration, Outcome)],
    flaky: &[String],
    not_tested: &[String],
    whole: Duration,
) -> ExitCode {
    eprintln!("\n{:<14}{:>12}  result", "check", "time");
    let mut passed = true;
    for (name, duration, outcome) in results {
        let result = match outcome {
            Outcome::Passed => "passed".to_owned(),
            Outcome::Failed(reason) => format!("FAILED: {reason}"),
            Outcome::Skipped(reason) => format!("skipped: {reason}"),
        };
        passed &= !matches!(outcome, Outcome::Failed(_));
        eprintln!("{name:<14}{:>12}  {result}", elapsed(*duration));
    }
    for what in not_tested {
        eprintln!("NOT TESTED: {what}");
    }
    for test in flaky {
        eprintln!("FLAKY: {test}");
    }
    let is_whole = not_tested.is_empty()
        && results.iter().all(|(_, _, outcome)| matches!(outcome, Outcome::Passed));
    let verdict = match (passed, is_whole) {
        (true, true) => "All passed",
        (true, false) => "All passed, except checks that were not run",
        (false, _) => "Not all passed",
    };
    eprintln!("{verdict}, in {}.", elapsed(whole));
    if !flaky.is_empty() {
        eprintln!("The next change fixes the flaky tests first.");
    }
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_what_was_missing_with_its_tests() {
        let lines = "corpus a\tone\na Python\ttwo\ncorpus a\tthree\ncorpus a\tone\n";
        assert_eq!(missing(lines), ["a Python is missing: two", "corpus a is missing: one, three"]);
        assert_eq!(missing(""), [""; 0]);
    }

    #[test]
    fn check_brings_the_one_that_makes_what_it_needs() {
        assert_eq!(chosen(&[ChangeCheck::Stories]), [ChangeCheck::Program, ChangeCheck::Stories]);
        assert_eq!(chosen(&[ChangeCheck::Format]), [ChangeCheck::Format]);
        assert_eq!(chosen::<ChangeCheck>(&[]), ChangeCheck::value_variants());
    }
}
