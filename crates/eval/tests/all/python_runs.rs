//! Cases of agents in Python, run by google-adk's own runner.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eval::file::{ReadOptions, read};
use eval::given_model::{GivenModel, ModelTurn};
use eval::mock::{ArgsMatch, Row};
use eval::python::AdkPythonSubject;
use eval::result::TerminationReason;
use eval::trace::trace;
use eval::{EvalCase, EvalResult, Status, ToolMock, ToolUse, run_eval};
use json_text::JsonText;
use serde_json::json;

fn agents() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents")
}

async fn run(suite: &str, python: PathBuf) -> EvalResult {
    let options = ReadOptions { python: Some(python), ..ReadOptions::default() };
    let cases = read(&agents().join(suite), &options).unwrap_or_else(|error| panic!("{error}"));
    run_eval(&cases[0]).await
}

/// The events as lines: their type and what tells them apart.
fn shown(result: &EvalResult) -> String {
    let line = |entry: &eval::ledger::Entry| {
        let value = serde_json::to_value(&entry.event).expect("serializes");
        let members = ["name", "text", "from", "tool_name", "response", "changes", "reason"];
        let shown: Vec<String> =
            members.iter().filter_map(|name| value.get(*name)).map(ToString::to_string).collect();
        format!("{} {}", entry.event.name(), shown.join(" "))
    };
    result.events.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_triage_story_runs_with_a_scripted_model() {
    let Some(python) = test_needs::python() else { return };
    let result = run("triage.eval.yaml", python).await;
    expect_test::expect![[r#"
        initial_state 
        user_message "I have really bad chest pain"
        model_request 
        tool_call "ask"
        yield "ask"
        user_agent_prompt "Tool: ask\nArgs: {\"question\":\"Does it spread?\"}"
        user_agent_response {"answer":"To my left arm"}
        tool_result "ask" "user_agent"
        state_change {"patient":{"age":55,"gender":"male","revealedConditions":["hypertension"]}}
        model_request 
        tool_call "record_answer"
        tool_call "read"
        tool_result "record_answer" "sealed"
        tool_result "read" "mock"
        state_change {"beliefs":{"Does it spread?":"To my left arm"}}
        model_request 
        message "Your symptoms are serious. Are you alone?"
        yield 
        user_agent_prompt "Your symptoms are serious. Are you alone?"
        user_agent_response "Yes, I am alone"
        user_message "Yes, I am alone"
        model_request 
        tool_call "escalate"
        tool_result "escalate" "sealed"
        state_change {"escalation":{"urgencyLevel":"emergency_999","reason":"cardiac"}}
        model_request 
        message "I am calling 999."
        termination "state_matches""#]]
    .assert_eq(&shown(&result));
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(result.termination_reason, Some(TerminationReason::StateMatches));
    assert_eq!(result.turns, 2);
    assert_eq!(
        result.metrics["efficient_triage"].value,
        Some(JsonText::parse("1").expect("valid"))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_agents_callbacks_and_plugins_run_around_a_mock() {
    let Some(python) = test_needs::python() else { return };
    let subject = AdkPythonSubject::new(&agents().join("callbacks"), Some(&python));
    let value = |value: serde_json::Value| JsonText::from_value(&value);
    let row = Row {
        args: ArgsMatch {
            equal: vec![("name".to_owned(), value(json!("ADA")))],
            ..ArgsMatch::default()
        },
        mock: ToolMock::Returns(value(json!({ "found": true }))),
    };
    let call = ModelTurn::call("find", value(json!({ "name": "Ada" })));
    let case = EvalCase::new("callbacks", Arc::new(subject))
        .first_message("Find Ada")
        .model(GivenModel::scripted(vec![call, ModelTurn::text("Here she is.")]))
        .tool("find", ToolUse::Mock(ToolMock::Table { rows: vec![row], otherwise: None }));
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let events: Vec<_> =
        result.events.iter().map(|it| serde_json::to_value(&it.event).expect("JSON")).collect();
    let returned = events.iter().find(|event| event["type"] == "tool_result").expect("a result");
    assert_eq!(returned["result"], json!({ "found": true, "checked": true }));
    assert_eq!(events.last().expect("the end")["state"]["noted"], "find");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mock_of_an_agent_answers_as_its_output_schema_says() {
    let Some(python) = test_needs::python() else { return };
    let subject = Arc::new(AdkPythonSubject::new(&agents().join("nested"), Some(&python)));
    let run = async |verdict: serde_json::Value| {
        let call = ModelTurn::call("judge", JsonText::from_value(&json!({ "request": "There?" })));
        let case = EvalCase::new("judged", Arc::clone(&subject) as _)
            .first_message("Is it there?")
            .model(GivenModel::scripted(vec![call, ModelTurn::text("Yes.")]))
            .tool("judge", ToolUse::Mock(ToolMock::Returns(JsonText::from_value(&verdict))));
        run_eval(&case).await
    };
    let result = run(json!({ "is_there": true })).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let error = run(json!({ "is_there": "perhaps" })).await.error.expect("an error").message;
    assert!(error.contains("it does not match the tool's output schema. /is_there: "), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_happens_in_agents_that_are_tools_is_noted_once() {
    let Some(python) = test_needs::python() else { return };
    let subject = AdkPythonSubject::new(&agents().join("nested"), Some(&python));
    let call =
        |tool: &str, args: serde_json::Value| ModelTurn::call(tool, JsonText::from_value(&args));
    let turns = vec![
        call("middle", json!({ "request": "Is it there?" })),
        call("inner", json!({ "request": "Is it there?" })),
        call("look", json!({ "place": "the shelf" })),
        ModelTurn::text("It is."),
        ModelTurn::text("Yes."),
        ModelTurn::text("Yes, it is."),
    ];
    let found = ToolMock::Returns(JsonText::from_value(&json!({ "found": true })));
    let case = EvalCase::new("nested", Arc::new(subject))
        .first_message("Is it there?")
        .model(GivenModel::scripted(turns))
        .tool("look", ToolUse::Mock(found));
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    expect_test::expect![[r#"
        initial_state 
        user_message "Is it there?"
        model_request 
        tool_call "middle"
        model_request 
        tool_call "inner"
        model_request 
        tool_call "look"
        tool_result "look" "mock"
        model_request 
        message "It is."
        tool_result "inner" "framework"
        model_request 
        message "Yes."
        tool_result "middle" "framework"
        model_request 
        message "Yes, it is."
        termination "#]]
    .assert_eq(&shown(&result));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_and_outputs_of_workflows_are_in_the_ledger() {
    let Some(python) = test_needs::python() else { return };
    let subject = AdkPythonSubject::new(&agents().join("flow"), Some(&python));
    let text = ToolMock::Returns(JsonText::from_value(&json!("not written")));
    let case = EvalCase::new("flow", Arc::new(subject))
        .first_message("notes.txt")
        .tool("write_file", ToolUse::Mock(text));
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    expect_test::expect![[r#"
        initial_state 
        user_message "notes.txt"
        tool_call "write_file"
        tool_result "write_file" "mock"
        node_output 
        termination "#]]
    .assert_eq(&shown(&result));
    let events: Vec<_> =
        result.events.iter().map(|it| serde_json::to_value(&it.event).expect("JSON")).collect();
    assert_eq!((&events[2]["agent"], &events[2]["is_inner"]), (&json!("flow"), &json!(true)));
    assert_eq!(events[3]["result"], json!({ "result": "not written" }));
    assert_eq!((&events[4]["node"], &events[4]["output"]), (&json!("flow"), &json!("not written")));
    assert_eq!(trace(&result.events).invocations[0].tool_calls.len(), 0, "as in google-adk");
}
