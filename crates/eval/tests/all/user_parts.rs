//! Messages of the user that are more than a text.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eval::file::{
    EvalSetOptions, ModelChoice, ReadOptions, read, read_eval_set, read_text, suite_of,
};
use eval::golden::Golden;
use eval::ledger::{Event, Origin};
use eval::model::Models;
use eval::python::AdkPythonSubject;
use eval::{EvalResult, Status, check_cases, run_eval};
use serde_json::{Value, json};

fn viewer() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/viewer")
}

/// An eval set with a case of these turns, in a folder of its own.
fn eval_set(conversation: &Value) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("viewer.evalset.json");
    let cases = json!([{ "eval_id": "case", "conversation": conversation }]);
    let set = json!({ "eval_set_id": "viewer", "eval_cases": cases });
    std::fs::write(&path, set.to_string()).expect("written");
    (folder, path)
}

fn options(python: &Path, real_tools: &[&str]) -> EvalSetOptions {
    EvalSetOptions {
        subject: Arc::new(AdkPythonSubject::new(&viewer(), Some(python))),
        model: ModelChoice::Replay,
        config: None,
        real_tools: real_tools.iter().map(ToString::to_string).collect(),
        sealed_tools: Vec::new(),
        simulated_by: None,
        only: None,
    }
}

/// The result of the eval set itself, and of the suite that is made of it.
async fn both(path: &Path, python: PathBuf, real_tools: &[&str]) -> [EvalResult; 2] {
    let cases = read_eval_set(path, &options(&python, real_tools));
    let cases = cases.unwrap_or_else(|error| panic!("{error}"));
    let of_set = run_eval(&cases[0]).await;
    let golden = Golden::read(path, None).expect("a case");
    let suite = suite_of(&golden, path, &viewer()).expect("a suite");
    let suite = suite.replacen("first_message", "model: replay\n  first_message", 1);
    let made = path.with_file_name("viewer.eval.yaml");
    std::fs::write(&made, &suite).expect("written");
    let options = ReadOptions { python: Some(python), ..ReadOptions::default() };
    let cases = read(&made, &options).unwrap_or_else(|error| panic!("{error}\n{suite}"));
    [of_set, run_eval(&cases[0]).await]
}

fn passes(result: &EvalResult) {
    assert_eq!(result.status, Status::Passed, "{:?} {:?}", result.error, result.metrics);
}

/// The parts of the last message of each request to the model.
fn asked(result: &EvalResult) -> Value {
    let state = result.events.iter().rev().find_map(|entry| match &entry.event {
        Event::Termination { state, .. } => Some(state),
        _ => None,
    });
    state.expect("an end").to_value().expect("JSON")["asked"].clone()
}

fn turn(parts: &Value, response: &str) -> Value {
    json!({
        "user_content": { "role": "user", "parts": parts },
        "final_response": { "role": "model", "parts": [{ "text": response }] },
    })
}

