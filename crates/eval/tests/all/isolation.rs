//! Cases that overlap, each of which changes everything that Python code can share.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use eval::given_model::{GivenModel, ModelTurn};
use eval::ledger::Event;
use eval::python::{AdkPythonSubject, Isolation, Servers};
use eval::{EvalCase, EvalResult, EvalSuite, Status, ToolUse, run_eval, run_eval_suite};
use json_text::JsonText;
use serde_json::{Value, json};

const CASES: usize = 100;

fn crowd(python: &Path, isolation: Isolation) -> Arc<AdkPythonSubject> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/crowd");
    Arc::new(AdkPythonSubject::new(&folder, Some(python)).isolation(isolation))
}

/// Runs all cases at the same time. Returns the name of each and what it found.
async fn met(subject: &Arc<AdkPythonSubject>, meeting: &Path) -> Vec<(String, Value)> {
    let names: Vec<String> = (0..CASES).map(|at| format!("case-{at}.")).collect();
    let suite = EvalSuite {
        cases: names.iter().map(|who| case(subject, who, meeting)).collect(),
        jobs: CASES,
        stop_on_first_failure: false,
    };
    let results = run_eval_suite(&suite, |_| ()).await.results;
    assert_eq!(results.len(), CASES);
    let found = results.iter().map(|result| {
        assert_eq!(result.status, Status::Passed, "{:?}", result.error);
        returned(result, "recall")
    });
    names.into_iter().zip(found).collect()
}

/// A case that keeps its name in every place, waits until all cases have done so, and returns what is in each.
fn case(subject: &Arc<AdkPythonSubject>, who: &str, meeting: &Path) -> EvalCase {
    let calls = |tool: &str, args: Value| ModelTurn::call(tool, JsonText::from_value(&args));
    let remember = || calls("remember", json!({ "who": who }));
    let mut case = EvalCase::new("the same name", subject.clone())
        .first_message(format!("I am {who}"))
        .model(GivenModel::scripted(vec![
            remember(),
            calls("meet", json!({ "place": meeting.join("cases"), "cases": CASES })),
            remember(),
            calls("recall", json!({ "who": who })),
            ModelTurn::text(format!("You are {who}")),
        ]));
    for tool in ["remember", "meet", "recall"] {
        case = case.tool(tool, ToolUse::Real);
    }
    case.initial_state =
        JsonText::from_value(&json!({ "who": who, "user:who": who, "app:who": who }));
    // A case that fails must not let the others wait for it.
    case.terminate_when.max_duration = Some(Duration::from_secs(120));
    case
}

/// What a case must find: only what it has kept itself. Twice, which shows that each place keeps things.
fn own(who: &str) -> Value {
    let twice = json!([who, who]);
    json!({
        "module": twice,
        "class": twice,
        "agent": twice,
        "closure": [who, who, who],
        "environment": format!("{who}{who}"),
        "state": [twice, twice, twice],
        "given": [who, who, who],
        "artifacts": [who, who],
        "messages": [format!("I am {who}")],
    })
}

