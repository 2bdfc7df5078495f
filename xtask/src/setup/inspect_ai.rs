//! A Python environment with Inspect AI, with which the bench of native eval runs compares itself.

use std::path::PathBuf;

use anyhow::Result;
use xtask::workspace::Workspace;

use super::pip;

/// The package that the figures of `docs/performance.md` are from.
const PACKAGE: &str = "inspect-ai==0.3.285";

/// Creates the environment if it is missing or has another version. Returns its interpreter.
pub(crate) fn ensure(workspace: &Workspace) -> Result<PathBuf> {
    pip::environment_with(workspace, "inspect-ai", PACKAGE)
}
