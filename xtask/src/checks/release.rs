//! The checks of a release: what ships, as it ships, and what takes too long to wait for at every change. Most compile
//! nearly everything once more.

use std::process::Command;

use anyhow::{Context as _, Result};
use clap::ValueEnum;
use xtask::process;
use xtask::workspace::Workspace;

use super::change::{LONG, LONG_ACCEPTANCE, clippy_for_wasm, named, stories, with_browser};
use super::{Context, flaky};
use crate::build::HOST_SIDE;
use crate::setup::{self, Part};
use crate::{archive, audit, build, fuzz, package, wheel};

/// The checks, in the order in which they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Check {
    /// Licenses, sources and known vulnerabilities of crates, npm and Python packages
    Audit,
    /// Tests that compare over many inputs or take many megabytes
    Long,
    /// What eval runs rely on in google-adk, with each older version that they support
    AdkVersions,
    /// The documentation, warnings refused
    Doc,
    /// Clippy on the client as Trunk mounts it
    Mounted,
    /// The shipped binary with its page, which the checks after it use
    Binary,
    /// The crates as they are published, and the programs of the Rust guides built from them alone
    Package,
    /// The public interfaces of the crates, compared with the last release
    Semver,
    /// The archive for this platform
    Archive,
    /// Stories in a real browser, against the shipped binary
    Stories,
    /// The wheel, installed, used and removed, and exported files against the real google-adk
    Acceptance,
    /// Every fuzz target: built with its instrumentation, and its corpus replayed (Linux, with a C++ compiler)
    Fuzz,
}

/// The tests of what eval runs rely on in google-adk.
const RELY_ON_ADK: &str = "package(rehearsal-eval) & binary(all) & \
     test(/^(canaries|endings|python_runs|requests|resolved_methods|service_tools)::/)";

/// The crates whose interface is promised.
const PROMISED: [&str; 6] =
    ["-p", "rehearsal", "-p", "rehearsal-eval", "-p", "rehearsal-eval-native"];

impl super::Check for Check {
    const MAKER: Option<Self> = Some(Self::Binary);

    fn parts(self) -> &'static [Part] {
        match self {
            Self::Audit => &[Part::NpmPackages, Part::PythonPackages, Part::CargoDeny],
            Self::Binary | Self::Package | Self::Archive => &setup::FOR_SITE,
            Self::Long | Self::AdkVersions => {
                &[Part::NpmPackages, Part::PythonPackages, Part::CompiledPython, Part::CargoNextest]
            }
            Self::Doc => &[],
            Self::Mounted => &[Part::WasmTarget],
            Self::Semver => &[Part::CargoSemverChecks],
            Self::Stories | Self::Acceptance => &super::PARTS,
            Self::Fuzz => &[],
        }
    }

    fn needs_maker(self) -> bool {
        matches!(self, Self::Package | Self::Archive | Self::Stories | Self::Acceptance)
    }

    fn obstacle(self, workspace: &Workspace) -> Option<&'static str> {
        match self {
            Self::Fuzz if !fuzz::is_possible() => {
                Some("fuzz targets need Linux and a C++ compiler")
            }
            Self::Semver if last_release(workspace).is_none() => {
                Some("there is no earlier release")
            }
            _ => None,
        }
    }

    fn run(self, context: &Context<'_>) -> Result<()> {
        let workspace = context.workspace;
        match self {
            Self::Audit => {
                let lists = audit::run(workspace)?;
                let silent =
                    lists.iter().map(|list| format!("the registry did not respond: {list}"));
                context.not_tested.borrow_mut().extend(silent);
                Ok(())
            }
            Self::Long => {
                let filter = format!("{} | {}", named(&LONG), named(&LONG_ACCEPTANCE));
                flaky::nextest(context, &filter, |_| ())
            }
            Self::AdkVersions => {
                for (version, python) in setup::ensure_adk_versions(workspace)? {
                    eprintln!("-- google-adk {version}");
                    flaky::nextest(context, RELY_ON_ADK, |nextest| {
                        nextest.env("REHEARSAL_TEST_PYTHON", python);
                    })?;
                }
                Ok(())
            }
            Self::Doc => {
                let mut doc = context.cargo();
                doc.args(["doc", "--no-deps"]).args(HOST_SIDE).env("RUSTDOCFLAGS", "-D warnings");
                process::print_and_run(&mut doc)
            }
            Self::Mounted => {
                clippy_for_wasm(context, &["--no-default-features", "--features", "csr"])
            }
            Self::Binary => build::run(workspace).map(drop),
            Self::Package => {
                let packages = package::pack(workspace)?;
                package::build_programs(workspace, &packages)
            }
            Self::Semver => {
                let release = last_release(workspace).context("there is no earlier release")?;
                let mut semver = context.cargo();
                semver.args(["semver-checks", "--baseline-rev", &release]).args(PROMISED);
                process::print_and_run(&mut semver)
            }
            Self::Archive => archive::run(workspace, &archive::Options::default()).map(drop),
            Self::Stories => stories(context, &workspace.binary()),
            Self::Acceptance => {
                let wheel = wheel::pack(workspace)?;
                flaky::nextest(context, "package(acceptance)", |nextest| {
                    with_browser(nextest)
                        .env("REHEARSAL_TEST_BINARY", workspace.binary())
                        .env("REHEARSAL_TEST_WHEEL", wheel);
                })
            }
            Self::Fuzz => fuzz::replay(workspace),
        }
    }
}

/// The tag of the last release before this commit.
fn last_release(workspace: &Workspace) -> Option<String> {
    let mut git = Command::new("git");
    git.args(["describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD^"]);
    process::output(git.current_dir(workspace.root()))
}
