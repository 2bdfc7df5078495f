//! A Chromium for the stories: one that is installed, else Debian's, else Playwright's own.
//!
//! A headless shell comes first, as it does with Playwright: a whole browser also draws its own
//! windows and toolbars for every page, which takes a third more processor time.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use xtask::process;
use xtask::progress::{Done, Progress};
use xtask::stamp::{self, Inputs};
use xtask::workspace::Workspace;

/// The browser that the stories run in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Browser {
    /// A browser of this machine, given to Playwright as its `executablePath`.
    Installed(PathBuf),
    /// The one that Playwright installed for itself.
    Playwright,
}

/// Program names of Chromium and Chrome, in order of preference.
const NAMES: [&str; 5] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// Paths of browsers that are not on `PATH`.
const PLACES: [&str; 2] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/// The browser that [`ensure`] left on this machine.
pub(crate) fn browser() -> Browser {
    installed().map_or(Browser::Playwright, Browser::Installed)
}

/// Installs a browser if there is none.
pub(crate) fn ensure(workspace: &Workspace, progress: &mut Progress) -> Result<()> {
    progress.step("Browser", |announce| {
        if installed().is_some() {
            return Ok(Done::Present);
        }
        if is_debian() && is_root() {
            announce("apt-get install chromium-headless-shell");
            let apt = |arguments: &[&str]| {
                process::run(
                    Command::new("apt-get")
                        .args(arguments)
                        .env("DEBIAN_FRONTEND", "noninteractive"),
                )
            };
            let installs = apt(&["update", "-qq"]).and_then(|()| {
                apt(&["install", "-y", "-qq", "--no-install-recommends", "chromium-headless-shell"])
            });
            match (installs, installed()) {
                (Ok(()), Some(_)) => return Ok(Done::Made),
                (Err(error), _) => announce(&format!("{error:#}; trying Playwright's own")),
                (Ok(()), None) => {
                    announce("the package brought no browser; trying Playwright's own");
                }
            }
        }
        install_playwrights_own(workspace, announce)
    })
}

/// Playwright's browser belongs to Playwright's version, which the lock file pins.
fn install_playwrights_own(workspace: &Workspace, announce: &dyn Fn(&str)) -> Result<Done> {
    let folder = workspace.end2end();
    let digest = Inputs::default().file(&folder.join("package-lock.json"))?.digest();
    let stamp = workspace.target().join("setup").join("playwright-browser.stamp");
    if stamp::matches(&stamp, &digest) {
        return Ok(Done::Present);
    }
    announce("npx playwright install chromium");
    process::run(
        process::npm_program("npx")
            .args(["playwright", "install", "chromium"])
            .current_dir(&folder),
    )?;
    stamp::set(&stamp, &digest)?;
    Ok(Done::Made)
}

fn installed() -> Option<PathBuf> {
    NAMES
        .into_iter()
        .find_map(process::on_path)
        .or_else(|| PLACES.into_iter().map(PathBuf::from).find(|path| path.is_file()))
}

/// Only on Debian: Ubuntu's package of that name is a snap, which does not run everywhere.
fn is_debian() -> bool {
    fs::read_to_string("/etc/os-release")
        .is_ok_and(|release| release.lines().any(|line| line == "ID=debian"))
}

fn is_root() -> bool {
    process::output(Command::new("id").arg("-u")).is_some_and(|id| id == "0")
}
