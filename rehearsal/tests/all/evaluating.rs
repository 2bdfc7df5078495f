//! `rehearsal eval` as a process.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

fn agents() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/eval/tests/agents")
}

/// A folder with a suite of the triage agent.
fn suite(cases: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let agent = agents().join("triage").canonicalize().unwrap();
    let text = format!("subject: {{ adk: {} }}\ncases:\n{cases}", agent.display());
    std::fs::write(folder.path().join("suite.yaml"), text).unwrap();
    folder
}

fn run(folder: &Path, arguments: &[&str], python: Option<&Path>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.arg("eval").args(arguments).current_dir(folder);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("REHEARSAL_")) {
        command.env_remove(name);
    }
    if let Some(python) = python {
        command.arg("--python").arg(python);
    }
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn each_verdict_has_its_words_and_exit_code() {
    let Some(python) = test_needs::python() else { return };
    let folder = suite(
        r#"
  - name: greets
    first_message: Hi
    model: { scripted: [Hello] }
    tags: [smoke]
  - name: fails
    first_message: Hi
    model: { scripted: [Hello] }
    metrics:
      - state: { name: escalated, key: escalation, is: { $exists: true } }
  - name: errs
    first_message: Hi
    model: { scripted: [{ calls: [{ tool: escalate, args: { urgency_level: a, reason: b } }] }] }
  - name: goes on
    first_message: Hi
    model: { scripted: [One, Two, Three] }
    user_agents: { loop: { script: [And, And, And] } }
    terminate_when: { max_turns: 1 }
"#,
    );
    let passed = run(folder.path(), &["suite.yaml", "--tag", "smoke"], Some(&python));
    assert_eq!(passed.status.code(), Some(0), "{}", text(&passed.stderr));
    assert!(text(&passed.stdout).ends_with("1 case: 1 passed\n"), "{}", text(&passed.stdout));

    let all = run(folder.path(), &["suite.yaml", "--jobs", "1"], Some(&python));
    assert_eq!(all.status.code(), Some(1), "{}", text(&all.stderr));
    let told = text(&all.stdout);
    for line in [
        "    escalated failed: escalation is missing; wanted: {\"$exists\":true}\n",
        "    EvalToolError: the tool escalate was called, and the case has no mock for it.",
        "      \"urgency_level\": \"a\",\n",
        "terminated  goes on  (1 turn, ",
        "4 cases: 1 passed, 1 failed, 1 with an error, 1 terminated\n",
    ] {
        assert!(told.contains(line), "{line} is not in\n{told}");
    }

    let arguments = ["suite.yaml", "--case", "fails", "--format", "json"];
    let json = run(folder.path(), &arguments, Some(&python));
    assert_eq!(json.status.code(), Some(1));
    let result: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(result["summary"]["failed"], 1);
    assert_eq!(result["results"][0]["status"], "failed");
    let events = result["results"][0]["events"].as_array().unwrap();
    assert_eq!(events[0]["type"], "initial_state");
    assert_eq!(events[events.len() - 1]["type"], "termination");
}

#[test]
fn a_bad_suite_is_refused_with_every_place_before_anything_runs() {
    let folder = suite(
        r#"
  - name: a
    first_message: Hi
    metrics:
      - event_count: { name: n, event: tool_cal, is: 1 }
      - state: { name: n, key: k, is: { $exist: true } }
  - name: a
    tools: { read: { template: "{{ args." } }
"#,
    );
    let refused = run(folder.path(), &["suite.yaml"], None);
    assert_eq!(refused.status.code(), Some(2));
    let told = text(&refused.stderr);
    for line in [
        "suite.yaml: cases[0].metrics[0].event: there are no events tool_cal; did you mean tool_call?",
        "cases[0].metrics[1].is: /value/$exist: unknown operator $exist; did you mean $exists?",
        "cases[1].name: two cases have the name a; give each its own",
        "cases[1].tools.read: ",
        "cases[1]: nobody begins the conversation",
    ] {
        assert!(told.contains(line), "{line} is not in\n{told}");
    }
    std::fs::write(folder.path().join("suite.yaml"), "subjekt: {}\ncases: []\n").unwrap();
    let told = text(&run(folder.path(), &["suite.yaml"], None).stderr);
    assert!(told.contains("did you mean subject?"), "{told}");
    assert!(told.contains("line 1"), "{told}");
    let missing = run(folder.path(), &["none.yaml"], None);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("none.yaml cannot be read"));
}

#[test]
fn the_schema_of_suites_is_printed() {
    let printed = run(Path::new("."), &["--schema"], None);
    assert_eq!(printed.status.code(), Some(0));
    let schema: serde_json::Value = serde_json::from_slice(&printed.stdout).unwrap();
    assert!(schema["properties"]["cases"].is_object());
}
