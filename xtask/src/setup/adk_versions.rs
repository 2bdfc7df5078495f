//! Python environments with the older google-adk versions that eval runs support, for the tests of what they rely on
//! there.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use xtask::workspace::Workspace;

use super::pip;

/// The versions besides the one of the tests' environment.
const VERSIONS: [&str; 2] = ["2.11.0", "2.12.0"];

/// Whether the tests' Python has the newest version, and not the only one that it could have.
const HAS_NEWEST: &str = "import sys; sys.exit(sys.version_info < (3, 11))";

/// Creates the environments that are missing. Returns each version with its interpreter; none with Python 3.10, whose
/// environment for the tests has the only version for it.
pub(crate) fn ensure_adk_versions(workspace: &Workspace) -> Result<Vec<(&'static str, PathBuf)>> {
    if !Command::new(workspace.python()).args(["-c", HAS_NEWEST]).status()?.success() {
        return Ok(Vec::new());
    }
    let environment = |version: &str| {
        let name = format!("google-adk-{version}");
        pip::environment_beside_tests(workspace, &name, &[&format!("google-adk=={version}")])
    };
    VERSIONS.iter().map(|version| Ok((*version, environment(version)?))).collect()
}
