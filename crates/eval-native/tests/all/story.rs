//! The worked story of the design: a patient with chest pain.

use std::sync::Arc;

use eval::given_model::{GivenModel, ModelCall, ModelTurn};
use eval::metric::{Assertion, EventCountMetric, StateMetric};
use eval::mock::{ArgsMatch, Row};
use eval::result::TerminationReason;
use eval::user_agent::{ScriptedUser, UserAnswer};
use eval::{EvalCase, Status, ToolMock, ToolUse, run_eval};
use scoring::state::Query;
use serde_json::{Value, json};

use crate::fork_equality::first_difference;
use crate::triage::{returns, shown, triage, value};

fn call(tool: &str, args: &Value) -> ModelTurn {
    ModelTurn::call(tool, value(args))
}

fn metrics(case: EvalCase) -> EvalCase {
    let is = |conditions: &Value| Assertion::parse(&value(conditions)).expect("conditions");
    let count = |name: &str, tool: &str, conditions: &Value| EventCountMetric {
        name: name.to_owned(),
        event: "tool_call".to_owned(),
        filter: Some(Query::parse(&value(&json!({ "name": tool }))).expect("a query")),
        assertion: is(conditions),
    };
    let escalated = json!({ "urgencyLevel": "emergency_999", "reason": "cardiac" });
    case.metric(Arc::new(StateMetric {
        name: "correctly_escalated".to_owned(),
        scope: "session".to_owned(),
        key: "escalation".to_owned(),
        assertion: is(&escalated),
    }))
    .metric(Arc::new(count("efficient_triage", "ask", &json!({ "$lte": 5 }))))
    .metric(Arc::new(count("read_policy", "read", &json!(1))))
}

fn story() -> EvalCase {
    let answer = json!({ "question": "Does it spread?", "answer": "To my left arm" });
    let policy = json!({ "policy_id": "chest_pain" });
    let model = vec![
        call("ask", &json!({ "question": "Does it spread?" })),
        ModelTurn {
            text: String::new(),
            calls: vec![
                ModelCall::new("record_answer", value(&answer)),
                ModelCall::new("read", value(&policy)),
            ],
        },
        ModelTurn::text("Your symptoms are serious. Are you alone?"),
        call("escalate", &json!({ "urgency_level": "emergency_999", "reason": "cardiac" })),
        ModelTurn::text("I am calling 999."),
    ];
    let row = Row {
        args: ArgsMatch {
            equal: vec![("policy_id".to_owned(), value(&json!("chest_pain")))],
            ..ArgsMatch::default()
        },
        mock: ToolMock::Returns(value(&json!({ "policy": "Call 999 when the pain spreads." }))),
    };
    let patient = UserAnswer::Says {
        output: value(&json!({ "answer": "To my left arm" })),
        changes: value(&json!({ "patient": { "revealedConditions": ["hypertension"] } })),
    };
    let mut case = EvalCase::new("chest-pain-escalation", triage())
        .first_message("I have really bad chest pain")
        .model(GivenModel::scripted(model))
        .tool("read", ToolUse::Mock(ToolMock::Table { rows: vec![row], otherwise: None }))
        .tool("record_answer", ToolUse::Real)
        .tool("escalate", ToolUse::Real)
        .user(Arc::new(ScriptedUser::saying(["Yes, I am alone"])))
        .user_for_tool("ask", Arc::new(ScriptedUser::new(vec![patient])));
    case.initial_state = value(&json!({ "patient": { "age": 55, "gender": "male" } }));
    case.terminate_when.max_turns = Some(10);
    let ends = json!({ "escalation": { "$exists": true } });
    case.terminate_when.state_matches = Some(Query::parse(&value(&ends)).expect("a query"));
    metrics(case)
}

