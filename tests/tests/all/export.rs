//! google-adk's own model reads exported files, and they have all steps.

use std::path::Path;

use acceptance::{Host, binary, python, run_python, workspace};
use api::{ApiError, CaseStep, CaseView, ExportChoices, SetId};
use json_text::JsonText;
use serde_json::{Value, json};
use session::{AgentId, Answer, ToolResult};
use test_support::{Page, arguments};

/// Reads a file with ADK's own loader and prints it as ADK understands it.
const READ: &str = "
import sys
from google.adk.evaluation.eval_set import EvalSet
from google.adk.evaluation.local_eval_sets_manager import load_eval_set_from_file
strict = EvalSet.model_validate_json(open(sys.argv[1], encoding='utf-8').read())
loaded = load_eval_set_from_file(sys.argv[1], sys.argv[1])
assert loaded == strict, 'the loader read something else'
print(strict.model_dump_json())
";

fn read(python: &Path, path: &str) -> Value {
    serde_json::from_str(&run_python(python, READ, &[path])).unwrap()
}

#[tokio::test]
async fn results_are_written_as_the_configuration_says() {
    let Some(binary) = binary() else { return };
    let folder = tempfile::tempdir().unwrap();
    let config = "[export]\ntool_response = \"adk\"\n\n\
                  [[agent]]\nname = \"Math\"\nsource = \"native\"\nexample = \"math\"\n";
    std::fs::write(folder.path().join("rehearsal.toml"), config).unwrap();
    let host = Host::start_in(folder, &binary, None, &[], &[]);
    let mut math = Page::rehearse(host.address(), "math", "What is 2+2?").await;
    math.call("add", &arguments(&json!({ "a": 2, "b": 2 }))).await;
    math.respond("It is 4.");
    let receipt = math.export().await.unwrap();
    let path = host.folder().join(&receipt.path);
    let set: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let case = &set["eval_cases"][0];
    assert_eq!(case["rehearsal"]["tool_response"], "adk");
    let responses = &case["conversation"][0]["intermediate_data"]["tool_responses"];
    assert_eq!(responses[0]["response"], json!({ "result": 4 }), "a number is wrapped");
}

#[tokio::test]
async fn every_export_is_valid() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let host = Host::start(&binary, None, &[]);

    let mut maths = Page::rehearse(host.address(), "math-agent", "What is 2+2?").await;
    maths.call("add", &arguments(&json!({ "a": 2, "b": 2 }))).await;
    let exact = JsonText::parse(r#"{"a":9007199254740993,"b":0}"#).unwrap();
    maths.call("add", &exact).await;
    let overflow = JsonText::parse(r#"{"a":9223372036854775807,"b":1}"#).unwrap();
    assert!(matches!(maths.call("add", &overflow).await, Answer::Error(_)));
    maths.respond("The answer is 4");
    let receipt = maths.export().await.unwrap();
    assert!(receipt.created && !receipt.already_there);
    assert!(receipt.eval_id.starts_with("math_agent_20"), "{}", receipt.eval_id);
    let again = maths.export().await.unwrap();
    assert!(again.already_there);
    assert_eq!(again.eval_id, receipt.eval_id);

    let set = read(&python, &receipt.path);
    assert_eq!(set["eval_set_id"], "math_agent_evals");
    assert_eq!(set["eval_cases"].as_array().unwrap().len(), 1);
    let case = &set["eval_cases"][0];
    let invocation = &case["conversation"][0];
    let id = maths.session.id();
    assert_eq!(invocation["invocation_id"], format!("{id}_inv_0"));
    assert_eq!(invocation["user_content"]["parts"][0]["text"], "What is 2+2?");
    assert_eq!(invocation["user_content"]["role"], "user");
    assert_eq!(invocation["final_response"]["parts"][0]["text"], "The answer is 4");
    assert_eq!(invocation["final_response"]["role"], "model");
    assert_eq!(invocation["creation_timestamp"], case["creation_timestamp"]);
    assert_eq!(case["session_input"]["app_name"], "math_agent");
    let uses = invocation["intermediate_data"]["tool_uses"].as_array().unwrap();
    let responses = invocation["intermediate_data"]["tool_responses"].as_array().unwrap();
    assert_eq!((uses.len(), responses.len()), (3, 3));
    assert!(uses.iter().zip(responses).all(|(call, answer)| call["id"] == answer["id"]));
    assert_eq!(uses[0]["args"], json!({ "a": 2, "b": 2 }));
    assert_eq!(responses[0]["response"], json!({ "result": 4 }));
    assert_eq!(uses[1]["args"]["a"], 9_007_199_254_740_993_u64);
    let error = &responses[2]["response"]["error"];
    assert_eq!(error["type"], "InvalidInput");
    assert_eq!(error.as_object().unwrap().len(), 2, "no traceback: {error}");
}

#[tokio::test]
async fn exports_a_stored_result_completely() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let host = Host::start(&binary, None, &[]);
    let query = r#"{"query":"all of it","max_results":3}"#;
    let mut desk = Page::rehearse(host.address(), "travel-desk", query).await;
    desk.call("flight_archive", &arguments(&json!({ "megabytes": 5 }))).await;
    desk.respond(r#"{"answer":"Here it is.","confidence":1.0}"#);
    let receipt = desk.export().await.unwrap();
    assert!(!receipt.preview_is_whole && receipt.preview.len() < 1_000_000);
    let set = read(&python, &receipt.path);
    let invocation = &set["eval_cases"][0]["conversation"][0];
    let response = &invocation["intermediate_data"]["tool_responses"][0]["response"]["result"];
    assert!(response.as_array().unwrap().len() > 80_000);

    let mut poet = Page::rehearse(host.address(), "poet", "Spring?").await;
    poet.respond("buds\non bare boughs\n春");
    let receipt = poet.export().await.unwrap();
    let set = read(&python, &receipt.path);
    let text = &set["eval_cases"][0]["conversation"][0]["final_response"]["parts"][0]["text"];
    assert_eq!(text, "buds\non bare boughs\n春");
}

/// The value without members that are null, as ADK writes a file.
fn given(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(given).collect(),
        Value::Object(members) => {
            let members = members.iter().filter(|(_, value)| !value.is_null());
            Value::Object(members.map(|(key, value)| (key.clone(), given(value))).collect())
        }
        value => value.clone(),
    }
}

