//! Eval sets whose tools a model plays.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use eval::file::{EvalSetOptions, ModelChoice, read_eval_set_with_models};
use eval::given_model::{GivenModel, ModelCall, ModelTurn};
use eval::ledger::{Event, Origin, Role};
use eval::python::AdkPythonSubject;
use eval::result::TokenUsage;
use eval::run_failure::AtFault;
use eval::{EvalCase, EvalResult, Status, run_eval};
use json_text::JsonText;
use serde_json::{Value, json};

use crate::wire::{Endpoint, Request, says};

fn agent(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents").join(name)
}

/// How the cases of an eval set are run whose tools a model at this endpoint plays.
fn options(agent: &Path, python: &Path, endpoint: &Endpoint) -> EvalSetOptions {
    EvalSetOptions {
        subject: Arc::new(AdkPythonSubject::new(agent, Some(python))),
        model: ModelChoice::Own,
        config: None,
        real_tools: Vec::new(),
        sealed_tools: Vec::new(),
        simulated_by: Some(endpoint.models().model("openai/gpt-5-mini").expect("a model")),
        only: None,
    }
}

/// The only case of an eval set with these recorded calls.
fn case(options: &EvalSetOptions, endpoint: &Endpoint, recorded: &Value) -> EvalCase {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("flights.evalset.json");
    let set = json!({ "eval_set_id": "flights", "eval_cases": [{ "eval_id": "oslo", "conversation": [{
        "user_content": { "role": "user", "parts": [{ "text": "To Oslo" }] },
        "final_response": { "role": "model", "parts": [{ "text": "Done" }] },
        "intermediate_data": recorded,
    }] }] });
    std::fs::write(&path, set.to_string()).expect("written");
    read_eval_set_with_models(&path, options, &endpoint.models()).expect("a set").remove(0)
}

fn calls(tool: &str, args: &Value) -> ModelTurn {
    let call = ModelCall::new(tool, JsonText::from_value(args));
    ModelTurn { text: String::new(), calls: vec![call] }
}

