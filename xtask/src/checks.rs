//! `cargo xtask test`: every check, each printed as it is run, with a summary at the end.
//!
//! A check that fails does not stop those after it, except those that need what it makes.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use xtask::process;
use xtask::progress::elapsed;
use xtask::workspace::Workspace;

use crate::build::ShippedBuild;
use crate::package::How;
use crate::setup::Browser;
use crate::{audit, commits, file_times, fuzz, package, setup, wheel};

/// What of the checks to run.
#[derive(Args)]
pub(crate) struct Options {
    /// Run only these checks, in their usual order (may be given several times)
    #[arg(long, value_name = "CHECK")]
    only: Vec<Check>,
    /// Name the checks and what each runs, and stop there
    #[arg(long)]
    list: bool,
    /// Give files that did not change since the last such run in this target folder their times of
    /// then, so that cargo does not compile a new clone in the same place again
    #[arg(long)]
    keep_times: bool,
}

/// The checks, in the order in which they run: the quick to fail first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Check {
    /// Commit subjects: 72 characters, one scope
    Commits,
    /// Formatting of the Rust sources
    Format,
    /// Clippy on the host's side, tests and benches included, warnings refused
    Lint,
    /// Clippy on the client and the pure crates for wasm32, hydrating and mounting
    Wasm,
    /// Unit and integration tests
    Unit,
    /// What eval runs rely on in google-adk, with each older version that they support
    AdkVersions,
    /// The documentation: its examples, and warnings refused
    Doc,
    /// Every fuzz target: built, and its corpus replayed (Linux, with a C++ compiler)
    Fuzz,
    /// Licenses, sources and known vulnerabilities of crates, npm and Python packages
    Audit,
    /// Types of the browser stories, and of the Python package
    Types,
    /// Tests of the Python worker
    Python,
    /// The site and the release binary, which the checks after it use
    Binary,
    /// The crates as they are published, and the programs of the Rust guides built from them alone
    Package,
    /// The plugin and the model endpoints: google-adk and the vendors' own clients against the binary
    Plugin,
    /// Stories in a real browser
    Stories,
    /// Exported files against the real google-adk
    Acceptance,
}

/// Packages besides the client that must compile for the browser.
const PURE: [&str; 17] = [
    "rehearsal-json-text",
    "rehearsal-session",
    "rehearsal-schema-form",
    "rehearsal-schema-check",
    "rehearsal-tool-lint",
    "rehearsal-value-tree",
    "rehearsal-live",
    "rehearsal-model-wire",
    "rehearsal-rpc",
    "rehearsal-evalset",
    "rehearsal-scoring",
    "rehearsal-case-trace",
    "rehearsal-score-report",
    "rehearsal-report-view",
    "rehearsal-trace-export",
    "rehearsal-api",
    "rehearsal-case-view",
];

/// How a check ended.
enum Outcome {
    Passed,
    Failed(String),
    Skipped(&'static str),
}

/// What checks share: the folders, and what setup found.
struct Context<'a> {
    workspace: &'a Workspace,
    browser: Browser,
    /// The release build, if it was started during another check.
    build: RefCell<Option<ShippedBuild<'a>>>,
    /// The lists of vulnerabilities that could not be fetched.
    not_reached: RefCell<Vec<&'static str>>,
}

/// Sets up, runs the checks and reports. Fails if any check fails.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode> {
    if options.list {
        for check in Check::value_variants() {
            eprintln!("{:<12}{}", check.name(), check.about());
        }
        return Ok(ExitCode::SUCCESS);
    }
    let since = Instant::now();
    let absent = absences(workspace);
    let _ = fs::remove_file(&absent);
    if options.keep_times {
        file_times::restore(workspace)?;
    }
    let context = Context {
        workspace,
        browser: setup::everything(workspace)?,
        build: RefCell::default(),
        not_reached: RefCell::default(),
    };
    let chosen: Vec<Check> = Check::value_variants()
        .iter()
        .copied()
        .filter(|check| options.only.is_empty() || options.only.contains(check))
        .collect();
    let mut results = vec![("setup".to_owned(), since.elapsed(), Outcome::Passed)];
    let mut binary_failed = false;
    for (index, check) in chosen.iter().copied().enumerate() {
        eprintln!("\n== [{}/{}] {}: {}", index + 1, chosen.len(), check.name(), check.about());
        let began = Instant::now();
        if check == Check::Python && chosen.contains(&Check::Binary) {
            // Python's tests mostly wait for processes, so there is time to compile.
            context.build.replace(Some(ShippedBuild::begin(workspace)?));
        }
        let outcome = if binary_failed && check.needs_binary() {
            Outcome::Skipped("the binary was not built")
        } else if check == Check::Fuzz && !fuzz::is_possible() {
            Outcome::Skipped("fuzz targets need Linux and a C++ compiler")
        } else if check == Check::Commits && !commits::has_history(workspace) {
            Outcome::Skipped("the history is not available")
        } else {
            match check.run(&context) {
                Ok(()) => Outcome::Passed,
                Err(error) => Outcome::Failed(format!("{error:#}")),
            }
        };
        binary_failed |= check == Check::Binary && matches!(outcome, Outcome::Failed(_));
        if let Outcome::Failed(reason) = &outcome {
            eprintln!("== {} FAILED: {reason}", check.name());
        }
        results.push((check.name(), began.elapsed(), outcome));
    }
    let mut absent = not_tested(&fs::read_to_string(absent).unwrap_or_default());
    let not_reached = context.not_reached.take();
    absent.extend(not_reached.iter().map(|list| format!("the registry did not respond: {list}")));
    Ok(summarize(&results, &absent, since.elapsed()))
}

