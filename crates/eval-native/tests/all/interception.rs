//! Every way to a tool: direct, through a sub-agent, an agent as a tool and workflows.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use adk_agent::{LlmAgentBuilder, LoopAgent, ParallelAgent, SequentialAgent};
use adk_core::{
    Agent, Content, Llm, LlmRequest, LlmResponse, LlmResponseStream, Part, ToolExecutionStrategy,
};
use adk_tool::AgentTool;
use async_trait::async_trait;
use eval::given_model::{GivenModel, ModelCall, ModelTurn};
use eval::mock::{MockContext, MockFailure, MockFunction};
use eval::run_failure::AtFault;
use eval::subject::{Input, ToolResponse};
use eval::tool_fault::{FaultEffect, ToolFault};
use eval::user_agent::{ScriptedUser, UserAnswer};
use eval::{
    EvalCase, EvalResult, JsonText, RunFailure, Status, ToolMock, ToolUse, create_eval_runner,
    run_eval,
};
use eval_native::{Interceptor, NativeSubject};
use serde_json::{Value, json};

use crate::triage::{error, no_model, real, record_answer, returns, shown, triage, value, writes};

type Built = adk_core::Result<Arc<dyn Agent>>;

/// An agent that has the tools `danger`, `note` and `ask`.
fn worker(interceptor: &Interceptor, name: &str) -> Built {
    let note = writes("note", "noted", |args, _| args["text"].clone());
    let agent = LlmAgentBuilder::new(name)
        .description("Works")
        .model(interceptor.model(name, no_model)?)
        .tool(interceptor.tool(Arc::new(real("danger"))))
        .tool(interceptor.tool(Arc::new(note)))
        .tool(interceptor.tool(Arc::new(real("ask").with_long_running(true))))
        .tool(interceptor.exit_loop())
        .tool_execution_strategy(ToolExecutionStrategy::Parallel);
    Ok(Arc::new(agent.build()?))
}

fn boss(interceptor: &Interceptor) -> adk_core::Result<LlmAgentBuilder> {
    Ok(LlmAgentBuilder::new("boss").model(interceptor.model("boss", no_model)?))
}

fn call(tool: &str, args: &Value) -> ModelTurn {
    ModelTurn::call(tool, value(args))
}

/// A way to the worker's tools: an agent, and what the model says before the worker's turn and after it.
struct Path {
    name: &'static str,
    build: fn(&Interceptor) -> Built,
    before: Vec<ModelTurn>,
    after: Vec<ModelTurn>,
}

fn paths() -> Vec<Path> {
    let path = |name, build| Path { name, build, before: Vec::new(), after: Vec::new() };
    let transfer = call("transfer_to_agent", &json!({ "agent_name": "worker" }));
    vec![
        path("direct", |interceptor| worker(interceptor, "worker")),
        Path {
            before: vec![transfer],
            ..path("sub-agent", |interceptor| {
                let worker = worker(interceptor, "worker")?;
                Ok(Arc::new(boss(interceptor)?.sub_agent(worker).build()?))
            })
        },
        Path {
            before: vec![call("worker", &json!({ "request": "Work" }))],
            after: vec![ModelTurn::text("The worker is done")],
            ..path("agent as a tool", |interceptor| {
                let tool = interceptor.agent_tool(worker(interceptor, "worker")?, |tool| tool);
                Ok(Arc::new(boss(interceptor)?.tool(tool).build()?))
            })
        },
        path("sequential", |interceptor| {
            Ok(Arc::new(SequentialAgent::new("steps", vec![worker(interceptor, "worker")?])))
        }),
        path("parallel", |interceptor| {
            Ok(Arc::new(ParallelAgent::new("branches", vec![worker(interceptor, "worker")?])))
        }),
        path("loop", |interceptor| {
            let agent = LoopAgent::new("rounds", vec![worker(interceptor, "worker")?]);
            Ok(Arc::new(agent.with_max_iterations(1)))
        }),
    ]
}

impl Path {
    fn case(&self, calls: Vec<ModelTurn>) -> EvalCase {
        let done = ModelTurn::text("Done");
        let turns = [self.before.clone(), calls, vec![done], self.after.clone()].concat();
        EvalCase::new(self.name, Arc::new(NativeSubject::new(self.build)))
            .first_message("Hi")
            .model(GivenModel::scripted(turns))
    }
}

fn result_of(result: &EvalResult, tool: &str) -> Value {
    let events = result.events.iter().map(|entry| serde_json::to_value(&entry.event));
    let events = events.map(|event| event.expect("serializes"));
    let mut results =
        events.filter(|event| event["type"] == "tool_result" && event["name"] == tool);
    results.next().unwrap_or_default()
}

