//! `rehearsal tools lint` on Python agents: a folder as `adk web` would load it, and the example
//! in the binary.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use acceptance::{binary, python, workspace};
use serde_json::Value;

fn lint(binary: &Path, python: &Path, arguments: &[&str]) -> Output {
    let empty = tempfile::tempdir().unwrap();
    let mut command = Command::new(binary);
    command.args(["tools", "lint"]).args(arguments).current_dir(empty.path());
    command.env("REHEARSAL_PYTHON", python);
    command.env_remove("REHEARSAL_CONFIG");
    command.output().unwrap()
}

fn reports(output: &Output) -> Vec<Value> {
    let actual = String::from_utf8_lossy(&output.stderr);
    let text = std::str::from_utf8(&output.stdout).unwrap();
    assert!(!text.is_empty(), "{actual}");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn tools(reports: &[Value]) -> BTreeSet<&str> {
    reports.iter().map(|report| report["tool"].as_str().unwrap()).collect()
}

#[test]
fn lints_an_adk_folder_like_the_embedded_example() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let folder = workspace().join("examples/smart_home/smart_home");
    let of_folder = lint(&binary, &python, &[folder.to_str().unwrap(), "--format", "json"]);
    let by_name = lint(&binary, &python, &["Smart Home", "--format", "json"]);
    let (folder, named) = (reports(&of_folder), reports(&by_name));
    assert!(tools(&folder).is_superset(&BTreeSet::from(["list_rooms", "set_temperature"])));
    assert_eq!(folder, named);
    for report in &folder {
        assert_eq!(report["line"], Value::Null, "an agent's tools have no line: {report}");
        assert_eq!(report["values"]["made"], report["values"]["survived"], "{report}");
        for finding in report["findings"].as_array().unwrap() {
            assert_ne!(finding["severity"], "error", "{report}");
        }
    }
    let made: u64 = folder.iter().map(|report| report["values"]["made"].as_u64().unwrap()).sum();
    assert!(made > 0, "no value was made for any tool");
    assert_eq!((of_folder.status.code(), by_name.status.code()), (Some(0), Some(0)));
}

#[test]
fn finds_a_problem_of_a_tool_in_its_folder() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let agent = folder.path().join("clumsy");
    std::fs::create_dir(&agent).unwrap();
    std::fs::write(agent.join("__init__.py"), "from . import agent\n").unwrap();
    let source = "\
from google.adk.agents import LlmAgent

def guess(thing: str) -> dict:
    return {}

root_agent = LlmAgent(name=\"clumsy\", model=\"gemini-2.5-flash\", tools=[guess])
";
    std::fs::write(agent.join("agent.py"), source).unwrap();
    let output = lint(&binary, &python, &[agent.to_str().unwrap()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("guess\n"), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("warning description-missing"), "{text}");
    assert!(text.contains("argument-description-missing"), "{text}");

    std::fs::write(agent.join("agent.py"), "raise RuntimeError(\"no key\")\n").unwrap();
    let output = lint(&binary, &python, &[agent.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let actual = String::from_utf8(output.stderr).unwrap();
    assert!(actual.contains("clumsy cannot be loaded") && actual.contains("no key"), "{actual}");
}
