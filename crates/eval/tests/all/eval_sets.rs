//! Eval sets of google-adk as they are.

use std::path::Path;
use std::sync::Arc;

use eval::file::{EvalSetOptions, ModelChoice, read_eval_set};
use eval::python::AdkPythonSubject;
use eval::{Status, run_eval};
use scoring::config::Config;

fn options(python: &Path, real_tools: &[&str]) -> EvalSetOptions {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/home");
    EvalSetOptions {
        subject: Arc::new(AdkPythonSubject::new(&folder, Some(python))),
        model: ModelChoice::Replay,
        config: Config::adk_default(),
        real_tools: real_tools.iter().map(ToString::to_string).collect(),
    }
}

const TOOLS: [&str; 3] = ["get_device_info", "set_device_info", "get_temperature"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn googles_eval_sets_of_one_agent_are_replayed_by_its_real_tools() {
    let Some(python) = test_needs::python() else { return };
    let Some(corpora) = test_needs::corpus("adk-evalsets") else { return };
    let options = options(&python, &TOOLS);
    let mut files = 0;
    for entry in std::fs::read_dir(corpora).expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.contains("home_automation") {
            continue;
        }
        files += 1;
        let cases = read_eval_set(&path, &options).unwrap_or_else(|error| panic!("{error}"));
        for case in cases {
            let result = run_eval(&case).await;
            let told = (&result.error, &result.metrics);
            assert_eq!(result.status, Status::Passed, "{name}: {told:?}");
            for (metric, result) in result.metrics {
                assert!(result.score >= Some(1.0 - 1e-9), "{name}: {metric}: {result:?}");
            }
        }
    }
    assert_eq!(files, 6);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recording_answers_for_the_tools_and_nothing_else_runs() {
    let Some(python) = test_needs::python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("home.evalset.json");
    let set = r#"{"eval_set_id": "home", "eval_cases": [
        {"eval_id": "temperature", "session_input": {"app_name": "home", "user_id": "u", "state": {"unit": "C"}},
         "conversation": [{
            "user_content": {"role": "user", "parts": [{"text": "How warm is it?"}]},
            "final_response": {"role": "model", "parts": [{"text": "18 degrees"}]},
            "intermediate_data": {
                "tool_uses": [{"id": "1", "name": "get_temperature", "args": {"location": "Hall"}}],
                "tool_responses": [{"id": "1", "name": "get_temperature", "response": {"result": 18}}]}}]}]}"#;
    std::fs::write(&path, set).expect("written");
    let cases = read_eval_set(&path, &options(&python, &[])).expect("a set");
    let result = run_eval(&cases[0]).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let returned = result.events.iter().find(|entry| entry.event.name() == "tool_result");
    let returned = serde_json::to_value(&returned.expect("a result").event).expect("serializes");
    assert_eq!(returned["result"], serde_json::json!({ "result": 18 }));
    assert_eq!(returned["from"], "mock");

    let unrecorded = set.replace(
        r#""tool_responses": [{"id": "1", "name": "get_temperature", "response": {"result": 18}}]"#,
        r#""tool_responses": []"#,
    );
    std::fs::write(&path, unrecorded).expect("written");
    let cases = read_eval_set(&path, &options(&python, &[])).expect("a set");
    let result = run_eval(&cases[0]).await;
    let message = result.error.expect("an error").message;
    assert!(message.starts_with("EvalToolError: the tool get_temperature"), "{message}");
}
