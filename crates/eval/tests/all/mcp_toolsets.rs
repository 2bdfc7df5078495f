//! Agents of google-adk with MCP toolsets, and recorded declarations of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eval::given_model::{GivenModel, ModelTurn};
use eval::python::AdkPythonSubject;
use eval::run_failure::RunFailure;
use eval::{EvalCase, EvalResult, Status, ToolMock, ToolUse, check_cases, run_eval};
use json_text::JsonText;
use serde_json::{Value, json};
use tempfile::TempDir;

fn agents() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents")
}

/// The agent, whose server notes in `folder` that it starts and what is called.
fn reader(python: &Path, folder: &TempDir, declarations: Option<&Path>) -> AdkPythonSubject {
    let subject = AdkPythonSubject::new(&agents().join("reader"), Some(python))
        .environment("LIBRARY_LOG", folder.path().join("log").to_string_lossy());
    match declarations {
        Some(file) => subject.declarations(file),
        None => subject,
    }
}

fn case(subject: AdkPythonSubject) -> EvalCase {
    let args = JsonText::from_value(&json!({ "title": "Emma" }));
    EvalCase::new("reads", Arc::new(subject)).first_message("Where is Emma?").model(
        GivenModel::scripted(vec![
            ModelTurn::call("library_search", args),
            ModelTurn::text("On shelf 7"),
        ]),
    )
}

/// What the tool gave.
fn found(result: &EvalResult) -> Value {
    let entry = result.events.iter().find(|entry| entry.event.name() == "tool_result");
    let entry = entry.unwrap_or_else(|| panic!("no result: {:?}", result.error));
    serde_json::to_value(&entry.event).expect("serializes")["result"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recorded_declarations_stand_for_a_server_until_a_tool_may_run() {
    let Some(python) = test_needs::python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let log = || std::fs::read_to_string(folder.path().join("log")).unwrap_or_default();
    let tools = agents().join("library/tools.json");

    let result = run_eval(&case(reader(&python, &folder, None))).await;
    let error = result.error.expect("an error").message;
    assert!(error.contains("`allow: [McpToolset]`"), "{error}");

    let mock = ToolMock::Returns(JsonText::from_value(&json!({ "shelf": 7 })));
    let mocked =
        case(reader(&python, &folder, Some(&tools))).tool("library_search", ToolUse::Mock(mock));
    let result = run_eval(&mocked).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(found(&result), json!({ "shelf": 7 }));

    let result = run_eval(&case(reader(&python, &folder, Some(&tools)))).await;
    let error = result.error.expect("an error").message;
    assert!(error.starts_with("EvalToolError: the tool library_search was called"), "{error}");
    assert_eq!(log(), "", "the server did not start");

    let real = case(reader(&python, &folder, Some(&tools))).tool("library_search", ToolUse::Real);
    let result = run_eval(&real).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(found(&result)["structuredContent"], json!({ "shelf": 7 }));
    assert_eq!(log(), "started\nsearch Emma\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn declarations_that_do_not_fit_the_agent_are_refused_before_anything_runs() {
    let Some(python) = test_needs::python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tools.json");
    let refused = async |json: Value| {
        std::fs::write(&file, json.to_string()).expect("written");
        let case = case(reader(&python, &folder, Some(&file)));
        let checked = check_cases(std::iter::once(&case), 1).await;
        let fault = checked.map_err(|(_, fault)| fault).expect_err("refused");
        assert!(matches!(fault, RunFailure::Declarations { .. }), "{fault:?}");
        fault.to_string()
    };
    let begin = "the recorded declarations do not fit the agent: ";
    for (json, error) in [
        (
            json!({ "readr": { "tools": [] } }),
            "no agent with an MCP toolset has the name readr; did you mean reader?",
        ),
        (json!({ "reader": 7 }), "it has no list of the tools of reader. Write the response"),
        (json!([{ "name": "search" }]), "the tools of reader: "),
        (
            json!({ "tools": [], "nextCursor": "2" }),
            "the tools of reader are those of the first page only",
        ),
    ] {
        let shown = refused(json).await;
        assert!(shown.starts_with(&format!("{begin}{error}")), "{shown}");
    }
    let mut mistyped = case(reader(&python, &folder, Some(&agents().join("library/tools.json"))));
    mistyped.named_tools.insert("library_serch".to_owned());
    let checked = check_cases(std::iter::once(&mistyped), 1).await;
    let fault = checked.map_err(|(_, fault)| fault).expect_err("refused").to_string();
    assert!(fault.contains("did you mean library_search?"), "{fault}");
}
