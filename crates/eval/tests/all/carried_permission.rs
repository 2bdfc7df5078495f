//! What a tool that may run has done in other threads is permitted, and what a callback has done there is not.

use std::path::Path;
use std::sync::Arc;

use eval::given_model::{GivenModel, ModelTurn};
use eval::ledger::Event;
use eval::python::{AdkPythonSubject, Isolation};
use eval::{EvalCase, EvalResult, Status, ToolUse, run_eval};
use json_text::JsonText;
use serde_json::{Value, json};

use crate::wire::{Endpoint, calls, ok, says};

/// The ways in which work is submitted to something that knows who submits it.
const WAYS: [&str; 20] = [
    "executor",
    "executor map",
    "executor initializer",
    "executor callback",
    "run_in_executor",
    "to_thread",
    "pool apply",
    "pool map",
    "pool imap",
    "pool imap input",
    "pool callback",
    "pool initializer",
    "thread",
    "timer",
    "thread in a thread",
    "loop in a thread",
    "call_soon",
    "call_later",
    "call_soon_threadsafe",
    "task",
];

fn subject(name: &str) -> Option<AdkPythonSubject> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents").join(name);
    Some(AdkPythonSubject::new(&folder, Some(&test_needs::python()?)))
}

/// A case whose tool works, if it is called, and then its callback, if the state has a path for it.
fn case(subject: &Arc<AdkPythonSubject>, calls_tool: bool, state: &Value) -> EvalCase {
    let mut turns = vec![ModelTurn::text("Done")];
    if calls_tool {
        turns.insert(0, ModelTurn::call("work", JsonText::from_value(&json!({}))));
    }
    let case = EvalCase::new("carried", subject.clone())
        .first_message("Work")
        .model(GivenModel::scripted(turns))
        .tool("work", ToolUse::Real);
    case.initial_state(JsonText::from_value(state))
}

fn assert_forbidden(result: EvalResult, path: &Path, way: &str) {
    assert!(!path.exists(), "{way}");
    let message = result.error.unwrap_or_else(|| panic!("{way} passes")).message;
    let begin = "in the case carried, the agent tried to write ";
    assert!(message.starts_with(begin), "{way}: {message}");
    assert!(message.contains("carried/agent.py:"), "{way}: {message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_has_the_permission_of_who_submits_it() {
    let Some(subject) = subject("carried").map(Arc::new) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    for way in WAYS {
        // What the callback made, the tool uses.
        let path = folder.path().join(format!("{way} of a tool"));
        let state = json!({ "way": way, "path": path, "first": "callback" });
        let result = run_eval(&case(&subject, true, &state)).await;
        assert_eq!(result.status, Status::Passed, "{way}: {:?}", result.error);
        assert!(path.exists(), "{way}");
        // What the tool made, the callback uses.
        let of_callback = folder.path().join(format!("{way} of a callback"));
        let state = json!({ "way": way, "path": path, "path_of_callback": of_callback });
        assert_forbidden(run_eval(&case(&subject, true, &state)).await, &of_callback, way);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_processes_of_a_tool_work_for_nobody_else() {
    let Some(subject) = subject("carried").map(Arc::new) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    for way in [
        "process executor",
        "process executor map",
        "process pool apply",
        "process pool map",
        "process pool imap",
    ] {
        let path = folder.path().join(format!("{way} of a tool"));
        let of_callback = folder.path().join(format!("{way} of a callback"));
        let state = json!({ "way": way, "path": path, "path_of_callback": of_callback });
        let result = run_eval(&case(&subject, true, &state)).await;
        assert!(path.exists() && !of_callback.exists(), "{way}");
        let message = result.error.unwrap_or_else(|| panic!("{way} passes")).message;
        let tried = "tried to give work to a process that a tool with effects started";
        assert!(message.contains(tried) && message.contains("carried/agent.py:"), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_that_a_thread_takes_by_itself_has_no_permission() {
    let Some(subject) = subject("carried").map(Arc::new) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    for way in ["queue", "raw thread"] {
        let path = folder.path().join(way);
        let state = json!({ "way": way, "path": path, "first": "callback" });
        assert_forbidden(run_eval(&case(&subject, true, &state)).await, &path, way);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_threads_of_a_case_that_has_ended_have_no_permission() {
    let folder = tempfile::tempdir().expect("a folder");
    for isolation in [Isolation::Batch, Isolation::Shared] {
        let Some(subject) = subject("carried") else { return };
        let subject = Arc::new(subject.isolation(isolation));
        let path = folder.path().join("tool");
        let state = json!({ "way": "queue", "path": path });
        let result = run_eval(&case(&subject, true, &state)).await;
        assert_eq!(result.status, Status::Passed, "{:?}", result.error);
        let path = folder.path().join("callback of the next case");
        let state = json!({ "way": "queue", "path_of_callback": path });
        assert_forbidden(run_eval(&case(&subject, false, &state)).await, &path, "queue");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_tool_may_use_a_thread_that_the_model_made() {
    let Some(subject) = subject("fetching") else { return };
    // Names, which are looked up in a thread.
    let named = |endpoint: &Endpoint| endpoint.url.replace("127.0.0.1", "localhost");
    let page = Endpoint::start(|_| ok(&json!({}))).await;
    let address = named(&page);
    let endpoint = Endpoint::start(move |request| match request.number {
        0 => calls(request, "fetch", &json!({ "url": address })),
        _ => says(request, "It is there."),
    })
    .await;
    let subject = subject
        .environment("GOOGLE_GENAI_USE_VERTEXAI", "false")
        .environment("GEMINI_API_KEY", "none")
        .environment("GOOGLE_GEMINI_BASE_URL", named(&endpoint));
    let case = EvalCase::new("fetching", Arc::new(subject))
        .first_message("Is it there?")
        .tool("fetch", ToolUse::Real);
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let results = result.events.iter().filter_map(|entry| match &entry.event {
        Event::ToolResult { result, .. } => result.to_value().ok(),
        _ => None,
    });
    assert_eq!(results.collect::<Vec<_>>(), [json!({ "status": 200 })]);
}
