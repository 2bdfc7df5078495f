//! Models of agents in Python that say nothing, lose their connection or name a wait that never ends.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use eval::given_model::GivenModel;
use eval::model::{ModelSettings, Models, Variables};
use eval::python::AdkPythonSubject;
use eval::run_failure::AtFault;
use eval::{EvalCase, EvalResult, Status, ToolMock, ToolUse, run_eval};
use json_text::JsonText;
use serde_json::{Value, json};

use crate::wire::{Endpoint, Reply, Request, calls, ok, says};

/// A client of google-adk: the folder of an agent that has it, or the name of a model that the triage agent is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Client {
    Agent(&'static str),
    Named(&'static str),
}

const GEMINI: Client = Client::Agent("triage");
const ANTHROPIC: Client = Client::Agent("claude");
const LITELLM: Client = Client::Named("openai/gpt-5-mini");

/// A case of an agent with that client, whose model answers so. A request is repeated once.
async fn run(
    client: Client,
    reply: impl Fn(&Request) -> Reply + Send + Sync + 'static,
) -> Option<(EvalResult, Endpoint)> {
    let python = test_needs::python()?;
    let endpoint = Endpoint::start(reply).await;
    let folder = match client {
        Client::Agent(folder) => folder,
        Client::Named(_) => "triage",
    };
    let settings = ModelSettings {
        retries: 1,
        first_wait: Duration::from_millis(1),
        ..ModelSettings::default()
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents").join(folder);
    let mut subject = AdkPythonSubject::new(&folder, Some(&python))
        .environment("GOOGLE_GENAI_USE_VERTEXAI", "false")
        .models(Models::new(Variables::given([])).with_settings(settings));
    for service in ["GEMINI", "OPENAI", "ANTHROPIC"] {
        let address = match service {
            "GEMINI" => "GOOGLE_GEMINI_BASE_URL".to_owned(),
            _ => format!("{service}_BASE_URL"),
        };
        subject = subject
            .environment(address, &endpoint.url)
            .environment(format!("{service}_API_KEY"), "none");
    }
    let policy = ToolMock::Returns(JsonText::from_value(&json!({ "policy": "Call 999." })));
    let mut case = EvalCase::new("silent", Arc::new(subject)).first_message("My chest hurts");
    if let Client::Named(name) = client {
        case = case.model(GivenModel::Named(name.to_owned()));
    }
    if client != ANTHROPIC {
        case = case.tool("read", ToolUse::Mock(policy));
    }
    Some((run_eval(&case).await, endpoint))
}

/// A whole response of the service, not in a stream.
fn whole(request: &Request, text: &str) -> Reply {
    if !request.path.ends_with("/messages") {
        return says(request, text);
    }
    ok(&json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-5",
        "content": [{ "type": "text", "text": text }],
        "stop_reason": "end_turn", "stop_sequence": null,
        "usage": { "input_tokens": 10, "output_tokens": 5 },
    }))
}

