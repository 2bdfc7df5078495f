//! The model `replay` on agents of adk-rust.

use std::sync::Arc;

use eval::recorded::{Recording, replay};
use eval::user_agent::ScriptedUser;
use eval::{EvalCase, Status, ToolMock, ToolUse, run_eval};
use scoring::{Invocation, ToolCall, Trace};
use serde_json::json;

use crate::triage::{error, returns, shown, triage, value};

/// Two turns: one that reads a policy twice, and one without a call.
fn recorded() -> Trace {
    let read = |policy: &str, result: &str| ToolCall {
        result: Some(value(&json!({ "policy": result }))),
        ..ToolCall::new("read", value(&json!({ "policy_id": policy })))
    };
    let turn = |user: &str, tool_calls, response: &str| Invocation {
        user_text: user.to_owned(),
        tool_calls,
        final_response: Some(response.to_owned()),
        ..Invocation::default()
    };
    let calls = vec![read("chest_pain", "Call 999"), read("alone", "Stay")];
    let invocations = vec![
        turn("I have chest pain", calls, "Are you alone?"),
        turn("Yes", Vec::new(), "Help is coming."),
    ];
    Trace { invocations, ..Trace::default() }
}

fn case(trace: &Trace) -> EvalCase {
    let recording = Arc::new(Recording::of(trace));
    EvalCase::new("replayed", triage())
        .first_message("I have chest pain")
        .model(replay(trace))
        .tool("read", ToolUse::Mock(ToolMock::Recorded { recording, otherwise: None }))
        .user(Arc::new(ScriptedUser::saying(["Yes"])))
}

#[tokio::test]
async fn a_recorded_conversation_is_replayed_turn_by_turn() {
    let result = run_eval(&case(&recorded())).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    expect_test::expect![[r#"
        initial_state 
        user_message "I have chest pain"
        model_request 
        tool_call "read"
        tool_result "read" "mock"
        model_request 
        tool_call "read"
        tool_result "read" "mock"
        model_request 
        message "Are you alone?"
        yield 
        user_agent_prompt "Are you alone?"
        user_agent_response "Yes"
        user_message "Yes"
        model_request 
        message "Help is coming."
        yield 
        user_agent_prompt "Help is coming."
        termination "#]]
    .assert_eq(&shown(&result.events));
    let replayed = eval::trace::trace(&result.events);
    let results = |trace: &Trace| -> Vec<_> {
        let calls = trace.invocations.iter().flat_map(|turn| &turn.tool_calls);
        calls.map(|call| call.result.as_ref().map(|it| it.to_value().expect("JSON"))).collect()
    };
    assert_eq!(results(&replayed), results(&recorded()));
}

#[tokio::test]
async fn an_agent_that_asks_the_model_more_often_than_recorded_is_at_fault() {
    let mut trace = recorded();
    trace.invocations[0].final_response = None;
    let case = case(&trace).tool("read", returns(&json!({ "policy": "Call 999" })));
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Error);
    let message = error(&result);
    let expected = "the recorded trace has 2 responses in turn 1, and triage asks for response 3. The \
                    agent goes another way than the recording";
    assert!(message.contains(expected), "{message}");
}