#[tokio::test]
async fn the_triage_story_runs_with_a_scripted_model() {
    let result = run_eval(&story()).await;
    // As of the Python agent (`crates/eval/tests/all/python_runs.rs`), but for one thing: google-adk gives the
    // results of parallel calls as one event, and adk-rust each with its own change of the state.
    expect_test::expect![[r#"
        initial_state 
        user_message "I have really bad chest pain"
        model_request 
        tool_call "ask"
        yield "ask"
        user_agent_prompt "Tool: ask\nArgs: {\"question\":\"Does it spread?\"}"
        user_agent_response {"answer":"To my left arm"}
        tool_result "ask" "user_agent"
        state_change {"patient":{"age":55,"gender":"male","revealedConditions":["hypertension"]}}
        model_request 
        tool_call "record_answer"
        tool_call "read"
        tool_result "record_answer" "real"
        state_change {"beliefs":{"Does it spread?":"To my left arm"}}
        tool_result "read" "mock"
        model_request 
        message "Your symptoms are serious. Are you alone?"
        yield 
        user_agent_prompt "Your symptoms are serious. Are you alone?"
        user_agent_response "Yes, I am alone"
        user_message "Yes, I am alone"
        model_request 
        tool_call "escalate"
        tool_result "escalate" "real"
        state_change {"escalation":{"urgencyLevel":"emergency_999","reason":"cardiac"}}
        model_request 
        message "I am calling 999."
        termination "state_matches""#]]
    .assert_eq(&shown(&result.events));
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(result.termination_reason, Some(TerminationReason::StateMatches));
    assert_eq!((result.turns, result.metrics.len()), (2, 3));
    let last = serde_json::to_value(&result.events.last().expect("an end").event);
    let wanted = json!({
        "beliefs": { "Does it spread?": "To my left arm" },
        "escalation": { "urgencyLevel": "emergency_999", "reason": "cardiac" },
        "patient": { "age": 55, "gender": "male", "revealedConditions": ["hypertension"] },
    });
    assert_eq!(last.expect("serializes")["state"], wanted);
}

#[tokio::test]
async fn a_user_decides_whether_a_call_runs() {
    let page = || call("page_doctor", &json!({ "name": "Lee" }));
    let case = |confirmed: bool| {
        let answer = value(&json!({ "confirmed": confirmed }));
        EvalCase::new("confirmation", triage())
            .first_message("Hi")
            .model(GivenModel::scripted(vec![page(), ModelTurn::text("Done")]))
            .tool("page_doctor", returns(&json!({ "paged": true })))
            .user_for_tool(
                "page_doctor",
                Arc::new(ScriptedUser::new(vec![UserAnswer::says(answer)])),
            )
    };
    let confirmed = run_eval(&case(true)).await;
    assert_eq!(confirmed.status, Status::Passed, "{:?}", confirmed.error);
    assert!(shown(&confirmed.events).contains(r#"tool_result "page_doctor" "mock""#));
    let denied = run_eval(&case(false)).await;
    assert_eq!(denied.status, Status::Passed, "{:?}", denied.error);
    assert!(shown(&denied.events).contains(r#"tool_result "page_doctor" "framework""#));
}

#[tokio::test]
async fn state_that_users_change_between_turns_reaches_the_agent() {
    let recorded = json!({ "question": "b", "answer": "2" });
    let changes = value(&json!({ "beliefs": { "a": "1" } }));
    let user = UserAnswer::Says { output: value(&json!("Next")), changes };
    let case = EvalCase::new("state", triage())
        .first_message("Hi")
        .model(GivenModel::scripted(vec![
            ModelTurn::text("Hello"),
            call("record_answer", &recorded),
            ModelTurn::text("Done"),
        ]))
        .tool("record_answer", ToolUse::Real)
        .user(Arc::new(ScriptedUser::new(vec![user])));
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let last = serde_json::to_value(&result.events.last().expect("an end").event);
    let wanted = json!({ "beliefs": { "a": "1", "b": "2" } });
    assert_eq!(last.expect("serializes")["state"], wanted);
}

#[tokio::test]
async fn a_fork_with_the_same_model_gives_the_story_again() {
    assert_eq!(first_difference(&story()).await, Ok(11));
}
