//! Shared by the acceptance tests: the shipped binary, started as a user would, and a Python with
//! google-adk.
//!
//! Both come from the environment: `REHEARSAL_TEST_BINARY` and `REHEARSAL_TEST_PYTHON`, which
//! `cargo xtask test` sets. Without them a test says that it was not run.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod host;
mod subprocesses;

use std::path::{Path, PathBuf};

pub use host::{Host, runs, signal};
pub use subprocesses::{Ended, run_adk};

/// The binary under test; `None`, with a message, if there is none.
#[must_use]
pub fn binary() -> Option<PathBuf> {
    test_needs::given("REHEARSAL_TEST_BINARY", "the program `rehearsal`")
}

/// A Python with google-adk; `None`, with a message, if there is none.
#[must_use]
pub fn python() -> Option<PathBuf> {
    test_needs::python()
}

/// The workspace's folder.
#[must_use]
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Runs a Python program with google-adk and returns its output.
///
/// # Panics
/// With its standard error when it fails.
#[must_use]
pub fn run_python(python: &Path, program: &str, arguments: &[&str]) -> String {
    let ended = run_adk(python, &[&["-c", program], arguments].concat(), &[]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    ended.stdout.trim().to_owned()
}