#[tokio::test]
async fn a_mock_answers_on_every_path() {
    for path in paths() {
        let case = path.case(vec![call("danger", &json!({}))]);
        let result = run_eval(&case.tool("danger", returns(&json!({ "safe": true })))).await;
        assert_eq!(result.status, Status::Passed, "{}: {:?}", path.name, result.error);
        let shown = result_of(&result, "danger");
        assert_eq!((&shown["from"], &shown["result"]), (&json!("mock"), &json!({ "safe": true })));
    }
}

#[tokio::test]
async fn a_real_tool_runs_on_every_path() {
    for path in paths() {
        let case = path.case(vec![call("note", &json!({ "text": "here" }))]);
        let result = run_eval(&case.tool("note", ToolUse::Real)).await;
        assert_eq!(result.status, Status::Passed, "{}: {:?}", path.name, result.error);
        assert_eq!(result_of(&result, "note")["from"], "real", "{}", path.name);
        let last = serde_json::to_value(&result.events.last().expect("an end").event);
        assert_eq!(last.expect("serializes")["state"]["noted"], "here", "{}", path.name);
        let shown = shown(&result.events);
        assert_eq!(shown.matches("state_change").count(), 1, "{}: {shown}", path.name);
    }
}

/// A mock that notes how often it was called, and the text.
struct Notes;

#[async_trait]
impl MockFunction for Notes {
    async fn answer(
        &self,
        args: &JsonText,
        context: &MockContext,
    ) -> Result<JsonText, MockFailure> {
        let earlier = context.state.get("count").and_then(|count| count.as_u64()).unwrap_or(0);
        context.state.set("count", json!(earlier + 1));
        context.state.set("noted", args.to_value().expect("arguments")["text"].clone());
        Ok(value(&json!({ "count": earlier + 1 })))
    }
}

#[tokio::test]
async fn a_mock_changes_the_state_on_every_path() {
    for path in paths() {
        let note = |text: &str| call("note", &json!({ "text": text }));
        let case = path.case(vec![note("first"), note("second")]);
        let mock = ToolUse::Mock(ToolMock::Function(Arc::new(Notes)));
        let result = run_eval(&case.tool("note", mock)).await;
        assert_eq!(result.status, Status::Passed, "{}: {:?}", path.name, result.error);
        let last = serde_json::to_value(&result.events.last().expect("an end").event);
        let state = &last.expect("serializes")["state"];
        assert_eq!(
            (&state["noted"], &state["count"]),
            (&json!("second"), &json!(2)),
            "{}",
            path.name
        );
        let events = result.events.iter().map(|entry| serde_json::to_value(&entry.event));
        let changes = events.map(|event| event.expect("serializes"));
        let by = changes.filter(|event| event["type"] == "state_change");
        let by: Vec<Value> = by.map(|event| event["by"].clone()).collect();
        assert!(!by.is_empty() && by.iter().all(|by| by == "mock"), "{}: {by:?}", path.name);
    }
}

