//! Builds the program with its page: the quick build of `run`, the shipped one, and the one under test.
//! `docs/design/builds.md` gives the reasons.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use xtask::process::{self, Background};
use xtask::workspace::{Build, CLIENT_TARGET, QUICK_PROFILE, Workspace};

use crate::setup;

/// Every package but the client, which is compiled for wasm32 in a step of its own. A command with another
/// selection would give crates other features, and compile them again.
pub(crate) const HOST_SIDE: [&str; 3] = ["--workspace", "--exclude", "frontend"];

/// Sets up, builds the shipped binary if something changed, and returns its path.
pub(crate) fn run(workspace: &Workspace) -> Result<PathBuf> {
    run_for(workspace, None)
}

/// The same for another target than the compiler's own, which must be installed.
pub(crate) fn run_for(workspace: &Workspace, target: Option<&str>) -> Result<PathBuf> {
    let build = ShippedBuild::begin_for(workspace, target)?;
    setup::ensure(workspace, &setup::FOR_SITE)?;
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
        // Without the clients of models' services, which take long to compile.
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

/// Builds the program that the tests use, as it is compiled for the unit tests. It reads the page from disk.
pub(crate) fn tested_program(workspace: &Workspace) -> Result<()> {
    let mut host = workspace.cargo();
    host.arg("build").args(HOST_SIDE).args(["--bin", "rehearsal", "--bin", "xtask-ship"]);
    // With a test among the targets, cargo selects features as it does for tests.
    process::print_and_run(host.args(["--test", "library_features"]))
}

/// A build of the shipped page that has started with the client.
pub(crate) struct SiteBuild<'w> {
    workspace: &'w Workspace,
    client: Background,
}

impl<'w> SiteBuild<'w> {
    /// Begins to compile the client.
    pub(crate) fn begin(workspace: &'w Workspace) -> Result<Self> {
        Ok(Self { workspace, client: Background::start(&mut client(workspace))? })
    }

    /// Makes the site. [`tested_program`] has built what makes it.
    pub(crate) fn finish(self) -> Result<()> {
        self.client.wait()?;
        let workspace = self.workspace;
        let mut site = Command::new(workspace.tested("xtask-ship"));
        process::run(site.current_dir(workspace.root()).env("CARGO_TARGET_DIR", workspace.target()))
    }
}

/// A shipped build that has started with the parts that need neither setup nor the client.
struct ShippedBuild<'w> {
    workspace: &'w Workspace,
    target: Option<String>,
    host: Background,
    site: Background,
}

impl<'w> ShippedBuild<'w> {
    /// Begins to build the host, and the program that makes the site of a compiled client.
    fn begin_for(workspace: &'w Workspace, target: Option<&str>) -> Result<Self> {
        // The library, not the crates that it uses: on their own they would be compiled with other
        // features, and then again.
        let host = Background::start(host(workspace, target).args(["--lib", "--quiet"]))?;
        let mut site = workspace.cargo();
        let site = Background::start(site.args(["build", "-p", "xtask-ship", "--quiet"]))?;
        Ok(Self { workspace, target: target.map(str::to_owned), host, site })
    }

    /// Builds the rest, after setup, and returns the binary's path.
    fn finish(self) -> Result<PathBuf> {
        let Self { workspace, target, host: begun, site } = self;
        process::print_and_run(&mut client(workspace))?;
        site.wait()?;
        process::run(workspace.cargo().args(["run", "-p", "xtask-ship", "--quiet"]))?;
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
    let mut command = workspace.cargo();
    command
        .args([subcommand, "--profile", QUICK_PROFILE, "--target", target])
        .env("REHEARSAL_SITE_DIR", workspace.site(Build::Quick));
    command
}

fn client(workspace: &Workspace) -> Command {
    let mut command = workspace.cargo();
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
    let mut command = workspace.cargo();
    command.args(["build", "--release", "-p", "rehearsal"]);
    if let Some(target) = target {
        command.args(["--target", target]);
    }
    command
}
