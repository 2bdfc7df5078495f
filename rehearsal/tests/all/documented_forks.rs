//! What the documents show of the example `support_desk`: each command prints what stands below it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::evaluating::text;

fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The commands of the sessions in a document in Markdown: lines that begin with `$ `, each with the output below it.
fn commands(document: &str) -> Vec<(&str, &str)> {
    let blocks = document.split("```console\n").skip(1);
    let blocks = blocks.filter_map(|rest| rest.split_once("```").map(|(block, _)| block));
    let sessions = blocks.filter_map(|block| block.strip_prefix("$ "));
    let commands = sessions.flat_map(|session| session.split("\n$ "));
    commands.map(|command| command.split_once('\n').unwrap_or((command, ""))).collect()
}

/// Whether lines of output are what a document shows, in which a line `...` stands for any lines.
fn are_shown(output: &[&str], shown: &[&str]) -> bool {
    match shown {
        [] => output.is_empty(),
        ["...", rest @ ..] => (0..=output.len()).any(|skipped| are_shown(&output[skipped..], rest)),
        [line, rest @ ..] => output
            .split_first()
            .is_some_and(|(first, after)| first == line && are_shown(after, rest)),
    }
}

fn is_shown(output: &str, shown: &str) -> bool {
    let [output, shown] = [output, shown].map(|text| text.lines().collect::<Vec<_>>());
    are_shown(&output, &shown)
}

/// Runs the commands of a document that concern the example, in a copy of it, from a folder of the checkout.
fn check(document: &str, from: &str, least: usize) {
    let Some(python) = test_needs::python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let of_agent = "examples/support_desk/support_desk";
    std::fs::create_dir_all(folder.path().join(of_agent)).unwrap();
    for file in [
        "examples/support_desk/support_desk.eval.yaml",
        "examples/support_desk/support_desk/__init__.py",
        "examples/support_desk/support_desk/agent.py",
        "examples/support_desk/support_desk/model.py",
    ] {
        std::fs::copy(checkout().join(file), folder.path().join(file)).unwrap();
    }
    let document = std::fs::read_to_string(checkout().join(document)).unwrap();
    let commands = commands(&document);
    assert!(commands.len() >= least, "only {} commands were found", commands.len());
    let program = Path::new(env!("CARGO_BIN_EXE_rehearsal"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    for (command, shown) in commands {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(folder.path().join(from));
        let ran = shell.env("PATH", &path).env("REHEARSAL_PYTHON", &python).output().unwrap();
        let (output, errors) = (text(&ran.stdout), text(&ran.stderr));
        assert!(
            is_shown(&output, shown),
            "{command}\n{output}{errors}\nwhere the document has\n{shown}"
        );
    }
}

#[test]
fn the_support_desk_of_the_readme_fails_and_forks_as_shown() {
    check("README.md", "", 3);
}

#[test]
fn the_support_desk_of_the_quickstart_fails_and_forks_as_shown() {
    check("docs/guide/quickstart.md", "", 4);
}

#[test]
fn the_support_desk_of_its_own_readme_fails_and_forks_as_shown() {
    check("examples/support_desk/README.md", "examples/support_desk", 6);
}

#[test]
fn output_is_compared_with_what_a_document_shows() {
    let document = "```console\n$ one 'a\n$b'\nA\n$ two\n...\n```\n```console\nthree\n```\n";
    assert_eq!(commands(document), [("one 'a", "$b'\nA"), ("two", "...\n")]);
    let output = "a\nb\nc\n";
    for shown in ["a\nb\nc\n", "...\n", "a\n...\nc\n", "...\nb\n...\n", "...\nc\n"] {
        assert!(is_shown(output, shown), "{shown}");
    }
    for shown in ["", "a\n", "b\n...\n", "...\nb\n", "a\n...\nd\n", "a\nc\n"] {
        assert!(!is_shown(output, shown), "{shown}");
    }
}