#[tokio::test]
async fn a_tool_that_the_case_does_not_name_ends_the_run_on_every_path() {
    for path in paths() {
        let case = path.case(vec![call("danger", &json!({ "to": "all" }))]);
        let result = run_eval(&case).await;
        assert_eq!(result.status, Status::Error, "{}", path.name);
        let message = error(&result);
        assert!(message.starts_with("EvalToolError: the tool danger was called"), "{message}");
        assert!(message.contains(r#""to": "all""#), "{message}");
        assert_eq!(result_of(&result, "danger"), Value::Null, "{}", path.name);
        assert!(!shown(&result.events).contains("Done"), "{}", path.name);
    }
}

#[tokio::test]
async fn users_answer_and_change_state_on_every_path() {
    for path in paths() {
        let answer = UserAnswer::Says {
            output: value(&json!({ "answer": 42 })),
            changes: value(&json!({ "session": { "asked": true } })),
        };
        let case = path.case(vec![call("ask", &json!({})), call("note", &json!({ "text": "x" }))]);
        let case = case.tool("note", ToolUse::Real);
        let asked = case.clone().user_for_tool("ask", Arc::new(ScriptedUser::new(vec![answer])));
        let result = run_eval(&asked).await;
        assert_eq!(result.status, Status::Passed, "{}: {:?}", path.name, result.error);
        let shown = result_of(&result, "ask");
        assert_eq!(
            (&shown["from"], &shown["result"]["answer"]),
            (&json!("user_agent"), &json!(42))
        );
        let events = crate::triage::shown(&result.events);
        assert_eq!(events.matches("state_change").count(), 2, "{}: {events}", path.name);

        let unasked = run_eval(&case.tool("ask", returns(&json!(null)))).await;
        let at_fault = unasked.error.as_ref().map(|error| error.at_fault);
        assert_eq!(at_fault, Some(AtFault::UserAgent), "{}: {:?}", path.name, unasked.error);
    }
}

#[tokio::test]
async fn an_error_in_a_tool_is_the_agents_to_handle() {
    for path in paths() {
        let case = path.case(vec![call("danger", &json!({}))]).tool("danger", ToolUse::Real);
        let result = run_eval(&case).await;
        assert_eq!(result.status, Status::Passed, "{}: {:?}", path.name, result.error);
        let shown = result_of(&result, "danger");
        assert!(shown["result"]["error"].to_string().contains("the body of danger ran"), "{shown}");

        let raises = ToolUse::Mock(ToolMock::Raises("out of order".to_owned()));
        let result = run_eval(&case.tool("danger", raises)).await;
        let shown = result_of(&result, "danger");
        assert_eq!(shown["from"], "mock");
        assert!(shown["result"]["error"].to_string().contains("out of order"), "{shown}");
    }
}

#[tokio::test]
async fn a_tool_that_the_agent_does_not_have_is_answered_by_the_framework() {
    for path in paths() {
        let result = run_eval(&path.case(vec![call("fly", &json!({}))])).await;
        assert_eq!(result.status, Status::Passed, "{}: {:?}", path.name, result.error);
        assert_eq!(result_of(&result, "fly")["from"], "framework", "{}", path.name);
    }
}

#[tokio::test]
async fn results_are_cut() {
    let answer = json!({ "question": "Where?", "answer": "In the chest" });
    let case = EvalCase::new("cut", triage())
        .first_message("Hi")
        .model(GivenModel::scripted(vec![call("record_answer", &answer), ModelTurn::text("Done")]))
        .tool("record_answer", ToolUse::Real)
        .fault(ToolFault {
            tool: "record_answer".to_owned(),
            args: Default::default(),
            probability: 1.0,
            effect: FaultEffect::Truncates(6),
        });
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(result_of(&result, "record_answer")["result"], json!("{\"done"));
}

#[tokio::test]
async fn a_loop_is_left_by_its_tool() {
    let paths = paths();
    let path = paths.iter().find(|path| path.name == "loop").expect("a loop");
    let result = run_eval(&path.case(vec![call("exit_loop", &json!({}))])).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(result_of(&result, "exit_loop")["from"], "framework");
}

#[tokio::test]
async fn tools_that_wait_at_once_are_answered_at_once() {
    let ask = |of: &str| ModelCall::new("ask", value(&json!({ "of": of })));
    let both = ModelTurn { text: String::new(), calls: vec![ask("a"), ask("b")] };
    let says = |text| UserAnswer::says(value(&json!({ "answer": text })));
    let paths = paths();
    let case = paths[0]
        .case(vec![both])
        .user_for_tool("ask", Arc::new(ScriptedUser::new(vec![says("1"), says("2")])));
    let result = run_eval(&case).await;
    assert_eq!((result.status, result.turns), (Status::Passed, 1), "{:?}", result.error);
}

#[tokio::test]
async fn a_real_tool_that_is_an_agent_can_wait_within() {
    let build = |interceptor: &Interceptor| -> Built {
        let tool = Arc::new(AgentTool::new(worker(interceptor, "worker")?));
        Ok(Arc::new(boss(interceptor)?.tool(interceptor.tool(tool)).build()?))
    };
    let request = json!({ "request": "Work" });
    let turns = vec![
        call("worker", &request),
        call("ask", &json!({})),
        ModelTurn::text("42"),
        ModelTurn::text("The worker is done"),
    ];
    let case = EvalCase::new("agent as a real tool", Arc::new(NativeSubject::new(build)))
        .first_message("Hi")
        .model(GivenModel::scripted(turns))
        .tool("worker", ToolUse::Real)
        .user_for_tool("ask", Arc::new(ScriptedUser::saying(["42"])));
    let result = run_eval(&case).await;
    assert_eq!((result.status, result.turns), (Status::Passed, 1), "{:?}", result.error);
    assert_eq!(result_of(&result, "worker")["result"], json!({ "response": "42" }));
}

#[tokio::test(start_paused = true)]
async fn time_ends_a_run_within_a_call() {
    let slow =
        ToolMock::Delayed(Duration::from_secs(60), Box::new(ToolMock::Returns(value(&json!(1)))));
    let mut case = paths()[0].case(vec![call("danger", &json!({}))]);
    case = case.tool("danger", ToolUse::Mock(slow));
    case.terminate_when.max_duration = Some(Duration::from_secs(5));
    let result = run_eval(&case).await;
    assert_eq!((result.status, result.duration_ms), (Status::Terminated, 5000));
}

#[tokio::test]
async fn a_tool_that_was_not_wrapped_is_refused() {
    let forgetful = |interceptor: &Interceptor| -> Built {
        Ok(Arc::new(boss(interceptor)?.tool(Arc::new(real("danger"))).build()?))
    };
    let case = EvalCase::new("forgotten", Arc::new(NativeSubject::new(forgetful)))
        .first_message("Hi")
        .tool("danger", returns(&json!(1)))
        .model(GivenModel::scripted(vec![call("danger", &json!({})), ModelTurn::text("Done")]));
    let result = run_eval(&case).await;
    let wanted = "EvalToolError: danger of boss is a tool that the factory did not wrap, which cannot be intercepted.";
    assert!(error(&result).starts_with(wanted), "{}", error(&result));
    assert!(!shown(&result.events).contains("tool_call"));
}

/// A model that calls `danger`, once.
struct Caller;

#[async_trait]
impl Llm for Caller {
    fn name(&self) -> &str {
        "caller"
    }

    async fn generate_content(
        &self,
        _: LlmRequest,
        _: bool,
    ) -> adk_core::Result<LlmResponseStream> {
        let call = Part::FunctionCall {
            name: "danger".to_owned(),
            args: json!({}),
            id: None,
            thought_signature: None,
        };
        let content = Some(Content { role: "model".to_owned(), parts: vec![call] });
        let response = LlmResponse { content, turn_complete: true, ..LlmResponse::default() };
        Ok(Box::pin(futures::stream::once(async { Ok(response) })))
    }
}

#[tokio::test]
async fn a_model_that_was_not_wrapped_is_refused_before_its_call_runs() {
    use std::sync::atomic::{AtomicBool, Ordering};
    static RAN: AtomicBool = AtomicBool::new(false);
    let tool = || {
        adk_tool::FunctionTool::new("danger", "danger", |_, _| async {
            RAN.store(true, Ordering::SeqCst);
            Ok(json!({}))
        })
    };
    let bare = move |_: &Interceptor| -> Built {
        let agent = LlmAgentBuilder::new("bare").model(Arc::new(Caller)).tool(Arc::new(tool()));
        Ok(Arc::new(agent.build()?))
    };
    let case = EvalCase::new("bare", Arc::new(NativeSubject::new(bare))).first_message("Hi");
    let result = run_eval(&case).await;
    let wanted = "EvalToolError: bare.model of bare is a model that the factory did not wrap";
    assert!(error(&result).starts_with(wanted), "{}", error(&result));
    assert!(!RAN.load(Ordering::SeqCst));
}

#[tokio::test]
async fn the_runner_works_by_itself() {
    let answer = json!({ "question": "a", "answer": "1" });
    let model = GivenModel::scripted(vec![
        call("ask", &json!({})),
        call("record_answer", &answer),
        ModelTurn::text("Done"),
        call("read", &json!({})),
    ]);
    let mocks = HashMap::from([
        ("ask".to_owned(), returns(&json!(null))),
        (record_answer_name(), ToolUse::Real),
    ]);
    let mut runner = create_eval_runner(triage(), mocks, Some(model)).await.expect("a runner");
    let waits = runner.run(Input::Message("Hi".into())).await.expect("a turn");
    let call = &waits.pending[0];
    assert_eq!(call.tool, "ask");
    let response = ToolResponse {
        call_id: call.call_id.clone(),
        name: call.name.clone(),
        response: value(&json!({ "answer": 1 })),
    };
    let end = runner.run(Input::Responses(vec![response])).await.expect("a turn");
    assert_eq!(end.state, value(&json!({ "beliefs": { "a": "1" } })));
    let fault = runner.run(Input::Message("And?".into())).await.expect_err("no mock");
    assert!(
        matches!(fault, RunFailure::UnmockedTool { ref tool, .. } if tool == "read"),
        "{fault}"
    );
}

fn record_answer_name() -> String {
    use adk_core::Tool as _;
    record_answer().name().to_owned()
}
