//! Installs pinned tools and packages that are missing or out of date.
//!
//! Each part first checks whether it is present, which takes milliseconds.

mod adk_versions;
mod browser;
mod cargo_programs;
mod inspect_ai;
mod maturin;
mod node;
mod python;
mod wasm_target;

use std::thread;

use anyhow::Result;
use xtask::progress::{Progress, elapsed};
use xtask::workspace::Workspace;

pub(crate) use adk_versions::ensure_adk_versions;
pub(crate) use browser::Browser;
pub(crate) use inspect_ai::ensure as inspect_ai;
pub(crate) use maturin::ensure_maturin;
use python::Packages;

/// Installs what the site and the binary are built with.
pub(crate) fn for_build(workspace: &Workspace) -> Result<()> {
    let mut progress = Progress::new(2);
    wasm_target::ensure(workspace, &mut progress)?;
    node::ensure(workspace, &mut progress)
}

/// Installs what `run` needs: the tools of the build, and the npm and Python packages of the example
/// agents, which are fetched while `build` runs. Returns what `build` returns.
///
/// The host does not need the packages. If they cannot be installed, the reason is shown, and the page lists
/// the agents that need them with their faults.
pub(crate) fn for_run<T>(workspace: &Workspace, build: impl FnOnce() -> Result<T>) -> Result<T> {
    let mut progress = Progress::new(3);
    wasm_target::ensure(workspace, &mut progress)?;
    thread::scope(|scope| {
        scope.spawn(|| {
            if let Err(error) = node::ensure(workspace, &mut progress) {
                eprintln!("warning: the example agents on MCP servers will not load: {error:#}");
            }
            if let Err(error) = python::ensure(workspace, &mut progress, Packages::Examples) {
                eprintln!("warning: the Python example agent will not load: {error:#}");
            }
        });
        build()
    })
}

/// Installs everything that the tests need, and returns the browser for the stories.
pub(crate) fn everything(workspace: &Workspace) -> Result<Browser> {
    let mut progress = Progress::new(7);
    wasm_target::ensure(workspace, &mut progress)?;
    node::ensure(workspace, &mut progress)?;
    python::ensure(workspace, &mut progress, Packages::Tests)?;
    python::ensure_compiled(workspace, &mut progress)?;
    cargo_programs::ensure_for_tests(workspace, &mut progress)?;
    let browser = browser::ensure(workspace, &mut progress)?;
    eprintln!("Setup finished after {}.", elapsed(progress.since()));
    Ok(browser)
}

/// Installs what `cargo leptos watch` needs.
pub(crate) fn for_dev(workspace: &Workspace) -> Result<()> {
    let mut progress = Progress::new(5);
    wasm_target::ensure(workspace, &mut progress)?;
    node::ensure(workspace, &mut progress)?;
    if let Err(error) = python::ensure(workspace, &mut progress, Packages::Examples) {
        eprintln!("warning: the Python example agent will not load: {error:#}");
    }
    cargo_programs::ensure_for_dev(workspace, &mut progress)
}
