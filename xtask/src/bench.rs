//! `cargo xtask bench`: the benches, which take minutes and need an idle machine.

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::Result;
use xtask::process;
use xtask::workspace::Workspace;

use crate::build;
use crate::checks::PARTS;
use crate::setup::{self, Browser};

/// The name that selects only the benches in the browser.
const PAGE: &str = "page";

/// The name that selects only the cases of generated agents.
const GENERATED: &str = "generated";

/// The seeds of generated agents, with ten cases each.
const SEEDS: &str = "0-299";

/// The name of the bench of libraries that agents import, and of the seal.
const IMPORTS: &str = "imports";

/// The name of the benches of eval runs, which are compared with Inspect AI too.
const EVAL: &str = "eval";

/// The name of the eval run with a real model. It downloads the model, so it runs only if it is named.
const REAL_MODEL: &str = "real-model";

/// Runs the benches of these names, or every bench of the workspace against release builds, then the cases of generated
/// agents, that of imports and those in the browser.
pub(crate) fn run(workspace: &Workspace, names: &[String]) -> Result<ExitCode> {
    setup::ensure(workspace, &PARTS)?;
    let is_named = |wanted: &str| names.iter().any(|name| name == wanted);
    let with_real_model = match is_named(REAL_MODEL) {
        true => Some(setup::real_model(workspace)?),
        false => None,
    };
    let binary = build::run(workspace)?;
    let is_chosen = |name: &str| names.is_empty() || is_named(name);
    let is_native = |name: &&str| ![PAGE, GENERATED, IMPORTS, REAL_MODEL].contains(name);
    let native: Vec<&str> = names.iter().map(String::as_str).filter(is_native).collect();
    if names.is_empty() || !native.is_empty() {
        let mut command = workspace.cargo();
        command.args(["bench", "--workspace", "--exclude", "frontend"]);
        if native.is_empty() {
            // Every bench runs, even if another one misses its bound.
            command.args(["--benches", "--no-fail-fast"]);
        }
        for name in &native {
            command.args(["--bench", name]);
        }
        if native.is_empty() || native.contains(&EVAL) {
            command.env("REHEARSAL_BENCH_INSPECT", setup::inspect_ai(workspace)?);
        }
        command
            .env("REHEARSAL_TEST_PYTHON", workspace.python())
            .env("REHEARSAL_TEST_BINARY", &binary);
        eprintln!("{}", process::line(&command));
        process::run(&mut command)?;
    }
    if is_chosen(GENERATED) {
        generated(workspace, &binary)?;
    }
    if is_chosen(IMPORTS) {
        imports(workspace, &binary)?;
    }
    if is_chosen(PAGE) {
        in_browser(workspace, &binary)?;
    }
    if let Some(python) = with_real_model {
        real_model(workspace, &python, &binary)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Compares eval runs of many generated agents with google-adk's own runner.
fn generated(workspace: &Workspace, binary: &Path) -> Result<()> {
    let mut command = Command::new(workspace.python());
    command
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
        .arg("tests/python/test_generated_agents.py")
        .current_dir(workspace.root())
        .env("REHEARSAL_TEST_BINARY", binary)
        .env("REHEARSAL_TEST_SEEDS", SEEDS);
    process::print_and_run(&mut command)
}

/// Measures eval runs of agents that import large libraries, with the seal and without it.
fn imports(workspace: &Workspace, binary: &Path) -> Result<()> {
    let mut command = Command::new(setup::libraries(workspace)?);
    command
        .arg("tests/benches/eval/imports.py")
        .current_dir(workspace.root())
        .env("REHEARSAL_TEST_BINARY", binary);
    process::print_and_run(&mut command)
}

/// Lets a small model play agent, user and judge, and forks the run.
fn real_model(workspace: &Workspace, python: &Path, binary: &Path) -> Result<()> {
    let mut command = Command::new(python);
    command
        .arg("tests/benches/eval/real_model.py")
        .current_dir(workspace.root())
        .env("REHEARSAL_TEST_PYTHON", workspace.python())
        .env("REHEARSAL_TEST_BINARY", binary);
    process::print_and_run(&mut command)
}

/// Measures large forms, values, reports and long live sessions in Chromium.
fn in_browser(workspace: &Workspace, binary: &Path) -> Result<()> {
    let mut command = process::npm_program("npx");
    command
        .args(["playwright", "test", "--config", "bench.config.ts"])
        .current_dir(workspace.end2end())
        .env("REHEARSAL_TEST_PYTHON", workspace.python())
        .env("REHEARSAL_TEST_BINARY", binary);
    if let Browser::Installed(path) = setup::browser() {
        command.env("REHEARSAL_TEST_BROWSER", path);
    }
    eprintln!("{}", process::line(&command));
    process::run(&mut command)
}
