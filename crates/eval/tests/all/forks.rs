//! Runs that are forked: what happened before a step is given again, and the agent goes on from there.

use std::path::Path;
use std::sync::Arc;

use eval::continuations::{Continuations, Fork, ForkRunError, effect_of, sentence};
use eval::file::{ReadOptions, read};
use eval::fork::{Given, Move, StepKind, steps};
use eval::given_model::{GivenModel, ModelTurn};
use eval::ledger::{Event, Origin};
use eval::metric::{Assertion, StateMetric};
use eval::model::Models;
use eval::person_verdict::set_verdict;
use eval::python::AdkPythonSubject;
use eval::request_changes::RequestChanges;
use eval::result::ResultSummary;
use eval::{EvalCase, EvalResult, Status, ToolMock, ToolUse, check_cases, run_eval};
use json_text::JsonText;
use serde_json::json;

use crate::fork_equality::first_difference;
use crate::recorded_cases::{recorded, replayed};
use crate::wire::{Endpoint, calls, says};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fork_with_the_recorded_model_gives_the_run_again() {
    let Some(python) = test_needs::python() else { return };
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/triage.eval.yaml");
    let options = ReadOptions { python: Some(python), ..ReadOptions::default() };
    for case in read(&suite, &options).expect("a suite") {
        let steps = first_difference(&case).await.unwrap_or_else(|error| panic!("{error}"));
        assert!(steps > 2, "{} has {steps} steps", case.name);
    }
}

/// Confirmations, long-running tools, transfers, errors, several calls at once: the agent is made for all of them, and its
/// model and user for any order.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forks_of_generated_runs_give_them_again() {
    let Some(python) = test_needs::python() else { return };
    let seeds = std::env::var("REHEARSAL_TEST_SEEDS").unwrap_or_else(|_| "0 16".to_owned());
    let cases = replayed(&recorded(&python, &seeds), &python);
    let mut steps = 0;
    for case in &cases {
        steps += first_difference(case).await.unwrap_or_else(|error| panic!("{error}"));
    }
    assert!(steps > 4 * cases.len(), "{steps} steps");
}

fn value(value: &serde_json::Value) -> JsonText {
    JsonText::from_value(value)
}

/// A patient whom the model sends home, unless it has read that the case was escalated.
async fn patient() -> Option<(Endpoint, EvalCase)> {
    let python = test_needs::python()?;
    let endpoint = Endpoint::start(|request| {
        let heard = request.body["contents"].to_string();
        let instructed = request.body["systemInstruction"].to_string();
        match heard.as_str() {
            heard if heard.contains("escalated") => says(request, "I called 999."),
            heard if heard.contains("spreads") && instructed.contains("escalate at once") => {
                let args = json!({ "urgency_level": "emergency_999", "reason": "arm" });
                calls(request, "escalate", &args)
            }
            heard if heard.contains("spreads to an arm") => says(request, "Take a rest."),
            _ => calls(request, "read", &json!({ "policy_id": "chest_pain" })),
        }
    })
    .await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/triage");
    let subject = AdkPythonSubject::new(&folder, Some(&python))
        .environment("GOOGLE_GEMINI_BASE_URL", &endpoint.url)
        .environment("GEMINI_API_KEY", "none")
        .environment("GOOGLE_GENAI_USE_VERTEXAI", "false");
    let policy = json!({ "policy": "Call 999 when the pain spreads to an arm." });
    let case = EvalCase::new("chest pain", Arc::new(subject))
        .first_message("My chest hurts, and my arm")
        .tool("read", ToolUse::Mock(ToolMock::Returns(value(&policy))))
        .tool("escalate", ToolUse::Sealed)
        .metric(Arc::new(StateMetric {
            name: "escalated".to_owned(),
            scope: "session".to_owned(),
            key: "escalation.urgencyLevel".to_owned(),
            assertion: Assertion::parse(&value(&json!("emergency_999"))).expect("an assertion"),
        }));
    Some((endpoint, case))
}

fn escalate() -> Move {
    let args = json!({ "urgency_level": "emergency_999", "reason": "cardiac" });
    let call = json!({ "response": { "calls": [{ "tool": "escalate", "args": args }] } });
    Move::read(&call.to_string()).expect("a move")
}

