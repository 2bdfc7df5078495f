//! Two builds of the program with its page: the quick one of `run`, and the shipped one.
//! `docs/design/first-build.md` gives the reasons.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use xtask::process::{self, Beside};
use xtask::workspace::{Build, CLIENT_TARGET, QUICK_PROFILE, Workspace};

use crate::setup;

/// Sets up, builds the shipped binary where something changed, and returns its path.
pub(crate) fn run(workspace: &Workspace) -> Result<PathBuf> {
    let build = ShippedBuild::begin(workspace)?;
    setup::for_build(workspace)?;
    build.finish()
}

/// The quick build under way: the host and the program that makes the site, which need neither the
/// set-up nor the page.
pub(crate) struct QuickBuild<'w> {
    workspace: &'w Workspace,
    host: Beside,
}

impl<'w> QuickBuild<'w> {
    /// Begins to build the host and the program that makes the site.
    pub(crate) fn begin(workspace: &'w Workspace) -> Result<Self> {
        let mut host = quick_cargo(workspace, &process::host_triple()?);
        host.args(["-p", "rehearsal", "--bin", "rehearsal", "-p", "xtask-site", "--bin"]);
        Ok(Self { workspace, host: Beside::start(host.arg("xtask-site"))? })
    }

    /// Builds the client and its site, and returns the binary's path.
    pub(crate) fn finish(self) -> Result<PathBuf> {
        let Self { workspace, host } = self;
        host.end()?;
        let mut client = quick_cargo(workspace, CLIENT_TARGET);
        process::run_aloud(client.args(["-p", "frontend", "--lib"]))?;
        let mut site = Command::new(workspace.quick_program("xtask-site")?);
        process::run(
            site.current_dir(workspace.root()).env("CARGO_TARGET_DIR", workspace.target()),
        )?;
        workspace.quick_program("rehearsal")
    }
}

/// The shipped build under way: of what needs neither the set-up nor the page.
pub(crate) struct ShippedBuild<'w> {
    workspace: &'w Workspace,
    host: Beside,
    site: Beside,
}

impl<'w> ShippedBuild<'w> {
    /// Begins to build the host, and the program that makes the site of a compiled client.
    pub(crate) fn begin(workspace: &'w Workspace) -> Result<Self> {
        // The library without its page, and not the crates below it: asked for by themselves they
        // would be compiled with other features, and then again.
        let host = Beside::start(host(workspace, "rehearsal").args(["--lib", "--quiet"]))?;
        let mut site = process::cargo(workspace);
        let site = Beside::start(site.args(["build", "-p", "xtask-ship", "--quiet"]))?;
        Ok(Self { workspace, host, site })
    }

    /// Builds the rest, with the set-up done, and returns the binary's path.
    pub(crate) fn finish(self) -> Result<PathBuf> {
        let Self { workspace, host: begun, site } = self;
        process::run_aloud(&mut client(workspace))?;
        site.end()?;
        process::run(process::cargo(workspace).args(["run", "-p", "xtask-ship", "--quiet"]))?;
        begun.end()?;
        process::run_aloud(&mut host(workspace, "rehearsal"))?;
        Ok(workspace.binary())
    }
}

/// Both halves name their target: without it, what runs at build time would be compiled once for
/// each half, with and without the flags of the other.
fn quick_cargo(workspace: &Workspace, target: &str) -> Command {
    let mut command = process::page_cargo(workspace);
    command
        .args(["build", "--profile", QUICK_PROFILE, "--target", target])
        .env("REHEARSAL_SITE_DIR", workspace.site(Build::Quick));
    command
}

fn client(workspace: &Workspace) -> Command {
    let mut command = process::page_cargo(workspace);
    command
        .args(["rustc", "-p", "frontend", "--lib", "--crate-type", "cdylib"])
        .args([
            "--target",
            CLIENT_TARGET,
            "--profile",
            Build::Shipped.client_profile(),
            "--features",
            "split",
        ])
        // What calls what is read from the relocations; stripping takes them out.
        .args(["--", "-Clink-arg=--emit-relocs", "-Cstrip=none"]);
    command
}

fn host(workspace: &Workspace, package: &str) -> Command {
    let mut command = process::page_cargo(workspace);
    command.args(["build", "--release", "-p", package]);
    command
}
