//! Calls of tools that code makes, and no model: they are in the ledger like others.

use std::path::Path;
use std::sync::Arc;

use eval::given_model::{GivenModel, ModelTurn};
use eval::ledger::{Event, Origin};
use eval::python::AdkPythonSubject;
use eval::{EvalCase, Status, ToolMock, ToolUse, check_cases, run_eval};
use json_text::JsonText;
use serde_json::json;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_by_code_are_in_the_ledger() {
    let Some(python) = test_needs::python() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/by_code");
    let subject = Arc::new(AdkPythonSubject::new(&folder, Some(&python)));
    let args = |value| JsonText::from_value(&value);
    let turns = vec![
        ModelTurn::call("book", args(json!({ "room": "m" }))),
        ModelTurn::call("book_all", args(json!({}))),
        ModelTurn::text("Done"),
    ];
    let booked = ToolMock::Returns(args(json!({ "booked": true })));
    let case = EvalCase::new("by code", subject)
        .first_message("Book")
        .model(GivenModel::scripted(turns))
        .tool("book", ToolUse::Mock(booked))
        .tool("book_all", ToolUse::Sealed);
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let calls: Vec<_> = result
        .events
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::ToolCall { name, args, agent, is_inner, .. } if name == "book" => {
                Some((args.to_value().ok()?["room"].clone(), agent.as_str(), *is_inner))
            }
            _ => None,
        })
        .collect();
    // What traces have is what the model called.
    assert_eq!(
        calls,
        [
            (json!("m"), "clerk", false),
            (json!("a"), "clerk", true),
            (json!("b"), "clerk", true),
            (json!("c"), "cleaner", true)
        ]
    );
    let from = |tool: &str| -> Vec<Origin> {
        let results = result.events.iter().filter_map(|entry| match &entry.event {
            Event::ToolResult { name, from, .. } if name == tool => Some(*from),
            _ => None,
        });
        results.collect()
    };
    assert_eq!(from("book"), [Origin::Mock; 4]);
    assert_eq!(from("book_all"), [Origin::Sealed], "its own code ran");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_that_only_code_of_a_workflow_runs_can_be_mocked() {
    let Some(python) = test_needs::python() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/dynamic");
    let subject = Arc::new(AdkPythonSubject::new(&folder, Some(&python)));
    let four = ToolMock::Returns(JsonText::from_value(&json!(4)));
    let case = EvalCase::new("dynamic", subject)
        .first_message("Measure")
        .tool("measure", ToolUse::Mock(four))
        .tool("measure_all", ToolUse::Sealed);
    assert!(check_cases(std::iter::once(&case), 1).await.is_ok());
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let outputs: Vec<_> = result
        .events
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::ToolResult { name, result, from, .. } => {
                Some((name.as_str(), result.to_value().ok()?, *from))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        outputs,
        [
            ("measure", json!({ "result": 4 }), Origin::Mock),
            ("measure", json!({ "result": 4 }), Origin::Mock),
            ("measure_all", json!({ "result": 8 }), Origin::Sealed),
        ]
    );
}
