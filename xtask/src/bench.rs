//! `cargo xtask bench`: the benches, which take minutes and need an idle machine.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use xtask::process;
use xtask::workspace::Workspace;

use crate::build;
use crate::checks::PARTS;
use crate::setup::{self, Browser};

/// The name that selects only the benches in the browser.
const PAGE: &str = "page";

/// The name of the benches of eval runs, which are compared with Inspect AI too.
const EVAL: &str = "eval";

/// Runs the benches of these names, or every bench of the workspace against release builds and then
/// those in the browser.
pub(crate) fn run(workspace: &Workspace, names: &[String]) -> Result<ExitCode> {
    setup::ensure(workspace, &PARTS)?;
    let binary = build::run(workspace)?;
    let native: Vec<&str> = names.iter().map(String::as_str).filter(|name| *name != PAGE).collect();
    if names.is_empty() || !native.is_empty() {
        let mut command = process::cargo(workspace);
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
    if names.is_empty() || native.len() < names.len() {
        in_browser(workspace, &binary)?;
    }
    Ok(ExitCode::SUCCESS)
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
