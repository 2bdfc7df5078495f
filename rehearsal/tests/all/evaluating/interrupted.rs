//! Ctrl-C while a run ends: its report is too long for a pipe that nobody reads, so the program waits there.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::run;

/// How long the program may take to end before the test fails.
const SOON: Duration = Duration::from_secs(60);

/// A case with a long message, and one with a tool that takes ten minutes.
pub(super) fn long_suite() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let tools = super::agents().join("library/tools.json").canonicalize().unwrap();
    let long = "long ".repeat(200_000);
    let text = format!(
        "subject:
  mcp:
    servers: {{ library: {{ command: never-started }} }}
    instruction: Help.
    declarations: {tools}
tools:
  search: {{ delayed: {{ ms: 600000, mock: {{ returns: {{ shelf: 1 }} }} }} }}
cases:
  - {{ name: long, first_message: Hi, model: {{ scripted: [{long}] }} }}
  - name: slow
    first_message: Hi
    model: {{ scripted: [{{ calls: [{{ tool: search, args: {{ title: Emma }} }}] }}] }}
",
        tools = tools.display()
    );
    std::fs::write(folder.path().join("suite.yaml"), text).unwrap();
    folder
}

fn started(folder: &Path, arguments: &[&str]) -> (Child, BufReader<ChildStderr>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.args(["eval", "suite.yaml", "--format", "results"]).args(arguments);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("REHEARSAL_")) {
        command.env_remove(name);
    }
    command.current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let errors = BufReader::new(child.stderr.take().unwrap());
    (child, errors)
}

fn press_ctrl_c(child: &Child) {
    let pressed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(pressed.success());
}

/// Waits until the report begins.
fn wait_for_report(child: &mut Child) {
    let begin = &mut [0];
    child.stdout.as_mut().unwrap().read_exact(begin).unwrap();
    assert_eq!(begin, b"{");
}

/// The exit code, and what the program still printed on standard error.
fn ended(mut child: Child, mut errors: BufReader<ChildStderr>) -> (Option<i32>, String) {
    let begin = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if begin.elapsed() > SOON => {
                child.kill().unwrap();
                panic!("the program goes on");
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let mut printed = String::new();
    errors.read_to_string(&mut printed).unwrap();
    (status.code(), printed)
}

#[test]
fn a_second_ctrl_c_ends_the_program_at_once_and_keeps_what_is_stored() {
    let folder = long_suite();
    let (mut child, mut errors) = started(folder.path(), &["--jobs", "1"]);
    let mut line = String::new();
    while !line.starts_with("passed      long") {
        line.clear();
        assert_ne!(errors.read_line(&mut line).unwrap(), 0, "it ended too early");
    }
    press_ctrl_c(&child);
    wait_for_report(&mut child);
    press_ctrl_c(&child);
    let (code, printed) = ended(child, errors);
    assert_eq!((code, printed.as_str()), (Some(130), ""), "nothing was printed after the second");

    let resumed = run(folder.path(), &["suite.yaml", "--resume=1", "--case", "long"], None);
    assert_eq!(resumed.status.code(), Some(0));
    let printed = super::text(&resumed.stderr);
    assert_eq!(printed.lines().count(), 1, "nothing is run again: {printed}");
}

#[test]
fn ctrl_c_after_the_last_case_ends_the_program_at_once() {
    let folder = long_suite();
    let (mut child, errors) = started(folder.path(), &["--case", "long"]);
    wait_for_report(&mut child);
    press_ctrl_c(&child);
    let (code, printed) = ended(child, errors);
    assert_eq!(code, Some(130), "{printed}");
    assert!(!printed.contains("is stored in"), "{printed}");
}
