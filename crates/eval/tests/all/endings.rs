//! How runs end: each status, termination reason and error, on one agent.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use eval::given_model::{GivenModel, ModelCall, ModelTurn};
use eval::ledger::Event;
use eval::metric::{Assertion, EventCountMetric};
use eval::python::AdkPythonSubject;
use eval::result::TerminationReason;
use eval::run_failure::{AtFault, Phase};
use eval::user_agent::{ScriptedUser, UserAnswer};
use eval::{EvalCase, EvalResult, EvalSuite, Status, ToolMock, ToolUse, run_eval, run_eval_suite};
use json_text::JsonText;
use serde_json::{Value, json};

fn value(value: &Value) -> JsonText {
    JsonText::from_value(value)
}

fn call(tool: &str, args: &Value) -> ModelTurn {
    ModelTurn::call(tool, value(args))
}

fn case(name: &str, subject: &Arc<AdkPythonSubject>, turns: Vec<ModelTurn>) -> EvalCase {
    EvalCase::new(name, subject.clone()).first_message("Hi").model(GivenModel::scripted(turns))
}

fn subject() -> Option<Arc<AdkPythonSubject>> {
    let python = test_needs::python()?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/triage");
    Some(Arc::new(AdkPythonSubject::new(&folder, Some(&python))))
}

fn error(result: &EvalResult) -> (AtFault, Phase, String) {
    assert_eq!(result.status, Status::Error);
    let error = result.error.as_ref().expect("an error");
    let first = error.message.lines().next().unwrap_or_default().to_owned();
    (error.at_fault, error.phase, first)
}

