//! The checks of a change.
//!
//! Everything that runs on this platform is compiled once, with one selection of packages and one profile: cargo
//! compiles a crate again when another selection gives it other features.

use std::process::Command;

use anyhow::Result;
use clap::ValueEnum;
use xtask::process;
use xtask::workspace::Workspace;

use super::{Context, flaky};
use crate::build::{self, HOST_SIDE, SiteBuild};
use crate::commits;
use crate::setup::{self, Browser, Part};

/// The checks, in the order in which they run: the quick to fail first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Check {
    /// Commit subjects: 72 characters, one scope
    Commits,
    /// Formatting of the Rust sources
    Format,
    /// Types of the browser stories, and of the Python package
    Types,
    /// Clippy on the host's side, tests and benches included, warnings refused
    Lint,
    /// Clippy on the client and the pure crates for wasm32
    Wasm,
    /// Unit and integration tests, but for the long ones
    Unit,
    /// The examples of the documentation
    Examples,
    /// Tests of the Python worker
    Python,
    /// The page as it is shipped, and the program that serves it, which the checks after it use
    Program,
    /// The plugin and the model endpoints: google-adk and the vendors' own clients against the program
    Plugin,
    /// Stories in a real browser
    Stories,
    /// Exported files against the real google-adk
    Acceptance,
}

/// Packages besides the client that must compile for the browser.
const PURE: [&str; 18] = [
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
    "rehearsal-verdict",
];

/// What all of the checks need.
pub(crate) const PARTS: [Part; 6] = [
    Part::WasmTarget,
    Part::NpmPackages,
    Part::PythonPackages,
    Part::CompiledPython,
    Part::CargoNextest,
    Part::Browser,
];

/// How the names of files begin whose tests in Python need the program.
const WITH_PROGRAM: [&str; 5] = [
    "test_live.py",
    "test_endpoint_",
    "test_eval_api",
    "test_eval_fidelity",
    "test_generated_agents",
];

/// Unit tests that compare with google-adk over many inputs, are repeated against chance, or read files of many
/// megabytes. Each takes from a quarter of a minute to one, so that together they are a check of their own.
pub(super) const LONG: [&str; 6] = [
    "a_hundred_overlapping_cases_see_nothing_of_each_other",
    "a_suite_that_is_killed_at_random_ends_as_in_one_run",
    "googles_evaluator_takes_the_rubrics_that_we_take",
    "merges_splits_and_compares_long_files_in_constant_memory",
    "ordinary_agents_run_without_a_false_alarm",
    "reads_long_older_lists_in_constant_memory",
];

/// Acceptance tests that compare with google-adk over many inputs.
pub(super) const LONG_ACCEPTANCE: [&str; 3] = [
    "stems_generated_words_as_adk_does",
    "tokenizes_every_character_as_adk_does",
    "values_are_equal_as_in_python",
];

/// A filter of nextest for tests with these names.
pub(super) fn named(tests: &[&str]) -> String {
    format!("test(/(^|::)({})$/)", tests.join("|"))
}

impl super::Check for Check {
    const MAKER: Option<Self> = Some(Self::Program);

