//! Installs pinned tools and packages that are missing or out of date.
//!
//! Each part first checks whether it is present, which takes milliseconds.

mod adk_versions;
mod browser;
mod cargo_programs;
mod inspect_ai;
mod libraries;
mod maturin;
mod node;
mod pip;
mod python;
mod real_model;
mod wasm_target;

use std::thread;

use anyhow::Result;
use xtask::progress::{Progress, elapsed};
use xtask::workspace::Workspace;

pub(crate) use adk_versions::ensure_adk_versions;
pub(crate) use browser::{Browser, browser};
pub(crate) use inspect_ai::ensure as inspect_ai;
pub(crate) use libraries::ensure as libraries;
pub(crate) use maturin::ensure_maturin;
use python::Packages;
pub(crate) use real_model::ensure as real_model;

/// What can be installed, in the order in which it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// The compiler's WebAssembly target.
    WasmTarget,
    /// The npm packages of `end2end/`: Playwright, the tools of the site's build, MCP servers.
    NpmPackages,
    /// Python with google-adk and the packages of the tests.
    PythonPackages,
    /// The Python modules that tests import, compiled.
    CompiledPython,
    CargoNextest,
    CargoDeny,
    CargoSemverChecks,
    Browser,
}

/// What the site is made with.
pub(crate) const FOR_SITE: [Part; 2] = [Part::WasmTarget, Part::NpmPackages];

/// Installs `parts`, each once.
pub(crate) fn ensure(workspace: &Workspace, parts: &[Part]) -> Result<()> {
    let mut parts = parts.to_vec();
    parts.sort();
    parts.dedup();
    let mut progress = Progress::new(parts.len());
    for part in parts {
        let progress = &mut progress;
        match part {
            Part::WasmTarget => wasm_target::ensure(workspace, progress),
            Part::NpmPackages => node::ensure(workspace, progress),
            Part::PythonPackages => python::ensure(workspace, progress, Packages::Tests),
            Part::CompiledPython => python::ensure_compiled(workspace, progress),
            Part::CargoNextest => cargo_programs::ensure_nextest(workspace, progress),
            Part::CargoDeny => cargo_programs::ensure_deny(workspace, progress),
            Part::CargoSemverChecks => cargo_programs::ensure_semver_checks(workspace, progress),
            Part::Browser => browser::ensure(workspace, progress),
        }?;
    }
    eprintln!("Setup finished after {}.", elapsed(progress.since()));
    Ok(())
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