/// What the tool returned.
fn returned(result: &EvalResult, tool: &str) -> Value {
    let returned = result.events.iter().find_map(|entry| match &entry.event {
        Event::ToolResult { name, result, .. } if name == tool => Some(result.to_value()),
        _ => None,
    });
    returned.expect("the tool was called").expect("JSON")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_overlapping_cases_see_nothing_of_each_other() {
    let Some(python) = test_needs::python() else { return };
    let meeting = tempfile::tempdir().expect("a folder");
    for (who, recalled) in met(&crowd(&python, Isolation::Process), meeting.path()).await {
        assert_eq!(recalled, own(&who));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_process_of_a_case_finds_google_adk_imported() {
    let Some(python) = test_needs::python() else { return };
    let case = EvalCase::new("imports", crowd(&python, Isolation::Process))
        .first_message("Hi")
        .model(GivenModel::scripted(vec![
            ModelTurn::call("imported", JsonText::from_value(&json!({}))),
            ModelTurn::text("Done"),
        ]))
        .tool("imported", ToolUse::Real);
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(returned(&result, "imported"), json!({ "result": [] }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cases_of_a_batch_share_a_process_and_no_session() {
    let Some(python) = test_needs::python() else { return };
    let subject = crowd(&python, Isolation::Batch);
    let case = |who: &str, tools: &[&str]| {
        let calls =
            |tool: &str| ModelTurn::call(tool, JsonText::from_value(&json!({ "who": who })));
        let scope = JsonText::from_value(&json!({ "who": who, "user:who": who, "app:who": who }));
        let mut case = EvalCase::new(who, subject.clone())
            .first_message(format!("I am {who}"))
            .model(GivenModel::scripted(vec![
                calls("remember"),
                calls("recall"),
                ModelTurn::text("Done"),
            ]));
        for tool in tools {
            case = case.tool(*tool, ToolUse::Real);
        }
        case.initial_state = scope;
        case
    };
    let tools = ["remember", "recall"];
    let first = run_eval(&case("a", &tools)).await;
    assert_eq!(first.status, Status::Passed, "{:?}", first.error);
    let second = run_eval(&case("b", &tools)).await;
    assert_eq!(second.status, Status::Passed, "{:?}", second.error);
    let recalled = returned(&second, "recall");
    assert_eq!(recalled["module"], json!(["a", "b"]), "modules are shared");
    assert_eq!(recalled["state"], json!([["b"], ["b"], ["b"]]));
    assert_eq!(recalled["artifacts"], json!(["b", "b"]));
    assert_eq!(recalled["messages"], json!(["I am b"]));
    // A case that ends early takes its process along.
    let refused = run_eval(&case("c", &["remember"])).await;
    assert!(
        refused.error.is_some_and(|error| error.message.contains("the tool recall was called"))
    );
    let last = run_eval(&case("d", &tools)).await;
    assert_eq!(returned(&last, "recall")["module"], json!(["d"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cases_that_share_a_process_overlap_in_it_and_share_no_session() {
    let Some(python) = test_needs::python() else { return };
    let subject = crowd(&python, Isolation::Shared);
    let meeting = tempfile::tempdir().expect("a folder");
    for (who, recalled) in met(&subject, meeting.path()).await {
        for place in ["state", "given", "artifacts", "messages"] {
            assert_eq!(recalled[place], own(&who)[place], "{who}: {place}");
        }
        let all = recalled["module"].as_array().map(Vec::len);
        assert!(all >= Some(CASES), "modules are shared, and all cases have met: {all:?}");
    }
    // A case that ends early leaves the others and the process alone.
    let mut refused = case(&subject, "refused", meeting.path());
    refused.tools.clear();
    let refused = run_eval(&refused).await;
    assert_eq!(refused.status, Status::Error, "{:?}", refused.error);
    let last = run_eval(&case(&subject, "last", meeting.path())).await;
    assert_eq!(last.status, Status::Passed, "{:?}", last.error);
    let recalled = returned(&last, "recall");
    assert!(recalled["module"].as_array().map(Vec::len) > Some(CASES), "the same process");
    assert_eq!(recalled["state"], own("last")["state"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_process_of_a_case_finds_lite_llm_imported_where_its_model_is_asked() {
    let Some(python) = test_needs::python() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/lite");
    let subject = Arc::new(AdkPythonSubject::new(&folder, Some(&python)));
    let case = EvalCase::new("lite", subject.clone()).first_message("Hi");
    let scripted = GivenModel::scripted(vec![ModelTurn::text("never asked")]);
    for (case, answer) in [(case.clone().model(scripted), "not imported"), (case, "imported")] {
        let result = run_eval(&case).await;
        assert_eq!(result.status, Status::Passed, "{:?}", result.error);
        let texts = result.events.iter().filter_map(|entry| match &entry.event {
            Event::Message { text, .. } => Some(text.as_str()),
            _ => None,
        });
        assert_eq!(texts.collect::<Vec<_>>(), [answer]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_case_that_errs_takes_no_other_case_of_a_batch_along() {
    let Some(python) = test_needs::python() else { return };
    let subject = crowd(&python, Isolation::Batch);
    let errs = |at: usize| at.is_multiple_of(4);
    let case = |at: usize| {
        let calls = ModelTurn::call("imported", JsonText::from_value(&json!({})));
        let case = EvalCase::new(at.to_string(), subject.clone())
            .first_message("Hi")
            .model(GivenModel::scripted(vec![calls, ModelTurn::text("Done")]));
        if errs(at) { case } else { case.tool("imported", ToolUse::Real) }
    };
    let suite =
        EvalSuite { cases: (0..120).map(case).collect(), jobs: 8, stop_on_first_failure: false };
    for (at, result) in run_eval_suite(&suite, |_| ()).await.results.iter().enumerate() {
        let wanted = if errs(at) { Status::Error } else { Status::Passed };
        assert_eq!(result.status, wanted, "{at}: {:?}", result.error);
        if let Some(error) = &result.error {
            assert!(error.message.contains("the tool imported was called"), "{error:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subjects_of_the_same_agent_share_the_process_that_imports_it() {
    let Some(python) = test_needs::python() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/crowd");
    let servers = Servers::default();
    let imported_by = async |folder: &Path, who: &str| {
        let subject = AdkPythonSubject::new(folder, Some(&python)).environment("WHO", who);
        let case = EvalCase::new("shared", Arc::new(subject.servers(&servers)))
            .first_message("Hi")
            .model(GivenModel::scripted(vec![
                ModelTurn::call("importer", JsonText::from_value(&json!({}))),
                ModelTurn::text("Done"),
            ]))
            .tool("importer", ToolUse::Real);
        returned(&run_eval(&case).await, "importer")
    };
    let first = imported_by(&folder, "a").await;
    let detour = folder.join("../crowd");
    assert_eq!(imported_by(&detour, "a").await, first);
    assert_ne!(imported_by(&folder, "b").await, first, "another environment");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_whose_import_fails_is_imported_once() {
    let Some(python) = test_needs::python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let imports = folder.path().join("imports");
    let agent = folder.path().join("unset");
    std::fs::create_dir(&agent).expect("created");
    let log = imports.join("log");
    let code = format!(
        "with open({log:?}, 'a') as log:\n    log.write('once ')\nraise ValueError('no settings')\n"
    );
    std::fs::write(agent.join("agent.py"), code).expect("written");
    let subject = Arc::new(AdkPythonSubject::new(&agent, Some(&python)));
    let case =
        EvalCase::new("a", subject).first_message("Hi").allow(format!("{}/", imports.display()));
    let suite = EvalSuite { cases: vec![case; 3], jobs: 2, stop_on_first_failure: false };
    for result in run_eval_suite(&suite, |_| ()).await.results {
        let error = result.error.expect("an error");
        assert!(error.message.contains("no settings"), "{}", error.message);
    }
    assert_eq!(std::fs::read_to_string(log).expect("a log"), "once ");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_process_imports_the_agent_for_all_cases() {
    let Some(python) = test_needs::python() else { return };
    let subject = crowd(&python, Isolation::Process);
    let case = EvalCase::new("importer", subject)
        .first_message("Hi")
        .model(GivenModel::scripted(vec![
            ModelTurn::call("importer", JsonText::from_value(&json!({}))),
            ModelTurn::text("Done"),
        ]))
        .tool("importer", ToolUse::Real);
    let suite = EvalSuite { cases: vec![case; 60], jobs: 12, stop_on_first_failure: false };
    let results = run_eval_suite(&suite, |_| ()).await.results;
    let importers: Vec<_> = results.iter().map(|result| returned(result, "importer")).collect();
    assert!(importers.iter().all(|importer| *importer == importers[0]), "{importers:?}");
}