    fn parts(self) -> &'static [Part] {
        match self {
            Self::Commits | Self::Format | Self::Lint | Self::Examples => &[],
            Self::Wasm => &[Part::WasmTarget],
            Self::Types => &[Part::NpmPackages, Part::PythonPackages],
            Self::Unit => {
                &[Part::NpmPackages, Part::PythonPackages, Part::CompiledPython, Part::CargoNextest]
            }
            Self::Python => &[Part::NpmPackages, Part::PythonPackages, Part::CompiledPython],
            Self::Program => &setup::FOR_SITE,
            Self::Plugin | Self::Stories | Self::Acceptance => &PARTS,
        }
    }

    fn needs_maker(self) -> bool {
        matches!(self, Self::Plugin | Self::Stories | Self::Acceptance)
    }

    fn obstacle(self, workspace: &Workspace) -> Option<&'static str> {
        (self == Self::Commits && !commits::has_history(workspace))
            .then_some("the history is not available")
    }

    fn run(self, context: &Context<'_>) -> Result<()> {
        let workspace = context.workspace;
        match self {
            Self::Commits => commits::check(workspace),
            Self::Format => {
                process::print_and_run(context.cargo().args(["fmt", "--all", "--check"]))
            }
            Self::Types => types(workspace),
            Self::Lint => {
                let mut clippy = context.cargo();
                clippy.arg("clippy").args(HOST_SIDE).args([
                    "--all-targets",
                    "--",
                    "-D",
                    "warnings",
                ]);
                process::print_and_run(&mut clippy)
            }
            Self::Wasm => {
                let pure: Vec<&str> = PURE.iter().flat_map(|name| ["-p", name]).collect();
                // As it is shipped.
                clippy_for_wasm(context, &[&pure[..], &["--features", "frontend/split"]].concat())
            }
            Self::Unit => {
                context.begin_site()?;
                let filter = format!("not package(acceptance) - {}", named(&LONG));
                flaky::nextest(context, &filter, |_| ())
            }
            Self::Examples => {
                process::print_and_run(context.cargo().args(["test", "--doc"]).args(HOST_SIDE))
            }
            Self::Python => flaky::pytest(context, |pytest| {
                // The plugin's check runs these.
                pytest.args(WITH_PROGRAM.map(|name| format!("--ignore-glob=*/{name}*")));
            }),
            Self::Program => {
                context.begin_site()?;
                build::tested_program(workspace)?;
                context.site.take().map_or(Ok(()), SiteBuild::finish)
            }
            Self::Plugin => flaky::pytest(context, |pytest| {
                pytest
                    .args(["-k", &WITH_PROGRAM.join(" or ")])
                    .env("REHEARSAL_TEST_BINARY", workspace.tested_program());
            }),
            Self::Stories => stories(context, &workspace.tested_program()),
            Self::Acceptance => {
                // The wheel is a check of a release.
                let long = named(&LONG_ACCEPTANCE);
                let filter = format!("package(acceptance) - test(/^wheel::/) - {long}");
                flaky::nextest(context, &filter, |nextest| {
                    with_browser(nextest).env("REHEARSAL_TEST_BINARY", workspace.tested_program());
                })
            }
        }
    }
}

/// Clippy on the client for wasm32.
pub(super) fn clippy_for_wasm(context: &Context<'_>, arguments: &[&str]) -> Result<()> {
    let mut clippy = context.cargo();
    clippy.args(["clippy", "--target", "wasm32-unknown-unknown", "-p", "frontend"]);
    process::print_and_run(clippy.args(arguments).args(["--", "-D", "warnings"]))
}

/// Stories in a browser, against the program `binary`.
pub(super) fn stories(context: &Context<'_>, binary: &std::path::Path) -> Result<()> {
    let mut command = npx(context.workspace, &["playwright", "test"]);
    command
        .env("REHEARSAL_TEST_BINARY", binary)
        .env("REHEARSAL_TEST_PYTHON", context.workspace.python());
    flaky::playwright(context, with_browser(&mut command))
}

/// Names the browser, where it is not Playwright's own.
pub(super) fn with_browser(command: &mut Command) -> &mut Command {
    if let Browser::Installed(path) = setup::browser() {
        command.env("REHEARSAL_TEST_BROWSER", path);
    }
    command
}

fn types(workspace: &Workspace) -> Result<()> {
    process::print_and_run(&mut npx(workspace, &["tsc", "--noEmit"]))?;
    let mut mypy = Command::new(workspace.python());
    // The settings are in pyproject.toml. The cache is outside of the checkout.
    mypy.args(["-m", "mypy", "--cache-dir"])
        .arg(workspace.target().join("mypy"))
        .current_dir(workspace.root().join("python"));
    process::print_and_run(&mut mypy)
}

fn npx(workspace: &Workspace, arguments: &[&str]) -> Command {
    let mut command = process::npm_program("npx");
    command.args(arguments).current_dir(workspace.end2end());
    command
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// The sources in a folder, one after the other.
    fn sources(folder: &Path) -> Result<String> {
        let mut text = String::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                text += &sources(&path)?;
            } else if path.extension().is_some_and(|it| it == "rs") {
                text += &fs::read_to_string(&path)?;
            }
        }
        Ok(text)
    }

    #[test]
    fn every_long_test_is_there() -> Result<()> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let unit =
            sources(&root.join("crates/eval/tests"))? + &sources(&root.join("rehearsal/tests"))?;
        let acceptance = sources(&root.join("tests/tests"))?;
        for (names, text) in [(&LONG[..], unit), (&LONG_ACCEPTANCE[..], acceptance)] {
            for name in names {
                assert!(text.contains(&format!("fn {name}(")), "no test is called {name}");
            }
        }
        Ok(())
    }
}
