//! `cargo leptos` and the `wasm-bindgen` program that it calls, for development only.
//!
//! `run` and `test` do without both: they call wasm-bindgen as a library.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use xtask::process;
use xtask::progress::{Done, Progress};
use xtask::workspace::Workspace;

/// A published program, pinned.
struct Program {
    package: &'static str,
    binary: &'static str,
    version: &'static str,
    /// Whether the package's own lock file is used.
    locked: bool,
    minutes: u32,
}

/// 0.3.11 asks for a newer compiler than this workspace.
const CARGO_LEPTOS: Program = Program {
    package: "cargo-leptos",
    binary: "cargo-leptos",
    version: "0.3.10",
    locked: true,
    minutes: 8,
};

/// Must be the version of the `wasm-bindgen` crate in `Cargo.lock`.
/// The lock file in the package names a withdrawn crate, so it is not used.
const WASM_BINDGEN: Program = Program {
    package: "wasm-bindgen-cli",
    binary: "wasm-bindgen",
    version: "0.2.130",
    locked: false,
    minutes: 4,
};

/// Installs both into the target folder, so that no other project's versions are touched.
pub(crate) fn ensure(workspace: &Workspace, progress: &mut Progress) -> Result<()> {
    for program in [WASM_BINDGEN, CARGO_LEPTOS] {
        progress.step(program.package, |announce| install(workspace, &program, announce))?;
    }
    Ok(())
}

fn install(workspace: &Workspace, program: &Program, announce: &dyn Fn(&str)) -> Result<Done> {
    let root = workspace.cargo_programs();
    if has_version(&root.join("bin").join(program.binary), program.version) {
        return Ok(Done::Present);
    }
    announce(&format!(
        "cargo install {}@{} (about {} minutes on two cores, once)",
        program.package, program.version, program.minutes
    ));
    let mut command = process::cargo(workspace);
    command
        .arg("install")
        .arg(format!("{}@{}", program.package, program.version))
        .arg("--root")
        .arg(&root)
        // A development tool: quick to build before quick to run.
        .env("CARGO_PROFILE_RELEASE_LTO", "false")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "256")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
        .env("CARGO_TARGET_DIR", workspace.target().join("setup").join("cargo-build"));
    if program.locked {
        command.arg("--locked");
    }
    process::run(&mut command)?;
    Ok(Done::Made)
}

fn has_version(binary: &Path, version: &str) -> bool {
    let answer = process::answer(Command::new(binary).arg("--version"));
    answer.is_some_and(|answer| answer.split_whitespace().any(|word| word == version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_and_the_crate_are_one_version() {
        let lock = include_str!("../../../Cargo.lock");
        let pinned = format!("name = \"wasm-bindgen\"\nversion = \"{}\"\n", WASM_BINDGEN.version);
        assert!(lock.contains(&pinned), "Cargo.lock has another wasm-bindgen");
    }
}
