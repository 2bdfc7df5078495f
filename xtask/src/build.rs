//! The release binary, with the site inside it.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use xtask::process::{self, Beside};
use xtask::workspace::{CLIENT_PROFILE, CLIENT_TARGET, Workspace};

use crate::setup;

/// Sets up, builds what changed, and answers with the binary's path.
pub(crate) fn run(workspace: &Workspace) -> Result<PathBuf> {
    let build = Build::begin(workspace)?;
    setup::for_build(workspace)?;
    build.finish()
}

/// A build under way: of what needs neither the set-up nor the page, beside whatever comes before the
/// rest. `docs/design/first-build.md` tells why.
pub(crate) struct Build<'w> {
    workspace: &'w Workspace,
    host: Beside,
    site: Beside,
}

impl<'w> Build<'w> {
    /// Begins to build the host, and the program that makes the site of a compiled client.
    pub(crate) fn begin(workspace: &'w Workspace) -> Result<Self> {
        let host = Beside::start(host(workspace, "rehearsal-server").arg("--quiet"))?;
        let mut site = process::cargo(workspace);
        let site = Beside::start(site.args(["build", "-p", "xtask-site", "--quiet"]))?;
        Ok(Self { workspace, host, site })
    }

    /// Builds the rest, with the set-up done, and answers with the binary's path.
    pub(crate) fn finish(self) -> Result<PathBuf> {
        let Self { workspace, host: begun, site } = self;
        process::run_aloud(&mut client(workspace))?;
        site.end()?;
        process::run(process::cargo(workspace).args(["run", "-p", "xtask-site", "--quiet"]))?;
        begun.end()?;
        process::run_aloud(&mut host(workspace, "rehearsal"))?;
        Ok(workspace.binary())
    }
}

fn client(workspace: &Workspace) -> Command {
    let mut command = process::shipping_cargo(workspace);
    command
        .args(["rustc", "-p", "frontend", "--lib", "--crate-type", "cdylib"])
        .args(["--target", CLIENT_TARGET, "--profile", CLIENT_PROFILE, "--features", "split"])
        // What calls what is read from the relocations; stripping takes them out.
        .args(["--", "-Clink-arg=--emit-relocs", "-Cstrip=none"]);
    command
}

fn host(workspace: &Workspace, package: &str) -> Command {
    let mut command = process::shipping_cargo(workspace);
    command.args(["build", "--release", "-p", package]);
    command
}
