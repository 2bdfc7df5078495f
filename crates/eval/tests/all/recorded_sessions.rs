//! Sessions that google-adk recorded run as cases, without a model and without any tool.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use eval::file::{EvalSetOptions, ModelChoice, ReadOptions, read, read_eval_set, suite_of};
use eval::golden::Golden;
use eval::python::AdkPythonSubject;
use eval::{EvalCase, EvalResult, Status, run_eval};
use serde_json::{Value, json};

use crate::recorded_cases::runs;

/// How many sessions google-adk records.
const SEEDS: usize = 24;

/// How the recordings of an agent run.
fn options(agent: &Path, python: &Path, real_tools: &[&str]) -> EvalSetOptions {
    EvalSetOptions {
        subject: Arc::new(AdkPythonSubject::new(agent, Some(python))),
        model: ModelChoice::Replay,
        config: None,
        real_tools: real_tools.iter().map(|&tool| tool.to_owned()).collect(),
        sealed_tools: Vec::new(),
        simulated_by: None,
        only: None,
    }
}

/// The case that a suite made from the recording has.
fn case_of_suite(recording: &Path, agent: &Path, python: &Path) -> EvalCase {
    let golden = Golden::read(recording, None).expect("a recording");
    let suite = suite_of(&golden, recording, agent).expect("a suite");
    let mut suite: Value = serde_saphyr::from_str(&suite).expect("YAML");
    suite["model"] = json!("replay");
    let path = recording.with_extension("eval.yaml");
    std::fs::write(&path, suite.to_string()).expect("written");
    let options = ReadOptions { python: Some(python.to_owned()), ..ReadOptions::default() };
    read(&path, &options).expect("a suite").remove(0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_that_google_adk_records_pass() {
    let Some(python) = test_needs::python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let mut files = Vec::new();
    for (at, session) in runs(&python, &seeds(), "sessions", None).iter().enumerate() {
        let file = folder.path().join(format!("run_{at}.json"));
        std::fs::write(&file, session.to_string()).expect("written");
        files.push(file);
    }
    all_pass(&files, &python).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conformance_tests_that_google_adk_records_pass() {
    let Some(python) = test_needs::python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    runs(&python, &seeds(), "sessions", Some(folder.path()));
    let tests = std::fs::read_dir(folder.path()).expect("a folder");
    let files: Vec<_> = tests.map(|test| test.expect("a test").path().join("spec.yaml")).collect();
    assert!(!files.is_empty());
    all_pass(&files, &python).await;
}

fn seeds() -> String {
    std::env::var("REHEARSAL_TEST_SEEDS").unwrap_or_else(|_| format!("0 {SEEDS}"))
}

/// Whether these recordings of the agent `clerk` pass, and suites made of some.
async fn all_pass(files: &[PathBuf], python: &Path) {
    let clerk = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/clerk");
    let options = options(&clerk, python, &[]);
    let mut failed = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let recorded = read_eval_set(file, &options).expect("a recording").remove(0);
        let mut cases = vec![recorded];
        if at % 4 == 0 {
            cases.push(case_of_suite(file, &clerk, python));
        }
        for (form, case) in ["a recording", "a suite"].iter().zip(&cases) {
            let result = run_eval(case).await;
            if result.status != Status::Passed {
                failed.push(format!(
                    "{} as {form}: {:?} {:#?}",
                    file.display(),
                    result.error,
                    result.metrics
                ));
            }
        }
    }
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed.join("\n"));
}

/// An agent that books seats: each call appends a line to the file `booked`, and changes the state.
const AGENT: &str = r#"
import os
from google.adk.agents import LlmAgent

def book(seat: str, tool_context) -> dict:
    """Books a seat."""
    with open(os.path.join(os.path.dirname(__file__), "booked"), "a") as booked:
        booked.write(seat + "\n")
    tool_context.state["seat"] = seat
    return {"booked": seat}

root_agent = LlmAgent(name="desk", model="gemini-2.5-flash", instruction="Seat: {seat?}", tools=[book])
"#;

/// Runs the agent with google-adk, and writes the session as `adk web` saves it for `adk test`, and a conformance test as `adk
/// conformance record` writes it.
const RECORD: &str = r#"
import asyncio, json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from desk.agent import root_agent
from google.adk.cli.plugins.recordings_plugin import RecordingsPlugin
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.utils.yaml_utils import dump_pydantic_to_yaml
from google.genai import types

test = Path(sys.argv[1], "specs", "booking", "seat")
CONFIG = {"_adk_recordings_config": True}
OF_PLUGIN = {"state": CONFIG, "events": {"__all__": {"actions": {"state_delta": CONFIG}}}}

class Scripted(BaseLlm):
    left: list
    async def generate_content_async(self, llm_request, stream=False):
        yield LlmResponse(content=types.Content(role="model", parts=[self.left.pop(0)]))

call = types.Part(function_call=types.FunctionCall(name="book", args={"seat": "4A"}))
root_agent.model = Scripted(model="scripted", left=[call, types.Part(text="Booked"), types.Part(text="Bye")])
runner = InMemoryRunner(agent=root_agent, app_name="desk", plugins=[RecordingsPlugin()])

async def record():
    who = {"app_name": "desk", "user_id": "user"}
    session = await runner.session_service.create_session(**who, state={"name": "Ada", "city": "Oslo"})
    for index, text in enumerate(["Book 4A", "Thanks"]):
        message = types.Content(role="user", parts=[types.Part(text=text)])
        config = {"dir": str(test), "user_message_index": index, "streaming_mode": "none"}
        delta = {"_adk_recordings_config": config, "user:mood": f"good {index}"}
        async for _ in runner.run_async(
            user_id="user", session_id=session.id, new_message=message, state_delta=delta
        ):
            pass
    session = await runner.session_service.get_session(**who, session_id=session.id)
    dump_pydantic_to_yaml(session, test / "generated-session.yaml", sort_keys=False, exclude=OF_PLUGIN)
    print(json.dumps(session.model_dump(mode="json", by_alias=True, exclude_none=True)))

asyncio.run(record())
"#;

/// A callback that answers in place of the model.
const REFUSE: &str = r#"
from google.adk.models.llm_response import LlmResponse
from google.genai import types

def refuse(callback_context, llm_request):
    return LlmResponse(content=types.Content(role="model", parts=[types.Part(text="No")]))
"#;

/// What a person writes for the recorder. The agent's `initial_state.json` has the rest of the state.
const SPEC: &str = "description: Books a seat\nagent: desk\ninitial_state: { name: Ada }\n\
                    user_messages: [{ text: Book 4A }, { text: Thanks }]\n";

/// The folder of the agent, and its recording as a test of `adk test` and as a conformance test.
fn desk(folder: &Path, python: &Path) -> (PathBuf, [PathBuf; 2]) {
    let agent = folder.join("desk");
    std::fs::create_dir_all(agent.join("tests")).expect("made");
    let specification = folder.join("specs/booking/seat/spec.yaml");
    std::fs::create_dir_all(specification.with_file_name("")).expect("made");
    std::fs::write(&specification, SPEC).expect("written");
    std::fs::write(agent.join("__init__.py"), "from . import agent\n").expect("written");
    std::fs::write(agent.join("agent.py"), AGENT).expect("written");
    let recorded = Command::new(python).args(["-W", "ignore", "-c", RECORD]).arg(folder).output();
    let recorded = recorded.expect("Python starts");
    assert!(recorded.status.success(), "{}", String::from_utf8_lossy(&recorded.stderr));
    let test = agent.join("tests/books.json");
    std::fs::write(&test, recorded.stdout).expect("written");
    (agent, [test, specification])
}

/// The ledger of a run.
fn events(result: &EvalResult) -> Vec<Value> {
    let events = result.events.iter().map(|entry| serde_json::to_value(&entry.event));
    events.map(|event| event.expect("it serializes")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_tool_of_a_recorded_session_runs_unless_it_is_named() {
    let Some(python) = test_needs::python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (agent, recordings) = desk(folder.path(), &python);
    let booked = || std::fs::read_to_string(agent.join("booked")).expect("a file").lines().count();
    assert_eq!(booked(), 1, "the recorder has run the tool");
    for recording in &recordings {
        let case =
            || read_eval_set(recording, &options(&agent, &python, &[])).expect("a recording");
        let result = run_eval(&case()[0]).await;
        assert_eq!(result.status, Status::Passed, "{:?} {:#?}", result.error, result.metrics);
        let mut scored: Vec<_> = result.metrics.keys().map(String::as_str).collect();
        scored.sort_unstable();
        assert_eq!(scored, ["response_match_score", "tool_trajectory_avg_score"]);
        let changed = events(&result).into_iter().any(|event| {
            event["type"] == "state_change"
                && event["by"] == "mock"
                && event.to_string().contains("4A")
        });
        assert!(changed, "the state is as the tool has changed it: {:#?}", events(&result));

        let result = run_eval(&case_of_suite(recording, &agent, &python)).await;
        assert_eq!(result.status, Status::Passed, "{:?} {:#?}", result.error, result.metrics);
        assert_eq!(booked(), 1);
    }

    // The control: the same cases with the tool.
    for (at, recording) in recordings.iter().enumerate() {
        let real = read_eval_set(recording, &options(&agent, &python, &["book"])).expect("a case");
        let result = run_eval(&real[0]).await;
        assert_eq!(result.status, Status::Passed, "{:?} {:#?}", result.error, result.metrics);
        assert_eq!(booked(), 2 + at);
    }

    // An agent that goes another way fails.
    let code = AGENT.replace("instruction=", "before_model_callback=refuse, instruction=");
    std::fs::write(agent.join("agent.py"), format!("{REFUSE}{code}")).expect("written");
    for recording in &recordings {
        let case = read_eval_set(recording, &options(&agent, &python, &[])).expect("a recording");
        let result = run_eval(&case[0]).await;
        assert_eq!(result.status, Status::Failed, "{:?}", result.error);
    }
    assert_eq!(booked(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conformance_test_begins_with_its_state_and_messages_change_it() {
    let Some(python) = test_needs::python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (agent, [_, specification]) = desk(folder.path(), &python);
    let case = read_eval_set(&specification, &options(&agent, &python, &[])).expect("a recording");
    assert_eq!(case[0].name, "booking/seat");
    for case in [&case[0], &case_of_suite(&specification, &agent, &python)] {
        let result = run_eval(case).await;
        let events = events(&result);
        let state = events.iter().find(|it| it["type"] == "initial_state").expect("a state");
        let expected = json!({ "name": "Ada", "city": "Oslo", "user:mood": "good 0" });
        assert_eq!(state["state"], expected, "{state:#}");
        let changed = events.iter().any(|it| {
            it["type"] == "state_change" && it["by"] != "mock" && it.to_string().contains("good 1")
        });
        assert!(changed, "{events:#?}");
    }
    std::fs::remove_file(specification.with_file_name("generated-session.yaml")).expect("removed");
    let error = read_eval_set(&specification, &options(&agent, &python, &[])).err();
    let error = error.expect("incomplete").to_string();
    let wanted = "generated-session.yaml: it is missing; write it with `adk conformance record`";
    assert!(error.contains(wanted), "{error}");
}
