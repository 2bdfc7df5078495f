//! The wheel of this machine's platform: the program with its page, and the package `rehearsal_adk`, packed by
//! maturin.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use xtask::process;
use xtask::workspace::Workspace;

use crate::{build, setup};

/// Builds the program if something changed, and packs it. Returns the wheel's path.
pub(crate) fn run(workspace: &Workspace) -> Result<PathBuf> {
    build::run(workspace)?;
    pack(workspace)
}

/// Packs the program, which must be built: maturin has cargo look at it, and finds nothing to do.
pub(crate) fn pack(workspace: &Workspace) -> Result<PathBuf> {
    let maturin = setup::ensure_maturin(workspace)?;
    let wheels = workspace.target().join("wheels");
    // A wheel of an earlier version would be found too.
    if wheels.is_dir() {
        fs::remove_dir_all(&wheels)
            .with_context(|| format!("cannot remove {}", wheels.display()))?;
    }
    let mut command = Command::new(maturin);
    // The variables of the build.
    for (name, value) in workspace.cargo().get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.args(["build", "--release", "--locked", "--out"]).arg(&wheels);
    process::print_and_run(command.current_dir(workspace.root()))?;
    only_wheel(&wheels)
}

fn only_wheel(folder: &Path) -> Result<PathBuf> {
    let files = fs::read_dir(folder)
        .with_context(|| format!("{} cannot be read", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    let mut found = files.into_iter().filter(|path| path.extension().is_some_and(|it| it == "whl"));
    let wheel = found.next().context("maturin wrote no wheel")?;
    ensure!(found.next().is_none(), "there are several wheels in {}", folder.display());
    Ok(wheel)
}