/// A copy of an agent of the Python tests, to which the host may export.
fn copied(folder: &tempfile::TempDir, name: &str) -> String {
    let (from, to) =
        (workspace().join("tests/python/fixtures").join(name), folder.path().join(name));
    std::fs::create_dir(&to).unwrap();
    for file in ["__init__.py", "agent.py"] {
        std::fs::copy(from.join(file), to.join(file)).unwrap();
    }
    to.to_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_export_names_what_google_adk_would_not_run() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let agent = copied(&folder, "answering");
    let host = Host::start(&binary, Some(&python), &[&agent]);
    let mut page = Page::rehearse(host.address(), "answering", "Hello.").await;
    page.call("set_by", &arguments(&json!({ "by": "model" }))).await;
    page.respond("Mine.");
    let preview = page.preview(ExportChoices::default()).await.unwrap();
    let [state, model] = preview.runner_differences.as_slice() else { panic!("{preview:?}") };
    assert!(state.contains("needs the state `owner`, which is not set"), "{state}");
    assert!(model.starts_with("In turn 1, the before_model_callback of desk responds"), "{model}");
    let receipt = page.export().await.unwrap();
    assert_eq!(receipt.runner_differences, preview.runner_differences);
    read(&python, &receipt.path);
}

#[tokio::test]
async fn a_session_of_one_agent_of_a_workflow_is_not_a_case_of_it() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let agent = copied(&folder, "sequential");
    let host = Host::start(&binary, Some(&python), &[&agent]);
    let mut page = Page::rehearse(host.address(), "sequential", "Hello.").await;
    page.respond("A draft.");
    let refused = page.export().await.unwrap_err();
    let ApiError::PartOfWorkflow(reason) = &refused else { panic!("{refused:?}") };
    assert!(reason.contains("you acted only as writer"), "{reason}");
    drop(host);
    // Also by a host that does not have the session.
    let host = Host::start(&binary, Some(&python), &[&agent]);
    page.move_to(host.address());
    assert_eq!(page.preview(ExportChoices::default()).await.unwrap_err(), refused);
}

/// Tools of the agent `hazards` that return every kind of value.
const RETURNING: [&str; 9] =
    ["wrapped", "bare", "nothing", "refuses", "model", "pair", "picture", "gallery", "stamped"];

#[tokio::test]
async fn results_are_recorded_as_by_the_runner_and_come_back() {
    let (Some(binary), Some(python)) = (binary(), python()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let agent = copied(&folder, "hazards");
    let agent = agent.as_str();
    let script = workspace().join("tests/fixtures/adk/runner_responses.py");
    let script = std::fs::read_to_string(script).unwrap();
    let printed = run_python(&python, &script, &[agent, &json!(RETURNING).to_string()]);
    let recorded = printed.lines().find_map(|line| line.strip_prefix("RECORDED")).unwrap();
    let recorded: Vec<Value> = serde_json::from_str(recorded).unwrap();

    let host = Host::start(&binary, Some(&python), &[agent]);
    let mut page = Page::rehearse(host.address(), "hazards", "Hello.").await;
    let mut returned = Vec::new();
    for tool in RETURNING {
        let Answer::Output(output) = page.call(tool, &arguments(&json!({}))).await else {
            panic!("{tool}: {:?}", page.last_answer())
        };
        returned.push(output.result);
    }
    page.respond("Done.");
    // The page keeps what an export needs.
    drop(host);
    let host = Host::start(&binary, Some(&python), &[agent]);
    page.move_to(host.address());
    let choices = ExportChoices { adk_tool_responses: Some(true), ..ExportChoices::default() };
    let receipt = page.export_with(choices).await.unwrap();
    let case = &read(&python, &receipt.path)["eval_cases"][0];
    let data = &case["conversation"][0]["intermediate_data"];
    for (written, recorded) in data["tool_responses"].as_array().unwrap().iter().zip(&recorded) {
        for field in ["name", "response", "parts"] {
            assert_eq!(given(&written[field]), given(&recorded[field]), "{recorded}");
        }
    }
    let name = json!({ "set": SetId::from(AgentId::parse("hazards").unwrap()),
        "eval_id": receipt.eval_id, "index": 0 });
    let opened: CaseView = page.ask("read_case", &name).await.unwrap();
    let steps = opened.turns[0].steps.iter().map(|step| match step {
        CaseStep::Call { returned: Some(returned), .. } => returned.compact(),
        _ => panic!("{step:?}"),
    });
    for (step, returned) in steps.zip(returned) {
        let ToolResult::Whole(returned) = returned else { panic!("it is small") };
        assert_eq!(step, returned.compact());
    }
}