/// A response with this body.
fn body(body: &str) -> Reply {
    Reply::Status(200, "content-type: application/json\r\n", body.to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_of_gemini_that_says_nothing_is_a_fault() {
    let parts = |parts: Value| {
        let content = json!({ "role": "model", "parts": parts });
        json!({ "candidates": [{ "content": content, "finishReason": "STOP" }] }).to_string()
    };
    let thought = json!([{ "text": "What do I say?", "thought": true }]);
    for nothing in [
        String::new(),
        "{}".to_owned(),
        "[]".to_owned(),
        "null".to_owned(),
        r#"{"candidates": []}"#.to_owned(),
        parts(json!([])),
        parts(json!([{ "text": "" }])),
        parts(thought),
    ] {
        let shown = nothing.clone();
        let Some((result, endpoint)) = run(GEMINI, move |_| body(&nothing)).await else { return };
        let error = result.error.unwrap_or_else(|| panic!("{shown:?} passes"));
        let message =
            "the model of triage gave no answer (NO_ANSWER: it has neither a text nor a call)";
        assert_eq!((error.at_fault, error.message.as_str()), (AtFault::Subject, message));
        assert_eq!(endpoint.requests().len(), 2, "{shown:?} is asked for again");
    }
    let once = |request: &Request| match request.number {
        0 => body("{}"),
        _ => whole(request, "Call 999."),
    };
    let Some((result, _)) = run(GEMINI, once).await else { return };
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_of_another_service_that_says_nothing_is_a_fault() {
    for client in [ANTHROPIC, LITELLM] {
        let Some((result, endpoint)) = run(client, |it| whole(it, "")).await else { return };
        let error = result.error.unwrap_or_else(|| panic!("{client:?} passes"));
        assert_eq!(error.at_fault, AtFault::Subject);
        assert!(error.message.contains("gave no answer (NO_ANSWER"), "{}", error.message);
        assert_eq!(endpoint.requests().len(), 2, "{client:?}");
    }
    for nothing in ["", "{}", "[]", "null"] {
        let Some((result, _)) = run(ANTHROPIC, move |_| body(nothing)).await else { return };
        let error = result.error.unwrap_or_else(|| panic!("{nothing:?} passes"));
        assert_eq!(error.at_fault, AtFault::Subject);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_agent_of_a_turn_must_be_answered() {
    let reply = |request: &Request| match request.path.contains("pro") {
        false => body("{}"),
        true => whole(request, "Well written."),
    };
    let Some(python) = test_needs::python() else { return };
    let endpoint = Endpoint::start(reply).await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/pair");
    let settings = ModelSettings { retries: 0, ..ModelSettings::default() };
    let subject = AdkPythonSubject::new(&folder, Some(&python))
        .environment("GOOGLE_GEMINI_BASE_URL", &endpoint.url)
        .environment("GEMINI_API_KEY", "none")
        .environment("GOOGLE_GENAI_USE_VERTEXAI", "false")
        .models(Models::new(Variables::given([])).with_settings(settings));
    let case = EvalCase::new("pair", Arc::new(subject)).first_message("A poem");
    let error = run_eval(&case).await.error.expect("the writer wrote nothing");
    let begin = "the model of writer gave no answer";
    assert!(error.message.starts_with(begin), "{}", error.message);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_that_says_nothing_about_the_results_of_its_calls_is_a_fault() {
    let reply = |request: &Request| match request.number {
        0 => calls(request, "read", &json!({ "policy_id": "chest_pain" })),
        _ => whole(request, ""),
    };
    let Some((result, endpoint)) = run(GEMINI, reply).await else { return };
    assert_eq!((result.status, endpoint.requests().len()), (Status::Error, 3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_whose_connection_is_lost_is_repeated_for_every_client() {
    for client in [GEMINI, ANTHROPIC, LITELLM] {
        let reply = |request: &Request| match (request.number, whole(request, "Call 999.")) {
            (0, Reply::Status(_, _, body)) => {
                Reply::Half(body.get(..body.len() / 2).unwrap_or_default().to_owned())
            }
            (_, whole) => whole,
        };
        let Some((result, endpoint)) = run(client, reply).await else { return };
        assert_eq!(result.status, Status::Passed, "{client:?}: {:?}", result.error);
        assert_eq!(endpoint.requests().len(), 2, "{client:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wait_without_an_end_is_too_long() {
    for client in [GEMINI, ANTHROPIC, LITELLM] {
        for wait in ["retry-after: inf\r\n", "retry-after: 1e400\r\n"] {
            let reply = move |_: &Request| Reply::Status(429, wait, "{}".to_owned());
            let Some((result, endpoint)) = run(client, reply).await else { return };
            let error = result.error.expect("an error");
            assert_eq!(error.at_fault, AtFault::Subject);
            // LiteLLM's client for OpenAI repeats by itself.
            assert!(client == LITELLM || endpoint.requests().len() == 1, "{client:?}");
            assert!(error.message.contains("429"), "{client:?}: {}", error.message);
        }
    }
}
