//! Installing what is lacking, pinned, and saying so.
//!
//! Each part first looks whether it is there, which costs milliseconds; only what is missing or
//! out of date is installed.

mod browser;
mod leptos;
mod node;
mod python;
mod wasm_target;

use std::thread;

use anyhow::Result;
use xtask::progress::{Progress, elapsed};
use xtask::workspace::Workspace;

pub(crate) use browser::Browser;
use python::Packages;

/// What the site and the binary are built with.
pub(crate) fn for_build(workspace: &Workspace) -> Result<()> {
    let mut progress = Progress::new(2);
    wasm_target::ensure(workspace, &mut progress)?;
    node::ensure(workspace, &mut progress)
}

/// What `run` needs: the tools of the build, and Python for the example agents, which is fetched
/// while `build` keeps the processors busy. Answers with what `build` does.
///
/// The host itself needs no Python. Where the environment cannot be made, the reason is told and
/// the page comes up all the same, with the Python agent in the list beside its fault.
pub(crate) fn for_run<T>(workspace: &Workspace, build: impl FnOnce() -> Result<T>) -> Result<T> {
    let mut progress = Progress::new(3);
    wasm_target::ensure(workspace, &mut progress)?;
    node::ensure(workspace, &mut progress)?;
    thread::scope(|scope| {
        scope.spawn(|| {
            if let Err(error) = python::ensure(workspace, &mut progress, Packages::Examples) {
                eprintln!("warning: the Python example agent will not load: {error:#}");
            }
        });
        build()
    })
}

/// Everything that the tests need; answers with the browser for the stories.
pub(crate) fn everything(workspace: &Workspace) -> Result<Browser> {
    let mut progress = Progress::new(4);
    wasm_target::ensure(workspace, &mut progress)?;
    node::ensure(workspace, &mut progress)?;
    python::ensure(workspace, &mut progress, Packages::Tests)?;
    let browser = browser::ensure(workspace, &mut progress)?;
    eprintln!("Set-up stands after {}.", elapsed(progress.since()));
    Ok(browser)
}

/// What `cargo leptos watch` needs.
pub(crate) fn for_dev(workspace: &Workspace) -> Result<()> {
    let mut progress = Progress::new(5);
    wasm_target::ensure(workspace, &mut progress)?;
    node::ensure(workspace, &mut progress)?;
    if let Err(error) = python::ensure(workspace, &mut progress, Packages::Examples) {
        eprintln!("warning: the Python example agent will not load: {error:#}");
    }
    leptos::ensure(workspace, &mut progress)
}
