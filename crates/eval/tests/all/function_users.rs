//! User agents, and tools of user agents, that are functions in Python.

use std::path::Path;

use eval::file::{ReadOptions, read, read_with_models};
use eval::ledger::Event;
use eval::model::{Models, Variables};
use eval::result::TerminationReason;
use eval::run_failure::AtFault;
use eval::{EvalResult, Status, run_eval};
use serde_json::json;

use crate::wire::{Endpoint, calls, responds, says};

async fn run(name: &str, models: &Models) -> Option<EvalResult> {
    let python = test_needs::python()?;
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/users.eval.yaml");
    let options = ReadOptions { python: Some(python), ..ReadOptions::default() };
    let cases = read_with_models(&suite, &options, models);
    let cases = cases.unwrap_or_else(|error| panic!("{error}"));
    Some(run_eval(cases.iter().find(|case| case.name == name).expect("the case")).await)
}

fn no_models() -> Models {
    Models::new(Variables::given([("OPENAI_API_KEY", "none")]))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn functions_answer_for_the_user_and_for_tools() {
    let Some(result) = run("talks", &no_models()).await else { return };
    assert_eq!(result.status, Status::Passed, "{:?}\n{:?}", result.error, result.metrics);
    let said = result.events.iter().filter_map(|entry| match &entry.event {
        Event::UserAgentResponse { response, .. } => Some(response.to_string()),
        _ => None,
    });
    assert_eq!(
        said.collect::<Vec<_>>(),
        [
            r#"{"answer":"ask: Does it spread?"}"#,
            r#""You said: Where does it hurt? (55, 2 before)""#
        ]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_function_that_fails_is_the_user_agents_fault() {
    let Some(result) = run("fails", &no_models()).await else { return };
    let error = result.error.expect("an error");
    assert_eq!(error.at_fault, AtFault::UserAgent);
    assert!(error.message.contains("users.py:unwell: not today"), "{}", error.message);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_of_a_persona_can_be_a_function() {
    let endpoint = Endpoint::start(|request| match request.number {
        0 => calls(request, "reveal", &json!({ "condition": "asthma" })),
        _ => says(request, "I have asthma"),
    })
    .await;
    let Some(result) = run("reveals", &endpoint.models()).await else { return };
    assert_eq!(result.termination_reason, Some(TerminationReason::MaxTurns), "{:?}", result.error);
    assert!(result.metrics["revealed"].passed == Some(true), "{:?}", result.metrics);
    let requests = endpoint.requests();
    let result = r#"{\"noted\":\"asthma\"}"#;
    assert!(requests[1].text().contains(result), "{}", requests[1].text());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_of_a_persona_sees_what_the_call_before_it_changed() {
    let endpoint = Endpoint::start(|request| match request.number {
        0 => {
            let call = |condition: &str| ("reveal", json!({ "condition": condition }));
            responds(request, "", &[call("asthma"), call("gout")])
        }
        _ => says(request, "I have asthma and gout"),
    })
    .await;
    let Some(result) = run("reveals more", &endpoint.models()).await else { return };
    let passed = result.metrics.values().all(|metric| metric.passed == Some(true));
    assert!(passed, "{:?} {:?}", result.error, result.metrics);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_function_changes_the_state_when_it_ends_the_conversation() {
    let Some(result) = run("leaves", &no_models()).await else { return };
    assert_eq!(result.status, Status::Passed, "{:?}\n{:?}", result.error, result.metrics);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn functions_make_prompts_and_responses() {
    let Some(python) = test_needs::python() else { return };
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/club.eval.yaml");
    let options = ReadOptions { python: Some(python), ..ReadOptions::default() };
    let cases = read(&suite, &options).unwrap_or_else(|error| panic!("{error}"));
    let case = |name: &str| cases.iter().find(|case| case.name == name).expect("the case");
    run_eval(case("bridge")).await.assert_passed();
    let error = run_eval(case("bridge-without-text")).await.error.expect("an error");
    assert_eq!(
        error.message,
        "the user agent of the conversation failed: bridge.format_prompt returned 7, which is not a text; return the prompt as one"
    );
}