/// The place of the last response of the model, from 1.
fn last_response(run: &EvalResult) -> usize {
    let steps = steps(&run.events);
    let is_response = |kind: &StepKind| matches!(kind, StepKind::Response { .. });
    steps.iter().rposition(|step| is_response(&step.kind)).expect("a response") + 1
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_agents_own_model_goes_on_and_shows_the_cause() {
    let Some((endpoint, case)) = patient().await else { return };
    let source = run_eval(&case).await;
    assert_eq!(source.status, Status::Failed, "{:?}", source.error);
    assert_eq!(endpoint.requests().len(), 2);
    let step = last_response(&source);
    let fork = Fork {
        step,
        at: Some(escalate()),
        changes: RequestChanges::default(),
        then: None,
        times: 5,
        ..Fork::default()
    };
    let sides = fork.sides(&case, &source, &Models::of_environment()).expect("a fork");
    let (mut with, mut without) = (Continuations::default(), Continuations::default());
    let plain = sides.without.expect("a side without the move");
    with.run(&sides.with, 2, None, |_| ()).await.expect("runs");
    without.run(&plain, 2, None, |_| ()).await.expect("runs");
    assert_eq!(
        sentence(step, fork.changed().as_ref(), &with, Some(&without)),
        "Step 4 was the cause: with your call 5 of 5 pass, without it 0 of 5 (difference 1.00, 95 % 0.39 to 1.00)."
    );
    assert!(effect_of(&with, &without).is_some_and(|effect| effect.is_shown()));
    // Once for each continuation: what is given costs nothing.
    let requests = endpoint.requests();
    assert_eq!(requests.len(), 2 + 10);
    // The model goes on from what was given and from the move, as if it had responded so itself.
    let continued = requests.iter().find(|request| request.text().contains("escalated"));
    let contents = continued.expect("a continuation").body["contents"].clone();
    let called: Vec<&str> = contents
        .as_array()
        .expect("contents")
        .iter()
        .flat_map(|content| content["parts"].as_array().expect("parts"))
        .filter_map(|part| part["functionCall"]["name"].as_str())
        .collect();
    assert_eq!(called, ["read", "escalate"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_instruction_is_the_cause_and_reaches_the_model_alone() {
    let Some((endpoint, case)) = patient().await else { return };
    let source = run_eval(&case).await;
    let step = last_response(&source);
    let changes = json!({
        "instructions": { "triage": "When pain spreads, escalate at once." },
        "tools": { "escalate": { "description": "Calls an ambulance." } },
        "temperature": 0.25,
    });
    let changes: RequestChanges = serde_json::from_value(changes).expect("changes");
    let fork = Fork { step, at: None, changes, then: None, times: 2, ..Fork::default() };
    let sides = fork.sides(&case, &source, &Models::of_environment()).expect("a fork");
    let plain = sides.without.expect("a side without the changes");
    assert!(check_cases([&sides.with, &plain].into_iter(), 1).await.is_ok());
    let (mut with, mut without) = (Continuations::default(), Continuations::default());
    with.run(&sides.with, 1, None, |_| ()).await.expect("runs");
    without.run(&plain, 1, None, |_| ()).await.expect("runs");
    let said = sentence(step, fork.changed().as_ref(), &with, Some(&without));
    assert!(said.starts_with("The changes were the cause: with your changes 2 of 2"), "{said}");

    let requests = endpoint.requests();
    let changed = |request: &crate::wire::Request| {
        request.body["systemInstruction"].to_string().contains("escalate at once")
    };
    let (with, without): (Vec<_>, Vec<_>) = requests.iter().partition(|it| changed(it));
    // Two for each continuation with the changes, one without, and the two of the run.
    assert_eq!((with.len(), without.len()), (4, 2 + 2));
    let declared = |body: &serde_json::Value| {
        let tools = body["tools"][0]["functionDeclarations"].as_array().cloned();
        let escalate = tools.into_iter().flatten().find(|tool| tool["name"] == "escalate");
        escalate.expect("declared")["description"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(declared(&with[0].body), "Calls an ambulance.");
    assert_ne!(declared(&without[0].body), "Calls an ambulance.");
    assert_eq!(with[0].body["generationConfig"]["temperature"], 0.25);
    assert_ne!(without[0].body["generationConfig"]["temperature"], 0.25);

    // What the agent does not have is refused before anything runs.
    for (changes, reason) in [
        (json!({ "instructions": { "triag": "x" } }), "it has no agent triag"),
        (json!({ "tools": { "escalat": { "description": "x" } } }), "it has no tool escalat"),
    ] {
        let changes = serde_json::from_value(changes).expect("changes");
        let case = case.clone().request_changes(changes);
        let Err((_, failure)) = check_cases(std::iter::once(&case), 1).await else {
            panic!("accepted")
        };
        assert!(failure.to_string().contains(reason), "{failure}");
        assert_eq!(failure.code(), "unchangeable_request");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_model_goes_on_and_users_and_results_can_be_others() {
    let Some((_endpoint, case)) = patient().await else { return };
    let source = run_eval(&case).await;
    let at = |text: &str| Move::read(text).expect("a move");
    // The model that calls another tool, after the user has said something else.
    let said = at(r#"{ "message": "My arm hurts" }"#);
    let given = Given::before(&source.events, 1, Some(&said)).expect("a fork");
    let turns = vec![
        ModelTurn::call("escalate", value(&json!({ "urgency_level": "none", "reason": "arm" }))),
        ModelTurn::text("Rest."),
    ];
    let forked = case.clone().forked(given, Some(GivenModel::scripted(turns)));
    let forked = run_eval(&forked).await;
    assert_eq!(forked.status, Status::Failed, "{:?}", forked.error);
    let first = forked.events.iter().find_map(|entry| match &entry.event {
        Event::UserMessage { text, .. } => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(first, Some("My arm hurts"));
    // A result that the model has not got, and a change of the state that the metric sees.
    let result = at(
        r#"{ "result": { "policy": "None" }, "state": { "escalation": { "urgencyLevel": "emergency_999" } } }"#,
    );
    let given = Given::before(&source.events, 3, Some(&result)).expect("a fork");
    let rests = GivenModel::scripted(vec![ModelTurn::text("Rest.")]);
    let forked = run_eval(&case.clone().forked(given, Some(rests))).await;
    assert_eq!(forked.status, Status::Passed, "{:?}", forked.error);
    let results: Vec<_> = forked
        .events
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::ToolResult { result, from, .. } => Some((result.to_string(), *from)),
            _ => None,
        })
        .collect();
    assert_eq!(results, [(r#"{"policy":"None"}"#.to_owned(), Origin::Given)]);
    // An error that the tool raises, and that nothing of the agent handles.
    let error = at(r#"{ "error": "the database is gone" }"#);
    let given = Given::before(&source.events, 3, Some(&error)).expect("a fork");
    let forked = run_eval(&case.clone().forked(given, None)).await;
    let error = forked.error.expect("an error");
    assert_eq!(error.code, "unhandled_tool_error", "{}", error.message);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_something_else_ends_is_repeated_and_counts_on_neither_side() {
    let Some((endpoint, case)) = patient().await else { return };
    let source = run_eval(&case).await;
    let step = last_response(&source);
    // The case says nothing about this tool.
    let page = r#"{ "response": { "calls": [{ "tool": "record_answer", "args": { "question": "a", "answer": "b" } }] } }"#;
    let at = Some(Move::read(page).expect("a move"));
    let fork = Fork {
        step,
        at,
        changes: RequestChanges::default(),
        then: None,
        times: 2,
        ..Fork::default()
    };
    let sides = fork.sides(&case, &source, &Models::of_environment()).expect("a fork");
    let mut with = Continuations::default();
    let mut ended = 0;
    with.run(&sides.with, 2, None, |_| ended += 1).await.expect("runs");
    assert_eq!((with.counted().runs, with.broken().count(), ended), (0, 2, 6));
    let mut without = Continuations::default();
    without.run(&sides.without.expect("a side"), 2, None, |_| ()).await.expect("runs");
    assert_eq!(
        sentence(step, fork.changed().as_ref(), &with, Some(&without)),
        "Not shown: no continuation counts on one side. Not counted are 2 with your call (mock)."
    );
    assert_eq!(endpoint.requests().len(), 2 + 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fork_that_goes_another_way_stops_before_the_model_is_asked() {
    let Some((endpoint, case)) = patient().await else { return };
    let mut source = run_eval(&case).await;
    let step = last_response(&source);
    // As if the agent had had another name when it ran.
    for entry in &mut source.events {
        if let Event::ModelRequest { agent }
        | Event::Message { agent, .. }
        | Event::ToolCall { agent, .. } = &mut entry.event
        {
            *agent = "nurse".to_owned();
        }
    }
    let asked = endpoint.requests().len();
    let fork = Fork {
        step,
        at: None,
        changes: RequestChanges::default(),
        then: None,
        times: 3,
        ..Fork::default()
    };
    let sides = fork.sides(&case, &source, &Models::of_environment()).expect("a fork");
    let ended = Continuations::default().run(&sides.with, 1, None, |_| ()).await;
    let Err(ForkRunError::Diverged(message)) = ended else { panic!("it went on") };
    let beginning = "the agent goes another way than in the run that it forks from: step 2 is a response of the model of nurse, and that of triage is asked instead";
    assert!(message.starts_with(beginning), "{message}");
    assert_eq!(endpoint.requests().len(), asked);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_decides_where_a_case_measures_nothing() {
    let Some((endpoint, case)) = patient().await else { return };
    let source = run_eval(&case).await;
    let (step, asked) = (last_response(&source), endpoint.requests().len());
    let case = EvalCase { metrics: Vec::new(), ..case };
    let fork = Fork { step, at: Some(escalate()), times: 2, ..Fork::default() };
    let sides = fork.sides(&case, &source, &Models::of_environment()).expect("a fork");
    let mut with = Continuations::default();
    let mut results = Vec::new();
    with.run(&sides.with, 2, None, |result| results.push(result.clone())).await.expect("runs");
    assert_eq!(with.waiting(), 2);
    // What waits is not begun once more, as what was broken is.
    assert_eq!(endpoint.requests().len(), asked + 2);
    assert_eq!(with.counted().runs, 0);
    let said = |with: &Continuations| sentence(step, fork.changed().as_ref(), with, Some(with));
    assert_eq!(said(&with), "4 continuations wait for your verdict.");
    for (passed, result) in [true, false].into_iter().zip(&mut results) {
        assert!(set_verdict(result, passed, " he is asked at once "));
        assert_eq!(result.metrics["verdict"].evidence, ["he is asked at once"]);
    }
    let decided = results.iter().map(|result| Some(ResultSummary::of(result)));
    let decided = Continuations { results: decided.collect() };
    assert_eq!((decided.counted().passed, decided.counted().runs), (1, 2));
    let mut measured = source.clone();
    assert!(!set_verdict(&mut measured, true, ""), "{:?}", measured.metrics);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_of_another_kind_is_refused() {
    let Some((_endpoint, case)) = patient().await else { return };
    let source = run_eval(&case).await;
    let fork = |step, at| Fork {
        step,
        at: Some(at),
        changes: RequestChanges::default(),
        then: None,
        times: 1,
        ..Fork::default()
    };
    let refused =
        |fork: &Fork, case: &EvalCase| match fork.sides(case, &source, &Models::of_environment()) {
            Ok(_) => panic!("a fork"),
            Err(error) => error.to_string(),
        };
    let error = refused(&fork(3, escalate()), &case);
    assert_eq!(
        error,
        "step 3 is the result of a tool, and the move gives a response; give it a `result` or an `error`, or choose another step"
    );
    assert_eq!(
        refused(&fork(9, escalate()), &case),
        "the run has no step 9; it has the steps 1 to 4"
    );
}

/// Writes a line whenever its tool runs.
const AGENT: &str = r#"
from google.adk.agents import LlmAgent


def pay(path: str) -> dict:
    """Pays."""
    with open(path, "a") as file:
        file.write("paid\n")
    return {"paid": True}


root_agent = LlmAgent(name="payer", model="gemini-2.5-flash", tools=[pay])
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_real_tool_runs_before_the_step() {
    let Some(python) = test_needs::python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let agent = folder.path().join("payer");
    std::fs::create_dir(&agent).expect("a folder");
    std::fs::write(agent.join("__init__.py"), "from . import agent\n").expect("written");
    std::fs::write(agent.join("agent.py"), AGENT).expect("written");
    let log = folder.path().join("paid");
    let pay = || ModelTurn::call("pay", value(&json!({ "path": log })));
    let turns = vec![pay(), pay(), ModelTurn::text("Paid twice.")];
    let case = EvalCase::new("pays", Arc::new(AdkPythonSubject::new(&agent, Some(&python))))
        .first_message("Pay")
        .model(GivenModel::scripted(turns))
        .tool("pay", ToolUse::Real);
    let source = run_eval(&case).await;
    assert_eq!(source.status, Status::Passed, "{:?}", source.error);
    let paid = || std::fs::read_to_string(&log).unwrap_or_default().lines().count();
    assert_eq!(paid(), 2);
    let steps = steps(&source.events);
    assert_eq!(steps.len(), 6);
    // The second payment is step 5.
    for (step, payments) in [(6, 0), (5, 1), (4, 1), (3, 2), (1, 2)] {
        std::fs::remove_file(&log).ok();
        let given = Given::before(&source.events, step, None).expect("a fork");
        let forked = run_eval(&case.clone().forked(given, None)).await;
        assert_eq!(forked.status, Status::Passed, "{:?}", forked.error);
        assert_eq!(paid(), payments, "from step {step} on");
    }
}
