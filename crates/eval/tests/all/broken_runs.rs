//! Runs that the agent's code or its process breaks off, and values that have no form in JSON.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use eval::given_model::{GivenModel, ModelTurn};
use eval::ledger::Event;
use eval::python::{AdkPythonSubject, Isolation};
use eval::result::RunError;
use eval::run_failure::AtFault;
use eval::user_agent::{ConversationMessage, UserAgentError, UserAnswer};
use eval::yields::YieldInfo;
use eval::{EvalCase, EvalResult, EvalSuite, Status, ToolUse, UserAgent, run_eval, run_eval_suite};
use json_text::JsonText;
use serde_json::{Value, json};

const TOOLS: [&str; 15] = [
    "breaks_off",
    "cancels_itself",
    "exits",
    "exits_in_callback",
    "exits_in_task",
    "interrupts_in_callback",
    "exits_after_turn",
    "fails_silently",
    "ends_process",
    "is_killed",
    "kills_importer",
    "prints_bytes",
    "talks",
    "circles",
    "measures",
];

fn subject(isolation: Isolation) -> Option<Arc<AdkPythonSubject>> {
    let python = test_needs::python()?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/breaking");
    Some(Arc::new(AdkPythonSubject::new(&folder, Some(&python)).isolation(isolation)))
}

/// A case in which the model calls these tools, one in each response.
fn calling(subject: &Arc<AdkPythonSubject>, calls: &[(&str, Value)]) -> EvalCase {
    let calls = calls.iter().map(|(tool, args)| ModelTurn::call(*tool, JsonText::from_value(args)));
    let turns = calls.chain([ModelTurn::text("Done")]).collect();
    let mut case = EvalCase::new("breaking", subject.clone())
        .first_message("Go")
        .model(GivenModel::scripted(turns));
    for tool in TOOLS {
        case = case.tool(tool, ToolUse::Real);
    }
    // A case that fails must not wait for ever.
    case.terminate_when.max_duration = Some(Duration::from_secs(60));
    case
}

fn error(result: &EvalResult) -> &RunError {
    assert_eq!(result.status, Status::Error, "{:?}", result.events);
    result.error.as_ref().expect("an error")
}

