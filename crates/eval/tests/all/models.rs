//! Models that are reached over the network, through google-adk's own client.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use eval::given_model::GivenModel;
use eval::model::{ModelSettings, Models, Variables};
use eval::python::AdkPythonSubject;
use eval::result::{TerminationReason, TokenUsage};
use eval::run_failure::AtFault;
use eval::{EvalCase, EvalSuite, Status, ToolMock, ToolUse, run_eval, run_eval_suite};
use json_text::JsonText;
use serde_json::{Value, json};

use crate::wire::{Endpoint, Reply, Request};

/// An endpoint that speaks Gemini's format and gives these parts, one response after the other.
fn gemini(responses: Vec<Value>) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let address = listener.local_addr().expect("bound");
    std::thread::spawn(move || {
        for part in responses {
            let Ok((stream, _)) = listener.accept() else { return };
            let mut reader = BufReader::new(stream);
            let mut length = 0;
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                let lower = line.to_lowercase();
                if let Some(text) = lower.strip_prefix("content-length:") {
                    length = text.trim().parse().unwrap_or(0);
                }
                line.clear();
            }
            let mut body = vec![0; length];
            let _ = reader.read_exact(&mut body);
            let response = json!({
                "candidates": [{
                    "content": { "role": "model", "parts": [part] },
                    "finishReason": "STOP",
                }],
                "usageMetadata": {
                    "promptTokenCount": 10,
                    "candidatesTokenCount": 5,
                    "totalTokenCount": 15,
                },
                "modelVersion": "gemini-2.5-flash",
            })
            .to_string();
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
            let length = response.len();
            let answer = format!("{head}\r\ncontent-length: {length}\r\n\r\n{response}");
            let _ = reader.get_mut().write_all(answer.as_bytes());
        }
    });
    format!("http://{address}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_agents_own_model_is_asked_over_the_network() {
    let Some(python) = test_needs::python() else { return };
    let endpoint = gemini(vec![
        json!({ "functionCall": { "name": "read", "args": { "policy_id": "chest_pain" } } }),
        json!({ "text": "Call 999." }),
    ]);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/triage");
    let subject = AdkPythonSubject::new(&folder, Some(&python))
        .environment("GOOGLE_GEMINI_BASE_URL", endpoint)
        .environment("GEMINI_API_KEY", "none")
        .environment("GOOGLE_GENAI_USE_VERTEXAI", "false");
    let policy = ToolMock::Returns(JsonText::from_value(&json!({ "policy": "Call 999." })));
    let case = EvalCase::new("real model", Arc::new(subject))
        .first_message("My chest hurts")
        .tool("read", ToolUse::Mock(policy));
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(result.token_usage, TokenUsage { input: 20, output: 10 });
    let last = result.events.iter().rev().find(|entry| entry.event.name() == "message");
    let last = serde_json::to_value(&last.expect("a message").event).expect("serializes");
    assert_eq!(last["text"], "Call 999.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokens_are_counted_for_a_model_that_does_not_name_itself() {
    let Some(python) = test_needs::python() else { return };
    let endpoint = Endpoint::start(|request| match crate::wire::says(request, "Call 999.") {
        Reply::Status(status, headers, body) => {
            let mut body: Value = serde_json::from_str(&body).expect("JSON");
            body.as_object_mut().expect("an object").remove("modelVersion");
            Reply::Status(status, headers, body.to_string())
        }
        other => other,
    })
    .await;
    let result = run_eval(&triage(&python, &endpoint.url)).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let used = result.events.iter().find(|entry| entry.event.name() == "model_usage");
    let used = serde_json::to_value(&used.expect("usage").event).expect("serializes");
    assert_eq!((&used["model"], &used["input"]), (&json!("gemini-2.5-flash"), &json!(10)));
}

/// The triage agent, whose model is at this endpoint.
fn triage(python: &Path, endpoint: &str) -> EvalCase {
    let subject = triage_agent(python, endpoint).models(brief(|_| {}));
    EvalCase::new("real model", Arc::new(subject)).first_message("My chest hurts")
}

fn triage_agent(python: &Path, endpoint: &str) -> AdkPythonSubject {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/triage");
    AdkPythonSubject::new(&folder, Some(python))
        .environment("GOOGLE_GEMINI_BASE_URL", endpoint)
        .environment("GEMINI_API_KEY", "none")
        .environment("GOOGLE_GENAI_USE_VERTEXAI", "false")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_agents_own_model_has_the_time_that_the_suite_gives_it() {
    let Some(python) = test_needs::python() else { return };
    let models = brief(|settings| settings.timeout = Duration::from_millis(2000));
    for name in [None, Some("openai/gpt-5-mini")] {
        let endpoint = Endpoint::start(|_| Reply::Never).await;
        let subject = triage_agent(&python, &endpoint.url)
            .environment("OPENAI_BASE_URL", &endpoint.url)
            .environment("OPENAI_API_KEY", "none")
            .models(models.clone());
        let mut case = EvalCase::new("waits", Arc::new(subject)).first_message("My chest hurts");
        case.model = name.map(|name| GivenModel::Named(name.to_owned()));
        let error = run_eval(&case).await.error.expect("an error");
        assert_eq!(error.at_fault, AtFault::Subject, "{}", error.message);
        let limit =
            "no answer within 2000 ms. Set a longer time with `models: { timeout_ms: ... }`";
        assert!(error.message.contains(limit), "{}", error.message);
        // LiteLLM may take the time of the first attempt to be imported.
        let requests = endpoint.requests().len();
        assert!(requests == 2 || (name.is_some() && requests == 1), "{requests} requests");
    }
}

/// Models whose requests are repeated once, at once.
fn brief(change: impl Fn(&mut ModelSettings)) -> Models {
    let mut settings = ModelSettings {
        retries: 1,
        first_wait: Duration::from_millis(1),
        ..ModelSettings::default()
    };
    change(&mut settings);
    Models::new(Variables::given([])).with_settings(settings)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_of_the_agents_own_model_is_repeated_when_the_service_asks_for_it() {
    let Some(python) = test_needs::python() else { return };
    // Longer than the test waits at all.
    let models = brief(|settings| settings.first_wait = Duration::from_secs(3600));
    let google = r#"{"error": {"code": 429, "message": "slower", "details": [
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.01s"}]}}"#;
    for (status, headers, body) in
        [(429, "retry-after: 1\r\n", "{}"), (503, "retry-after: 0\r\n", "{}"), (429, "", google)]
    {
        let endpoint = Endpoint::start(move |request| match request.number {
            0 => Reply::Status(status, headers, body.to_owned()),
            _ => crate::wire::says(request, "Call 999."),
        })
        .await;
        let subject = triage_agent(&python, &endpoint.url).models(models.clone());
        let case = EvalCase::new("waits", Arc::new(subject)).first_message("My chest hurts");
        let begin = std::time::Instant::now();
        let result = run_eval(&case).await;
        assert_eq!(result.status, Status::Passed, "{:?}", result.error);
        assert_eq!(endpoint.requests().len(), 2);
        assert!(headers != "retry-after: 1\r\n" || begin.elapsed() >= Duration::from_secs(1));
    }
    let endpoint = Endpoint::start(|_| Reply::Status(401, "", "{}".to_owned())).await;
    let subject = triage_agent(&python, &endpoint.url).models(models);
    let case = EvalCase::new("refused", Arc::new(subject)).first_message("My chest hurts");
    let error = run_eval(&case).await.error.expect("an error");
    assert_eq!((error.at_fault, endpoint.requests().len()), (AtFault::Subject, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn all_cases_share_the_limit_of_the_agents_own_model() {
    let Some(python) = test_needs::python() else { return };
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let endpoint = Endpoint::start({
        let (now, most) = (Arc::clone(&now), Arc::clone(&most));
        move |request| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            // The first waits for another, which comes if the limit lets it.
            let begin = std::time::Instant::now();
            let patience = Duration::from_millis(if request.number == 0 { 20_000 } else { 50 });
            while now.load(Ordering::SeqCst) < 2 && begin.elapsed() < patience {
                std::thread::sleep(Duration::from_millis(5));
            }
            now.fetch_sub(1, Ordering::SeqCst);
            crate::wire::says(request, "Call 999.")
        }
    })
    .await;
    for (at_once, seen) in [(4, 2..=4), (1, 1..=1)] {
        most.store(0, Ordering::SeqCst);
        let models = brief(|settings| settings.most_at_once = at_once);
        let subject = Arc::new(triage_agent(&python, &endpoint.url).models(models));
        let case = EvalCase::new("one of many", subject).first_message("Hi").repeats(6);
        let suite = EvalSuite { jobs: 6, ..EvalSuite::new(vec![case]) };
        let result = run_eval_suite(&suite, |_| {}).await;
        assert_eq!(result.summary.passed, 6, "{:?}", result.results[0].error);
        assert!(seen.contains(&most.load(Ordering::SeqCst)), "{at_once}: {most:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_that_speaks_openais_format_can_be_given_to_an_agent() {
    let Some(python) = test_needs::python() else { return };
    let endpoint = Endpoint::start(|request| crate::wire::says(request, "Call 999.")).await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/triage");
    let subject = AdkPythonSubject::new(&folder, Some(&python))
        .environment("OPENAI_BASE_URL", &endpoint.url)
        .environment("OPENAI_API_KEY", "none");
    let case = EvalCase::new("openai", Arc::new(subject))
        .first_message("My chest hurts")
        .model(GivenModel::Named("openai/gpt-5-mini".to_owned()));
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(result.token_usage, TokenUsage { input: 10, output: 5 });
    assert_eq!(endpoint.requests()[0].path, "/chat/completions");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_whose_own_model_fails_is_at_fault() {
    let Some(python) = test_needs::python() else { return };
    let failing: [fn(&Request) -> Reply; 4] = [
        |_| Reply::Status(429, "retry-after: 0\r\n", r#"{"error": {"code": 429}}"#.to_owned()),
        |_| Reply::Status(500, "", r#"{"error": {"code": 500}}"#.to_owned()),
        |_| Reply::Status(200, "content-type: application/json\r\n", "<html>".to_owned()),
        |_| Reply::Half("{".to_owned()),
    ];
    for reply in failing {
        let endpoint = Endpoint::start(reply).await;
        let result = run_eval(&triage(&python, &endpoint.url)).await;
        let error = result.error.expect("an error");
        assert_eq!(error.at_fault, AtFault::Subject, "{}", error.message);
        assert!(!endpoint.requests().is_empty());
    }

    // google-adk ends the turn as if the model had answered nothing.
    for (body, reason) in [
        (json!({ "promptFeedback": { "blockReason": "SAFETY" } }), "SAFETY"),
        (
            json!({ "candidates": [{ "finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "bad call" }] }),
            "MALFORMED_FUNCTION_CALL",
        ),
    ] {
        let endpoint = Endpoint::start(move |_| crate::wire::ok(&body)).await;
        let error = run_eval(&triage(&python, &endpoint.url)).await.error.expect("an error");
        assert_eq!(error.at_fault, AtFault::Subject);
        let begin = format!("the model of triage gave no answer ({reason}");
        assert!(error.message.starts_with(&begin), "{}", error.message);
    }

    let endpoint = Endpoint::start(|_| Reply::Never).await;
    let mut case = triage(&python, &endpoint.url);
    case.terminate_when.max_duration = Some(Duration::from_secs(10));
    let result = run_eval(&case).await;
    assert_eq!(result.termination_reason, Some(TerminationReason::MaxDuration));
    assert_eq!((result.status, endpoint.requests().len()), (Status::Terminated, 1));
}
