//! What the acceptance tests share: the shipped binary, started as a user would start it, and a
//! Python that has google-adk.
//!
//! Both come from the environment: `REHEARSAL_TEST_BINARY` and `REHEARSAL_TEST_PYTHON`, which
//! `cargo xtask test` sets. Without them a test says loudly that it was skipped.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, reason = "tests")]

mod host;

use std::path::{Path, PathBuf};
use std::process::Command;

pub use host::{Host, runs, signal};

/// The binary under test; `None`, said loudly, when there is none.
#[must_use]
pub fn binary() -> Option<PathBuf> {
    given("REHEARSAL_TEST_BINARY")
}

/// A Python with google-adk; `None`, said loudly, when there is none.
#[must_use]
pub fn python() -> Option<PathBuf> {
    given("REHEARSAL_TEST_PYTHON")
}

fn given(variable: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).map(PathBuf::from);
    if path.is_none() {
        println!("SKIPPED, NOT PASSED: {variable} is not set; cargo xtask test sets it");
    }
    path
}

/// The workspace's folder.
#[must_use]
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Runs a Python program and gives what it printed.
///
/// # Panics
/// With its standard error when it fails.
#[must_use]
pub fn run_python(python: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(python)
        .args(["-W", "ignore", "-c", program])
        .args(arguments)
        .output()
        .expect("python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text").trim().to_owned()
}
