//! Long-running tools that return something at once, and for which a user agent responds after the agent's turn.

use std::path::Path;
use std::sync::Arc;

use eval::given_model::{GivenModel, ModelCall, ModelTurn};
use eval::ledger::{Event, Origin};
use eval::mock::ArgsMatch;
use eval::python::AdkPythonSubject;
use eval::tool_fault::{FaultEffect, ToolFault};
use eval::user_agent::{ConversationMessage, ScriptedUser, UserAgentError, UserAnswer};
use eval::yields::YieldInfo;
use eval::{EvalCase, EvalResult, Status, ToolMock, ToolUse, UserAgent, run_eval};
use json_text::JsonText;
use serde_json::{Value, json};

fn case(turns: Vec<ModelTurn>) -> Option<EvalCase> {
    let python = test_needs::python()?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/orders");
    let case = EvalCase::new("orders", Arc::new(AdkPythonSubject::new(&folder, Some(&python))));
    Some(case.first_message("Order a lamp").model(GivenModel::scripted(turns)))
}

fn value(value: &Value) -> JsonText {
    JsonText::from_value(value)
}

fn order(item: &str) -> ModelCall {
    ModelCall::new("order", value(&json!({ "item": item })))
}

fn orders<const N: usize>(items: [&str; N]) -> ModelTurn {
    ModelTurn { text: String::new(), calls: items.map(order).into() }
}

fn answers(answers: &[Value]) -> Arc<dyn UserAgent> {
    let says = answers.iter().map(|answer| UserAnswer::says(value(answer)));
    Arc::new(ScriptedUser::new(says.collect()))
}

fn results(result: &EvalResult) -> Vec<(String, String, Origin)> {
    let results = result.events.iter().filter_map(|entry| match &entry.event {
        Event::ToolResult { call_id, result, from, .. } => {
            Some((call_id.clone(), result.compact().to_string(), *from))
        }
        _ => None,
    });
    results.collect()
}

fn prompts(result: &EvalResult) -> Vec<String> {
    let prompts = result.events.iter().filter_map(|entry| match &entry.event {
        Event::UserAgentPrompt { text } => Some(text.clone()),
        _ => None,
    });
    prompts.collect()
}

const PENDING: &str = r#"{"status":"pending","ticket":"lamp-1"}"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_agent_responds_to_a_call_that_has_an_interim_result() {
    let turns = vec![orders(["lamp"]), ModelTurn::text("I asked."), ModelTurn::text("Ordered.")];
    let Some(case) = case(turns) else { return };
    let mock = ToolMock::Returns(JsonText::parse(PENDING).expect("valid"));
    for used in [ToolUse::Real, ToolUse::Mock(mock)] {
        let is_real = matches!(used, ToolUse::Real);
        let manager = answers(&[json!({ "status": "approved" })]);
        let case = case.clone().tool("order", used).user_for_tool("order", manager);
        let result = run_eval(&case).await;
        assert_eq!((result.status, result.turns), (Status::Passed, 1), "{:?}", result.error);
        let [(first, interim, of_tool), (second, approved, of_user)] = &results(&result)[..] else {
            panic!("{:?}", results(&result))
        };
        assert_eq!(first, second, "the ids of the call");
        assert_eq!((interim.as_str(), approved.as_str()), (PENDING, r#"{"status":"approved"}"#));
        let origin = if is_real { Origin::Real } else { Origin::Mock };
        assert_eq!((*of_tool, *of_user), (origin, Origin::UserAgent));
        let prompt = format!("Tool: order\nArgs: {{\"item\":\"lamp\"}}\nReturned: {PENDING}");
        assert_eq!(prompts(&result), [prompt]);
        let last = result.events.iter().rev().find_map(|entry| match &entry.event {
            Event::Message { text, .. } => Some(text.as_str()),
            _ => None,
        });
        assert_eq!(last, Some("Ordered."));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_of_several_calls_is_asked_for_once() {
    let turns =
        vec![orders(["lamp", "desk"]), ModelTurn::text("I asked."), ModelTurn::text("Both.")];
    let Some(case) = case(turns) else { return };
    let manager = answers(&[json!({ "number": 1 }), json!({ "number": 2 })]);
    let case = case.tool("order", ToolUse::Real).user_for_tool("order", manager);
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let results = results(&result);
    let [lamp, desk, of_lamp, of_desk] = &results[..] else { panic!("{results:?}") };
    assert_eq!((&lamp.0, &desk.0), (&of_lamp.0, &of_desk.0));
    assert_eq!((of_lamp.1.as_str(), of_desk.1.as_str()), (r#"{"number":1}"#, r#"{"number":2}"#));
}

/// A manager who never decides.
struct Undecided;

#[async_trait::async_trait]
impl UserAgent for Undecided {
    async fn answer(
        &self,
        _: usize,
        _: &[ConversationMessage],
        _: &YieldInfo,
    ) -> Result<UserAnswer, UserAgentError> {
        Ok(UserAnswer::ends())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_conversation_goes_on_without_a_further_result() {
    let turns = vec![orders(["lamp"]), ModelTurn::text("I asked."), ModelTurn::text("Bye.")];
    let Some(case) = case(turns) else { return };
    let case = case.tool("order", ToolUse::Real).user(Arc::new(ScriptedUser::saying(["Thanks"])));
    for case in [case.clone(), case.user_for_tool("order", Arc::new(Undecided))] {
        let result = run_eval(&case).await;
        assert_eq!((result.status, result.turns), (Status::Passed, 1), "{:?}", result.error);
        let results = results(&result);
        assert_eq!(results.len(), 1, "{results:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_an_injected_fault_answers_is_not_asked_for() {
    let turns = vec![orders(["lamp"]), ModelTurn::text("It is down.")];
    let Some(case) = case(turns) else { return };
    let effect = FaultEffect::Returns(value(&json!({ "error": "503" })));
    let case = case
        .tool("order", ToolUse::Real)
        .user_for_tool("order", answers(&[json!({ "status": "approved" })]))
        .fault(ToolFault {
            tool: "order".to_owned(),
            args: ArgsMatch::default(),
            probability: 1.0,
            effect,
        });
    let result = run_eval(&case).await;
    assert_eq!((result.status, result.turns), (Status::Passed, 0), "{:?}", result.error);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_agent_of_a_tool_that_never_asks_is_a_fault_of_the_case() {
    let call = |tool: &str| ModelTurn::call(tool, value(&json!({ "ticket": "lamp-1" })));
    for tool in ["track", "cancel"] {
        let Some(case) = case(vec![call(tool), ModelTurn::text("Done.")]) else { return };
        let user = || answers(&[json!({ "confirmed": true })]);
        let case = case.tool(tool, ToolUse::Real).user_for_tool(tool, user());
        let result = run_eval(&case).await;
        let error = result.error.expect("an error");
        assert_eq!(error.at_fault.name(), "user_agent");
        let begins =
            format!("the case has a user agent for {tool}, which was called and did not ask");
        assert!(error.message.starts_with(&begins), "{}", error.message);

        // Without a call nothing is wrong.
        let case =
            EvalCase { model: Some(GivenModel::scripted(vec![ModelTurn::text("Hi")])), ..case };
        let result = run_eval(&case).await;
        assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    }
}
