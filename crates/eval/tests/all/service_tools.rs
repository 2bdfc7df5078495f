//! Tools that the model's service runs, wherever an agent has them from: each is named in the case.

use std::path::Path;
use std::sync::Arc;

use eval::given_model::{GivenModel, ModelTurn};
use eval::python::AdkPythonSubject;
use eval::{EvalCase, Status, run_eval};

use crate::wire::{Endpoint, says};

/// A case of an agent with a tool from there, whose models are at the endpoint.
fn case(from: &str, endpoint: &Endpoint, python: &Path) -> EvalCase {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/served");
    let subject = AdkPythonSubject::new(&folder, Some(python))
        .environment("FROM", from)
        .environment("GOOGLE_GENAI_USE_VERTEXAI", "false")
        .environment("GEMINI_API_KEY", "none")
        .environment("GOOGLE_GEMINI_BASE_URL", &endpoint.url);
    EvalCase::new("served", Arc::new(subject)).first_message("Search")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_runs_only_the_tools_that_the_case_allows() {
    let Some(python) = test_needs::python() else { return };
    let named = GivenModel::Named("gemini-2.5-pro".to_owned());
    for (from, name, what, sent, model) in [
        ("toolset", "google_search", "service", "googleSearch", None),
        ("toolset", "google_search", "service", "googleSearch", Some(named)),
        ("list", "google_search", "service", "googleSearch", None),
        ("callback", "url_context", "service", "urlContext", None),
        ("function of callback", "sing", "client", "sing", None),
        ("own", "reads", "service", "urlContext", None),
        ("executor", "BuiltInCodeExecutor", "", "codeExecution", None),
    ] {
        let endpoint = Endpoint::start(|request| says(request, "Found.")).await;
        let mut case = case(from, &endpoint, &python);
        if let Some(model) = model {
            case = case.model(model);
        }
        let message = run_eval(&case).await.error.unwrap_or_else(|| panic!("{from}")).message;
        let what = match what {
            "" => "runs code that the model writes".to_owned(),
            _ => format!("is a tool that the model's {what} runs"),
        };
        let wanted = format!(
            "EvalToolError: {name} of served {what}, which cannot be intercepted. \
             To let it run, name it in the case: `allow: [{name}]`"
        );
        assert_eq!(message, wanted, "{from}");
        assert_eq!(endpoint.requests().len(), 0, "{from}");
        let result = run_eval(&case.allow(name)).await;
        assert_eq!(result.status, Status::Passed, "{from}: {:?}", result.error);
        let [request] = &endpoint.requests()[..] else { panic!("{from}") };
        assert!(request.body["tools"].to_string().contains(sent), "{from}: {}", request.body);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_that_the_case_gives_asks_no_service() {
    let Some(python) = test_needs::python() else { return };
    let endpoint = Endpoint::start(|request| says(request, "Found.")).await;
    for from in ["callback", "function of callback"] {
        let case = case(from, &endpoint, &python)
            .model(GivenModel::scripted(vec![ModelTurn::text("Hello")]));
        let result = run_eval(&case).await;
        assert_eq!(result.status, Status::Passed, "{from}: {:?}", result.error);
    }
    assert_eq!(endpoint.requests().len(), 0);
}
