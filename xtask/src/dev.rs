//! `cargo xtask dev`: rebuild and reload while editing.

use std::process::ExitCode;

use anyhow::Result;

use crate::workspace::Workspace;
use crate::{process, setup};

/// Runs `cargo leptos watch` with its tools on `PATH`.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    setup::for_dev(workspace)?;
    let path =
        process::path_with(&[workspace.cargo_programs().join("bin"), workspace.npm_programs()])?;
    let mut command = process::cargo(workspace);
    command
        .args(["leptos", "watch"])
        .args(arguments)
        .env("PATH", path)
        // `site-root` in Cargo.toml, which counts from the checkout wherever the target folder is.
        .env("REHEARSAL_SITE_DIR", workspace.root().join("target").join("site"));
    if std::env::var_os("REHEARSAL_PYTHON").is_none() && workspace.python().is_file() {
        command.env("REHEARSAL_PYTHON", workspace.python());
    }
    eprintln!("{}", process::line(&command));
    process::run(&mut command)?;
    Ok(ExitCode::SUCCESS)
}
