//! Mocks that are functions in Python.

use std::path::Path;
use std::sync::Arc;

use eval::file::{ReadOptions, read};
use eval::python::{PythonFunction, PythonMetric};
use eval::run_failure::{AtFault, Phase};
use eval::{EvalCase, EvalResult, Status, rescore, run_eval};

fn results(result: &EvalResult) -> Vec<String> {
    let events = result.events.iter().map(|entry| serde_json::to_value(&entry.event));
    let events = events.map(|event| event.expect("serializes"));
    events
        .filter(|event| event["type"] == "tool_result")
        .map(|event| event["result"].to_string())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn functions_answer_raise_and_fail() {
    let Some(python) = test_needs::python() else { return };
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/functions.eval.yaml");
    let cases = read(&suite, &ReadOptions { python: Some(python), ..ReadOptions::default() });
    let cases = cases.unwrap_or_else(|error| panic!("{error}"));
    let run = async |name: &str| {
        let case = cases.iter().find(|case| case.name == name).expect("the case");
        run_eval(case).await
    };
    let answers = run("answers").await;
    assert_eq!(answers.status, Status::Passed, "{:?}", answers.error);
    assert_eq!(
        results(&answers),
        [
            r#"{"policy":"a","for":{"age":55},"calls":["a"],"tool":"read"}"#,
            r#"{"policy":"b","for":{"age":55},"calls":["a","b"],"tool":"read"}"#,
            r#"{"escalated":"emergency_999: cardiac"}"#,
        ]
    );
    let apart = run("answers-apart").await;
    assert_eq!(apart.status, Status::Passed, "{:?}", apart.error);
    assert_eq!(
        results(&apart)[1],
        r#"{"policy":"b","for":{"age":56},"calls":["b"],"tool":"read"}"#,
        "each run has a process of its own"
    );
    let nothing = run("nothing").await;
    assert_eq!(nothing.status, Status::Passed, "{:?}", nothing.error);
    assert_eq!(results(&nothing), [r#"{"result":null}"#]);
    let error = async |name: &str| {
        let error = run(name).await.error.expect("an error");
        (error.at_fault, error.message)
    };
    let (at_fault, message) = error("raises").await;
    assert_eq!(at_fault, AtFault::Subject);
    let ends = "no callback or plugin of the agent handled it: no such policy";
    assert!(
        message.starts_with("the tool read raised the error ") && message.ends_with(ends),
        "{message}"
    );
    for (name, shown) in [
        ("broken", "mocks.py:broken: name 'policies' is not defined"),
        ("not-json", "mocks.py:not_json: "),
        ("silent", "mocks.py:silent: TimeoutError"),
    ] {
        let (at_fault, message) = error(name).await;
        assert_eq!(at_fault, AtFault::Mock, "{message}");
        assert!(message.starts_with("the mock of read failed: "), "{message}");
        assert!(message.contains(shown), "{shown} is not in\n{message}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_the_agent_does_not_have_is_named_before_anything_runs() {
    let Some(python) = test_needs::python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let agent = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/triage");
    let suite = folder.path().join("mistyped.eval.yaml");
    let text = format!(
        "subject: {{ adk: {} }}\ncases:\n  - name: a\n    first_message: Hi\n    tools: {{ reed: {{ returns: 1 }} }}\n    model: {{ scripted: [Done] }}\n",
        agent.display()
    );
    std::fs::write(&suite, text).expect("written");
    let cases = read(&suite, &ReadOptions { python: Some(python), ..ReadOptions::default() });
    let cases = cases.unwrap_or_else(|error| panic!("{error}"));
    let error = run_eval(&cases[0]).await.error.expect("an error");
    assert_eq!(error.at_fault, AtFault::Mock);
    let wanted = "the case says what happens to calls of reed, and the agent has no such tool; did you mean read?";
    assert_eq!(error.message, wanted);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn functions_measure_at_the_same_time() {
    let Some(python) = test_needs::python() else { return };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/mocks.py");
    let folder = tempfile::tempdir().expect("a folder");
    // Each waits for the other.
    let mut case = EvalCase::new("measured", crate::played_by_models::says_in_turn(["Hello"]))
        .first_message(folder.path().to_str().expect("a text"));
    for function in ["meets_second", "meets_first"] {
        let function = PythonFunction::new(&file, function, Some(&python));
        case = case.metric(Arc::new(PythonMetric::new(function)));
    }
    run_eval(&case).await.assert_passed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn functions_measure_the_ledger() {
    let Some(python) = test_needs::python() else { return };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/mocks.py");
    let run = async |functions: &[&str]| {
        let mut case = EvalCase::new("measured", crate::played_by_models::says_in_turn(["Hello"]))
            .first_message("Hi");
        for function in functions {
            let function = PythonFunction::new(&file, *function, Some(&python));
            case = case.metric(Arc::new(PythonMetric::new(function)));
        }
        (run_eval(&case).await, case)
    };
    let (result, _) = run(&["said_hello", "counted"]).await;
    assert_eq!(result.status, Status::Unscored, "{:?}", result.error);
    assert_eq!(result.metrics["said_hello"].passed, Some(true));
    let counted = &result.metrics["counted"];
    assert_eq!((counted.passed, counted.evidence.join("")), (None, "it only counts".to_owned()));
    assert!(counted.value.is_some());

    for (function, reason) in [
        ("unmeasured", "the metric unmeasured failed: "),
        ("odd", "the metric odd failed: "),
        ("silently_unmeasured", "the metric silently_unmeasured failed: "),
    ] {
        let (result, case) = run(&["said_hello", function]).await;
        assert_eq!(result.status, Status::Error);
        assert_eq!(result.metrics["said_hello"].passed, Some(true), "the others are measured");
        let error = result.error.clone().expect("an error");
        assert_eq!((error.at_fault, error.phase), (AtFault::Metric, Phase::Metric));
        assert!(error.message.starts_with(reason), "{}", error.message);
        let is_named = error.message.contains("mocks.py:silently_unmeasured: TimeoutError");
        assert_eq!(is_named, function == "silently_unmeasured", "{}", error.message);
        // A corrected metric is evaluated on the same events.
        let mut case = case;
        case.metrics.truncate(1);
        let again = rescore(&case, result).await;
        assert_eq!((again.status, again.error), (Status::Passed, None));
    }
}
