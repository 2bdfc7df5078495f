//! What a test needs of the machine that it runs on.
//!
//! A test that ends early counts as passed, and what it prints is hidden: without more, nobody
//! learns that it tested nothing. So whatever is absent is asked for here. `cargo xtask test` sets
//! up what it can, so that its absence fails there, and names in its summary what else was absent;
//! every other run says it on standard error.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Names a file to which each absence is added as a line: what, a tab, the test. `cargo xtask test`
/// sets it.
pub const ABSENT: &str = "REHEARSAL_TEST_ABSENT";

/// A Python that has google-adk.
///
/// # Panics
/// It is absent in a run of `cargo xtask test`.
#[must_use]
pub fn python() -> Option<PathBuf> {
    set_up("REHEARSAL_TEST_PYTHON", "a Python that has google-adk")
}

/// The folder of the MCP servers' programs, `mcp-server-everything` among them.
///
/// # Panics
/// It is absent in a run of `cargo xtask test`.
#[must_use]
pub fn mcp_programs() -> Option<PathBuf> {
    set_up("REHEARSAL_TEST_MCP", "the folder of mcp-server-everything")
}

/// A file or folder of the shared corpora, which lie beside the workspace in `shared/corpora`.
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

/// Says that the test that calls this goes without `what`, such as "a Python".
///
/// # Panics
/// The run's list of what is absent cannot be written.
pub fn absent(what: &str) {
    note(list().as_deref(), what);
}

fn list() -> Option<PathBuf> {
    std::env::var_os(ABSENT).map(PathBuf::from)
}

fn note(list: Option<&Path>, what: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // Past the capture of a test's output, which is shown of failed tests alone.
    let _ = writeln!(std::io::stderr(), "NOT TESTED by {test}, for lack of {what}");
    if let Some(list) = list {
        let line = format!("{what}\t{test}\n");
        let list = OpenOptions::new().append(true).create(true).open(list);
        // One call, for tests run side by side.
        let written = list.and_then(|mut list| list.write_all(line.as_bytes()));
        written.expect("the list of what is absent is written");
    }
}

fn set_up(variable: &str, what: &str) -> Option<PathBuf> {
    found(std::env::var_os(variable), list().as_deref(), variable, what)
}

/// The path that `variable` gives. Where there is a list, set-up has been, and nothing it makes may
/// be absent.
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
    fn test_is_skipped_without_set_up() {
        assert_eq!(found(None, None, "A_VARIABLE", "a program"), None);
        let given = found(Some("/a".into()), Some(Path::new("list")), "A_VARIABLE", "a program");
        assert_eq!(given, Some(PathBuf::from("/a")));
    }

    #[test]
    #[should_panic(expected = "A_VARIABLE is not set")]
    fn after_set_up_a_test_fails() {
        found(None, Some(Path::new("list")), "A_VARIABLE", "a program");
    }
}
