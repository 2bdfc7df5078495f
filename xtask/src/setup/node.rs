//! The npm packages of `end2end/`: Playwright with axe, and binaryen for `wasm-opt`.

use std::process::Command;

use anyhow::{Context, Result, bail};
use xtask::process;
use xtask::progress::{Done, Progress};
use xtask::registry::{self, Registry};
use xtask::stamp::{self, Inputs};
use xtask::workspace::Workspace;

/// The oldest Node that the packages work with.
const OLDEST: u32 = 20;

/// Runs `npm ci` if the lock file changed since the last run.
pub(crate) fn ensure(workspace: &Workspace, progress: &mut Progress) -> Result<()> {
    progress.step("npm packages", |announce| {
        let folder = workspace.end2end();
        let digest = Inputs::default().file(&folder.join("package-lock.json"))?.digest();
        let stamp = folder.join("node_modules").join(".rehearsal-stamp");
        if stamp::matches(&stamp, &digest) {
            return Ok(Done::Present);
        }
        require_node()?;
        announce("npm ci in end2end/ (Playwright, axe, binaryen)");
        stamp::clear(&stamp)?;
        // Another step installs the browser, unless there is one.
        registry::run(
            process::npm_program("npm")
                .args(["ci", "--no-fund", "--no-audit", "--loglevel=error"])
                .env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")
                .current_dir(&folder),
            Registry::Npm,
        )?;
        stamp::set(&stamp, &digest)?;
        Ok(Done::Made)
    })
}

fn require_node() -> Result<()> {
    let version = process::output(Command::new("node").arg("--version")).with_context(|| {
        format!("Node is not installed: install Node {OLDEST} or newer (https://nodejs.org)")
    })?;
    match major(&version) {
        Some(major) if major >= OLDEST => Ok(()),
        _ => bail!("Node {version} is too old: install Node {OLDEST} or newer"),
    }
}

/// `20` of `v20.20.2`.
fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read() {
        assert_eq!(major("v20.20.2"), Some(20));
        assert_eq!(major("20"), None);
    }
}
