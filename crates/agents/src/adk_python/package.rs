//! The worker's Python package, which the binary carries.

use std::io;
use std::path::{Path, PathBuf};

use tokio::process::Command;

use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "python/rehearsal_adk"]
#[include = "*.py"]
// The plugin for agents that run elsewhere: no worker needs it.
#[exclude = "live/*"]
struct Package;

/// The folder to put on Python's path: it holds the package of this build.
///
/// # Errors
/// The operating system's, when it can be laid out nowhere.
pub fn unpacked() -> io::Result<PathBuf> {
    crate::embedded::unpacked::<Package>("rehearsal_adk")
}

/// The command that runs the function `main` of a module of the package, for the agent in `folder`.
///
/// `package` is what [`unpacked`] returned. The module finds the arguments that the caller adds in `sys.argv`. It
/// runs where people run `adk web`: beside the agent's folder.
#[must_use]
pub fn program(python: &Path, module: &str, package: &Path, folder: &Path) -> Command {
    let mut command = Command::new(python);
    command
        .arg("-c")
        // The package does not stay on Python's path. It comes before one that is installed, whose version may
        // be another.
        .arg(format!(
            "import sys; sys.path.insert(0, sys.argv.pop(1)); from {module} import main; sys.path.pop(0); main()"
        ))
        .arg(package)
        .env("PYTHONSAFEPATH", "1")
        .env("PYTHONUNBUFFERED", "1")
        .env("PYTHONIOENCODING", "utf-8");
    if let Some(parent) = folder.parent().filter(|parent| parent.is_dir()) {
        command.current_dir(parent);
    }
    command
}
