//! Stored runs and their forks, as the page asks for them.

mod compared;
mod killed;
mod recorded;
mod suites;
mod take_over;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use api::host::RunHost as _;
use api::{
    ApiError, CaseRunId, ForkRequest, ForkView, RunCases, RunOf, RunPlan, RunRequest, StepViewKind,
};
use json_text::JsonText;
use rehearsal::config::{AgentConfig, AgentSourceConfig};
use rehearsal::runs::StoredRuns;
use std::time::Duration;
use tempfile::TempDir;

use crate::evaluating::{agents, suite};

/// Between two looks at what is running.
const LOOK: Duration = Duration::from_millis(20);

/// A folder with a run of two cases, of which one fails: its model does not escalate.
fn stored(python: &Path) -> (TempDir, StoredRuns) {
    let folder = suite(
        r#"
  - name: chest pain
    first_message: My chest hurts
    model: { scripted: [Rest a little, Help is coming] }
    tools: { escalate: { returns: { status: escalated } } }
    metrics:
      - event_count: { name: escalates, event: tool_call, is: 1 }
  - name: greeting
    first_message: Hi
    repeats: 2
    model: { scripted: [Hello] }
    metrics:
      - event_count: { name: calls nothing, event: tool_call, is: 0 }
"#,
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.arg("eval").arg(folder.path().join("suite.yaml")).arg("--python").arg(python);
    let ended = command.current_dir(folder.path()).output().unwrap();
    assert_eq!(ended.status.code(), Some(1), "{}", String::from_utf8_lossy(&ended.stderr));
    let store = folder.path().join(".rehearsal/eval.sqlite");
    let runs = StoredRuns::new(store, folder.path().to_owned(), Some(python.to_owned()));
    let runs = runs.agents(vec![triage(folder.path())]);
    (folder, runs)
}

/// The triage agent, with its eval set in this folder.
fn triage(folder: &Path) -> AgentConfig {
    AgentConfig {
        name: "Triage".to_owned(),
        source: AgentSourceConfig::AdkPython { folder: agents().join("triage"), python: None },
        eval_set_path: folder.join("triage_evals.evalset.json"),
        user_id: "user".to_owned(),
        state: BTreeMap::new(),
        found_in: None,
    }
}

/// What `rehearsal eval runs` prints.
fn listed(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.args(["eval", "runs"]).args(arguments).current_dir(folder);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn stored_runs_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let nothing = listed(folder.path(), &[]);
    assert_eq!(nothing, ".rehearsal/eval.sqlite has no runs; `rehearsal eval SUITE` stores one\n");
    let Some(python) = test_needs::python() else { return };
    let (folder, _) = stored(&python);
    let all = listed(folder.path(), &[]);
    assert!(all.starts_with("    1  20") && all.contains("  2 of 3 passed  "), "{all}");
    assert!(all.ends_with(" s  suite.yaml\n"), "{all}");
    let one = listed(folder.path(), &["last"]);
    let (head, results) = one.split_once('\n').unwrap();
    assert!(
        head.starts_with("Run 1 of suite.yaml, 20") && head.ends_with(": 2 of 3 passed"),
        "{head}"
    );
    assert_eq!(
        results,
        "failed     chest pain: escalates: 0 × tool_call; wanted: 1\n\
         passed     greeting, repeat 1\n\
         passed     greeting, repeat 2\n"
    );
    let json: serde_json::Value =
        serde_json::from_str(&listed(folder.path(), &["1", "--format", "json"])).unwrap();
    assert_eq!(json["cases"][0]["metrics"][0]["passed"], false);
    assert_eq!(json["summary"]["counts"]["failed"], 1);
}

/// The fork once nothing of it runs.
async fn ended(runs: &StoredRuns, begun: &ForkView) -> ForkView {
    loop {
        let fork = runs.read_fork(begun.with.run).await.unwrap();
        let is_complete = [Some(&fork.with), fork.without.as_ref()]
            .into_iter()
            .flatten()
            .all(|side| side.results.len() == side.times as usize);
        if fork.fault.is_some() || (is_complete && !fork.is_running) {
            return fork;
        }
        tokio::time::sleep(LOOK).await;
    }
}

fn chest_pain() -> CaseRunId {
    CaseRunId { run: 1, suite: String::new(), case: "chest pain".to_owned(), repeat: 1 }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_run_is_forked_at_a_step_and_the_cause_is_shown() {
    let Some(python) = test_needs::python() else { return };
    let (_folder, runs) = stored(&python);

    let list = runs.list_runs().await.unwrap();
    let [run] = &*list.runs else { panic!("one run: {list:?}") };
    assert_eq!((run.counts.passed, run.counts.failed, run.is_running), (2, 1, false));
    let detail = runs.read_run(1).await.unwrap();
    let names: Vec<_> = detail.cases.iter().map(|it| (&*it.id.case, it.id.repeat)).collect();
    assert_eq!(names, [("chest pain", 1), ("greeting", 1), ("greeting", 2)]);
    let why = detail.cases[0].why.as_deref().unwrap();
    assert!(why.starts_with("escalates: "), "{why}");

    let case = runs.read_case_run(1, "chest pain".to_owned(), None, None).await.unwrap();
    let kinds: Vec<_> = case.steps.iter().map(|step| (step.kind, step.edit.as_str())).collect();
    assert_eq!(
        kinds,
        [
            (StepViewKind::Message, r#"{"message":"My chest hurts"}"#),
            (StepViewKind::Response, r#"{"response":"Rest a little"}"#)
        ]
    );
    let edit = r#"{"response": {"calls": [{"tool": "escalate", "args": {"urgency_level": "high", "reason": "chest"}}]}}"#;
    let request = ForkRequest {
        of: case.summary.id.clone(),
        step: 2,
        edit: Some(JsonText::parse(edit).unwrap()),
        changes: None,
        then: None,
        times: 2,
        tools: Vec::new(),
        by_person: false,
    };
    let begun = runs.start_fork(request).await.unwrap();
    let fork = ended(&runs, &begun).await;
    assert_eq!(fork.fault, None);
    let without = fork.without.as_ref().unwrap();
    assert_eq!((fork.with.passed, fork.with.counted), (2, 2));
    assert_eq!((without.passed, without.counted), (0, 2));
    assert_eq!(
        fork.sentence.as_deref(),
        Some(
            "Step 2 was the cause: with your call 2 of 2 pass, without it 0 of 2 (difference 1.00, 95 % 0.07 to 1.00)."
        )
    );
    assert_eq!(runs.read_fork(without.run).await.unwrap(), fork, "either run names the fork");

    // What was right is kept as a case, once.
    let right = fork.with.results[0].id.clone();
    let kept = runs.keep_result(right.clone()).await.unwrap();
    assert!(kept.is_new && kept.path.ends_with("triage_evals.evalset.json"), "{kept:?}");
    let again = runs.keep_result(right).await.unwrap();
    assert_eq!((again.is_new, &again.eval_id), (false, &kept.eval_id));
    let set: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&kept.path).unwrap()).unwrap();
    let [case] = &**set["eval_cases"].as_array().unwrap() else { panic!("one case: {set}") };
    let used = &case["conversation"][0]["intermediate_data"]["tool_uses"][0];
    assert_eq!((&used["name"], &used["args"]["reason"]), (&"escalate".into(), &"chest".into()));
    let note = case["agentflow"]["description"].as_str().unwrap();
    assert!(
        note.starts_with("Forked from run 1, chest pain, repeat 1, at step 2, with {"),
        "{note}"
    );

    // More continuations go on with those that there are.
    let more = runs.continue_fork(without.run, 5).await.unwrap();
    let fork = ended(&runs, &more).await;
    assert_eq!((fork.with.passed, fork.with.results.len()), (5, 5));
    let sentence = fork.sentence.unwrap();
    assert!(sentence.starts_with("Step 2 was the cause: with your call 5 of 5 pass"), "{sentence}");

    let forks = runs.read_run(1).await.unwrap().forks;
    let numbers: Vec<_> = forks.iter().map(|fork| fork.run).collect();
    assert_eq!(numbers, [3, 2]);
    let of_case = runs.read_case_run(1, "chest pain".to_owned(), Some(1), None).await.unwrap();
    assert_eq!(of_case.forks, forks);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_did_not_pass_runs_again() {
    let Some(python) = test_needs::python() else { return };
    let (_folder, runs) = stored(&python);
    let request = |cases| RunRequest { of: RunOf::Run(1), cases, repeats: Some(3), model: None };
    let plan = runs.plan_run(request(RunCases::NotPassed)).await.unwrap();
    assert_eq!((plan.cases, plan.results), (1, 3));
    assert_eq!((plan.real_tools.len(), plan.models.len(), plan.asks_own_models), (0, 0, false));
    let all = runs.plan_run(request(RunCases::All)).await.unwrap();
    assert_eq!((all.cases, all.results), (2, 6));
    let took = |plan: &RunPlan| plan.earlier.unwrap().duration_ms;
    assert!(took(&all) >= took(&plan));

    let run = runs.start_run(request(RunCases::NotPassed)).await.unwrap();
    let detail = loop {
        let detail = runs.read_run(run).await.unwrap();
        if !detail.summary.is_running && detail.cases.len() == 3 {
            break detail;
        }
        tokio::time::sleep(LOOK).await;
    };
    assert!(detail.cases.iter().all(|case| case.id.case == "chest pain"), "{detail:?}");
    assert_eq!(detail.summary.suites, ["suite.yaml"]);
    assert_eq!((detail.summary.counts.failed, detail.summary.fork_of), (3, None));

    let unknown = runs.start_run(request(RunCases::Case("gone".to_owned()))).await;
    let Err(ApiError::Run(reason)) = unknown else { panic!("{unknown:?}") };
    assert!(reason.contains("chest pain"), "it names those that there are: {reason}");
    assert_eq!(runs.list_runs().await.unwrap().runs.len(), 2, "a refused run stores nothing");
    runs.stop_run(run).await.unwrap();
}

#[tokio::test]
async fn without_a_store_there_are_no_runs() {
    let folder = tempfile::tempdir().unwrap();
    let runs = StoredRuns::new(folder.path().join("eval.sqlite"), PathBuf::new(), None);
    assert_eq!(runs.list_runs().await.unwrap().runs, []);
    assert!(!folder.path().join("eval.sqlite").exists(), "looking creates nothing");
    assert!(matches!(runs.read_run(1).await, Err(ApiError::Run(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_fork_is_refused_and_stores_nothing() {
    let Some(python) = test_needs::python() else { return };
    let (folder, runs) = stored(&python);
    let suite = folder.path().join("suite.yaml").canonicalize().unwrap();
    let case = runs.read_case_run(1, "chest pain".to_owned(), None, None).await.unwrap();
    let request = |edit: Option<&str>, step, times| ForkRequest {
        of: case.summary.id.clone(),
        step,
        edit: edit.map(|edit| JsonText::parse(edit).unwrap()),
        changes: None,
        then: None,
        times,
        tools: Vec::new(),
        by_person: false,
    };
    let refused = async |request| match runs.start_fork(request).await {
        Err(ApiError::Run(reason)) => reason,
        other => panic!("{other:?}"),
    };
    let unknown = ForkRequest { of: chest_pain(), ..request(None, 2, 1) };
    for (request, reason) in [
        (request(Some("{}"), 2, 1), "The move has nothing that happens"),
        (request(Some(r#"{"result": 1}"#), 2, 1), "Step 2 is a response"),
        (request(None, 9, 1), "The run has no step 9; it has the steps 1 to 2."),
        (request(None, 2, 0), "Give a number of continuations from 1 to 100."),
        (unknown, "Run 1 has no result of chest pain, repeat 1."),
    ] {
        let error = refused(request).await;
        assert!(error.contains(reason), "{error}");
    }
    for (case, repeat) in [("greeting", Some(3)), ("gone", None)] {
        let read = runs.read_case_run(1, case.to_owned(), repeat, None).await;
        assert!(matches!(read, Err(ApiError::Run(_))), "{read:?}");
    }
    let fork = runs.read_fork(1).await;
    assert_eq!(fork, Err(ApiError::Run("Run 1 is not a fork.".to_owned())));
    std::fs::remove_file(&suite).unwrap();
    let error = refused(request(None, 2, 1)).await;
    assert!(error.contains("suite.yaml"), "{error}");
    assert_eq!(runs.list_runs().await.unwrap().runs.len(), 1);
}
