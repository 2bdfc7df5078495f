//! The compiler's WebAssembly target.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};
use xtask::process;
use xtask::progress::{Done, Progress};
use xtask::workspace::Workspace;

const TARGET: &str = "wasm32-unknown-unknown";

/// Adds the target with rustup if the compiler does not have it.
pub(crate) fn ensure(workspace: &Workspace, progress: &mut Progress) -> Result<()> {
    progress.step("WebAssembly target", |announce| {
        if present(workspace) {
            return Ok(Done::Present);
        }
        if process::on_path("rustup").is_none() {
            bail!(
                "this compiler does not have {TARGET}, and rustup is not installed: \
                 install Rust from https://rustup.rs, or add the target with your package manager"
            );
        }
        announce(&format!("rustup target add {TARGET}"));
        process::run(
            Command::new("rustup").args(["target", "add", TARGET]).current_dir(workspace.root()),
        )?;
        Ok(Done::Made)
    })
}

/// Whether the compiler that cargo uses here has the target's standard library.
fn present(workspace: &Workspace) -> bool {
    process::output(
        Command::new("rustc")
            .args(["--print", "target-libdir", "--target", TARGET])
            .current_dir(workspace.root()),
    )
    .is_some_and(|folder| Path::new(&folder).is_dir())
}
