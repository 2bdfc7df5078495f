//! Two builds of the program with its page: the quick one of `run`, and the shipped one.
//! `docs/design/first-build.md` gives the reasons.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use xtask::process::{self, Background};
use xtask::workspace::{Build, CLIENT_TARGET, QUICK_PROFILE, Workspace};

use crate::setup;

/// Sets up, builds the shipped binary if something changed, and returns its path.
pub(crate) fn run(workspace: &Workspace) -> Result<PathBuf> {
    run_for(workspace, None)
}

/// The same for another target than the compiler's own, which must be installed.
pub(crate) fn run_for(workspace: &Workspace, target: Option<&str>) -> Result<PathBuf> {
    let build = ShippedBuild::begin_for(workspace, target)?;
    setup::for_build(workspace)?;
    build.finish()
}

/// A quick build that has started with the host and the program that makes the site. They need neither setup
/// nor the client.
pub(crate) struct QuickBuild<'w> {
    workspace: &'w Workspace,
    host: Background,
}

impl<'w> QuickBuild<'w> {
    /// Begins to build the host and the program that makes the site.
    pub(crate) fn begin(workspace: &'w Workspace) -> Result<Self> {
        let mut host = quick_cargo(workspace, "build", &process::host_triple()?);
        host.args(["-p", "rehearsal", "--bin", "rehearsal", "-p", "xtask-site", "--bin"]);
        // Without `rehearsal eval`, whose clients of models take long to compile.
        host.args(["xtask-site", "--no-default-features", "--features", "rehearsal/cli"]);
        Ok(Self { workspace, host: Background::start(&mut host)? })
    }

    /// Builds the client and its site, and returns the binary's path.
    pub(crate) fn finish(self) -> Result<PathBuf> {
        let Self { workspace, host } = self;
        host.wait()?;
        let mut client = quick_cargo(workspace, "rustc", CLIENT_TARGET);
        client.args(["-p", "frontend", "--lib", "--", "-Clink-arg=--strip-all"]);
        // wasm-bindgen reads it.
        process::print_and_run(client.arg("-Clink-arg=--keep-section=target_features"))?;
        let mut site = Command::new(workspace.quick_program("xtask-site")?);
        process::run(
            site.current_dir(workspace.root()).env("CARGO_TARGET_DIR", workspace.target()),
        )?;
        workspace.quick_program("rehearsal")
    }
}

/// A shipped build that has started with the parts that need neither setup nor the client.
pub(crate) struct ShippedBuild<'w> {
    workspace: &'w Workspace,
    target: Option<String>,
    host: Background,
    site: Background,
}

impl<'w> ShippedBuild<'w> {
    /// Begins to build the host, and the program that makes the site of a compiled client.
    pub(crate) fn begin(workspace: &'w Workspace) -> Result<Self> {
        Self::begin_for(workspace, None)
    }

    fn begin_for(workspace: &'w Workspace, target: Option<&str>) -> Result<Self> {
        // The library, not the crates that it uses: on their own they would be compiled with other
        // features, and then again.
        let host = Background::start(host(workspace, target).args(["--lib", "--quiet"]))?;
        let mut site = process::cargo(workspace);
        let site = Background::start(site.args(["build", "-p", "xtask-ship", "--quiet"]))?;
        Ok(Self { workspace, target: target.map(str::to_owned), host, site })
    }

    /// Builds the rest, after setup, and returns the binary's path.
    pub(crate) fn finish(self) -> Result<PathBuf> {
        let Self { workspace, target, host: begun, site } = self;
        process::print_and_run(&mut client(workspace))?;
        site.wait()?;
        process::run(process::cargo(workspace).args(["run", "-p", "xtask-ship", "--quiet"]))?;
        begun.wait()?;
        process::print_and_run(&mut host(workspace, target.as_deref()))?;
        Ok(match target {
            Some(target) => workspace.binary_for(&target),
            None => workspace.binary(),
        })
    }
}

/// Host and client name their target. Without it, build scripts would be compiled twice, with and without the
/// flags.
fn quick_cargo(workspace: &Workspace, subcommand: &str, target: &str) -> Command {
    let mut command = process::page_cargo(workspace);
    command
        .args([subcommand, "--profile", QUICK_PROFILE, "--target", target])
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
        // The split reads relocations, which stripping would remove.
        .args(["--", "-Clink-arg=--emit-relocs", "-Cstrip=none"]);
    command
}

fn host(workspace: &Workspace, target: Option<&str>) -> Command {
    let mut command = process::page_cargo(workspace);
    command.args(["build", "--release", "-p", "rehearsal"]);
    if let Some(target) = target {
        command.args(["--target", target]);
    }
    command
}