fn has_passed(result: &EvalResult) {
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_that_code_of_the_agent_cancels_is_its_fault() {
    for isolation in [Isolation::Process, Isolation::Shared] {
        let Some(subject) = subject(isolation) else { return };
        let within = [("helper", json!({ "request": "break" })), ("breaks_off", json!({}))];
        let parallel = [("branches", json!({ "request": "break" })), ("breaks_off", json!({}))];
        let cases = [
            (calling(&subject, &[("breaks_off", json!({}))]), "the timeout of a library"),
            (calling(&subject, &within), "the timeout of a library"),
            (calling(&subject, &parallel), "the timeout of a library"),
            (calling(&subject, &[("cancels_itself", json!({}))]), "CancelledError"),
        ];
        for (case, message) in cases {
            let result = run_eval(&case).await;
            let error = error(&result);
            assert_eq!(error.at_fault, AtFault::Subject, "{error:?}");
            assert!(error.message.contains("CancelledError"), "{error:?}");
            assert!(error.message.contains(message), "{error:?}");
            assert!(error.traceback.contains("breaking/agent.py"), "{error:?}");
        }
        let mut case = calling(&subject, &[]);
        case.initial_state = JsonText::from_value(&json!({ "before_model": "breaks off" }));
        let result = run_eval(&case).await;
        assert!(error(&result).message.contains("the timeout of a callback"), "{result:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn code_that_exits_is_at_fault_and_ends_its_case_only() {
    for isolation in [Isolation::Process, Isolation::Batch, Isolation::Shared] {
        let Some(subject) = subject(isolation) else { return };
        let result = run_eval(&calling(&subject, &[("exits", json!({}))])).await;
        let in_tool = error(&result);
        assert_eq!(in_tool.at_fault, AtFault::Subject);
        assert!(in_tool.message.contains("sys.exit(3)"), "{in_tool:?}");
        assert!(in_tool.traceback.contains("in exits"), "{in_tool:?}");
        let mut case = calling(&subject, &[]);
        case.initial_state = JsonText::from_value(&json!({ "before_model": "exits" }));
        let result = run_eval(&case).await;
        assert!(error(&result).message.contains("sys.exit('no configuration')"), "{result:?}");
        has_passed(&run_eval(&calling(&subject, &[("prints_bytes", json!({}))])).await);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_error_without_a_text_has_the_name_of_its_class() {
    let Some(subject) = subject(Isolation::Process) else { return };
    let result = run_eval(&calling(&subject, &[("fails_silently", json!({}))])).await;
    let error = error(&result);
    assert_eq!((error.at_fault, error.message.as_str()), (AtFault::Subject, "TimeoutError"));
}

/// A user who takes a second for each answer.
struct Slow;

#[async_trait]
impl UserAgent for Slow {
    async fn answer(
        &self,
        number: usize,
        _: &[ConversationMessage],
        _: &YieldInfo,
    ) -> Result<UserAnswer, UserAgentError> {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Ok(match number {
            0 => UserAnswer::says(JsonText::string("Go on")),
            _ => UserAnswer::ends(),
        })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn code_that_exits_apart_from_its_tool_is_at_fault_too() {
    for isolation in [Isolation::Process, Isolation::Batch, Isolation::Shared] {
        let Some(subject) = subject(isolation) else { return };
        for (tool, did) in [
            ("exits_in_callback", "called sys.exit(0)"),
            ("exits_in_task", "called sys.exit(0)"),
            ("interrupts_in_callback", "raised KeyboardInterrupt"),
            ("exits_after_turn", "called sys.exit(0)"),
        ] {
            let case = calling(&subject, &[(tool, json!({}))]).user(Arc::new(Slow));
            let result = run_eval(&case).await;
            let error = error(&result);
            assert_eq!(error.at_fault, AtFault::Subject, "{isolation:?}: {error:?}");
            let message = format!("code of the agent {did}, which ends its process");
            assert!(error.message.contains(&message), "{isolation:?}: {error:?}");
        }
        has_passed(&run_eval(&calling(&subject, &[("prints_bytes", json!({}))])).await);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_dies_is_the_agents_fault() {
    let dying = [
        ("ends_process", "exit status 4", "about to end"),
        ("is_killed", "signal 15 (SIGTERM)", "about to be killed"),
    ];
    for isolation in [Isolation::Process, Isolation::Batch, Isolation::Shared] {
        let Some(subject) = subject(isolation) else { return };
        for (tool, ending, printed) in dying {
            let result = run_eval(&calling(&subject, &[(tool, json!({}))])).await;
            let error = error(&result);
            assert_eq!(error.at_fault, AtFault::Subject, "{error:?}");
            assert!(error.message.contains(ending), "{error:?}");
            assert!(error.message.ends_with(printed), "{error:?}");
        }
        has_passed(&run_eval(&calling(&subject, &[("prints_bytes", json!({}))])).await);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_dies_shows_its_own_output_only() {
    let Some(subject) = subject(Isolation::Process) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let talking = |who: &str| {
        let args = json!({ "who": who, "meeting": folder.path().join("cases"), "cases": 4 });
        calling(&subject, &[("talks", args)])
    };
    let suite = EvalSuite {
        cases: ["first", "second", "third", "fourth"].map(talking).into(),
        jobs: 4,
        stop_on_first_failure: false,
    };
    let results = run_eval_suite(&suite, |_| ()).await.results;
    let message = &error(&results[0]).message;
    assert!(message.ends_with("exit status 5. Its last output:\nfirst is here"), "{message}");
    results[1..].iter().for_each(has_passed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cases_go_on_when_the_process_that_imports_the_agent_is_killed() {
    for isolation in [Isolation::Process, Isolation::Batch] {
        let Some(subject) = subject(isolation) else { return };
        let folder = tempfile::tempdir().expect("a folder");
        let flag = folder.path().join("killed");
        let killing = calling(&subject, &[("kills_importer", json!({ "flag": flag }))]);
        let others = || calling(&subject, &[("prints_bytes", json!({}))]);
        let suite = EvalSuite {
            cases: [killing].into_iter().chain((0..11).map(|_| others())).collect(),
            jobs: 3,
            stop_on_first_failure: false,
        };
        let results = run_eval_suite(&suite, |_| ()).await.results;
        results.iter().for_each(has_passed);
        assert!(flag.exists(), "the process was killed");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_case_that_ran_again_says_so() {
    let Some(subject) = subject(Isolation::Batch) else { return };
    has_passed(&run_eval(&calling(&subject, &[("prints_bytes", json!({}))])).await);
    // What the first case left behind may be why the process of both ends.
    let result = run_eval(&calling(&subject, &[("ends_process", json!({}))])).await;
    assert_eq!(error(&result).at_fault, AtFault::Subject);
    let again = "the case ran again, its real tools too: the process of the case ended with ";
    assert!(result.notes.iter().any(|note| note.starts_with(again)), "{:?}", result.notes);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bytes_that_are_not_utf_8_leave_the_output_of_later_cases_alone() {
    let Some(subject) = subject(Isolation::Process) else { return };
    for _ in 0..3 {
        has_passed(&run_eval(&calling(&subject, &[("prints_bytes", json!({}))])).await);
    }
    let result = run_eval(&calling(&subject, &[("ends_process", json!({}))])).await;
    assert!(error(&result).message.ends_with("about to end"), "{result:?}");
}

/// What the ledger says about values that have no form in JSON.
fn replaced(result: &EvalResult) -> Vec<Value> {
    let events = result.events.iter().filter(|entry| entry.event.name() == "value_replaced");
    events.map(|entry| serde_json::to_value(&entry.event).expect("serializes")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_state_that_holds_itself_is_described() {
    let Some(subject) = subject(Isolation::Process) else { return };
    let result = run_eval(&calling(&subject, &[("circles", json!({}))])).await;
    has_passed(&result);
    let in_state = "a reference to one of its own parents";
    let expected = json!([{
        "type": "value_replaced", "in": "state", "place": "$.ring.itself", "value": in_state
    }]);
    assert_eq!(Value::from(replaced(&result)), expected);
    let state = result.events.iter().find_map(|entry| match &entry.event {
        Event::Termination { state, .. } => Some(state.to_value().expect("JSON")),
        _ => None,
    });
    let ring = &state.expect("a termination")["ring"];
    assert_eq!(ring["name"], "ring");
    assert_eq!(ring["itself"], "<dict> {'name': 'ring', 'itself': {...}}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn values_that_json_does_not_have_are_noted() {
    let Some(subject) = subject(Isolation::Process) else { return };
    let result = run_eval(&calling(&subject, &[("measures", json!({}))])).await;
    has_passed(&result);
    let noted = |of: &str, place: &str, value: &str| json!({ "type": "value_replaced", "in": of, "place": place, "value": value });
    let of_result = "the result of measures";
    let expected = json!([
        noted(of_result, "$.level", "NaN"),
        noted(of_result, "$.rows[0].raw", "2 bytes"),
        noted(of_result, "$.name", "text with a lone surrogate (U+D800 at character 3)"),
        noted("state", "$.picture", "4 bytes"),
    ]);
    assert_eq!(Value::from(replaced(&result)), expected);
    let returned = result.events.iter().find_map(|entry| match &entry.event {
        Event::ToolResult { result, .. } => Some(result.to_value().expect("JSON")),
        _ => None,
    });
    let expected = json!({ "level": null, "rows": [{ "raw": "AP8=" }], "name": "Ada\u{fffd}" });
    assert_eq!(returned, Some(expected));
}