/// The file in which tests record what was missing.
fn absences(workspace: &Workspace) -> PathBuf {
    workspace.target().join("tests-absent")
}

/// What was missing on the machine, with the tests that were skipped for it, from the lines that
/// `test-needs` writes.
fn not_tested(lines: &str) -> Vec<String> {
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
    absent: &[String],
    whole: Duration,
) -> ExitCode {
    eprintln!("\n{:<12}{:>12}  result", "check", "time");
    let mut passed = true;
    for (name, duration, outcome) in results {
        let result = match outcome {
            Outcome::Passed => "passed".to_owned(),
            Outcome::Failed(reason) => format!("FAILED: {reason}"),
            Outcome::Skipped(reason) => format!("skipped: {reason}"),
        };
        passed &= matches!(outcome, Outcome::Passed);
        eprintln!("{name:<12}{:>12}  {result}", elapsed(*duration));
    }
    for what in absent {
        eprintln!("NOT TESTED: {what}");
    }
    let verdict = match (passed, absent) {
        (true, []) => "All passed",
        (true, _) => "All passed, except checks that were not run",
        (false, _) => "Not all passed",
    };
    eprintln!("{verdict}, in {}.", elapsed(whole));
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The tests of what eval runs rely on in google-adk.
const RELY_ON_ADK: &str = "test(/^(canaries|endings|python_runs|requests)::/)";

/// The variable with the random seed of the property tests.
const SEED: &str = "PROPTEST_RNG_SEED";

impl Check {
    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    fn about(self) -> String {
        let value = self.to_possible_value();
        value.and_then(|value| value.get_help().map(ToString::to_string)).unwrap_or_default()
    }

    fn needs_binary(self) -> bool {
        matches!(self, Self::Package | Self::Plugin | Self::Stories | Self::Acceptance)
    }

    fn run(self, context: &Context<'_>) -> Result<()> {
        let cargo = |arguments: &[&str]| {
            let mut command = process::cargo(context.workspace);
            command
                .args(arguments)
                .env("REHEARSAL_TEST_PYTHON", context.workspace.python())
                // The example agents find their MCP servers there.
                .env("PATH", context.workspace.path_with_programs())
                .env("REHEARSAL_TEST_MCP", context.workspace.npm_programs())
                .env("REHEARSAL_TEST_ABSENT", absences(context.workspace));
            // The same cases in every run, so that a failure repeats. CONTRIBUTING says how to try others.
            if std::env::var_os(SEED).is_none() {
                command.env(SEED, "20261121");
            }
            process::print_and_run(&mut command)
        };
        match self {
            Self::Commits => commits::check(context.workspace),
            Self::Format => cargo(&["fmt", "--all", "--check"]),
            Self::Lint => {
                let chosen = ["clippy", "--workspace", "--exclude", "frontend", "--all-targets"];
                cargo(&[&chosen[..], &["--", "-D", "warnings"]].concat())
            }
            Self::Wasm => {
                let wasm = ["clippy", "--target", "wasm32-unknown-unknown", "-p", "frontend"];
                let pure: Vec<&str> = PURE.iter().flat_map(|name| ["-p", name]).collect();
                let strict = ["--", "-D", "warnings"];
                // As it is shipped.
                cargo(&[&wasm[..], &pure, &["--features", "frontend/split"], &strict].concat())?;
                let mounting = ["--no-default-features", "--features", "csr"];
                cargo(&[&wasm[..], &mounting, &strict].concat())
            }
            Self::Unit => {
                let chosen = ["--workspace", "--exclude", "frontend", "--exclude", "acceptance"];
                let nextest = ["nextest", "run", "--no-tests=pass", "--no-fail-fast"];
                cargo(&[&nextest[..], &chosen].concat())
            }
            Self::AdkVersions => {
                for (version, python) in setup::ensure_adk_versions(context.workspace)? {
                    eprintln!("-- google-adk {version}");
                    let mut command = process::cargo(context.workspace);
                    command
                        .args([
                            "nextest",
                            "run",
                            "-p",
                            "rehearsal-eval",
                            "--test",
                            "all",
                            "--no-fail-fast",
                        ])
                        .args(["-E", RELY_ON_ADK])
                        .env("REHEARSAL_TEST_PYTHON", python);
                    process::print_and_run(&mut command)?;
                }
                Ok(())
            }
            Self::Doc => {
                let chosen = ["--workspace", "--exclude", "frontend", "--exclude", "acceptance"];
                cargo(&[&["test", "--doc"], &chosen[..]].concat())?;
                let mut command = process::cargo(context.workspace);
                command.args(["doc", "--no-deps"]).args(chosen).env("RUSTDOCFLAGS", "-D warnings");
                process::print_and_run(&mut command)
            }
            Self::Fuzz => fuzz::replay(context.workspace),
            Self::Types => {
                process::print_and_run(&mut npx(context, &["tsc", "--noEmit"]))?;
                let mut command = Command::new(context.workspace.python());
                // The settings are in pyproject.toml. The cache is outside of the checkout.
                command
                    .args(["-m", "mypy", "--cache-dir"])
                    .arg(context.workspace.target().join("mypy"))
                    .current_dir(context.workspace.root().join("python"));
                process::print_and_run(&mut command)
            }
            Self::Python => {
                let mut command = Command::new(context.workspace.python());
                // Without the cache, so that a checkout stays clean.
                command
                    .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/python"])
                    // The plugin's check runs these.
                    .args(["--ignore-glob=*/test_endpoint_*.py", "--ignore-glob=*/test_live.py"])
                    .arg("--ignore-glob=*/test_eval_api.py")
                    .current_dir(context.workspace.root());
                process::print_and_run(&mut command)
            }
            Self::Binary => match context.build.take() {
                Some(begun) => begun.finish(),
                None => ShippedBuild::begin(context.workspace)?.finish(),
            }
            .map(drop),
            Self::Audit => {
                context.not_reached.replace(audit::run(context.workspace)?);
                Ok(())
            }
            Self::Plugin => {
                let mut command = Command::new(context.workspace.python());
                command
                    .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
                    .args(["tests/python", "-k", "test_live.py or test_endpoint_ or test_eval_api"])
                    .current_dir(context.workspace.root())
                    .env("REHEARSAL_TEST_BINARY", binary(context)?);
                process::print_and_run(&mut command)
            }
            Self::Stories => {
                let mut command = npx(context, &["playwright", "test"]);
                command
                    .env("REHEARSAL_TEST_BINARY", binary(context)?)
                    .env("REHEARSAL_TEST_PYTHON", context.workspace.python());
                if let Browser::Installed(path) = &context.browser {
                    command.env("REHEARSAL_TEST_BROWSER", path);
                }
                process::print_and_run(&mut command)
            }
            Self::Package => {
                binary(context)?;
                let packages = package::pack(context.workspace)?;
                package::build_programs(context.workspace, &packages, How::Check)
            }
            Self::Acceptance => {
                let wheel = wheel::pack(context.workspace)?;
                let mut command = process::cargo(context.workspace);
                command
                    .args(["test", "-p", "acceptance"])
                    .env("REHEARSAL_TEST_BINARY", binary(context)?)
                    .env("REHEARSAL_TEST_WHEEL", wheel)
                    .env("REHEARSAL_TEST_PYTHON", context.workspace.python());
                if let Browser::Installed(path) = &context.browser {
                    command.env("REHEARSAL_TEST_BROWSER", path);
                }
                process::print_and_run(&mut command)
            }
        }
    }
}

fn npx(context: &Context<'_>, arguments: &[&str]) -> Command {
    let mut command = process::npm_program("npx");
    command.args(arguments).current_dir(context.workspace.end2end());
    command
}

/// The binary, for a run of single checks in which it was not built.
fn binary(context: &Context<'_>) -> Result<std::path::PathBuf> {
    let binary = context.workspace.binary();
    if !binary.is_file() {
        bail!("{} does not exist. Run `cargo xtask build`", binary.display());
    }
    Ok(binary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_what_was_missing_with_its_tests() {
        let lines = "corpus a\tone\na Python\ttwo\ncorpus a\tthree\ncorpus a\tone\n";
        assert_eq!(
            not_tested(lines),
            ["a Python is missing: two", "corpus a is missing: one, three"]
        );
        assert_eq!(not_tested(""), [""; 0]);
    }
}
