//! `cargo xtask bench`: the benches, which take minutes and want a quiet machine.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use xtask::process;
use xtask::workspace::Workspace;

use crate::build::Build;
use crate::setup::{self, Browser};

/// The name by which the benches in the browser are asked for alone.
const PAGE: &str = "page";

/// And that of live sessions under load.
const LIVE: &str = "live";

/// Runs every bench of the workspace against release builds, then those in the browser.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    let browser = setup::everything(workspace)?;
    let binary = Build::begin(workspace)?.finish()?;
    let only_page = arguments.iter().any(|argument| argument == PAGE);
    if !only_page {
        let mut command = process::cargo(workspace);
        let only_live = arguments.iter().any(|argument| argument == LIVE);
        let which: &[&str] = match only_live {
            true => &["bench", "--package", "acceptance", "--bench", LIVE],
            false => &["bench", "--workspace", "--exclude", "frontend", "--benches"],
        };
        command
            .args(which)
            .env("REHEARSAL_TEST_PYTHON", workspace.python())
            .env("REHEARSAL_TEST_BINARY", &binary);
        if !arguments.is_empty() && !only_live {
            command.arg("--").args(arguments);
        }
        eprintln!("{}", process::line(&command));
        process::run(&mut command)?;
    }
    if only_page || arguments.is_empty() {
        in_browser(workspace, &binary, &browser)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What large forms, values and reports and long live sessions cost in Chromium.
fn in_browser(workspace: &Workspace, binary: &Path, browser: &Browser) -> Result<()> {
    let mut command = process::npm_program("npx");
    command
        .args(["playwright", "test", "--config", "bench.config.ts"])
        .current_dir(workspace.end2end())
        .env("REHEARSAL_TEST_PYTHON", workspace.python())
        .env("REHEARSAL_TEST_BINARY", binary);
    if let Browser::Installed(path) = browser {
        command.env("REHEARSAL_TEST_BROWSER", path);
    }
    eprintln!("{}", process::line(&command));
    process::run(&mut command)
}
