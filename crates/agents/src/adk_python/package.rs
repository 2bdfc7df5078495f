//! The worker's Python package, which the binary carries.

use std::io;
use std::path::PathBuf;

use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "../../python/rehearsal_adk"]
#[include = "*.py"]
// The plugin for agents that run elsewhere: no worker needs it.
#[exclude = "live/*"]
struct Package;

/// The folder to put on Python's path: it holds the package of this build.
///
/// # Errors
/// The operating system's, when it can be laid out nowhere.
pub(super) fn unpacked() -> io::Result<PathBuf> {
    crate::embedded::unpacked::<Package>("rehearsal_adk")
}
