//! Programs and files that tests need on the machine.
//!
//! A test that ends early counts as passed, and its output is hidden. So tests use this crate to look for what
//! they need. In `cargo xtask test`, a test fails if something is missing that setup installs, and the summary
//! lists what else was missing. Other runs print it to standard error.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The variable with the path of a file to which each missing item is added as a line: the item, a tab, the
/// test. `cargo xtask test` sets it.
pub const ABSENT: &str = "REHEARSAL_TEST_ABSENT";

/// A Python that has google-adk.
///
/// # Panics
/// It is missing in a run of `cargo xtask test`.
#[must_use]
pub fn python() -> Option<PathBuf> {
    given("REHEARSAL_TEST_PYTHON", "a Python that has google-adk")
}

/// The folder of the MCP servers' programs, `mcp-server-everything` among them.
///
/// # Panics
/// It is missing in a run of `cargo xtask test`.
#[must_use]
pub fn mcp_programs() -> Option<PathBuf> {
    given("REHEARSAL_TEST_MCP", "the folder of mcp-server-everything")
}

/// A file or folder of the shared corpora, beside the workspace in `shared/corpora`.
#[must_use]
pub fn corpus(name: &str) -> Option<PathBuf> {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    let path = corpora.join(name);
    if !path.exists() {
        absent(&format!("shared/corpora/{name} beside the workspace"));
        return None;
    }
    Some(path)
}

/// Records that the calling test is skipped because `what` is missing, such as "a Python".
///
/// # Panics
/// The list of missing items cannot be written.
pub fn absent(what: &str) {
    note(list().as_deref(), what);
}

fn list() -> Option<PathBuf> {
    std::env::var_os(ABSENT).map(PathBuf::from)
}

fn note(list: Option<&Path>, what: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // Written directly, because the output of passing tests is hidden.
    let _ = writeln!(std::io::stderr(), "NOT TESTED by {test}: {what} is missing");
    if let Some(list) = list {
        let line = format!("{what}\t{test}\n");
        let list = OpenOptions::new().append(true).create(true).open(list);
        // In one call, because tests run in parallel.
        let written = list.and_then(|mut list| list.write_all(line.as_bytes()));
        written.expect("the list of missing items is written");
    }
}

/// The path in `variable`, which `cargo xtask test` sets to `what`.
///
/// # Panics
/// It is missing in a run of `cargo xtask test`.
#[must_use]
pub fn given(variable: &str, what: &str) -> Option<PathBuf> {
    found(std::env::var_os(variable), list().as_deref(), variable, what)
}

/// The path in `variable`. If there is a list, setup has run, and what it installs must not be missing.
fn found(
    given: Option<OsString>,
    list: Option<&Path>,
    variable: &str,
    what: &str,
) -> Option<PathBuf> {
    if given.is_none() {
        assert!(list.is_none(), "{variable} is not set, which `cargo xtask test` sets to {what}");
        note(list, &format!("{what}, which {variable} names"));
    }
    given.map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_requirement_is_listed_with_its_test() {
        let folder = tempfile::tempdir().expect("a folder");
        let list = folder.path().join("absent");
        note(Some(&list), "a unicorn");
        note(Some(&list), "a griffin");
        let text = std::fs::read_to_string(&list).expect("written");
        let lines: Vec<_> = text.lines().filter_map(|line| line.split_once('\t')).collect();
        assert_eq!(lines.iter().map(|it| it.0).collect::<Vec<_>>(), ["a unicorn", "a griffin"]);
        assert!(lines.iter().all(|(_, test)| test.ends_with("is_listed_with_its_test")), "{text}");
    }

    #[test]
    fn skips_a_test_without_setup() {
        assert_eq!(found(None, None, "A_VARIABLE", "a program"), None);
        let given = found(Some("/a".into()), Some(Path::new("list")), "A_VARIABLE", "a program");
        assert_eq!(given, Some(PathBuf::from("/a")));
    }

    #[test]
    #[should_panic(expected = "A_VARIABLE is not set")]
    fn fails_a_test_after_setup() {
        found(None, Some(Path::new("list")), "A_VARIABLE", "a program");
    }
}