fn picture() -> Value {
    json!({ "inline_data": { "mime_type": "image/png", "data": "iVBORw0KGgo=" } })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_part_reaches_the_agent_as_in_the_eval_set() {
    let Some(python) = test_needs::python() else { return };
    let parts = json!([picture(), { "text": "What is this?" }, { "text": "And where?" }]);
    let file =
        json!([{ "file_data": { "file_uri": "gs://a/b.pdf", "mime_type": "application/pdf" } }]);
    let conversation = json!([turn(&parts, "A lamp."), turn(&file, "A bill.")]);
    let (_folder, path) = eval_set(&conversation);
    for result in both(&path, python, &[]).await {
        passes(&result);
        assert_eq!(asked(&result), json!([parts, file]));
        let sent = result.events.iter().find_map(|entry| match &entry.event {
            Event::UserMessage { text, parts } => Some((text.as_str(), parts.as_ref()?.len())),
            _ => None,
        });
        assert_eq!(sent, Some(("What is this?\nAnd where?", 3)));
    }
}

/// A turn of a call that waits and that the agent comments.
fn waits(calls: &[(&str, &str)]) -> Value {
    let uses = calls
        .iter()
        .map(|(id, item)| json!({ "id": id, "name": "order", "args": { "item": item } }));
    let results = calls.iter().map(|(id, item)| {
        let response = json!({ "status": "pending", "item": item });
        json!({ "id": id, "name": "order", "response": response })
    });
    json!({
        "user_content": { "parts": [{ "text": "Order" }] },
        "intermediate_data": {
            "tool_uses": uses.collect::<Vec<_>>(),
            "tool_responses": results.collect::<Vec<_>>(),
        },
        "final_response": { "parts": [{ "text": "I asked." }] },
    })
}

fn response(id: &str, name: &str, value: &Value) -> Value {
    json!({ "function_response": { "id": id, "name": name, "response": value } })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recorded_response_goes_to_the_call_that_it_was_recorded_for() {
    let Some(python) = test_needs::python() else { return };
    let approved = |id: &str| json!([response(id, "order", &json!({ "approved": id }))]);
    let conversation = json!([
        waits(&[("rec-lamp", "lamp"), ("rec-desk", "desk")]),
        turn(&approved("rec-desk"), "The desk comes."),
        turn(&json!([{ "text": "And the lamp?" }]), "Not yet."),
        turn(&approved("rec-lamp"), "The lamp comes."),
    ]);
    let (_folder, path) = eval_set(&conversation);
    for result in both(&path, python, &[]).await {
        passes(&result);
        let call_of = |item: &str| {
            result.events.iter().find_map(|entry| match &entry.event {
                Event::ToolCall { call_id, args, .. } if args.as_str().contains(item) => {
                    Some(call_id)
                }
                _ => None,
            })
        };
        let of_user: Vec<_> = result
            .events
            .iter()
            .filter_map(|entry| match &entry.event {
                Event::ToolResult { call_id, result, from: Origin::UserAgent, .. } => {
                    Some((Some(call_id), result.compact().to_string()))
                }
                _ => None,
            })
            .collect();
        let expected = [("desk", "rec-desk"), ("lamp", "rec-lamp")];
        let expected =
            expected.map(|(item, id)| (call_of(item), json!({ "approved": id }).to_string()));
        assert_eq!(of_user, expected);
        let asked = asked(&result);
        let got = |at: usize| asked[at][0]["function_response"]["response"]["approved"].clone();
        assert_eq!(asked.as_array().map(Vec::len), Some(6), "{asked}");
        assert_eq!((got(3), got(5)), (json!("rec-desk"), json!("rec-lamp")), "{asked}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recorded_confirmation_goes_to_the_tool_that_asks() {
    let Some(python) = test_needs::python() else { return };
    let call = json!({ "id": "1", "name": "wipe", "args": { "disk": "c" } });
    let asks = json!({ "id": "2", "name": "adk_request_confirmation",
        "args": { "originalFunctionCall": call, "toolConfirmation": { "hint": "", "confirmed": false } } });
    let conversation = json!([
        {
            "user_content": { "parts": [{ "text": "Wipe c" }] },
            "intermediate_data": { "tool_uses": [call, asks], "tool_responses": [] },
        },
        turn(&json!([response("2", "adk_request_confirmation", &json!({ "confirmed": true }))]), "Wiped."),
    ]);
    let (_folder, path) = eval_set(&conversation);
    let cases = read_eval_set(&path, &options(&python, &["wipe"])).expect("a set");
    let result = run_eval(&cases[0]).await;
    assert!(result.error.is_none(), "{:?}", result.error);
    let wiped = result.events.iter().any(|entry| {
        matches!(&entry.event, Event::ToolResult { result, .. } if result.compact().as_str() == r#"{"wiped":"c"}"#)
    });
    assert!(wiped, "{:?}", result.events);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_cannot_be_sent_is_refused_before_anything_runs() {
    let Some(python) = test_needs::python() else { return };
    let approved = || response("1", "order", &json!({ "status": "approved" }));
    let call = json!({ "function_call": { "name": "order", "args": {} } });
    for (first, later, message) in [
        (
            json!([approved()]),
            json!([{ "text": "Hi" }]),
            "turn 1: the first message responds to a call of order, and no call waits yet",
        ),
        (json!([{ "text": "Hi" }]), json!([]), "turn 2: the message has no parts"),
        (
            json!([call]),
            json!([{ "text": "Hi" }]),
            "turn 1: a message of the user cannot call a function",
        ),
        (
            json!([{ "text": "Hi" }]),
            json!([approved(), { "text": "Yes" }]),
            "turn 2: google-adk does not send responses of functions and a text in one message",
        ),
        (
            json!([{ "text": "Hi" }]),
            json!([{ "function_response": { "response": {} } }]),
            "turn 2: a response names no function",
        ),
    ] {
        let (_folder, path) = eval_set(&json!([turn(&first, "Hello"), turn(&later, "Hello")]));
        let error =
            read_eval_set(&path, &options(&python, &[])).err().expect("refused").to_string();
        assert!(error.contains(message), "{error}");
    }

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("viewer.eval.yaml");
    let read_case = |members: &str| {
        let suite = format!("subject: {{ adk: {:?} }}\ncases:\n  - name: a\n{members}", viewer());
        std::fs::write(&path, suite).expect("written");
        let options = ReadOptions { python: Some(python.clone()), ..ReadOptions::default() };
        read(&path, &options).err().map(|error| error.to_string()).unwrap_or_default()
    };
    let error = read_case("    first_message: { parts: [{ txt: Hi }] }\n");
    assert!(error.contains("cases[0].first_message: ") && error.contains("txt"), "{error}");
    let error = read_case("    first_message: 7\n");
    assert!(error.contains("a text, or `parts`"), "{error}");
    let error = read_case("    user_agents: { loop: { script: [{ says: { parts: [] } }] } }\n");
    assert!(
        error.contains("cases[0].user_agents.loop.script[0]: the message has no parts"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_response_of_a_tool_that_the_agent_does_not_have_is_refused() {
    let Some(python) = test_needs::python() else { return };
    let response = json!([response("1", "ordr", &json!({ "status": "approved" }))]);
    let (_folder, path) = eval_set(&json!([waits(&[("1", "lamp")]), turn(&response, "It comes.")]));
    let cases = read_eval_set(&path, &options(&python, &[])).expect("a set");
    let (_, fault) = check_cases(cases.iter(), 1).await.expect_err("refused");
    assert!(fault.to_string().ends_with("did you mean order?"), "{fault}");
}

#[test]
fn an_agent_that_gets_texts_only_is_given_no_other_part() {
    let suite = |part: &Value| {
        format!(
            "subject: {{ mcp: {{ servers: {{ a: {{ command: none }} }}, model: ollama/a, instruction: Help }} }}\n\
             cases: [{{ name: a, first_message: {{ parts: [{{ text: See }}, {part}] }} }}]"
        )
    };
    let read = |part| {
        let options = ReadOptions::default();
        let models = Models::of_environment();
        read_text(&suite(&part), Path::new("."), &options, &models).map(drop)
    };
    assert_eq!(read(json!({ "text": "this" })).map_err(|faults| faults[0].to_string()), Ok(()));
    let faults = read(picture()).expect_err("refused");
    let error = faults[0].to_string();
    let message = "this agent gets texts only, and part 2 is [image/png, 8 bytes]";
    assert!(error.contains("cases[0].first_message") && error.ends_with(message), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_response_for_which_no_call_waits_ends_the_run() {
    let Some(python) = test_needs::python() else { return };
    let approved = json!([response("1", "order", &json!({ "status": "approved" }))]);
    let conversation =
        json!([turn(&json!([{ "text": "Hi" }]), "Hello"), turn(&approved, "Thanks")]);
    let (_folder, path) = eval_set(&conversation);
    let cases = read_eval_set(&path, &options(&python, &["order"])).expect("a set");
    let error = run_eval(&cases[0]).await.error.expect("an error");
    assert_eq!(error.at_fault.name(), "user_agent");
    let message = "its message responds to a call of order, and no call waits for a response";
    assert!(error.message.ends_with(message), "{}", error.message);
}
