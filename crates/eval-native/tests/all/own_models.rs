//! The subject's own models, by their real clients, at an endpoint on this machine.

use std::sync::Arc;

use adk_agent::LlmAgentBuilder;
use adk_core::{AdkError, Agent};
use eval::given_model::GivenModel;
use eval::simulated::SimulatedTool;
use eval::{EvalCase, Status, ToolMock, ToolUse, check_cases, run_eval};
use eval_native::{Interceptor, NativeSubject};
use serde_json::json;

use crate::triage::real;
use crate::wire::{Endpoint, Reply, calls, says};

#[tokio::test]
async fn the_agents_own_model_calls_a_tool_that_another_model_plays() {
    // The client gives both calls the same id.
    let endpoint = Endpoint::start(|request| match request.number {
        0 | 2 => calls(request, "book", &json!({ "seat": request.number })),
        1 | 3 => says(request, r#"{"result": {"booked": true}}"#),
        _ => says(request, "Both are booked"),
    })
    .await;
    let models = endpoint.models();
    let simulated = SimulatedTool::new(models.model("openai/gpt-5-mini").expect("a model"));
    let build = move |interceptor: &Interceptor| -> adk_core::Result<Arc<dyn Agent>> {
        let model = interceptor.model("clerk", || {
            let model = models.model("claude-sonnet-5");
            Ok(model.map_err(|error| AdkError::config(error.to_string()))?.client())
        })?;
        let agent = LlmAgentBuilder::new("clerk").model(model);
        Ok(Arc::new(agent.tool(interceptor.tool(Arc::new(real("book")))).build()?))
    };
    let case = EvalCase::new("own", Arc::new(NativeSubject::new(build)))
        .first_message("Two seats")
        .tool("book", ToolUse::Mock(ToolMock::Function(Arc::new(simulated))));
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let requests = endpoint.requests();
    assert_eq!(requests.len(), 5);
    assert!(requests.iter().all(|request| !request.text().contains("x-rehearsal")));
    assert!(requests[1].text().contains("Its declaration"), "{}", requests[1].text());
    assert_eq!((result.token_usage.input, result.token_usage.output), (30, 15));

    let events = result.events.iter().map(|entry| serde_json::to_value(&entry.event));
    let events: Vec<_> = events.map(|event| event.expect("serializes")).collect();
    let ids = |kind: &str| -> Vec<String> {
        let of_kind = events.iter().filter(|event| event["type"] == kind);
        of_kind.map(|event| event["call_id"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let called = ids("tool_call");
    assert!(called[0].ends_with("-1") && called[1].ends_with("-2"), "{called:?}");
    assert!(
        called.iter().all(|id| id.len() > "call-1".len() + 8),
        "they cannot be guessed: {called:?}"
    );
    assert_eq!(ids("tool_result"), called);
    assert!(
        requests.iter().any(|it| it.text().contains(&called[0])),
        "the model reads the same id"
    );
    let usage = events.iter().find(|it| it["type"] == "model_usage" && it["role"] == "subject");
    assert_eq!(usage.expect("usage")["model"], "claude-sonnet-5");
}

#[tokio::test]
async fn a_model_that_the_case_names_is_reached_with_the_subjects_models() {
    let endpoint = Endpoint::start(|request| says(request, "Hello")).await;
    let build = |interceptor: &Interceptor| -> adk_core::Result<Arc<dyn Agent>> {
        let model = interceptor.model("clerk", || Err(AdkError::config("no key")))?;
        Ok(Arc::new(LlmAgentBuilder::new("clerk").model(model).build()?))
    };
    let subject = NativeSubject::new(build).models(endpoint.models());
    let case = EvalCase::new("named", Arc::new(subject))
        .first_message("Hi")
        .model(GivenModel::Named("claude-sonnet-5".to_owned()));
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(endpoint.requests().len(), 1);
}

#[tokio::test]
async fn a_request_that_the_service_refuses_for_now_is_repeated() {
    let endpoint = Endpoint::start(|request| match request.number {
        0 => Reply::Status(429, "retry-after: 0\r\n", r#"{"error": {"code": 429}}"#.to_owned()),
        _ => says(request, "Hello"),
    })
    .await;
    let models = endpoint.models();
    let build = move |interceptor: &Interceptor| -> adk_core::Result<Arc<dyn Agent>> {
        let model = interceptor.model("clerk", || {
            let model = models.model("claude-sonnet-5");
            Ok(model.map_err(|error| AdkError::config(error.to_string()))?.client())
        })?;
        Ok(Arc::new(LlmAgentBuilder::new("clerk").model(model).build()?))
    };
    let case = EvalCase::new("limited", Arc::new(NativeSubject::new(build))).first_message("Hi");
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(endpoint.requests().len(), 2);
    assert_eq!(result.token_usage.input, 10, "only the answered request counts");
}

#[tokio::test]
async fn a_fork_changes_tools_and_the_temperature_and_refuses_instructions() {
    let endpoint = Endpoint::start(|request| says(request, "Booked")).await;
    let models = endpoint.models();
    let build = move |interceptor: &Interceptor| -> adk_core::Result<Arc<dyn Agent>> {
        let model = interceptor.model("clerk", || {
            let model = models.model("claude-haiku-4-5");
            Ok(model.map_err(|error| AdkError::config(error.to_string()))?.client())
        })?;
        let agent = LlmAgentBuilder::new("clerk").model(model);
        Ok(Arc::new(agent.tool(interceptor.tool(Arc::new(real("book")))).build()?))
    };
    let source = EvalCase::new("own", Arc::new(NativeSubject::new(build))).first_message("A seat");
    let changed = |changes: serde_json::Value| {
        source.clone().request_changes(serde_json::from_value(changes).expect("changes"))
    };
    let tool = json!({ "description": "Takes a seat.", "parameters": { "type": "object", "title": "seat" } });
    let case = changed(json!({ "tools": { "book": tool }, "temperature": 0.25 }));
    assert!(check_cases([&case].into_iter(), 1).await.is_ok());
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let [request] = &endpoint.requests()[..] else { panic!("one request") };
    let text = request.text();
    for sent in ["Takes a seat.", "\"title\":\"seat\"", "\"temperature\":0.25"] {
        assert!(text.contains(sent), "{sent} is not in {text}");
    }

    let case = changed(json!({ "instructions": { "clerk": "Be brief." } }));
    let Err((_, refused)) = check_cases([&case].into_iter(), 1).await else { panic!("refused") };
    assert!(refused.to_string().contains("builds its instruction itself"), "{refused}");
    let unknown = run_eval(&changed(json!({ "tools": { "bok": {} } }))).await;
    let error = unknown.error.expect("refused");
    assert!(error.message.contains("it has no tool bok; did you mean book?"), "{error:?}");
    assert_eq!(endpoint.requests().len(), 1);
}
