//! Eval sets of google-adk as they are.

use std::path::Path;
use std::sync::Arc;

use eval::file::{EvalSetOptions, ModelChoice, ReadOptions, read, read_eval_set, suite_of};
use eval::golden::Golden;
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_suite_made_from_a_golden_trace_passes_with_its_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("home.evalset.json");
    let set = r#"{"eval_set_id": "home", "eval_cases": [
        {"eval_id": "warmer", "session_input": {"app_name": "home", "user_id": "u", "state": {"unit": "C"}},
         "conversation": [{
            "user_content": {"role": "user", "parts": [{"text": "How warm is it?"}]},
            "final_response": {"role": "model", "parts": [{"text": "18 in the hall, 20 in the attic"}]},
            "intermediate_data": {
                "tool_uses": [
                    {"id": "1", "name": "get_temperature", "args": {"location": "Hall"}},
                    {"id": "2", "name": "get_temperature", "args": {"location": "Attic"}},
                    {"id": "3", "name": "get_device_info", "args": {"device_id": "d1"}}],
                "tool_responses": [
                    {"id": "1", "name": "get_temperature", "response": {"result": 18}},
                    {"id": "2", "name": "get_temperature", "response": {"result": 20}},
                    {"id": "3", "name": "get_device_info", "response": {"status": "OFF"}}]}},
           {"user_content": {"role": "user", "parts": [{"text": "And now?"}]},
            "final_response": {"role": "model", "parts": [{"text": "21"}]},
            "intermediate_data": {
                "tool_uses": [{"id": "4", "name": "set_device_info", "args": {"device_id": "d1"}},
                              {"id": "5", "name": "set_device_info", "args": {"device_id": "d1"}}],
                "tool_responses": [{"id": "4", "name": "set_device_info", "response": {"result": "on"}},
                                   {"id": "5", "name": "set_device_info", "response": {"result": "off"}}]}}]}]}"#;
    std::fs::write(&path, set).expect("written");
    let golden = Golden::read(&path, Some("warmer")).expect("the case");
    let agent = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/home");
    let made = suite_of(&golden, Path::new("home.evalset.json"), &agent).expect("a suite");
    let told = made.replace(&*agent.to_string_lossy(), "AGENT");
    expect_test::expect![[r#"
        subject:
          adk: AGENT
        cases:
        - name: warmer
          golden:
            eval_set: home.evalset.json
            case: warmer
          initial_state:
            session:
              unit: C
          first_message: How warm is it?
          user_agents:
            loop:
              script:
              - And now?
          tools:
            get_temperature:
              table:
                rows:
                - args:
                    location: Hall
                  mock:
                    returns: 18
                - args:
                    location: Attic
                  mock:
                    returns: 20
            get_device_info:
              returns:
                status: "OFF"
            set_device_info:
              recorded: {}
          metrics:
          - criteria:
              tool_trajectory_avg_score: 1.0
              response_match_score: 0.8
    "#]]
    .assert_eq(&told);

    let Some(python) = test_needs::python() else { return };
    let suite = folder.path().join("home.eval.yaml");
    std::fs::write(&suite, format!("model: replay\n{made}")).expect("written");
    let options = ReadOptions { python: Some(python) };
    let cases = read(&suite, &options).unwrap_or_else(|error| panic!("{error}\n{made}"));
    let result = run_eval(&cases[0]).await;
    assert_eq!(result.status, Status::Passed, "{:?} {:?}", result.error, result.metrics);
    assert_eq!(result.metrics.len(), 2);

    let missing = Golden::read(&path, Some("warmest")).expect_err("no such case");
    assert!(
        missing.to_string().ends_with("has no case warmest; did you mean warmer?"),
        "{missing}"
    );
    let named = "  golden:\n    eval_set: home.evalset.json\n    case: warmer\n";
    let unnamed = made.replace(named, "");
    std::fs::write(&suite, format!("model: replay\n{unnamed}")).expect("written");
    let refused = read(&suite, &options).err().expect("no golden trace").to_string();
    assert!(refused.contains("the case names no recorded case"), "{refused}");
}
