//! What goes wrong on purpose, with tools that run and with mocks.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use eval::given_model::{GivenModel, ModelTurn};
use eval::python::AdkPythonSubject;
use eval::tool_fault::{FaultEffect, ToolFault};
use eval::{EvalCase, EvalResult, Status, ToolMock, ToolUse, run_eval};
use json_text::JsonText;
use serde_json::{Value, json};

fn value(value: &Value) -> JsonText {
    JsonText::from_value(value)
}

fn always(tool: &str, effect: FaultEffect) -> ToolFault {
    ToolFault { tool: tool.to_owned(), args: Default::default(), probability: 1.0, effect }
}

/// A case that records an answer, which the tool itself does, and reads a policy, which a mock does.
fn case(subject: &Arc<AdkPythonSubject>) -> EvalCase {
    let answer = json!({ "question": "Where?", "answer": "In the chest" });
    let turns = vec![
        ModelTurn::call("record_answer", value(&answer)),
        ModelTurn::call("read", value(&json!({ "policy_id": "x" }))),
        ModelTurn::text("Done"),
    ];
    EvalCase::new("faults", subject.clone())
        .first_message("Hi")
        .model(GivenModel::scripted(turns))
        .tool("record_answer", ToolUse::Real)
        .tool("read", ToolUse::Mock(ToolMock::Returns(value(&json!({ "policy": "Call 999." })))))
}

/// The results of tools, and the events of faults.
fn shown(result: &EvalResult) -> Vec<String> {
    let events = result.events.iter().map(|entry| serde_json::to_value(&entry.event));
    let events = events.map(|event| event.expect("serializes"));
    events
        .filter_map(|event| match event["type"].as_str() {
            Some("tool_result") => Some(format!("{} {}", event["from"], event["result"])),
            Some("tool_fault") => Some(format!("{} {}", event["name"], event["effect"])),
            _ => None,
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn results_are_cut_and_replaced() {
    let Some(python) = test_needs::python() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/triage");
    let subject = Arc::new(AdkPythonSubject::new(&folder, Some(&python)));
    let cut = case(&subject)
        .fault(always("record_answer", FaultEffect::Truncates(8)))
        .fault(always("read", FaultEffect::Truncates(10)))
        .fault(always("read", FaultEffect::Latency(Duration::from_millis(1))));
    let cut = run_eval(&cut).await;
    assert_eq!(cut.status, Status::Passed, "{:?}", cut.error);
    expect_test::expect![[r#"
        "record_answer" {"truncates":8}
        "real" {"result":"{\"record"}
        "read" {"truncates":10}
        "read" {"latency_ms":1}
        "mock" {"result":"{\"policy\":"}"#]]
    .assert_eq(&shown(&cut).join("\n"));

    let down = value(&json!({ "error": "503" }));
    let down = case(&subject)
        .fault(always("record_answer", FaultEffect::Returns(down.clone())))
        .fault(always("read", FaultEffect::Returns(down)));
    let down = run_eval(&down).await;
    assert_eq!(down.status, Status::Passed, "{:?}", down.error);
    let state = down.events.last().map(|last| serde_json::to_value(&last.event).expect("a value"));
    assert_eq!(state.expect("an end")["state"], json!({}), "the tool did not run");
    assert_eq!(
        shown(&down).iter().filter(|line| **line == r#""fault" {"error":"503"}"#).count(),
        2
    );

    let raised = case(&subject).fault(always("read", FaultEffect::Raises("503".to_owned())));
    let raised = run_eval(&raised).await;
    let message = raised.error.expect("an error").message;
    assert!(message.ends_with("no callback or plugin of the agent handled it: 503"), "{message}");
}
