//! The smart home: the Python example, which is embedded in the binary.

use std::io;
use std::path::PathBuf;

use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "agents/smart_home"]
#[include = "*.py"]
struct SmartHome;

/// Writes the agent's folder to disk, so that `adk web` could load it.
///
/// # Errors
/// The folder cannot be written.
pub fn smart_home_folder() -> io::Result<PathBuf> {
    Ok(agents::embedded::unpacked::<SmartHome>("smart_home")?.join("smart_home"))
}
