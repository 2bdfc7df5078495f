//! The smart home: the Python example, which the binary carries.

use std::io;
use std::path::PathBuf;

use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "../examples/smart_home/smart_home"]
#[include = "*.py"]
struct SmartHome;

/// The agent's folder, laid out on disk: a folder that `adk web` loads.
///
/// # Errors
/// The operating system's, when it can be laid out nowhere.
pub fn smart_home_folder() -> io::Result<PathBuf> {
    Ok(agents::embedded::unpacked::<SmartHome>("smart_home")?.join("smart_home"))
}
