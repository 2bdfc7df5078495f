//! `rehearsal eval` with sessions that google-adk recorded.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{agents, run, text};

fn event(author: &str, part: &Value) -> Value {
    let is_result = part.get("functionResponse").is_some();
    let role = if author == "user" || is_result { "user" } else { "model" };
    json!({ "author": author, "content": { "role": role, "parts": [part] } })
}

/// A copy of the agent `home` with a test of `adk test`, whose result is no result of the tool.
fn home() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let agent = folder.path().join("home");
    std::fs::create_dir_all(agent.join("tests")).unwrap();
    for file in ["__init__.py", "agent.py"] {
        let from = agents().join("home").join(file);
        if from.is_file() {
            std::fs::copy(from, agent.join(file)).unwrap();
        }
    }
    let call = json!({ "id": "fc-1", "name": "get_temperature", "args": { "location": "Hall" } });
    let result = json!({ "id": "fc-1", "name": "get_temperature", "response": { "result": -271 } });
    let events = [
        event("user", &json!({ "text": "How warm is it?" })),
        event("Home_automation_agent", &json!({ "functionCall": call })),
        event("Home_automation_agent", &json!({ "functionResponse": result })),
        event("Home_automation_agent", &json!({ "text": "-271 degrees" })),
    ];
    let test = json!({ "appName": "home", "events": events });
    std::fs::write(agent.join("tests/cold.json"), test.to_string()).unwrap();
    folder
}

fn write_test(folder: &Path, name: &str, test: &Value) {
    std::fs::write(folder.join("home/tests").join(name), test.to_string()).unwrap();
}

#[test]
fn a_test_of_adk_test_is_a_case() {
    let folder = home();
    let listed = run(folder.path(), &["home/tests/cold.json", "--list"], None);
    assert_eq!(text(&listed.stdout), "cold\n", "{}", text(&listed.stderr));
    let Some(python) = test_needs::python() else { return };
    let ran = run(folder.path(), &["home/tests/cold.json"], Some(&python));
    assert_eq!(ran.status.code(), Some(0), "{}{}", text(&ran.stdout), text(&ran.stderr));
    let in_folder = run(&folder.path().join("home/tests"), &["cold.json"], Some(&python));
    assert_eq!(in_folder.status.code(), Some(0), "{}", text(&in_folder.stderr));

    let init = ["init", "home/tests/cold.json", "--output", "cold.eval.yaml"];
    let made = run(folder.path(), &init, None);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let ran = run(folder.path(), &["cold.eval.yaml", "--model", "replay"], Some(&python));
    assert_eq!(ran.status.code(), Some(0), "{}{}", text(&ran.stdout), text(&ran.stderr));
}

#[test]
fn a_recording_that_cannot_be_read_is_named_with_the_place() {
    let folder = home();
    write_test(folder.path(), "list.json", &json!({ "events": "none" }));
    write_test(folder.path(), "empty.json", &json!({ "events": [] }));
    let agents_first = event("Home_automation_agent", &json!({ "text": "Hi" }));
    write_test(folder.path(), "first.json", &json!({ "events": [agents_first] }));
    let garbage = event("user", &json!({ "txt": "Hi" }));
    write_test(folder.path(), "part.json", &json!({ "events": [garbage] }));
    for (name, wanted) in [
        ("list.json", "events: a string is there, and a list is expected"),
        ("empty.json", "events: no message is recorded, so nothing can be sent"),
        ("first.json", "events[0]: Home_automation_agent begins the session"),
        ("part.json", "events[0].content.parts[0]: ADK rejects the unknown field \"txt\""),
    ] {
        let path = format!("home/tests/{name}");
        for arguments in [&["--list", &path][..], &["init", &path]] {
            let refused = run(folder.path(), arguments, None);
            let errors = text(&refused.stderr);
            assert_eq!(refused.status.code(), Some(2), "{name} {errors}");
            assert!(errors.contains(&path) && errors.contains(wanted), "{name} {errors}");
        }
    }
    let elsewhere = folder.path().join("cold.json");
    std::fs::copy(folder.path().join("home/tests/cold.json"), elsewhere).unwrap();
    let refused = run(folder.path(), &["cold.json", "--list"], None);
    let wanted = "cold.json is not in the folder of an agent; name the agent with --agent FOLDER";
    assert!(text(&refused.stderr).contains(wanted), "{}", text(&refused.stderr));
}

/// A conformance test of `home`, in the folder around the agent.
fn conformance_test(folder: &Path) {
    let test = folder.join("specs/greeting/hello");
    std::fs::create_dir_all(&test).unwrap();
    let write = |name: &str, text: &str| std::fs::write(test.join(name), text).unwrap();
    write("spec.yaml", "description: Greets\nagent: home\nuser_messages: [{ text: Hi }]\n");
    write(
        "generated-recordings.yaml",
        "recordings:
  - user_message_index: 0
    agent_name: Home_automation_agent
    llm_recording:
      llm_request: { model: gemini-2.5-flash }
      llm_responses:
        - content: { parts: [{ text: Hello }], role: model }
",
    );
    write(
        "generated-session.yaml",
        "id: s
app_name: home
user_id: adk_conformance_test_user
events:
  - content: { parts: [{ text: Hi }], role: user }
    author: user
  - content: { parts: [{ text: Hello }], role: model }
    author: Home_automation_agent
    node_info: { path: home@1 }
",
    );
}

#[test]
fn a_conformance_test_is_a_case() {
    let folder = home();
    conformance_test(folder.path());
    let test = "specs/greeting/hello/spec.yaml";
    for file in [test, "specs/greeting/hello/generated-recordings.yaml"] {
        let listed = run(folder.path(), &[file, "--list"], None);
        assert_eq!(text(&listed.stdout), "greeting/hello\n", "{}", text(&listed.stderr));
    }
    let path = folder.path().join(test);
    let spec = std::fs::read_to_string(&path).unwrap();
    let refused = |with: &str| {
        std::fs::write(&path, with).unwrap();
        let refused = run(folder.path(), &[test, "--list"], None);
        assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stdout));
        text(&refused.stderr)
    };
    let error = refused(&spec.replace("agent: home", "agent: away"));
    let wanted =
        "is of the agent away, which is in no folder around it; name the agent with --agent FOLDER";
    assert!(error.contains(wanted), "{error}");
    let error = refused(&spec.replace("user_messages", "initial_state: none\nuser_messages"));
    assert!(error.contains("spec.yaml"), "{error}");
    // A suite may have the name.
    let suite = "subject: { adk: ../../../home }\ncases: [{ name: own, first_message: Hi }]\n";
    std::fs::write(&path, suite).unwrap();
    let listed = run(folder.path(), &[test, "--list"], None);
    assert_eq!(text(&listed.stdout), "own\n", "{}", text(&listed.stderr));
    std::fs::write(&path, spec).unwrap();

    let Some(python) = test_needs::python() else { return };
    let ran = run(folder.path(), &[test], Some(&python));
    assert_eq!(ran.status.code(), Some(0), "{}{}", text(&ran.stdout), text(&ran.stderr));
    let recordings = path.with_file_name("generated-recordings.yaml");
    std::fs::write(&recordings, "recordings: []\n").unwrap();
    let ran = run(folder.path(), &[test], Some(&python));
    let wanted = "the recording has no response of Home_automation_agent in turn 1";
    let report = text(&ran.stdout);
    assert!(ran.status.code() == Some(1) && report.contains(wanted), "{report}");
}
