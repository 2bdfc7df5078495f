//! A Python environment with libraries that agents import, for the bench of what they cost.

use std::path::PathBuf;

use anyhow::Result;
use xtask::workspace::Workspace;

use super::pip;

/// Those that google-adk and its evaluation do not bring.
const PACKAGES: [&str; 3] = ["pyarrow==26.0.1", "polars==2.1.0", "polars-runtime-32==2.1.0"];

/// Creates the environment if it is missing or has other packages. Returns its interpreter.
pub(crate) fn ensure(workspace: &Workspace) -> Result<PathBuf> {
    pip::environment_beside_tests(workspace, "libraries", &PACKAGES)
}
