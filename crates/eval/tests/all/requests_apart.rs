//! Requests to the agent's model that are no turn of the agent: of google-adk for a summary, and of the agent's own code.

use std::path::Path;
use std::sync::Arc;

use eval::given_model::{GivenModel, ModelTurn};
use eval::ledger::{Event, Role};
use eval::python::AdkPythonSubject;
use eval::user_agent::ScriptedUser;
use eval::{EvalCase, EvalResult, Status, ToolUse, run_eval};
use json_text::JsonText;
use serde_json::json;

const SUMMARIZER: &str = "google.adk.apps.llm_event_summarizer";

fn case() -> Option<EvalCase> {
    let python = test_needs::python()?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/summaries");
    let case = EvalCase::new("summaries", Arc::new(AdkPythonSubject::new(&folder, Some(&python))));
    Some(case.first_message("One").tool("classify", ToolUse::Real))
}

fn classify() -> ModelTurn {
    ModelTurn::call("classify", JsonText::from_value(&json!({ "text": "a lamp" })))
}

/// Who asked apart from the agent's turns, and what they got.
fn apart(result: &EvalResult) -> Vec<(&str, &str)> {
    let apart = result.events.iter().filter_map(|entry| match &entry.event {
        Event::RequestApart { asked_by, response, .. } => {
            Some((asked_by.as_str(), response.as_str()))
        }
        _ => None,
    });
    apart.collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_summary_takes_no_response_of_the_script() {
    let Some(case) = case() else { return };
    let script = ["First.", "Second.", "Third."].map(ModelTurn::text);
    let case = case.model(GivenModel::scripted(script.into()));
    let mut case = case.user(Arc::new(ScriptedUser::saying(["Two", "Three"])));
    for given in [vec![], ["a", "b", "c"].map(str::to_owned).to_vec()] {
        case.responses_apart = given.clone();
        let result = run_eval(&case).await;
        assert_eq!(result.status, Status::Passed, "{:?}", result.error);
        let said: Vec<&str> = result
            .events
            .iter()
            .filter_map(|entry| match &entry.event {
                Event::Message { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(said, ["First.", "Second.", "Third."]);
        let apart = apart(&result);
        assert!(!apart.is_empty() && apart.iter().all(|(by, _)| *by == SUMMARIZER), "{apart:?}");
        if !given.is_empty() {
            let got: Vec<&str> = apart.iter().map(|(_, response)| *response).collect();
            assert_eq!(got, given[..got.len()]);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_code_of_the_agent_asks_has_its_own_responses_or_is_refused() {
    let Some(case) = case() else { return };
    let mut case = case.model(GivenModel::scripted(vec![classify(), ModelTurn::text("Lamps.")]));
    let result = run_eval(&case).await;
    let error = result.error.expect("an error").message;
    let wanted = "summaries.agent asks the model of counter apart from the agent's turns, and the case has no response \
                  for that. Add what it is to get to `responses_apart`, a list of texts";
    assert!(error.contains(wanted), "{error}");

    case.responses_apart = vec!["lamps".to_owned(), "It was about lamps.".to_owned()];
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let by = [("summaries.agent", "lamps"), (SUMMARIZER, "It was about lamps.")];
    assert_eq!(apart(&result), by);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokens_of_such_requests_to_an_own_model_are_not_the_agents() {
    let Some(case) = case() else { return };
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let usage: Vec<_> = result
        .events
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::ModelUsage { role, agent, input, output, .. } => {
                Some((*role, agent.as_str(), *input, *output))
            }
            _ => None,
        })
        .collect();
    assert_eq!(usage, [(Role::Subject, "counter", 7, 2), (Role::Framework, SUMMARIZER, 7, 2)]);
    assert_eq!((result.token_usage.input, result.token_usage.output), (7, 2));
}
