//! Programs written in Rust: `cargo leptos` with the `wasm-bindgen` that it calls, for development,
//! `cargo nextest` for the tests, `cargo deny` and `cargo semver-checks` for a release.
//!
//! `run` does not need them: it calls wasm-bindgen as a library.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use xtask::process;
use xtask::progress::{Done, Progress};
use xtask::registry::{self, Registry};
use xtask::workspace::Workspace;

/// A published program, pinned.
struct Program {
    package: &'static str,
    binary: &'static str,
    version: &'static str,
    /// Arguments for `cargo install` besides the package.
    options: &'static [&'static str],
    /// Whether any version on `PATH` can be used.
    may_be_on_path: bool,
    /// 0 for a program that waits for others: a fast build matters more than its speed.
    opt_level: &'static str,
    minutes: u32,
}

/// 0.3.11 asks for a newer compiler than this workspace.
const CARGO_LEPTOS: Program = Program {
    package: "cargo-leptos",
    binary: "cargo-leptos",
    version: "0.3.10",
    options: &["--locked"],
    may_be_on_path: false,
    opt_level: "0",
    minutes: 8,
};

const CARGO_NEXTEST: Program = Program {
    package: "cargo-nextest",
    binary: "cargo-nextest",
    version: "0.9.143",
    options: &["--locked", "--no-default-features", "--features", "default-no-update"],
    may_be_on_path: true,
    opt_level: "0",
    minutes: 5,
};

const CARGO_DENY: Program = Program {
    package: "cargo-deny",
    binary: "cargo-deny",
    version: "0.20.2",
    options: &["--locked", "--no-default-features"],
    may_be_on_path: true,
    opt_level: "0",
    minutes: 5,
};

/// Must be the version of the `wasm-bindgen` crate in `Cargo.lock`.
/// The lock file in the package names a withdrawn crate, so it is not used.
const WASM_BINDGEN: Program = Program {
    package: "wasm-bindgen-cli",
    binary: "wasm-bindgen",
    version: "0.2.130",
    options: &[],
    may_be_on_path: false,
    // It reads and writes 38 MB at each change of the page.
    opt_level: "1",
    minutes: 4,
};

const CARGO_SEMVER_CHECKS: Program = Program {
    package: "cargo-semver-checks",
    binary: "cargo-semver-checks",
    version: "0.51.0",
    options: &["--locked"],
    may_be_on_path: true,
    opt_level: "1",
    minutes: 8,
};

/// What `cargo leptos watch` needs. Counts as two steps.
pub(crate) fn ensure_for_dev(workspace: &Workspace, progress: &mut Progress) -> Result<()> {
    ensure(workspace, progress, &WASM_BINDGEN)?;
    ensure(workspace, progress, &CARGO_LEPTOS)
}

pub(crate) fn ensure_nextest(workspace: &Workspace, progress: &mut Progress) -> Result<()> {
    ensure(workspace, progress, &CARGO_NEXTEST)
}

pub(crate) fn ensure_deny(workspace: &Workspace, progress: &mut Progress) -> Result<()> {
    ensure(workspace, progress, &CARGO_DENY)
}

pub(crate) fn ensure_semver_checks(workspace: &Workspace, progress: &mut Progress) -> Result<()> {
    ensure(workspace, progress, &CARGO_SEMVER_CHECKS)
}

/// Installs into the target folder, so that other projects keep their versions.
fn ensure(workspace: &Workspace, progress: &mut Progress, program: &Program) -> Result<()> {
    progress.step(program.package, |announce| install(workspace, program, announce))
}

fn install(workspace: &Workspace, program: &Program, announce: &dyn Fn(&str)) -> Result<Done> {
    let root = workspace.cargo_programs();
    if has_version(&root.join("bin").join(program.binary), program.version)
        || program.may_be_on_path && process::on_path(program.binary).is_some()
    {
        return Ok(Done::Present);
    }
    announce(&format!(
        "cargo install {}@{} (about {} minutes on two cores, once)",
        program.package, program.version, program.minutes
    ));
    let mut command = workspace.cargo();
    command
        .arg("install")
        .arg(format!("{}@{}", program.package, program.version))
        .arg("--root")
        .arg(&root)
        .env("CARGO_PROFILE_RELEASE_LTO", "false")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "256")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", program.opt_level)
        .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
        .env("CARGO_TARGET_DIR", workspace.target().join("setup").join("cargo-build"));
    command.args(program.options);
    registry::run(&mut command, Registry::Crates)?;
    Ok(Done::Made)
}

fn has_version(binary: &Path, version: &str) -> bool {
    let answer = process::output(Command::new(binary).arg("--version"));
    answer.is_some_and(|answer| answer.split_whitespace().any(|word| word == version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_has_the_version_of_the_crate() {
        let lock = include_str!("../../../Cargo.lock");
        let pinned = format!("name = \"wasm-bindgen\"\nversion = \"{}\"\n", WASM_BINDGEN.version);
        assert!(lock.contains(&pinned), "Cargo.lock has another wasm-bindgen");
    }
}