fn says(text: &str) -> ModelTurn {
    ModelTurn::text(text)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_is_terminated_by_turns_and_by_time() {
    let Some(subject) = subject() else { return };
    let turns = || (0..5).map(|turn| says(&turn.to_string())).collect();
    let user = || Arc::new(ScriptedUser::saying(["a", "b", "c", "d", "e"]));
    let messages = EventCountMetric {
        name: "messages".to_owned(),
        event: "message".to_owned(),
        filter: None,
        assertion: Assertion::parse(&value(&json!(3))).expect("a number"),
    };
    let mut endless = case("turns", &subject, turns()).user(user()).metric(Arc::new(messages));
    endless.terminate_when.max_turns = Some(2);
    let result = run_eval(&endless).await;
    assert_eq!(result.status, Status::Terminated);
    assert_eq!(result.termination_reason, Some(TerminationReason::MaxTurns));
    assert_eq!((result.turns, result.metrics["messages"].passed), (2, Some(true)));

    endless.terminate_when.max_turns = None;
    let result = run_eval(&endless).await;
    assert_eq!(result.status, Status::Error, "the model's script has 5 responses");
    assert_eq!(error(&result).0, AtFault::Mock);

    let slow =
        ToolMock::Delayed(Duration::from_secs(60), Box::new(ToolMock::Returns(value(&json!(1)))));
    let mut slow = case("time", &subject, vec![call("read", &json!({ "policy_id": "x" }))])
        .tool("read", ToolUse::Mock(slow));
    slow.terminate_when.max_duration = Some(Duration::from_secs(5));
    let result = run_eval(&slow).await;
    assert_eq!(result.status, Status::Terminated);
    assert_eq!(result.termination_reason, Some(TerminationReason::MaxDuration));
    assert!(result.duration_ms < 30_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_waits_needs_a_user_agent() {
    let Some(subject) = subject() else { return };
    let question = json!({ "question": "Where?" });
    let turns = || vec![call("ask", &question), says("Thanks")];
    let unmocked = run_eval(&case("unmocked", &subject, turns())).await;
    let (at_fault, phase, first) = error(&unmocked);
    assert_eq!((at_fault, phase), (AtFault::Mock, Phase::System));
    assert_eq!(
        first,
        "EvalToolError: the tool ask was called, and the case has no mock for it. It did not run."
    );
    let failed = unmocked.error.expect("an error");
    assert!(failed.message.contains("Or let a user agent respond to it"), "{}", failed.message);
    assert_eq!(failed.code, "unmocked_tool");
    let noted = unmocked.events.iter().find_map(|entry| match &entry.event {
        Event::Failure { code, .. } => Some(code.as_str()),
        _ => None,
    });
    assert_eq!(noted, Some("unmocked_tool"));

    let returns_nothing = ToolMock::Returns(JsonText::null());
    let nobody = case("nobody", &subject, turns()).tool("ask", ToolUse::Mock(returns_nothing));
    let (at_fault, phase, first) = error(&run_eval(&nobody).await);
    assert_eq!((at_fault, phase), (AtFault::UserAgent, Phase::UserAgent));
    let wanted = "EvalUserAgentError: the tool ask waits for the user, and the case has no user agent for it.";
    assert_eq!(first, wanted);

    let silent = Arc::new(ScriptedUser::new(Vec::new()));
    let silent = case("silent", &subject, turns()).user_for_tool("ask", silent);
    let (at_fault, _, first) = error(&run_eval(&silent).await);
    assert_eq!(at_fault, AtFault::UserAgent);
    let wanted = "the user agent of ask failed: its script has 0 of the 1 answers that were needed. Add an answer";
    assert_eq!(first, wanted);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tools_that_wait_together_are_answered_together() {
    let Some(subject) = subject() else { return };
    let ask = |question: &str| ModelCall::new("ask", value(&json!({ "question": question })));
    let both = ModelTurn { text: String::new(), calls: vec![ask("Where?"), ask("Since when?")] };
    let answer = |text: &str, key: &str| UserAnswer::Says {
        output: value(&json!({ "answer": text })),
        changes: value(&json!({ "patient": { key: text } })),
    };
    let user = ScriptedUser::new(vec![answer("Chest", "place"), answer("Today", "since")]);
    let case =
        case("both", &subject, vec![both, says("Thanks")]).user_for_tool("ask", Arc::new(user));
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(result.turns, 1, "parallel waits count once");
    let names: Vec<&str> = result.events.iter().map(|entry| entry.event.name()).collect();
    let count = |name| names.iter().filter(|it| **it == name).count();
    assert_eq!((count("yield"), count("tool_result"), count("message")), (2, 2, 1));
    let waits = result.events.iter().filter(|entry| entry.event.name() == "yield");
    for wait in waits {
        let wait = serde_json::to_value(&wait.event).expect("serializes");
        assert!(wait["invocation_id"].as_str().is_some_and(|id| !id.is_empty()), "{wait}");
    }
    let changed = result.events.iter().find(|entry| entry.event.name() == "state_change");
    let changed = serde_json::to_value(&changed.expect("a change").event).expect("serializes");
    assert_eq!(changed["changes"], json!({ "patient": { "place": "Chest", "since": "Today" } }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_confirmation_is_asked_under_the_tools_name_and_its_mock_answers() {
    let Some(subject) = subject() else { return };
    let turns = || vec![call("page_doctor", &json!({ "name": "Ada" })), says("Done")];
    let paged = || ToolUse::Mock(ToolMock::Returns(value(&json!({ "paged": "Ada" }))));
    for is_confirmed in [true, false] {
        let answer = UserAnswer::says(value(&json!({ "confirmed": is_confirmed })));
        let case = case("confirm", &subject, turns())
            .tool("page_doctor", paged())
            .user_for_tool("page_doctor", Arc::new(ScriptedUser::new(vec![answer])));
        let result = run_eval(&case).await;
        assert_eq!(result.status, Status::Passed, "{:?}", result.error);
        let results: Vec<String> = result
            .events
            .iter()
            .map(|entry| serde_json::to_value(&entry.event).expect("serializes"))
            .filter(|event| event["type"] == "tool_result")
            .map(|event| event["result"].to_string())
            .collect();
        let is_permission = |result: &String| result.contains("confirmed");
        assert!(!results.iter().any(is_permission), "a permission is not a result: {results:?}");
        let is_paged = results.iter().any(|result| result == r#"{"paged":"Ada"}"#);
        assert_eq!(is_paged, is_confirmed, "{results:?}");
    }
    let unclear = Arc::new(ScriptedUser::saying(["yes"]));
    let unclear = case("unclear", &subject, turns())
        .tool("page_doctor", paged())
        .user_for_tool("page_doctor", unclear);
    let (at_fault, _, first) = error(&run_eval(&unclear).await);
    assert_eq!(at_fault, AtFault::UserAgent);
    let wanted = "the user agent of page_doctor failed: its answer is \"yes\", and a call is to be confirmed. The answer is the object `{confirmed: true}` or `{confirmed: false}`";
    assert_eq!(first, wanted);

    let nobody = case("nobody", &subject, turns()).tool("page_doctor", paged());
    let (at_fault, _, first) = error(&run_eval(&nobody).await);
    assert_eq!(at_fault, AtFault::UserAgent);
    assert!(first.starts_with("EvalUserAgentError: the tool page_doctor waits"), "{first}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mocks_that_fail_and_tools_that_do_not_exist() {
    let Some(subject) = subject() else { return };
    let read = json!({ "policy_id": "x" });
    let raises = ToolUse::Mock(ToolMock::Raises("the database is gone".to_owned()));
    let raised = case("raises", &subject, vec![call("read", &read)]).tool("read", raises);
    let (at_fault, _, first) = error(&run_eval(&raised).await);
    let wanted = "the tool read raised the error that the case gives it, and no callback or plugin of the agent handled it: the database is gone";
    assert_eq!((at_fault, first.as_str()), (AtFault::Subject, wanted));

    let empty = ToolUse::Mock(ToolMock::Sequence(Vec::new()));
    let broken = case("broken", &subject, vec![call("read", &read)]).tool("read", empty);
    let (at_fault, _, first) = error(&run_eval(&broken).await);
    assert_eq!(at_fault, AtFault::Mock);
    assert!(first.starts_with("the mock of read failed: its sequence has 0 answers"), "{first}");

    let unknown = case("unknown", &subject, vec![call("fly", &json!({})), says("I cannot")]);
    let result = run_eval(&unknown).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let answered = result.events.iter().find(|entry| entry.event.name() == "tool_result");
    let answered = serde_json::to_value(&answered.expect("a result").event).expect("serializes");
    assert_eq!(answered["from"], "framework");

    let spent = case("spent", &subject, vec![call("fly", &json!({}))]);
    let (at_fault, _, first) = error(&run_eval(&spent).await);
    assert_eq!(at_fault, AtFault::Mock);
    assert!(first.starts_with("the scripted model has 1 response, and triage asks"), "{first}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cases_run_at_once_and_see_nothing_of_each_other() {
    let Some(subject) = subject() else { return };
    let count = 40;
    let cases = (0..count).map(|number| {
        let question = number.to_string();
        let args = json!({ "question": question, "answer": question });
        let turns = vec![call("record_answer", &args), says(&question)];
        let mut case = case(&question, &subject, turns).tool("record_answer", ToolUse::Real);
        case.initial_state = value(&json!({ "number": number }));
        case
    });
    let suite = EvalSuite { cases: cases.collect(), jobs: 8, stop_on_first_failure: false };
    let mut ended = 0;
    let result = run_eval_suite(&suite, |_| ended += 1).await;
    assert_eq!((ended, result.summary.passed), (count, count));
    for (number, result) in result.results.iter().enumerate() {
        let last = serde_json::to_value(&result.events.last().expect("an end").event);
        let question = number.to_string();
        let wanted = json!({ "number": number, "beliefs": { question.as_str(): question } });
        assert_eq!(last.expect("serializes")["state"], wanted);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_must_match_what_the_tool_returns() {
    let Some(subject) = subject() else { return };
    let text = ToolUse::Mock(ToolMock::Returns(value(&json!("Call 999."))));
    let read = call("read", &json!({ "policy_id": "x" }));
    let mocked = case("mocked", &subject, vec![read]).tool("read", text);
    let (at_fault, _, first) = error(&run_eval(&mocked).await);
    assert_eq!(at_fault, AtFault::Mock);
    let wanted = "the mock of read failed: its answer is \"Call 999.\", and it does not match the tool's output schema.";
    assert!(first.starts_with(wanted), "{first}");

    let book = call("book", &json!({ "day": "Monday" }));
    let user = ScriptedUser::saying(["At nine"]);
    let booked = case("booked", &subject, vec![book]).user_for_tool("book", Arc::new(user));
    let (at_fault, phase, first) = error(&run_eval(&booked).await);
    assert_eq!((at_fault, phase), (AtFault::UserAgent, Phase::UserAgent));
    let wanted = "the user agent of book failed: its answer is \"At nine\", and it does not match";
    assert!(first.starts_with(wanted), "{first}");
}