/// The results in the ledger: the tool, what it returned, and where that comes from.
fn results(result: &EvalResult) -> Vec<(String, Value, Origin)> {
    let of = |entry: &eval::ledger::Entry| match &entry.event {
        Event::ToolResult { name, result, from, .. } => {
            Some((name.clone(), result.to_value().expect("JSON"), *from))
        }
        _ => None,
    };
    result.events.iter().filter_map(of).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_tool_without_a_recorded_result_is_simulated_in_one_world() {
    let Some(python) = test_needs::python() else { return };
    let endpoint = Endpoint::start(|request: &Request| {
        let text = match request.number {
            0 => r#"{"result": {"left": 3}, "changes": {"seats": {"OSL2": 3}}}"#,
            1 => r#"{"result": {"seat": "4A"}, "changes": {"seats": {"OSL2": 2}}}"#,
            _ => r#"{"result": "Rain"}"#,
        };
        says(request, text)
    })
    .await;
    let recorded = json!({
        "tool_uses": [{ "id": "1", "name": "seats", "args": { "flight": "OSL1" } }],
        "tool_responses": [{ "id": "1", "name": "seats", "response": { "left": 0 } }],
    });
    let agents = BTreeMap::from([
        (
            "growing".to_owned(),
            vec![
                calls("seats", &json!({ "flight": "OSL1" })),
                calls("seats", &json!({ "flight": "OSL2" })),
                calls("book", &json!({ "flight": "OSL2" })),
                calls("forecaster", &json!({ "request": "Oslo" })),
                ModelTurn::text("Done"),
            ],
        ),
        (
            "forecaster".to_owned(),
            vec![calls("weather", &json!({ "city": "Oslo" })), ModelTurn::text("It rains")],
        ),
    ]);
    let case = case(&options(&agent("growing"), &python, &endpoint), &endpoint, &recorded);
    let result = run_eval(&case.model(GivenModel::ScriptedByAgent(Arc::new(agents)))).await;
    assert!(result.error.is_none(), "{:?}", result.error);
    assert_eq!(
        results(&result),
        [
            ("seats".to_owned(), json!({ "left": 0 }), Origin::Mock),
            ("seats".to_owned(), json!({ "left": 3 }), Origin::Mock),
            ("book".to_owned(), json!({ "seat": "4A" }), Origin::Mock),
            ("weather".to_owned(), json!({ "result": "Rain" }), Origin::Mock),
            ("forecaster".to_owned(), json!({ "result": "It rains" }), Origin::Framework),
        ]
    );
    assert_eq!(TokenUsage::of(Role::Mock, &result.events), TokenUsage { input: 30, output: 15 });
    // One request for each call, with the tool's declaration and what the calls before it did.
    let asked: Vec<String> = endpoint.requests().iter().map(Request::text).collect();
    assert_eq!(asked.len(), 3);
    assert!(asked[0].contains("Counts the free seats of a flight."), "{}", asked[0]);
    for part in ["Books a seat on a flight.", "OSL2", "returned {"] {
        assert!(asked[1].contains(part), "{part} is not in {}", asked[1]);
    }
    assert!(asked[2].contains("Says how the weather is."), "{}", asked[2]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_model_that_plays_tools_is_a_part_of_the_case() {
    let Some(python) = test_needs::python() else { return };
    let endpoint = Endpoint::start(|request| says(request, "{}")).await;
    let of = |model: Option<&str>| {
        let model = model.map(|name| endpoint.models().model(name).expect("a model"));
        let options = EvalSetOptions {
            simulated_by: model,
            only: None,
            ..options(&agent("growing"), &python, &endpoint)
        };
        case(&options, &endpoint, &json!({})).source.content_hash
    };
    let hashes = [None, Some("openai/gpt-5-mini"), Some("gemini-2.5-flash")].map(of);
    assert!(hashes[0] != hashes[1] && hashes[1] != hashes[2] && hashes[0] != hashes[2]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_simulated_result_must_fit_the_tool() {
    let Some(python) = test_needs::python() else { return };
    let recorded = json!({
        "tool_uses": [{ "id": "1", "name": "seats", "args": { "flight": "OSL1" } }],
        "tool_responses": [{ "id": "1", "name": "seats", "response": { "left": 0 } }],
    });
    let run = async |endpoint: &Endpoint, tool: &str| {
        let turns = vec![calls(tool, &json!({ "flight": "OSL2" })), ModelTurn::text("Done")];
        let case = case(&options(&agent("growing"), &python, endpoint), endpoint, &recorded);
        run_eval(&case.model(GivenModel::scripted(turns))).await
    };
    for tool in ["seats", "book"] {
        let endpoint = Endpoint::start(|request| {
            says(request, [r#"{"result": 3}"#, r#"{"result": {"left": 3}}"#][request.number.min(1)])
        })
        .await;
        let result = run(&endpoint, tool).await;
        assert!(result.error.is_none(), "{:?}", result.error);
        assert_eq!(results(&result), [(tool.to_owned(), json!({ "left": 3 }), Origin::Mock)]);
        let again = endpoint.requests()[1].text();
        assert!(
            again.contains("in `result`, it does not match the tool's output schema"),
            "{again}"
        );

        let endpoint = Endpoint::start(|request| says(request, r#"{"result": 3}"#)).await;
        let error = run(&endpoint, tool).await.error.expect("an error");
        assert_eq!(error.at_fault, AtFault::Mock);
        assert!(error.message.contains("in `result`, it does not match"), "{}", error.message);
        assert_eq!(endpoint.requests().len(), 2);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_eval_set_of_google_without_results_runs_with_simulated_tools() {
    let Some(python) = test_needs::python() else { return };
    let Some(corpora) = test_needs::corpus("adk-evalsets") else { return };
    let endpoint = Endpoint::start(|request: &Request| {
        let is_text = request.text().contains(r"The call:\nset_device_info(");
        says(
            request,
            if is_text { r#"{"result": "Done"}"# } else { r#"{"result": {"status": "OFF"}}"# },
        )
    })
    .await;
    let path = corpora
        .join("tests__integration__fixture__home_automation_agent__test_files__dependent_tool_calls.test.json");
    let options = EvalSetOptions {
        model: ModelChoice::Replay,
        ..options(&agent("home"), &python, &endpoint)
    };
    for case in read_eval_set_with_models(&path, &options, &endpoint.models()).expect("a set") {
        let result = run_eval(&case).await;
        assert_eq!(result.status, Status::Passed, "{:?} {:?}", result.error, result.metrics);
        let results = results(&result);
        assert_eq!(endpoint.requests().len(), results.len(), "{results:?}");
        assert!(results.iter().all(|(.., from)| *from == Origin::Mock), "{results:?}");
    }
    assert!(!endpoint.requests().is_empty());
}
